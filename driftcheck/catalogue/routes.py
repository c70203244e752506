"""The routes of a catalogue: which fields tell what kind a record is, on each surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from driftcheck.catalogue.files import ROUTES_FILE, CatalogueError, load_json
from driftcheck.versions import Version, VersionError


@dataclass(frozen=True)
class Surface:
    name: str
    by: str | None
    """The field that tells the kind of a record."""
    files: tuple[tuple[str, str], ...]
    """Where there is no such field: the kind that a file's name tells, by patterns, the first that fits."""
    version: str | None
    """The field that states the Claude Code version, where the surface has one."""
    then: Mapping[str, tuple[str, ...]]
    """For a kind that has kinds below it: the path of the field that tells them."""

    def kind_of_file(self, name: str) -> str:
        return next((kind for pattern, kind in self.files if fnmatchcase(name, pattern)), self.name)


@dataclass(frozen=True)
class Routes:
    surfaces: Mapping[str, Surface]
    aliases: tuple[tuple[str, str], ...]
    """Names that stand for many: each tool of an MCP server is judged as `mcp`."""
    evidence: tuple[str, str]
    """The first and the last version that the catalogue has evidence for."""

    @staticmethod
    def load(folder: Path) -> Routes:
        data = load_json(folder / ROUTES_FILE)
        try:
            return Routes(
                {name: _surface(name, entry) for name, entry in data["surfaces"].items()},
                tuple(data.get("aliases", {}).items()),
                (_version(data["evidence"]["first"]), _version(data["evidence"]["last"])),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise CatalogueError(f"{folder / ROUTES_FILE}: lacks or misspells {error}") from error
        except VersionError as error:
            raise CatalogueError(f"{folder / ROUTES_FILE}: evidence: {error}") from error

    def alias(self, name: str) -> str:
        """The name that a name is judged under."""
        return next((to for pattern, to in self.aliases if fnmatchcase(name, pattern)), name)


def _surface(name: str, entry: dict[str, Any]) -> Surface:
    then = {kind: tuple(path.split(".")) for kind, path in entry.get("then", {}).items()}
    return Surface(name, entry.get("by"), tuple(entry.get("files", {}).items()), entry.get("version"), then)


def _version(text: str) -> str:
    return str(Version.parse(text))
