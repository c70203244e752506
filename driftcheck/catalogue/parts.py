"""The parts of a kind that are kinds of their own: where they are, and how each one's kind is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from driftcheck.catalogue.files import CatalogueError, Schema

ITEM = "[]"
"""A step into every element of an array."""
VALUE = "{}"
"""A step into every value of a map."""

_TEMPLATE = re.compile(r"(?P<before>[^{}]*)(?:\{(?P<up>\.\./)?(?P<name>@?[A-Za-z_]+)\}(?P<after>[^{}]*))?")
CALLED_TOOL = "@tool"
"""The variable that stands for the tool whose call a result answers."""


@dataclass(frozen=True)
class Template:
    """How the kind of a part is made: `content/{type}`, `tool/{../name}/input`, `common/usage`."""

    text: str
    before: str
    name: str | None
    after: str
    in_parent: bool

    @staticmethod
    def parse(text: str) -> Template:
        match = _TEMPLATE.fullmatch(text)
        if not match:
            raise CatalogueError(f"x-kind {text!r} is not a kind with at most one {{name}} in it")
        return Template(text, match["before"], match["name"], match["after"] or "", bool(match["up"]))

    def fill(self, value: str) -> str:
        return f"{self.before}{value}{self.after}"

    @property
    def family(self) -> str:
        return self.before.rstrip("/")


@dataclass(frozen=True)
class Spot:
    """A place in a kind that holds parts."""

    path: tuple[str, ...]
    template: Template

    @cached_property
    def dotted(self) -> str:
        return dotted(self.path)


def dotted(path: tuple[str, ...]) -> str:
    """A path as a report shows it: `message.content[].input`, with map keys as `{}`."""
    text = ""
    for step in path:
        text += step if step == ITEM or not text else f".{step}"
    return text


def find_spots(schema: Schema, path: tuple[str, ...] = ()) -> Iterator[Spot]:
    """Every spot of a projected schema, each once, in the order of the schema."""
    seen = set()
    for spot in _walk(schema, path):
        if spot not in seen:
            seen.add(spot)
            yield spot


def _walk(schema: Schema, path: tuple[str, ...]) -> Iterator[Spot]:
    if "x-kind" in schema:
        yield Spot(path, Template.parse(schema["x-kind"]))
    for name, child in schema.get("properties", {}).items():
        yield from _walk(child, (*path, name))
    if "items" in schema:
        yield from _walk(schema["items"], (*path, ITEM))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _walk(schema["additionalProperties"], (*path, VALUE))
    for branch in schema.get("anyOf", []):
        yield from _walk(branch, path)
