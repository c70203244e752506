"""Strategies: catalogues with histories, values that a schema accepts, and values that are slightly off."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from driftcheck.catalogue.files import Schema
from driftcheck.jsontype import Json, json_type
from driftcheck.versions import Version

MODEST = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

TIMES_OF_SHIPPED = (None, "0.2.126", "1.0.51", "2.0.0", "2.0.76", "2.1.42", "2.1.150", "2.1.237", "2.1.400")
VERSIONS = [Version(1, 0, patch) for patch in range(8)]

text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
names = st.sampled_from(["a", "b", "c", "d"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from([0.5, 1.0]) | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2),
    max_leaves=3,
)


@st.composite
def bounds(draw: st.DrawFn) -> str:
    one, other = sorted((draw(st.sampled_from(VERSIONS)), draw(st.sampled_from(VERSIONS))))
    return draw(st.sampled_from([str(one), f"<={one}", f">{one}"] + ([f">{one} <={other}"] if one < other else [])))


def dated(schema: st.SearchStrategy[Schema], *keywords: str) -> st.SearchStrategy[Schema]:
    """A schema with any of some bounds on it."""
    times = st.fixed_dictionaries({}, optional={keyword: bounds() for keyword in keywords})
    return st.builds(lambda plain, when: plain | when, schema, times)


def branches(schema: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    dated_ones = dated(schema, "x-since", "x-until")
    return st.builds(lambda each: {"anyOf": each}, st.lists(dated_ones, min_size=1, max_size=3))


@st.composite
def objects(draw: st.DrawFn, schema: st.SearchStrategy[Schema]) -> Schema:
    field = dated(schema, "x-since", "x-until", "x-required-since", "x-required-until")
    properties = draw(st.dictionaries(names, field, max_size=3))
    made: Schema = {"type": draw(st.sampled_from(["object", ["object", "null"]])), "properties": properties}
    if properties:
        made["required"] = draw(st.lists(st.sampled_from(sorted(properties)), unique=True))
    rest: Schema | bool | None = draw(st.one_of(st.none(), st.just(True), schema))
    if rest is not None:
        made["additionalProperties"] = rest
    if draw(st.integers(0, 4)) == 0:
        made["allOf"] = [{"$ref": "../defs/shared.json"}]
    return made


leaves: st.SearchStrategy[Schema] = st.sampled_from(
    [
        {},
        {"type": "string"},
        {"type": "integer"},
        {"type": ["number", "null"]},
        {"type": "boolean", "description": "Yes or no."},
        {"type": "string", "format": "uuid"},
        {"type": ["string", "null"], "format": "date-time"},
        {"const": "x"},
        {"enum": ["x", "y", 1]},
        {"enum": [True, None]},
        {"const": 2.0},
        {"type": "object", "x-kind": "thing/{type}"},
        {"type": "object"},
        {"type": "object", "additionalProperties": True},
        {"type": "array"},
        {"$ref": "../defs/leaf.json", "$comment": "Shared."},
    ]
)


def _grown(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    arrays = st.builds(lambda items: {"type": "array", "items": items}, inner)
    return objects(inner) | arrays | branches(inner)


schemas = st.recursive(leaves, _grown, max_leaves=6)
shared_objects = objects(leaves).filter(lambda schema: "allOf" not in schema)


@st.composite
def catalogues(draw: st.DrawFn) -> dict[str, Schema]:
    """The files of a small catalogue, in which every form of history can occur."""
    return {
        "thing/a": draw(dated(objects(schemas), "x-since", "x-until")),
        "thing/b": draw(dated(schemas, "x-since", "x-until")),
        "defs/shared": draw(shared_objects),
        "defs/leaf": draw(branches(leaves.filter(lambda leaf: "$ref" not in leaf))),
    }


def accepted_by(schema: Schema) -> st.SearchStrategy[Json]:
    """Values that a projected schema accepts."""
    if "anyOf" in schema:
        return st.one_of([accepted_by(branch) for branch in schema["anyOf"]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    named = schema.get("type")
    if named is None:
        return json_values
    return st.one_of([_of_type(name, schema) for name in ([named] if isinstance(named, str) else named)])


def _of_type(name: str, schema: Schema) -> st.SearchStrategy[Json]:
    if name == "object":
        return _object(schema)
    if name == "array":
        return st.lists(accepted_by(schema.get("items", {})), max_size=2)
    if name == "string":
        return {"uuid": _uuids, "date-time": _date_times}.get(schema.get("format", ""), text)
    return _SCALARS[name]


_SCALARS: dict[str, st.SearchStrategy[Json]] = {
    "integer": st.integers(-(2**53), 2**53) | st.just(3.0),
    "number": st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "null": st.none(),
}
_uuids: st.SearchStrategy[Json] = st.uuids().map(str)
_date_times: st.SearchStrategy[Json] = st.builds(
    lambda moment, end: moment.isoformat(timespec="milliseconds") + end,
    st.datetimes(),
    st.sampled_from(["Z", "+00:00", "-08:00", "+05:30"]),
)


@st.composite
def _object(draw: st.DrawFn, schema: Schema) -> Json:
    properties = schema.get("properties", {})
    required = set(schema.get("required", []))
    optional = [name for name in properties if name not in required]
    chosen = draw(st.sets(st.sampled_from(optional), max_size=4)) if optional else set()
    value = {name: draw(accepted_by(child)) for name, child in properties.items() if name in required | chosen}
    rest = schema.get("additionalProperties", True)
    if rest is not False:
        others = accepted_by(rest if isinstance(rest, dict) else {})
        value |= draw(st.dictionaries(text.filter(lambda key: key not in properties), others, max_size=2))
    return value


OTHER_VALUES: list[Json] = [None, True, 7, 7.5, 1.0, 1, "text", [], {}, [None], {"key": 1}]


def bent(value: Json, seed: int, most: int) -> list[Json]:
    """Some of the values that differ from a value in one place, chosen by a seed."""
    chosen = list(_bends(value))
    random.Random(seed).shuffle(chosen)
    return [_replaced(value, path, other) for path, other in chosen[:most]]


def _bends(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Json]]:
    """Each place of a value, with what could be there instead."""
    yield from ((path, other) for other in OTHER_VALUES if json_type(other) != json_type(value))
    if isinstance(value, str):
        yield from ((path, other) for other in (f"{value}x", value[:-1], value.lower(), value.upper(), f"{value}\n"))
    if isinstance(value, bool):
        yield path, int(value)
    elif isinstance(value, (int, float)):
        yield path, float(value)
    if isinstance(value, list):
        yield path, [*value, "one more"]
        for index, item in enumerate(value):
            yield from _bends(item, (*path, index))
    if isinstance(value, dict):
        yield path, value | {"aFieldThatIsNew": 1}
        for key, child in value.items():
            yield path, {name: kept for name, kept in value.items() if name != key}
            yield from _bends(child, (*path, key))


def _replaced(value: Json, path: tuple[Any, ...], other: Json) -> Json:
    if not path:
        return other
    copy = deepcopy(value)
    holder = copy
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = other
    return copy
