"""The compiled schemas of one version: what a record is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import Schema
from driftcheck.catalogue.parts import ITEM, VALUE, Spot, find_spots
from driftcheck.catalogue.project import lean
from driftcheck.drift import engine
from driftcheck.jsontype import Json
from driftcheck.versions import Version

Held = tuple[dict[str, Json], Json]
"""A part, and the object that holds it."""
Finder = Callable[[Json], list[Held]]


@dataclass(frozen=True)
class Place:
    """A spot, ready to use: a function that finds its parts in a value."""

    spot: Spot
    find: Finder


@dataclass(frozen=True)
class Entry:
    """A kind at one version, compiled."""

    kind: str
    schema: Schema
    accepts: engine.Accept
    places: tuple[Place, ...]


@dataclass
class Bench:
    """All kinds at one version, and how many of each were seen there."""

    press: Press
    version: Version | None
    counts: Counter[str] = field(default_factory=Counter)
    _entries: dict[str, Entry | None] = field(default_factory=dict)

    def entry(self, kind: str) -> Entry | None:
        """The compiled kind, or None where this version has no such kind."""
        try:
            return self._entries[kind]
        except KeyError:
            entry = self._entries[kind] = self.press.entry(kind, self.version)
            return entry


class Press:
    """Compiles the kinds of a catalogue, each once for all versions that agree on it."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._made: dict[tuple[str, int], Entry | None] = {}

    def entry(self, kind: str, version: Version | None) -> Entry | None:
        if kind not in self.catalogue.files:
            return None
        key = kind, self.catalogue.era(kind, version)
        if key not in self._made:
            self._made[key] = self._make(kind, version)
        return self._made[key]

    def _make(self, kind: str, version: Version | None) -> Entry | None:
        annotated = self.catalogue.projected(kind, version)
        if annotated is None:
            return None
        schema = lean(annotated)
        places = tuple(Place(spot, finder(spot.path)) for spot in find_spots(annotated))
        return Entry(kind, schema, engine.fast(schema), places)


def finder(path: tuple[str, ...]) -> Finder:
    """A function that finds what is at a path, wherever the value has that form."""
    find: Callable[[Json, dict[str, Json]], list[Held]] = lambda value, holder: [(holder, value)]  # noqa: E731
    for step in reversed(path):
        find = _STEPS.get(step, _field)(step, find)
    return lambda value: find(value, value)


_Find = Callable[[Json, dict[str, Json]], list[Held]]


def _field(name: str, rest: _Find) -> _Find:
    def find(value: Json, _: dict[str, Json]) -> list[Held]:
        return rest(value[name], value) if isinstance(value, dict) and name in value else []

    return find


def _items(_: str, rest: _Find) -> _Find:
    def find(value: Json, holder: dict[str, Json]) -> list[Held]:
        return [held for item in value for held in rest(item, holder)] if isinstance(value, list) else []

    return find


def _values(_: str, rest: _Find) -> _Find:
    def find(value: Json, _holder: dict[str, Json]) -> list[Held]:
        if not isinstance(value, dict):
            return []
        return [held for item in value.values() for held in rest(item, value)]

    return find


_STEPS = {ITEM: _items, VALUE: _values}
