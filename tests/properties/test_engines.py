"""Both engines give one verdict, and the explanation agrees with it: for every kind, and for any schema."""

from __future__ import annotations

import functools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from driftcheck import names
from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import Schema
from driftcheck.drift import engine
from driftcheck.drift.codes import Code
from driftcheck.drift.explain import Drift, explain
from driftcheck.jsontype import Json
from driftcheck.versions import Version

from .strategies import MODEST, TIMES_OF_SHIPPED, VERSIONS, accepted_by, bent, catalogues
from .test_projection import catalogue_of

SHIPPED = Catalogue.load()


def verdicts(schema: Schema) -> functools.partial[bool]:
    return functools.partial(_verdict, schema, engine.fast(schema), engine.reference(schema), frozenset(_paths(schema)))


def _verdict(schema: Schema, fast: engine.Accept, reference: engine.Accept, paths: frozenset[str], value: Json) -> bool:
    """The one verdict on a value, having seen that both engines and the explanation agree."""
    accepted = fast(value)
    drifts = explain(schema, value)
    assert reference(value) == accepted
    assert (drifts == []) == accepted
    for drift in drifts:
        assert _is_in_terms_of(paths, drift), drift
    return accepted


def _is_in_terms_of(paths: frozenset[str], drift: Drift) -> bool:
    if drift.code is not Code.NEW_FIELD:
        return drift.path in paths
    holder, _, field = drift.path.rpartition(".")
    return holder in paths and (field == names.ANY_KEY or names.field(field) == field)


def _paths(schema: Schema, path: str = "") -> set[str]:
    """Every path that a schema has."""
    found = {path}
    for branch in schema.get("anyOf", []):
        found |= _paths(branch, path)
    for name, child in schema.get("properties", {}).items():
        found |= _paths(child, f"{path}.{name}" if path else name)
    if "items" in schema:
        found |= _paths(schema["items"], f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        found |= _paths(schema["additionalProperties"], f"{path}.{{}}" if path else "{}")
    return found


def schemas_of(kind: str) -> list[Schema]:
    """The distinct schemas of a kind over versions far apart."""
    distinct: list[Schema] = []
    for at in TIMES_OF_SHIPPED:
        view = SHIPPED.at(at)
        if view.annotated(kind) is not None and view.schema(kind) not in distinct:
            distinct.append(view.schema(kind))
    return distinct


@pytest.mark.parametrize("kind", SHIPPED.kinds)
def test_the_engines_and_the_explanation_agree_on_every_kind(kind: str) -> None:
    judged = [(verdicts(schema), accepted_by(schema)) for schema in schemas_of(kind)]
    refused = 0

    @settings(MODEST, max_examples=3 + len(judged), database=None)
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        nonlocal refused
        verdict, accepted = data.draw(st.sampled_from(judged), label="schema")
        value = data.draw(accepted, label="value")
        assert verdict(value)
        for other in bent(value, data.draw(st.integers(0, 9999), label="seed"), most=8):
            refused += not verdict(other)

    agree()
    assert refused or kind in OPEN, "no bent value was refused"


OPEN = {kind for kind in SHIPPED.kinds if not schemas_of(kind)[-1].keys() - {"type"}}


@MODEST
@given(catalogues(), st.sampled_from([*VERSIONS, None]), st.data())
def test_the_engines_and_the_explanation_agree_on_any_schema(
    files: dict[str, Schema], version: Version | None, data: st.DataObject
) -> None:
    view = catalogue_of(files).at(version)
    for kind in view.kinds:
        schema = view.schema(kind)
        verdict = verdicts(schema)
        value = data.draw(accepted_by(schema), label=kind)
        assert verdict(value)
        for other in bent(value, data.draw(st.integers(0, 9999)), most=25):
            verdict(other)


MOMENT = "2016-12-31T23:59:60Z"
date_like = st.builds(
    "{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}{}{}".format,
    st.integers(0, 9999),
    st.integers(0, 13),
    st.integers(0, 32),
    st.sampled_from("Tt _"),
    st.integers(0, 24),
    st.sampled_from([0, 1, 29, 30, 58, 59, 60]),
    st.integers(57, 61),
    st.sampled_from(["", ".0", ".123456789012", ".", ",5"]),
    st.sampled_from(["Z", "z", "", "+00:00", "-00:00", "+01:00", "-08:00", "-23:59", "+24:00", "+01", "+0100"]),
)  # fmt: skip


@settings(MODEST, max_examples=400)
@given(date_like)
@example(MOMENT)
@example("1990-12-31T15:59:60-08:00")
@example("1991-01-01T00:59:60+01:00")
@example("1990-12-31T23:29:60-00:30")
@example("2016-12-31T22:59:60Z")
@example("2016-12-31T23:59:61Z")
@example("0000-02-29T00:00:00Z")
@example("2100-02-29T00:00:00Z")
@example("2016-12-31t23:59:59z")
@example("2016-12-31T23:59:59")
@example("2016-12-31T23:59:59Z\n")
@example(" 2016-12-31T23:59:59Z")
@example("২016-12-31T23:59:59Z")
@example("")
def test_the_engines_agree_on_what_a_date_time_is(moment: str) -> None:
    verdicts({"type": "string", "format": "date-time"})(moment)


UUID = "0b8a8c1e-1111-4222-8333-123456789abc"


@settings(MODEST, max_examples=200)
@given(st.integers(0, len(UUID)), st.text("0aFgG-_{}٣ \n", max_size=2))
@example(0, "")
@example(0, "urn:uuid:")
def test_the_engines_agree_on_what_a_uuid_is(place: int, put: str) -> None:
    verdict = verdicts({"type": "string", "format": "uuid"})
    verdict(UUID[:place] + put + UUID[place + len(put) :])
    verdict(UUID[:place] + put + UUID[place:])
    verdict(UUID.replace("-", put))


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("date-time", MOMENT, "2016-12-31T23:59:60"),
        ("date-time", "2016-12-31t23:59:59.5z", "2016-12-31 23:59:59Z"),
        ("uuid", UUID.upper(), UUID.replace("-", "")),
        ("uuid", UUID, UUID[:-4] + "_abc"),
    ],
)
def test_a_format_is_checked_by_both_engines(form: str, good: str, bad: str) -> None:
    verdict = verdicts({"type": ["string", "null"], "format": form})
    assert verdict(good)
    assert not verdict(bad)
    assert verdict(None)
    assert not verdict(7)


@pytest.mark.parametrize(
    ("schema", "value", "accepted"),
    [
        ({"enum": [1]}, 1.0, True),
        ({"enum": [1.0]}, 1, True),
        ({"enum": [1]}, True, False),
        ({"const": 0}, False, False),
        ({"const": False}, 0, False),
        ({"enum": [0, True]}, 1, False),
        ({"enum": [0, True]}, False, False),
        ({"const": None}, None, True),
        ({"const": None}, False, False),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, 1.5, False),
        ({"type": "integer"}, True, False),
        ({"type": "number"}, 1, True),
        ({"type": "integer"}, 2**70, True),
        ({"type": "integer"}, 1e300, True),
        ({"enum": ["a"]}, "A", False),
        ({"anyOf": [{"enum": ["a", 2]}, {"type": "null"}]}, 2.0, True),
    ],
)
def test_numbers_and_truth_are_what_json_says_they_are(schema: Schema, value: Json, accepted: bool) -> None:
    assert verdicts(schema)(value) == accepted


def tagged(tag: Schema, **fields: Schema) -> Schema:
    properties = {"tag": tag, **fields}
    return {"type": "object", "required": ["tag"], "properties": properties, "additionalProperties": False}


TAGGED: Schema = {
    "anyOf": [tagged({"const": "a"}, f={"type": "string"}), tagged({"enum": ["b", "c"]}, g={"type": "null"})]
}


@pytest.mark.parametrize(
    ("value", "drifts"),
    [
        ({"tag": "a", "f": "text"}, []),
        ({"tag": "c", "g": None}, []),
        ({"tag": "d"}, [(Code.NEW_VALUE, "tag")]),
        ({"tag": 7}, [(Code.TYPE_MISMATCH, "tag")]),
        ({"tag": "b", "f": "text"}, [(Code.NEW_FIELD, "f")]),
        ({"tag": "a", "f": 7, "h": 1}, [(Code.TYPE_MISMATCH, "f"), (Code.NEW_FIELD, "h")]),
        ({"f": "text"}, [(Code.MISSING_FIELD, "tag")]),
        ("text", [(Code.TYPE_MISMATCH, "")]),
    ],
)
def test_alternatives_with_a_tag_are_explained_by_the_one_that_the_tag_names(
    value: Json, drifts: list[tuple[Code, str]]
) -> None:
    assert verdicts(TAGGED)(value) == (not drifts)
    assert [(drift.code, drift.path) for drift in explain(TAGGED, value)] == drifts


def test_a_path_says_which_steps_go_into_lists_and_maps() -> None:
    inner: Schema = {"type": "object", "properties": {"f": {"type": "null"}}, "additionalProperties": False}
    schema: Schema = {"type": "array", "items": {"type": "object", "additionalProperties": inner}}
    [drift] = explain(schema, [{"some key": {"f": 7}}], "here")
    assert drift.path == "here[].{}.f"
    [whole] = explain(schema, ["text"])
    assert whole.path == "[]"
