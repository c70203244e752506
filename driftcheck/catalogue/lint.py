"""Says what in a schema file the catalogue does not understand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from driftcheck.catalogue.files import ANNOTATIONS, BOUNDS, DRAFT, CatalogueError, Schema, SchemaFile, nodes, pointer_to
from driftcheck.catalogue.parts import Template
from driftcheck.versions import Bound, VersionError

FORMATS = ("date-time", "uuid")
_KEYWORDS = {
    *BOUNDS,
    *ANNOTATIONS,
    *("$schema", "$ref", "$defs", "x-kind", "x-evidence"),
    *("type", "properties", "required", "additionalProperties", "items"),
    *("allOf", "anyOf", "enum", "const", "format"),
}
_REQUIRED_BOUNDS = BOUNDS[2:]


def lint(file: SchemaFile) -> list[str]:
    """Everything wrong with a schema file, each with the place it is at."""
    broken = _broken(file.schema)
    if broken:
        return [f"{file.name}.json#{broken}"]
    return [f"{file.name}.json#{spot}: {problem}" for spot, problem in _problems(file)]


def _broken(schema: Any) -> str | None:
    """Where a file is no JSON Schema at all, and why."""
    if not isinstance(schema, dict):
        return ": is no object, and so no schema of a kind"
    try:
        jsonschema_rs.meta.validate({**schema, "$schema": DRAFT})
    except jsonschema_rs.ValidationError as error:
        return f"{pointer_to(*error.instance_path)}: is not JSON Schema ({error.message})"
    return None


def _problems(file: SchemaFile) -> Iterator[tuple[str, str]]:
    if not file.is_kind:
        yield from _misplaced("", file.schema, BOUNDS, "a definition is dated where it is used")
    yield from _misplaced("", file.schema, _REQUIRED_BOUNDS, "only a property can be required")
    for pointer, node in nodes(file.schema):
        for problem in (*_words(node), *_values(node)):
            yield pointer, problem
        for keyword in BOUNDS:
            if keyword in node:
                try:
                    Bound.parse(node[keyword])
                except (VersionError, TypeError) as error:
                    yield f"{pointer}/{keyword}", str(error)
        yield from _undated(pointer, node)


def _words(node: Schema) -> Iterator[str]:
    unknown = sorted(set(node) - _KEYWORDS)
    if unknown:
        yield f"keyword {unknown[0]!r} is not one that the catalogue uses"
    for keyword in ("$ref", "anyOf"):
        beside = sorted(set(node) - {keyword, "$schema", "$defs", "x-evidence", *ANNOTATIONS, *BOUNDS})
        if keyword in node and beside:
            yield f"{beside[0]!r} beside {keyword!r} has no effect; put it inside"
    undeclared = sorted(set(node.get("required", [])) - set(node.get("properties", {})))
    if undeclared:
        yield f"requires {undeclared[0]!r}, which it does not declare"


def _values(node: Schema) -> Iterator[str]:
    if node.get("format", FORMATS[0]) not in FORMATS:
        yield f"format {node['format']!r} is none of {', '.join(FORMATS)}"
    if any(isinstance(value, (dict, list)) for value in (*node.get("enum", []), node.get("const"))):
        yield "an enumeration lists names and numbers, not objects or arrays"
    try:
        Template.parse(node.get("x-kind", ""))
    except (CatalogueError, TypeError) as error:
        yield str(error)


def _undated(pointer: str, node: Schema) -> Iterator[tuple[str, str]]:
    """Bounds below a node in places where they would be passed over."""
    for keyword in ("items", "additionalProperties"):
        yield from _misplaced(f"{pointer}/{keyword}", node.get(keyword), BOUNDS, "what holds it is what can be dated")
    for index, part in enumerate(node.get("allOf", [])):
        yield from _misplaced(f"{pointer}/allOf/{index}", part, BOUNDS, "date the fields of the part instead")
    for index, branch in enumerate(node.get("anyOf", [])):
        yield from _misplaced(f"{pointer}/anyOf/{index}", branch, _REQUIRED_BOUNDS, "only a property can be required")
    for name, definition in node.get("$defs", {}).items():
        spot = pointer + pointer_to("$defs", name)
        yield from _misplaced(spot, definition, BOUNDS, "a definition is dated where it is used")


def _misplaced(pointer: str, node: Any, bounds: tuple[str, ...], advice: str) -> Iterator[tuple[str, str]]:
    for keyword in bounds:
        if isinstance(node, dict) and keyword in node:
            yield f"{pointer}/{keyword}", f"has no effect here; {advice}"
