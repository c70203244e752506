"""Counts what the records of each version really hold: the evidence that bounds stand on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from driftcheck import names
from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import Schema
from driftcheck.catalogue.parts import ITEM
from driftcheck.jsontype import Json, json_type
from driftcheck.versions import Version

Spot = tuple[str, str]
"""A kind and a path inside it."""


@dataclass
class Census:
    """How often each spot held each JSON type or word, by version. Adding two gives that of both."""

    types: dict[Spot, dict[str, Counter[Version]]] = field(default_factory=dict)
    words: dict[Spot, dict[str, Counter[Version]]] = field(default_factory=dict)
    files: Counter[tuple[str, Version]] = field(default_factory=Counter)
    """In how many files a kind was, by version."""

    def add(self, other: Census) -> None:
        for mine, theirs in ((self.types, other.types), (self.words, other.words)):
            for spot, counts in theirs.items():
                for name, versions in counts.items():
                    mine.setdefault(spot, {}).setdefault(name, Counter()).update(versions)
        self.files.update(other.files)

    def seen(self, kind: str, path: str) -> Counter[Version]:
        """How often a spot held anything, by version."""
        total: Counter[Version] = Counter()
        for versions in self.types.get((kind, path), {}).values():
            total.update(versions)
        return total

    def could_be(self, kind: str, path: str) -> Counter[Version]:
        """How often there was an object that could have had the field at a path, by version."""
        return self.types.get((kind, parent_of(path)), {}).get("object", Counter())

    def versions(self, kind: str) -> list[Version]:
        return sorted(self.seen(kind, ""))


def parent_of(path: str) -> str:
    """The path of the object that a field is in."""
    return path.rpartition(".")[0] if not path.endswith(ITEM) else path.removesuffix(ITEM)


class Counting:
    """Counts values into a census, along the schema of their kind over its whole history."""

    def __init__(self, catalogue: Catalogue, census: Census) -> None:
        self._catalogue = catalogue
        self._census = census
        self._last_file: dict[tuple[str, Version], str] = {}

    def value(self, kind: str, version: Version, value: Json, file: str) -> None:
        if self._last_file.get((kind, version)) != file:
            self._last_file[kind, version] = file
            self._census.files[kind, version] += 1
        known = self._catalogue.projected(kind, None) if kind in self._catalogue.files else None
        self._count(kind, version, value, "", [known] if known else [])

    def _count(self, kind: str, version: Version, value: Json, path: str, schemas: list[Schema]) -> None:
        possible = list(_alternatives(schemas))
        if path and any("x-kind" in schema for schema in possible):
            return
        types = self._census.types.setdefault((kind, path), {})
        types.setdefault(json_type(value), Counter())[version] += 1
        if isinstance(value, dict):
            for step, child, inner in _fields(value, possible):
                self._count(kind, version, child, names.under(path, step), inner)
        elif isinstance(value, list):
            items = [schema["items"] for schema in possible if "items" in schema]
            for item in value:
                self._count(kind, version, item, path + ITEM, items)
        elif isinstance(value, str) and any("enum" in s or "const" in s for s in possible):
            word = names.word(value) or names.NO_NAME
            self._census.words.setdefault((kind, path), {}).setdefault(word, Counter())[version] += 1


def _alternatives(schemas: Iterable[Schema]) -> Iterator[Schema]:
    for schema in schemas:
        yield schema
        yield from _alternatives(schema.get("anyOf", []))


def _fields(value: dict[str, Json], schemas: list[Schema]) -> Iterator[tuple[str, Json, list[Schema]]]:
    """The fields of an object with their schemas; what is declared open is nobody's evidence."""
    rest = [s["additionalProperties"] for s in schemas if s.get("additionalProperties", False) is not False]
    for key, child in value.items():
        declared = [s["properties"][key] for s in schemas if key in s.get("properties", {})]
        if declared:
            yield key, child, declared
        elif not rest:
            yield names.field(key), child, []
        elif inner := [schema for schema in rest if isinstance(schema, dict)]:
            yield names.ANY_KEY, child, inner
