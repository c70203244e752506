"""Redacts files and folders into another folder, under names that say nothing either."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson

from driftcheck.catalogue import Catalogue
from driftcheck.drift.file import SkippedError, tell_surface
from driftcheck.files import write_atomically
from driftcheck.jsontype import Json
from driftcheck.read.discover import Source, discover
from driftcheck.read.parse import Trouble
from driftcheck.read.records import UnreadableError, open_source, read_records
from driftcheck.redact.manifests import NAME as MANIFEST
from driftcheck.redact.manifests import carry_manifests
from driftcheck.redact.mask import TEXT, Mask
from driftcheck.redact.unique import Unique, shorten
from driftcheck.redact.walk import Redactor
from driftcheck.versions import find_version

_KNOWN_NAMES = {"projects", "sessions", "subagents", "workflows", "hooks", "history", "stream", "output", "journal"}
_KNOWN_NAMES |= {"custom-title", "agent", "meta"}


@dataclass(frozen=True)
class Redacted:
    """What came of a redaction."""

    files: int
    records: int
    kept: int
    malformed: int
    """Lines that are not JSON objects: they are left out, for nothing is known about what is in them."""
    skipped: tuple[tuple[str, str], ...]
    """Files that were left out, and why."""


def redact(
    paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    unique: bool = False,
    surface: str | None = None,
    seed: str | None = None,
    keep_names: Collection[str] = (),
    schemas: Catalogue | str | os.PathLike[str] | None = None,
) -> Redacted:
    """Write the same records without anybody's words to a folder.

    `unique` keeps only the records that show something the others do not (per Claude Code version, where the
    folders state one); `seed` makes the replaced ids the same every time; `keep_names` are names of folders
    and files to keep. The manifests of captures are carried along, and the names of their scenarios kept.
    """
    catalogue = schemas if isinstance(schemas, Catalogue) else Catalogue.load(schemas)
    roots = [Path(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    mask = Mask(seed if seed is not None else secrets.token_hex(16))
    hooks = {kind.partition("/")[2] for kind in catalogue.kinds if kind.startswith("hook/")}
    names = _KNOWN_NAMES | hooks | set(keep_names)
    pickers: dict[str | None, Unique] = {}
    files = records = kept = malformed = 0
    skipped: list[tuple[str, str]] = []
    for root in roots:
        names |= carry_manifests(root, Path(out))
        for source in discover([root]).sources:
            if source.path.name == MANIFEST:
                continue
            try:
                lines, bad = _redact_file(catalogue, mask, source, surface)
            except (UnreadableError, SkippedError) as error:
                skipped.append((source.name, str(error)))
                continue
            files, records, malformed = files + 1, records + len(lines), malformed + bad
            if unique:
                picker = pickers.setdefault(source.stated_version, Unique())
                lines = [(line, shorten(record)) for line, record in picker.pick(lines)]
            if lines:
                kept += len(lines)
                _write(Path(out) / _masked_name(source, root, mask, names), [record for _, record in lines])
    return Redacted(files, records, kept, malformed, tuple(skipped))


def _redact_file(
    catalogue: Catalogue, mask: Mask, source: Source, surface: str | None
) -> tuple[list[tuple[int, dict[str, Json]]], int]:
    with open_source(None if source.is_stdin else source.path, lambda _: None) as handle:
        items = read_records(handle, is_document=source.is_document)
        told, items = tell_surface(catalogue.routes, source, items, surface)
        redactor = Redactor(catalogue, mask, told, source.path.name)
        every = list(items)
    lines = [(line, redactor.record(record)) for line, record in every if not isinstance(record, Trouble)]
    return lines, len(every) - len(lines)


def _write(path: Path, records: list[dict[str, Json]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(orjson.dumps(record).decode() + "\n" for record in records))


def _masked_name(source: Source, root: Path, mask: Mask, names: Collection[str]) -> Path:
    below = source.path.relative_to(root) if root.is_dir() else Path(source.path.name)
    return Path(*(_masked_part(part, mask, names) for part in below.parts))


def _masked_part(part: str, mask: Mask, names: Collection[str]) -> str:
    """A folder's or file's name, of which known words, versions, numbers' places and ids' links are kept."""
    if find_version(part):
        return part
    part = part.removesuffix(".gz")
    stem, suffix = next(
        ((part[: -len(s)], s) for s in (".meta.json", ".jsonl", ".json") if part.endswith(s)), (part, "")
    )
    if find_version(stem):
        return part
    words = re.split(r"(?<=^agent)-", stem)
    return "-".join(word if word in names else _masked_word(word, mask) for word in words) + suffix


def _masked_word(word: str, mask: Mask) -> str:
    if re.fullmatch(r"\d+(\.\d+)?", word):
        return str(int.from_bytes(mask.name(word).encode()[1:5], "big") % 100000)
    masked = mask.text(word)
    return masked if masked != TEXT else mask.name(word)
