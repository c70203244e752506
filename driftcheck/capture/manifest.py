"""The manifest of one captured version: what ran, how it ended, which kinds were seen and which were not."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from driftcheck.capture.perform import Performance
from driftcheck.catalogue import Catalogue
from driftcheck.files import write_atomically
from driftcheck.versions import Version, find_version

NAME = "manifest.json"


class ManifestError(ValueError):
    """A manifest that cannot be read."""


@dataclass(frozen=True)
class Entry:
    """One scenario in the manifest, with the fingerprint of the scenario file that was played."""

    fingerprint: str
    performance: Performance


@dataclass(frozen=True)
class VersionCapture:
    """One version and everything played on it."""

    version: str
    native: bool
    entries: dict[str, Entry] = field(default_factory=dict)
    error: str = ""

    @property
    def kinds(self) -> Counter[str]:
        total: Counter[str] = Counter()
        for entry in self.entries.values():
            total.update(entry.performance.kinds)
        return total

    def not_exercised(self) -> list[str]:
        """Kinds that the catalogue knows at this version and no scenario showed."""
        seen = self.kinds
        known = Catalogue.load().at(self.version).kinds
        return [kind for kind in known if not seen[kind] and not kind.startswith("adapter/")]

    @property
    def complete(self) -> bool:
        """Whether every scenario was captured, or skipped for a reason that is recorded."""
        done = self.counted("captured") + self.counted("skipped")
        return not self.error and bool(self.entries) and done == len(self.entries)

    def counted(self, status: str) -> int:
        return sum(entry.performance.status == status for entry in self.entries.values())


def write(folder: Path, capture: VersionCapture) -> None:
    """Written as a whole or not at all, after every scenario."""
    body = {
        "version": capture.version,
        "program": "native" if capture.native else "javascript",
        "scenarios": {
            name: {"fingerprint": entry.fingerprint, **dataclasses.asdict(entry.performance)}
            for name, entry in sorted(capture.entries.items())
        },
        "kinds": dict(sorted(capture.kinds.items())),
        "not_exercised": capture.not_exercised(),
        "error": capture.error,
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / NAME, orjson.dumps(body, option=orjson.OPT_INDENT_2).decode() + "\n")


def read(folder: Path) -> VersionCapture | None:
    path = folder / NAME
    if not path.is_file():
        return None
    try:
        body = orjson.loads(path.read_bytes())
        entries = {name: _entry(dict(raw)) for name, raw in body["scenarios"].items()}
        return VersionCapture(body["version"], body["program"] == "native", entries, body.get("error", ""))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ManifestError(f"{path} is not a manifest ({error}); remove it to capture this version again") from error


def _entry(raw: dict[str, Any]) -> Entry:
    fingerprint = raw.pop("fingerprint")
    known = {one.name for one in dataclasses.fields(Performance)}
    return Entry(fingerprint, Performance(**{key: _frozen(value) for key, value in raw.items() if key in known}))


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def read_all(out: Path) -> list[VersionCapture]:
    """The manifests of all versions under a folder, oldest version first."""
    found = (read(folder) for folder in sorted(out.iterdir() if out.is_dir() else ()) if folder.is_dir())
    return sorted(
        filter(None, found), key=lambda capture: (find_version(capture.version) or Version(0, 0, 0), capture.version)
    )


def coverage(captures: Iterable[VersionCapture]) -> dict[str, dict[str, int]]:
    """How often each kind was seen in each version: kinds × versions."""
    listed = list(captures)
    kinds = sorted({kind for capture in listed for kind in capture.kinds})
    return {kind: {capture.version: capture.kinds[kind] for capture in listed} for kind in kinds}
