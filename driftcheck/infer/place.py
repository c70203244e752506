"""Finds the place in the schema files that speaks of a field, so that it can be changed there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from driftcheck import names
from driftcheck.catalogue.files import Schema, SchemaFile
from driftcheck.catalogue.parts import ITEM
from driftcheck.catalogue.project import resolve


@dataclass
class Desk:
    """Schema files that are being changed; the originals stay as they are."""

    files: dict[str, SchemaFile]
    changed: set[str] = field(default_factory=set)

    def nodes(self, kind: str, path: str) -> list[tuple[str, Schema]]:
        """The subschemas that speak of a path of a kind, each with the name of its file, the nearest first."""
        found = list(self._reach(kind, self.files[kind].schema))
        for step in _steps(path):
            found = [inner for name, node in found for inner in self._step(name, node, step)]
        return found

    def holders(self, kind: str, path: str) -> list[tuple[str, Schema]]:
        """The object schemas that could declare a field at a path, the kind's own before shared ones."""
        parent = _join(_steps(path)[:-1])
        found = self.nodes(kind, parent)
        objects = [(n, s) for n, s in found if "properties" in s or s.get("type") == "object"]
        return objects or [(n, s) for n, s in found if not s.get("type")]

    def parents(self, kind: str, path: str) -> list[tuple[str, Schema]]:
        """The object schemas that declare a field at a path, with its requirement."""
        name = _steps(path)[-1]
        return [(n, s) for n, s in self.holders(kind, path) if name in s.get("properties", {})]

    def _reach(self, name: str, node: Schema) -> Iterator[tuple[str, Schema]]:
        """A subschema and all that it refers to or chooses from."""
        yield name, node
        if "$ref" in node:
            target, home = resolve(self.files, self.files[name], node["$ref"])
            yield from self._reach(home.name, target)
        for keyword in ("allOf", "anyOf"):
            for part in node.get(keyword, []):
                yield from self._reach(name, part)

    def _step(self, name: str, node: Schema, step: str) -> Iterator[tuple[str, Schema]]:
        if step == ITEM:
            child = node.get("items")
        elif step == names.ANY_KEY:
            child = node.get("additionalProperties")
        else:
            child = node.get("properties", {}).get(step)
        if isinstance(child, dict):
            yield from self._reach(name, child)


def _steps(path: str) -> list[str]:
    return [step for step in path.replace(ITEM, f".{ITEM}").split(".") if step]


def _join(steps: list[str]) -> str:
    text = ""
    for step in steps:
        text = names.under(text, step)
    return text


def last_step(path: str) -> str:
    return _steps(path)[-1]
