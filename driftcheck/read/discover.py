"""Finds the files to check below the paths that a user names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from driftcheck.versions import find_version

STDIN = "-"
_CONFIG_MARKS = ("settings.json", "plugins", "todos", "statsig", "shell-snapshots", "file-history", ".credentials.json")
_SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")


@dataclass(frozen=True)
class Source:
    """A file to check, under the name that a report calls it by."""

    path: Path
    name: str
    size: int
    named: bool
    """Whether the user named this very file."""

    @property
    def is_stdin(self) -> bool:
        return self.name == STDIN

    @property
    def is_document(self) -> bool:
        """Whether one value may go over several lines."""
        return self.name.removesuffix(".gz").endswith(".json") or self.is_stdin

    @property
    def stated_version(self) -> str | None:
        """The version that the file's name or a folder above it states: `2.1.42.jsonl`, `2.1.42/…`."""
        names = [self.path.name.removesuffix(".gz").rpartition(".")[0], *reversed(self.path.parts[:-1])]
        return next((str(version) for name in names if (version := find_version(name))), None)


@dataclass(frozen=True)
class Missed:
    """A path that could not be looked at, and why."""

    name: str
    reason: str
    named: bool


@dataclass(frozen=True)
class Discovery:
    sources: tuple[Source, ...]
    missed: tuple[Missed, ...]
    passed_over: int
    """How many files in the folders are of no kind that we read."""


def config_folder(environment: Mapping[str, str]) -> Path:
    """Where Claude Code keeps its data: $CLAUDE_CONFIG_DIR, or ~/.claude."""
    named = environment.get("CLAUDE_CONFIG_DIR")
    return Path(named).expanduser() if named else Path.home() / ".claude"


def discover(paths: Iterable[str | os.PathLike[str]]) -> Discovery:
    """Every file to check, each once, in a stable order."""
    found: dict[tuple[int, int] | str, Source] = {}
    missed: list[Missed] = []
    passed_over = 0
    for given in paths:
        if os.fspath(given) == STDIN:
            found[STDIN] = Source(Path(STDIN), STDIN, 0, named=True)
            continue
        path = Path(given)
        is_folder = _is_folder(path)
        for item in _walk(path) if is_folder else [path]:
            if isinstance(item, Missed):
                missed.append(item)
            elif is_folder and not item.name.endswith(_SUFFIXES):
                passed_over += 1
            else:
                _take(item, not is_folder, found, missed)
    return Discovery(tuple(found.values()), tuple(missed), passed_over)


def _take(path: Path, named: bool, found: dict[tuple[int, int] | str, Source], missed: list[Missed]) -> None:
    try:
        status = path.stat()
    except OSError as error:
        missed.append(Missed(_shown(path), (error.strerror or "cannot be read").lower(), named))
        return
    key = status.st_dev, status.st_ino
    known = found.get(key)
    if known is None:
        found[key] = Source(path, _shown(path), status.st_size, named)
    else:  # whichever way came first, the report is the same
        path = min(known.path, path)
        found[key] = Source(path, _shown(path), status.st_size, named or known.named)


def _is_config_folder(folder: Path) -> bool:
    """Whether a folder is where Claude Code keeps its data, and much else that is no record."""
    if not _is_folder(folder / "projects"):
        return False
    named = folder.name == ".claude" or folder == config_folder(os.environ)
    return named or any((folder / mark).exists() for mark in _CONFIG_MARKS)


def _walk(folder: Path) -> Iterator[Path | Missed]:
    """The files below a folder; of a Claude config folder only those that are data of sessions."""
    if _is_config_folder(folder):
        for part in ("projects", "sessions"):
            if _is_folder(folder / part):
                yield from _walk_all(folder / part, set())
        if (folder / "history.jsonl").is_file():
            yield folder / "history.jsonl"
    else:
        yield from _walk_all(folder, set())


def _walk_all(folder: Path, above: set[tuple[int, int]]) -> Iterator[Path | Missed]:
    """Everything below a folder, in order of name; a symlink that leads back up is not followed again."""
    try:
        status = folder.stat()
        children = sorted(os.scandir(folder), key=lambda child: child.name)
    except OSError as error:
        yield Missed(_shown(folder), (error.strerror or "cannot be read").lower(), named=False)
        return
    here = status.st_dev, status.st_ino
    if here in above:
        return
    for child in children:
        path = Path(child.path)
        if _is_folder(path):
            yield from _walk_all(path, above | {here})
        elif child.is_file(follow_symlinks=False) or (child.is_symlink() and not _is_special(path)):
            yield path


def _is_folder(path: Path) -> bool:
    """Whether a path is a folder that can be looked at; if not, taking it for a file tells why."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _is_special(path: Path) -> bool:
    """Whether a path leads to something that is there and is no file: a pipe, a device."""
    try:
        return path.exists() and not path.is_file()
    except OSError:
        return False


def _shown(path: Path) -> str:
    """A path as text that can be written anywhere, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
