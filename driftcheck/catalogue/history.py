"""Tells the history of a kind, or of one field of it: what came, went and became required, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck import names
from driftcheck.catalogue.core import Catalogue
from driftcheck.catalogue.files import CatalogueError, Schema, SchemaFile
from driftcheck.catalogue.parts import ITEM, VALUE
from driftcheck.catalogue.project import resolve, types_named
from driftcheck.versions import Bound, Version

_EVENTS = {
    "x-since": "came",
    "x-until": "went",
    "x-required-since": "became required",
    "x-required-until": "became optional",
}


@dataclass(frozen=True)
class Event:
    """One change of a kind: what happened to which field, and within which versions."""

    kind: str
    path: str
    what: str
    when: Bound
    detail: str = ""
    """Which alternative it is about, where the field has several."""


def history(catalogue: Catalogue, name: str) -> list[Event]:
    """The events of `KIND` or `KIND.path`, the oldest first."""
    kind, path = split_name(catalogue, name)
    events = list(_walk(catalogue, catalogue.files[kind].schema, catalogue.files[kind], kind, "", ""))
    wanted = [e for e in events if not path or e.path == path or e.path.startswith((f"{path}.", f"{path}["))]
    if path and not wanted and not _has_field(catalogue, kind, path):
        raise CatalogueError(f"{kind} has no field {path!r}; `driftcheck schemas show {kind}` shows its fields")
    return sorted(wanted, key=_order)


def split_name(catalogue: Catalogue, name: str) -> tuple[str, str]:
    """A kind, and a path inside it, from `KIND.path`."""
    if name in catalogue.files:
        return name, ""
    for kind in sorted(catalogue.kinds, key=len, reverse=True):
        if name.startswith(f"{kind}."):
            return kind, name[len(kind) + 1 :]
    raise CatalogueError(f"there is no kind {name!r}; `driftcheck schemas list` lists them")


def _order(event: Event) -> tuple[Version, str, str]:
    when = event.when.by or event.when.after
    assert when is not None
    return when, event.path, event.what


def _walk(catalogue: Catalogue, node: Schema, file: SchemaFile, kind: str, path: str, detail: str) -> Iterator[Event]:
    for keyword, what in _EVENTS.items():
        if keyword in node:
            yield Event(kind, path, what, Bound.parse(node[keyword]), detail)
    if "$ref" in node:
        target, home = resolve(catalogue.files, file, node["$ref"])
        yield from _walk(catalogue, target, home, kind, path, detail)
    for name, child in node.get("properties", {}).items():
        yield from _walk(catalogue, child, file, kind, names.under(path, name), "")
    for keyword, step in (("items", ITEM), ("additionalProperties", VALUE)):
        if isinstance(node.get(keyword), dict):
            yield from _walk(catalogue, node[keyword], file, kind, names.under(path, step), "")
    for part in node.get("allOf", []):
        yield from _walk(catalogue, part, file, kind, path, detail)
    for branch in node.get("anyOf", []):
        yield from _walk(catalogue, branch, file, kind, path, _branch_name(branch))


def _branch_name(branch: Schema) -> str:
    values = branch.get("enum", [branch["const"]] if "const" in branch else [])
    return ", ".join(map(str, values or types_named(branch)))


def _has_field(catalogue: Catalogue, kind: str, path: str) -> bool:
    annotated = catalogue.projected(kind, None)
    return annotated is not None and path in set(paths(annotated, ""))


def paths(schema: Schema, path: str = "") -> Iterator[str]:
    """Every path of a projected schema, its root first."""
    yield path
    for name, child in schema.get("properties", {}).items():
        yield from paths(child, names.under(path, name))
    for keyword, step in (("items", ITEM), ("additionalProperties", VALUE)):
        if isinstance(schema.get(keyword), dict):
            yield from paths(schema[keyword], names.under(path, step))
    for branch in schema.get("anyOf", []):
        yield from paths(branch, path)
