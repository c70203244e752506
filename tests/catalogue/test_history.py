"""The history of a kind: what came, went and became required, and when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from driftcheck.catalogue import Catalogue, CatalogueError
from driftcheck.catalogue.history import history

from .build import load

KIND: dict[str, Any] = {
    "x-since": "1.2.0",
    "type": "object",
    "allOf": [{"$ref": "../defs/envelope.json"}],
    "properties": {
        "plain": {"type": "string"},
        "gone": {"type": "string", "x-until": ">1.9.0 <=2.0.0"},
        "deep": {
            "type": "object",
            "properties": {
                "list": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"f": {"type": "null", "x-since": "1.10.0"}}},
                },
                "map": {
                    "type": "object",
                    "additionalProperties": {"type": "object", "properties": {"g": {"x-since": "<=1.9.0"}}},
                },
            },
        },
        "deeper": {"type": "string", "x-since": "1.3.0"},
        "mode": {
            "anyOf": [
                {"enum": ["a", "b"], "x-since": "1.4.0"},
                {"const": "c", "x-until": "3.0.0"},
                {"type": ["string", "null"], "x-since": ">2.5.0"},
            ]
        },
        "must": {"type": "string", "x-required-since": "1.6.0", "x-required-until": "1.7.0"},
    },
}
DOTTED = {"type": "object", "properties": {"f": {"type": "null", "x-since": "1.1.0"}}}
ENVELOPE = {"type": "object", "properties": {"id": {"type": "string", "x-since": "1.5.0"}}}


@pytest.fixture
def small(tmp_path: Path) -> Catalogue:
    return load(tmp_path, {"thing/a": KIND, "thing/a.b": DOTTED, "defs/envelope": ENVELOPE})


def told(catalogue: Catalogue, name: str) -> list[str]:
    return [f"{event.when}: {event.path}[{event.detail}] {event.what}" for event in history(catalogue, name)]


def test_the_events_of_a_kind_are_told_the_oldest_first_with_those_of_its_envelope(small: Catalogue) -> None:
    assert told(small, "thing/a") == [
        "1.2.0: [] came",
        "1.3.0: deeper[] came",
        "1.4.0: mode[a, b] came",
        "1.5.0: id[] came",
        "1.6.0: must[] became required",
        "1.7.0: must[] became optional",
        "<=1.9.0: deep.map.{}.g[] came",
        "1.10.0: deep.list[].f[] came",
        ">1.9.0 <=2.0.0: gone[] went",
        ">2.5.0: mode[string, null] came",
        "3.0.0: mode[c] went",
    ]


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("thing/a.deep", ["deep.map.{}.g", "deep.list[].f"]),
        ("thing/a.deep.list", ["deep.list[].f"]),
        ("thing/a.deep.list[]", ["deep.list[].f"]),
        ("thing/a.deep.map", ["deep.map.{}.g"]),
        ("thing/a.mode", ["mode", "mode", "mode"]),
        ("thing/a.id", ["id"]),
        ("thing/a.plain", []),
        ("thing/a.b", ["f"]),
        ("thing/a.b.f", ["f"]),
    ],
)
def test_the_events_of_a_field_are_its_own_and_those_below_it(small: Catalogue, name: str, paths: list[str]) -> None:
    assert [event.path for event in history(small, name)] == paths


@pytest.mark.parametrize("name", ["thing/a.unheard", "thing/a.deep.unheard", "thing/a.dee", "thing/a.mod"])
def test_a_field_that_there_is_not_is_said_so(small: Catalogue, name: str) -> None:
    with pytest.raises(CatalogueError, match=r"thing/a has no field .*schemas show thing/a"):
        history(small, name)


@pytest.mark.parametrize("name", ["thing/unheard", "thing", "", "other/a.f"])
def test_a_kind_that_there_is_not_is_said_so(small: Catalogue, name: str) -> None:
    with pytest.raises(CatalogueError, match=r"there is no kind .*schemas list"):
        history(small, name)


def test_every_kind_of_the_shipped_catalogue_has_a_history_that_can_be_told(catalogue: Catalogue) -> None:
    for kind in catalogue.kinds:
        for event in history(catalogue, kind):
            if event.path:
                assert event in history(catalogue, f"{kind}.{event.path}")
