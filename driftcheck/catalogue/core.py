"""The catalogue as a whole, and the view of it at one version."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from driftcheck.catalogue.files import CatalogueError, Schema, SchemaFile, load_files, shipped_folder
from driftcheck.catalogue.project import FileBreaks, Projection, Timeless, breaks, lean
from driftcheck.catalogue.routes import Routes
from driftcheck.versions import Break, Version

UNVERSIONED = -1
"""The era of a record whose version nobody states."""


@dataclass(frozen=True)
class Catalogue:
    """All schemas, with their history. `Catalogue.load().at("2.1.42")` is how they stood at one version."""

    files: Mapping[str, SchemaFile]
    routes: Routes
    folder: Path
    _breaks: dict[str, list[Break]] = field(default_factory=dict, repr=False, compare=False)
    _file_breaks: dict[str, FileBreaks] = field(default_factory=dict, repr=False, compare=False)
    _timeless: Timeless = field(default_factory=Timeless, repr=False, compare=False)
    _projected: dict[tuple[str, int], Schema | None] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def load(folder: str | os.PathLike[str] | None = None) -> Catalogue:
        """The catalogue in a folder, or the one that comes with the package."""
        path = shipped_folder() if folder is None else Path(folder)
        catalogue = Catalogue(load_files(path), Routes.load(path), path)
        if folder is not None:
            catalogue.verify()
        return catalogue

    def verify(self) -> None:
        """Refuse a catalogue that cannot be used, and say where; the one of the package is held to it by tests."""
        from driftcheck.catalogue.lint import lint

        problems = [problem for file in self.files.values() for problem in lint(file)]
        if problems:
            raise CatalogueError("\n".join(problems))
        for name in self.files:
            self.projected(name, None)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        return tuple(name for name, file in self.files.items() if file.is_kind)

    @property
    def newest(self) -> Version:
        """The newest version that the catalogue has evidence for."""
        return Version.parse(self.routes.evidence[1])

    @property
    def oldest(self) -> Version:
        return Version.parse(self.routes.evidence[0])

    def at(self, version: Version | str | None) -> View:
        """The catalogue at one version; None is the whole history at once, for records of unknown version."""
        return View(self, Version.parse(version) if isinstance(version, str) else version)

    def era(self, kind: str, version: Version | None) -> int:
        """A number that is the same for all versions at which a kind is the same."""
        if version is None:
            return UNVERSIONED
        if kind not in self._breaks:
            self._breaks[kind] = breaks(self.files, kind, self._file_breaks)
        return bisect_right(self._breaks[kind], (version, 0))

    def projected(self, kind: str, version: Version | None) -> Schema | None:
        key = kind, self.era(kind, version)
        if key not in self._projected:
            self._projected[key] = Projection(self.files, version, self._timeless).kind(kind)
        return self._projected[key]


@dataclass(frozen=True)
class View:
    """The catalogue at one version: plain, strict, standard schemas."""

    catalogue: Catalogue
    version: Version | None

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        return tuple(kind for kind in self.catalogue.kinds if self.annotated(kind) is not None)

    def annotated(self, kind: str) -> Schema | None:
        """A kind's schema with its words and its spots, or None where this version has no such kind."""
        return self.catalogue.projected(kind, self.version) if kind in self.catalogue.files else None

    def schema(self, kind: str) -> Schema:
        """A kind's schema with nothing in it but what validates."""
        annotated = self.annotated(kind)
        if annotated is None:
            raise CatalogueError(f"{self.version or 'the catalogue'} has no kind {kind!r}")
        return lean(annotated)
