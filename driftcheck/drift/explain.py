"""Says why a value is not accepted by a projected schema: one drift for each thing that is off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import jsonschema_rs

from driftcheck import names
from driftcheck.catalogue.files import Schema
from driftcheck.catalogue.parts import ITEM
from driftcheck.drift.codes import Code
from driftcheck.jsontype import Json, is_type, json_type


@dataclass(frozen=True)
class Drift:
    code: Code
    path: str
    expected: tuple[str, ...]
    observed: tuple[str, ...]


def distinct(drifts: Iterable[Drift]) -> list[Drift]:
    """Each drift of a value once, with all that was observed there."""
    merged: dict[tuple[Code, str], Drift] = {}
    for drift in drifts:
        known = merged.get((drift.code, drift.path))
        if known is not None:
            seen = tuple(sorted({*known.observed, *drift.observed}))
            drift = Drift(drift.code, drift.path, known.expected, seen)
        merged[drift.code, drift.path] = drift
    return list(merged.values())


def explain(schema: Schema, value: Json, path: str = "") -> list[Drift]:
    """Every drift of a value from a schema; empty exactly when the schema accepts it."""
    if "anyOf" in schema:
        return _explain_any(schema["anyOf"], value, path)
    allowed = admitted_types(schema)
    if allowed is not None and not any(is_type(value, name) for name in allowed):
        return [Drift(Code.TYPE_MISMATCH, path, allowed, (json_type(value),))]
    return list(_explain_inside(schema, value, path))


def _explain_inside(schema: Schema, value: Json, path: str) -> Iterator[Drift]:
    if not is_listed(schema, value):
        yield Drift(Code.NEW_VALUE, path, _shown_values(schema), (_shown(value),))
    if isinstance(value, str) and "format" in schema and not has_format(schema["format"], value):
        yield Drift(Code.TYPE_MISMATCH, path, (schema["format"],), (f"string, not {schema['format']}",))
    if isinstance(value, list) and "items" in schema:
        for item in value:
            yield from explain(schema["items"], item, path + ITEM)
    if isinstance(value, dict):
        yield from _explain_object(schema, value, path)


def _explain_object(schema: Schema, value: dict[str, Json], path: str) -> Iterator[Drift]:
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            expected = admitted_types(properties[name]) or ("any",)
            yield Drift(Code.MISSING_FIELD, names.under(path, name), expected, ("absent",))
    rest = schema.get("additionalProperties", True)
    for key, child in value.items():
        if key in properties:
            yield from explain(properties[key], child, names.under(path, key))
        elif rest is False:
            yield Drift(Code.NEW_FIELD, names.under(path, names.field(key)), (), (json_type(child),))
        elif rest is not True:
            yield from explain(rest, child, names.under(path, names.ANY_KEY))


def _explain_any(branches: list[Schema], value: Json, path: str) -> list[Drift]:
    fitting = [b for b in branches if (t := admitted_types(b)) is None or any(is_type(value, n) for n in t)]
    if not fitting:
        admitted = sorted({name for branch in branches for name in admitted_types(branch) or ()})
        return [Drift(Code.TYPE_MISMATCH, path, tuple(admitted), (json_type(value),))]
    if isinstance(value, dict) and len(fitting) > 1:
        tag = _tag(fitting)
        if tag and tag in value:
            chosen = [b for b in fitting if is_listed(b["properties"][tag], value[tag])]
            if not chosen:
                return [_unknown_tag(fitting, tag, value[tag], path)]
            fitting = chosen
    return min((explain(branch, value, path) for branch in fitting), key=len)


def _unknown_tag(branches: list[Schema], tag: str, value: Json, path: str) -> Drift:
    where = names.under(path, tag)
    if not isinstance(value, str):
        return Drift(Code.TYPE_MISMATCH, where, ("string",), (json_type(value),))
    known = sorted({name for branch in branches for name in _shown_values(branch["properties"][tag])})
    return Drift(Code.NEW_VALUE, where, tuple(known), (_shown(value),))


def _tag(branches: list[Schema]) -> str | None:
    """The field by which alternatives of an object can be told apart, if they have one."""
    tagged = [
        {name for name, child in b.get("properties", {}).items() if "const" in child or "enum" in child}
        for b in branches
    ]
    common = set.intersection(*tagged)
    return min(common) if common else None


def admitted_types(schema: Schema) -> tuple[str, ...] | None:
    """The JSON types that a schema lets in, or None for all."""
    if "anyOf" in schema:
        each = [admitted_types(branch) for branch in schema["anyOf"]]
        return None if None in each else tuple(sorted({name for types in each for name in types or ()}))
    if "type" in schema:
        named = schema["type"]
        return (named,) if isinstance(named, str) else tuple(named)
    if "const" in schema or "enum" in schema:
        return tuple(sorted({json_type(value) for value in _listed(schema)}))
    return None


def _listed(schema: Schema) -> list[Json]:
    return [schema["const"]] if "const" in schema else list(schema["enum"])


def is_listed(schema: Schema, value: Json) -> bool:
    if "const" not in schema and "enum" not in schema:
        return True
    # To JSON, 1 and 1.0 are the same number; to Python, so is True.
    return any(value == known and isinstance(value, bool) == isinstance(known, bool) for known in _listed(schema))


def _shown_values(schema: Schema) -> tuple[str, ...]:
    return tuple(str(value) for value in _listed(schema)) if "const" in schema or "enum" in schema else ()


def _shown(value: Json) -> str:
    """A value of a vocabulary as a report may show it: a name, or only what type it is."""
    if isinstance(value, str):
        return names.word(value) or names.NO_NAME
    return json_type(value)


@cache
def _format_check(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)


def has_format(name: str, value: str) -> bool:
    return bool(_format_check(name).is_valid(value))
