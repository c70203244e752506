"""The compiled schemas of one version: what a record is held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import Schema
from driftcheck.catalogue.parts import CALLED_TOOL, ITEM, VALUE, Spot, Template, find_spots
from driftcheck.drift import engine
from driftcheck.jsontype import Json
from driftcheck.versions import Version

Finder = Callable[[Json], list[Json]]


class Role(Enum):
    """How the kind of a part is told."""

    FIXED = "it is always the same"
    OWN = "by a field of its own"
    BESIDE = "by a field beside it"
    RESULT = "by the tool whose call it answers"

    @staticmethod
    def of(template: Template) -> Role:
        if template.name is None:
            return Role.FIXED
        if template.name == CALLED_TOOL:
            return Role.RESULT
        return Role.BESIDE if template.in_parent else Role.OWN


@dataclass(frozen=True, eq=False)
class Place:
    """A spot, ready to use: a function that finds in a value what is there, or the objects that hold it."""

    spot: Spot
    find: Finder
    role: Role
    template: Template
    dotted: str


@dataclass(frozen=True, eq=False)
class Entry:
    """A kind at one version, compiled."""

    kind: str
    schema: Schema
    accepts: engine.Accept
    places: tuple[Place, ...]


@dataclass
class Bench:
    """All kinds at one version, each compiled when it is first met."""

    press: Press
    version: Version | None
    label: str | None
    """The version as reports write it."""
    entries: dict[str, Entry | None] = field(default_factory=dict)
    told: dict[str, dict[str, Entry | None]] = field(default_factory=dict)
    """For each surface or template, the kinds that were told, by the value of their discriminator."""

    def entry(self, kind: str) -> Entry | None:
        """The compiled kind, or None where this version has no such kind."""
        if kind not in self.entries:
            self.entries[kind] = self.press.entry(kind, self.version)
        return self.entries[kind]


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
        schema = self.catalogue.projected(kind, version)
        if schema is None:
            return None
        return Entry(kind, schema, engine.fast(schema), tuple(_place(spot) for spot in find_spots(schema)))


def _place(spot: Spot) -> Place:
    return Place(spot, finder(_reach(spot)), Role.of(spot.template), spot.template, spot.dotted)


def _reach(spot: Spot) -> tuple[str, ...]:
    """Where to go for a spot's parts: to their holder, where a field beside them tells their kind."""
    return spot.path[:-1] if spot.template.in_parent else spot.path


def finder(path: tuple[str, ...]) -> Finder:
    """A function that finds everything at a path, wherever the value has that form."""
    fields = tuple(step for step in path if step not in (ITEM, VALUE))
    if path == (*fields, ITEM):
        return _in_list(fields)
    find: Finder = _itself
    for step in reversed(path):
        find = _STEPS.get(step, _field)(step, find)
    return find


def _itself(value: Json) -> list[Json]:
    return [value]


def _in_list(fields: tuple[str, ...]) -> Finder:
    """The elements of a list at the end of a way of fields: by far the most common path, and so done in one go."""

    def find(value: Json) -> list[Json]:
        for name in fields:
            if type(value) is not dict or name not in value:
                return []
            value = value[name]
        return value if type(value) is list else []

    return find


def _field(name: str, rest: Finder) -> Finder:
    def find(value: Json) -> list[Json]:
        return rest(value[name]) if type(value) is dict and name in value else []

    return find


def _items(_: str, rest: Finder) -> Finder:
    def find(value: Json) -> list[Json]:
        return [part for item in value for part in rest(item)] if type(value) is list else []

    return find


def _values(_: str, rest: Finder) -> Finder:
    def find(value: Json) -> list[Json]:
        return [part for item in value.values() for part in rest(item)] if type(value) is dict else []

    return find


_STEPS = {ITEM: _items, VALUE: _values}
