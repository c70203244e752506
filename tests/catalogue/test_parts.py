"""The parts of a kind that are kinds of their own."""

from __future__ import annotations

import pytest

from driftcheck.catalogue import CatalogueError
from driftcheck.catalogue.parts import Template, dotted, find_spots


@pytest.mark.parametrize(
    ("text", "name", "in_parent", "filled"),
    [
        ("common/usage", None, False, "common/usage"),
        ("content/{type}", "type", False, "content/X"),
        ("tool/{../name}/input", "name", True, "tool/X/input"),
        ("tool/{@tool}/result", "@tool", False, "tool/X/result"),
    ],
)
def test_a_template_tells_which_field_makes_the_kind(text: str, name: str | None, in_parent: bool, filled: str) -> None:
    template = Template.parse(text)
    assert (template.name, template.in_parent) == (name, in_parent)
    assert template.fill("X" if name else "") == filled


@pytest.mark.parametrize("text", ["a/{b}/{c}", "a/{", "a/{}", "a/{b.c}", "a}b"])
def test_a_template_with_more_than_one_name_or_none_in_braces_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError, match="is not a kind with at most one"):
        Template.parse(text)


def test_every_spot_is_found_once_wherever_it_is() -> None:
    block = {"type": "object", "x-kind": "content/{type}"}
    schema = {
        "properties": {
            "list": {"anyOf": [{"type": "string"}, {"items": block}, {"items": block, "description": "Again."}]},
            "map": {"additionalProperties": block},
            "plain": {"type": "string"},
        }
    }
    assert [spot.dotted for spot in find_spots(schema)] == ["list[]", "map.{}"]


def test_a_path_is_written_as_a_report_shows_it() -> None:
    assert dotted(("message", "content", "[]", "input")) == "message.content[].input"
    assert dotted(("[]", "{}", "f")) == "[].{}.f"
