"""Projecting a history onto one version: what is there, what is required, and that all else is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from driftcheck.catalogue import Catalogue, CatalogueError
from driftcheck.drift import engine

from .build import load

KIND = "thing/a"


def accepts(folder: Path, schema: dict[str, Any], value: Any, at: str | None, **others: Any) -> bool:
    catalogue = load(folder, {KIND: schema, **others})
    return engine.fast(catalogue.at(at).schema(KIND))(value)


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": sorted(properties), "properties": properties}


STRING = {"type": "string"}
HERE, ABSENT = {"f": "text"}, {}  # type: ignore[var-annotated]

# When a field may be there, and when it must be: (bounds, version, may, must).
TIMES = [
    ({}, "1.0.0", True, True),
    ({}, None, True, True),
    ({"x-since": "2.1.80"}, "2.1.79", False, False),
    ({"x-since": "2.1.80"}, "2.1.80", True, True),
    ({"x-since": "2.1.80"}, "2.1.81", True, True),
    ({"x-since": "2.1.80"}, None, True, False),
    ({"x-since": "<=2.1.80"}, "1.0.0", True, False),
    ({"x-since": "<=2.1.80"}, "2.1.80", True, True),
    ({"x-since": ">2.1.74 <=2.1.80"}, "2.1.74", False, False),
    ({"x-since": ">2.1.74 <=2.1.80"}, "2.1.75", True, False),
    ({"x-since": ">2.1.74 <=2.1.80"}, "2.1.79", True, False),
    ({"x-since": ">2.1.74 <=2.1.80"}, "2.1.80", True, True),
    ({"x-since": ">2.1.74"}, "2.1.74", False, False),
    ({"x-since": ">2.1.74"}, "99.0.0", True, False),
    ({"x-until": "2.1.80"}, "2.1.79", True, True),
    ({"x-until": "2.1.80"}, "2.1.80", False, False),
    ({"x-until": "2.1.80"}, None, True, False),
    ({"x-until": "<=2.1.80"}, "1.0.0", True, False),
    ({"x-until": "<=2.1.80"}, "2.1.79", True, False),
    ({"x-until": "<=2.1.80"}, "2.1.80", False, False),
    ({"x-until": ">2.1.74 <=2.1.80"}, "2.1.74", True, True),
    ({"x-until": ">2.1.74 <=2.1.80"}, "2.1.75", True, False),
    ({"x-until": ">2.1.74 <=2.1.80"}, "2.1.80", False, False),
    ({"x-until": ">2.1.74"}, "2.1.74", True, True),
    ({"x-until": ">2.1.74"}, "99.0.0", True, False),
    ({"x-since": "2.0.0", "x-until": "2.1.80"}, "1.9.9", False, False),
    ({"x-since": "2.0.0", "x-until": "2.1.80"}, "2.0.0", True, True),
    ({"x-since": "2.0.0", "x-until": "2.1.80"}, "2.1.80", False, False),
    ({"x-required-since": "2.1.80"}, "2.1.79", True, False),
    ({"x-required-since": "2.1.80"}, "2.1.80", True, True),
    ({"x-required-since": "2.1.80"}, None, True, False),
    ({"x-required-since": ">2.1.74 <=2.1.80"}, "2.1.79", True, False),
    ({"x-required-since": ">2.1.74 <=2.1.80"}, "2.1.80", True, True),
    ({"x-required-until": "2.1.80"}, "2.1.79", True, True),
    ({"x-required-until": "2.1.80"}, "2.1.80", True, False),
    ({"x-required-until": "2.1.80"}, None, True, False),
    ({"x-required-until": ">2.1.74 <=2.1.80"}, "2.1.74", True, True),
    ({"x-required-until": ">2.1.74 <=2.1.80"}, "2.1.75", True, False),
    ({"x-required-since": "2.0.0", "x-required-until": "2.1.0"}, "1.9.9", True, False),
    ({"x-required-since": "2.0.0", "x-required-until": "2.1.0"}, "2.0.0", True, True),
    ({"x-required-since": "2.0.0", "x-required-until": "2.1.0"}, "2.1.0", True, False),
    ({"x-since": "2.0.0", "x-required-since": "2.1.0"}, "2.0.0", True, False),
    ({"x-since": "2.0.0", "x-required-since": "2.1.0"}, "2.1.0", True, True),
]


@pytest.mark.parametrize(("bounds", "at", "may", "must"), TIMES)
def test_a_field_is_known_and_required_exactly_when_its_bounds_say_so(
    tmp_path: Path, bounds: dict[str, str], at: str | None, may: bool, must: bool
) -> None:
    schema = record(f={**STRING, **bounds})
    assert accepts(tmp_path, schema, HERE, at) == may
    assert accepts(tmp_path, schema, ABSENT, at) == (not must)


def test_a_field_with_required_since_need_not_be_listed_as_required(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"f": {"type": "string", "x-required-since": "2.0.0"}}}
    assert accepts(tmp_path, schema, ABSENT, "1.9.9")
    assert not accepts(tmp_path, schema, ABSENT, "2.0.0")


def test_a_kind_is_there_from_its_own_first_version_to_its_last(tmp_path: Path) -> None:
    catalogue = load(tmp_path, {KIND: {**record(), "x-since": "1.5.0", "x-until": "2.0.0"}, "thing/b": record()})
    kinds = {at: catalogue.at(at).kinds for at in ("1.4.9", "1.5.0", "1.9.9", "2.0.0", None)}
    assert kinds == {
        "1.4.9": ("thing/b",),
        "1.5.0": (KIND, "thing/b"),
        "1.9.9": (KIND, "thing/b"),
        "2.0.0": ("thing/b",),
        None: (KIND, "thing/b"),
    }
    with pytest.raises(CatalogueError, match=r"2\.0\.0 has no kind 'thing/a'"):
        catalogue.at("2.0.0").schema(KIND)
    assert catalogue.at("2.0.0").annotated("thing/unheard-of") is None


FORMS: dict[str, Any] = {
    "anyOf": [{"type": "string", "x-until": "2.0.0"}, {"type": "integer", "x-since": "2.0.0"}, {"type": "null"}]
}


@pytest.mark.parametrize(("at", "taken"), [("1.9.9", ["text", None]), ("2.0.0", [7, None]), (None, ["text", 7, None])])
def test_an_alternative_holds_at_the_versions_of_its_bounds(tmp_path: Path, at: str | None, taken: list[Any]) -> None:
    assert [v for v in ("text", 7, None, True) if accepts(tmp_path, record(f=FORMS), {"f": v}, at)] == taken


WORDS: dict[str, Any] = {"anyOf": [{"enum": ["a", "b"]}, {"const": "c", "x-since": "2.0.0"}, {"enum": [1, True]}]}


@pytest.mark.parametrize(("at", "taken"), [("1.9.9", ["a", "b"]), ("2.0.0", ["a", "b", "c"])])
def test_an_enumerated_value_holds_at_the_versions_of_its_branch(tmp_path: Path, at: str, taken: list[str]) -> None:
    schema = record(f=WORDS)
    assert [value for value in ("a", "b", "c", "d") if accepts(tmp_path, schema, {"f": value}, at)] == taken
    assert all(accepts(tmp_path, schema, {"f": value}, at) for value in (1, True))
    assert not accepts(tmp_path, schema, {"f": 0}, at)


def test_alternatives_are_said_as_simply_as_they_can_be(tmp_path: Path) -> None:
    values = {"anyOf": [{"enum": ["a", "b"]}, {"const": "b"}, {"type": "null"}, {"type": ["integer", "null"]}]}
    projected = load(tmp_path, {KIND: record(f=values)}).at("2.0.0").schema(KIND)
    assert projected["properties"]["f"] == {"anyOf": [{"enum": ["a", "b"]}, {"type": ["null", "integer"]}]}


@pytest.mark.parametrize(
    "form",
    [
        {"type": "object", "properties": {"a": STRING}, "additionalProperties": True},
        {"type": "object", "additionalProperties": STRING},
        {"type": "object", "x-kind": "thing/{type}"},
        {"type": "object", "additionalProperties": True},
    ],
    ids=["open", "map", "part", "open, without fields"],
)
def test_the_only_alternative_left_stays_as_open_as_it_is_declared(tmp_path: Path, form: dict[str, Any]) -> None:
    schema = record(f={"anyOf": [form, {"type": "string", "x-until": "2.0.0"}]})
    for at in ("1.9.9", "2.0.0"):
        assert accepts(tmp_path, schema, {"f": {"key": "text"}}, at)
    assert accepts(tmp_path, schema, {"f": "text"}, "1.9.9")
    assert not accepts(tmp_path, schema, {"f": "text"}, "2.0.0")


def test_where_no_alternative_is_known_for_a_version_any_of_them_is_taken(tmp_path: Path) -> None:
    forms = {"anyOf": [{"type": "string", "x-until": "1.5.0"}, {"type": "integer", "x-since": "2.0.0"}]}
    assert [v for v in ("text", 7, None) if accepts(tmp_path, record(f=forms), {"f": v}, "1.7.0")] == ["text", 7]


ENVELOPE = {
    "title": "envelope",
    "type": "object",
    "required": ["id", "when"],
    "properties": {
        "id": STRING,
        "when": {"type": "string", "x-since": "2.0.0"},
        "note": {"type": "string", "x-until": "2.0.0"},
    },
}


def enveloped(**properties: Any) -> dict[str, Any]:
    return {**record(**properties), "allOf": [{"$ref": "../defs/envelope.json"}]}


def test_an_envelope_is_merged_with_its_history_and_the_whole_is_closed(tmp_path: Path) -> None:
    def takes(value: dict[str, str], at: str) -> bool:
        return accepts(tmp_path, enveloped(f=STRING), value, at, **{"defs/envelope": ENVELOPE})

    assert takes({"f": "x", "id": "x", "note": "x"}, "1.9.9")
    assert not takes({"f": "x", "id": "x", "note": "x", "when": "x"}, "1.9.9")
    assert takes({"f": "x", "id": "x", "when": "x"}, "2.0.0")
    assert not takes({"f": "x", "id": "x"}, "2.0.0")
    assert not takes({"id": "x", "when": "x"}, "2.0.0")
    assert not takes({"f": "x", "id": "x", "when": "x", "other": "x"}, "2.0.0")


def test_what_a_kind_says_of_a_field_wins_over_its_envelope(tmp_path: Path) -> None:
    def takes(value: dict[str, Any], at: str) -> bool:
        kind = {**enveloped(id={"type": "integer", "x-since": "2.0.0"}), "required": []}
        return accepts(tmp_path, kind, value, at, **{"defs/envelope": ENVELOPE})

    assert takes({"id": 7, "when": "x"}, "2.0.0")
    assert not takes({"id": "x", "when": "x"}, "2.0.0")
    assert takes({"when": "x"}, "2.0.0")
    assert takes({}, "1.9.9")
    assert not takes({"id": "x"}, "1.9.9")


def test_a_reference_brings_the_schema_and_keeps_the_words_beside_it(tmp_path: Path) -> None:
    shared = {"title": "a/b", "$defs": {"x/y~z": {"type": "integer", "description": "A number."}}}
    kind = record(
        f={"$ref": "../defs/shared.json#/$defs/x~1y~0z", "description": "Of this field."},
        g={"$ref": "#/$defs/own"},
        h={"$ref": "b.json"},
    )
    files = {KIND: {**kind, "$defs": {"own": {"type": "boolean"}}}, "thing/b": {"type": "null"}}
    catalogue = load(tmp_path, {**files, "defs/shared": shared})
    annotated = catalogue.at("2.0.0").annotated(KIND)
    assert annotated is not None
    assert annotated["properties"] == {
        "f": {"type": "integer", "description": "Of this field."},
        "g": {"type": "boolean"},
        "h": {"type": "null"},
    }


NESTED = {
    "type": "object",
    "properties": {
        "closed": {"type": "object", "properties": {"a": STRING}},
        "empty": {"type": "object"},
        "or_null": {"type": ["object", "null"], "properties": {"a": STRING}},
        "listed": {"type": "array", "items": {"type": "object", "properties": {"a": STRING}}},
        "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": STRING}}},
        "mixed": {"type": "object", "properties": {"a": STRING}, "additionalProperties": {"type": "integer"}},
        "open": {"type": "object", "additionalProperties": True},
        "part": {"type": "object", "x-kind": "thing/{type}"},
    },
}


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ({"closed": {"a": "x"}}, True),
        ({"closed": {"b": "x"}}, False),
        ({"empty": {}}, True),
        ({"empty": {"b": "x"}}, False),
        ({"or_null": None}, True),
        ({"or_null": {"b": "x"}}, False),
        ({"listed": [{"a": "x"}, {"b": "x"}]}, False),
        ({"map": {"any key": {"a": "x"}}}, True),
        ({"map": {"any key": {"b": "x"}}}, False),
        ({"mixed": {"a": "x", "b": 7}}, True),
        ({"mixed": {"a": "x", "b": "x"}}, False),
        ({"open": {"b": "x"}}, True),
        ({"part": {"b": "x"}}, True),
        ({"other": 1}, False),
    ],
)
def test_an_object_is_closed_at_any_depth_unless_it_is_a_map_a_part_or_open(
    tmp_path: Path, value: dict[str, Any], accepted: bool
) -> None:
    assert accepts(tmp_path, NESTED, value, "2.0.0") == accepted


def test_a_projected_schema_has_nothing_in_it_but_what_validates(tmp_path: Path) -> None:
    kind = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": KIND,
        "description": "A thing.",
        **record(f={"$comment": "Why.", "x-kind": "thing/{type}", "type": "object", "x-since": "1.5.0"}),
    }
    schema = load(tmp_path, {KIND: kind}).at("2.0.0").schema(KIND)
    assert schema == {
        "type": "object",
        "properties": {"f": {"type": "object"}},
        "required": ["f"],
        "additionalProperties": False,
    }
    jsonschema.Draft202012Validator.check_schema(schema)


def test_projecting_leaves_the_files_and_what_was_projected_before_as_they_were(tmp_path: Path) -> None:
    catalogue = load(tmp_path, {KIND: enveloped(f=FORMS), "defs/envelope": ENVELOPE})
    again = Catalogue.load(tmp_path)
    first = str(catalogue.at("1.9.9").annotated(KIND))
    for at in ("2.0.0", None, "1.0.0"):
        catalogue.at(at).annotated(KIND)
    assert str(catalogue.at("1.9.9").annotated(KIND)) == first == str(again.at("1.9.9").annotated(KIND))
    assert catalogue.files == again.files


def test_the_catalogue_knows_the_ends_of_its_evidence(catalogue: Catalogue) -> None:
    assert (str(catalogue.oldest), str(catalogue.newest)) == catalogue.routes.evidence
