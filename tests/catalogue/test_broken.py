"""A catalogue that cannot be used says so when it is loaded: which file, which place, and why."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from driftcheck.catalogue import Catalogue, CatalogueError

from .build import ROUTES, run, write_catalogue

GOOD: dict[str, Any] = {"type": "object", "properties": {"type": {"const": "a"}}}


def inside(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("not JSON", {"thing/a": '{\n"type": "object",\n"properties" {}}'}, r"thing/a\.json:3: not valid JSON"),
    ("no object", {"thing/a": []}, r"thing/a\.json#: is no object"),
    ("unknown keyword", {"thing/a": inside(f={"minimum": 3})}, r"a\.json#/properties/f: keyword 'minimum'"),
    ("misspelt bound", {"thing/a": inside(f={"x-sinse": "2.0.0"})}, r"a\.json#/properties/f: keyword 'x-sinse'"),
    ("bad bound", {"thing/a": inside(f={"x-since": ">=2.0.0"})}, r"#/properties/f/x-since: '>=2\.0\.0' is not a bound"),
    ("bound no text", {"thing/a": inside(f={"x-until": 2})}, r"#/properties/f/x-until: "),
    ("bound no text at all", {"thing/a": inside(f={"x-until": ["2.0.0"]})}, r"#/properties/f/x-until: "),
    ("bad type", {"thing/a": inside(f={"type": "strng"})}, r"a\.json#/properties/f/type: is not JSON Schema"),
    ("fields in a list", {"thing/a": {"properties": []}}, r"thing/a\.json#/properties: is not JSON Schema"),
    ("undeclared", {"thing/a": {**GOOD, "required": ["f"]}}, r"a\.json#: requires 'f', which it does not declare"),
    ("deep", {"thing/a": inside(**{"a/b": {"items": {"nope": 1}}})}, r"#/properties/a~1b/items: keyword 'nope'"),
    ("in a branch", {"thing/a": inside(f={"anyOf": [{}, {"nope": 1}]})}, r"#/properties/f/anyOf/1: keyword 'nope'"),
    ("in a map", {"thing/a": {"additionalProperties": {"nope": 1}}}, r"#/additionalProperties: keyword 'nope'"),
    ("in a definition", {"thing/a": {"$defs": {"d": {"nope": 1}}}}, r"#/\$defs/d: keyword 'nope'"),
    ("in an envelope", {"thing/a": {"allOf": [{"nope": 1}]}}, r"#/allOf/0: keyword 'nope'"),
    ("bad template", {"thing/a": inside(f={"x-kind": "a/{b}/{c}"})}, r"#/properties/f: x-kind 'a/\{b\}/\{c\}' is not"),
    ("template no text", {"thing/a": inside(f={"x-kind": 7})}, r"thing/a\.json#/properties/f: "),
    ("other format", {"thing/a": inside(f={"format": "email"})}, r"#/properties/f: format 'email' is none of"),
    ("listed objects", {"thing/a": inside(f={"enum": ["a", {}]})}, r"#/properties/f: an enumeration lists names"),
    ("beside anyOf", {"thing/a": inside(f={"anyOf": [{}], "type": "null"})}, r"#/properties/f: 'type' beside 'anyOf'"),
    ("beside $ref", {"thing/a": {"$ref": "#/$defs/d", "type": "null"}}, r"thing/a\.json#: 'type' beside '\$ref'"),
    ("dated items", {"thing/a": {"items": {"x-since": "2.0.0"}}}, r"#/items/x-since: has no effect here"),
    ("dated map", {"thing/a": {"additionalProperties": {"x-until": "2.0.0"}}}, r"/x-until: has no effect here"),
    ("dated part", {"thing/a": {"allOf": [{"x-since": "2.0.0"}]}}, r"#/allOf/0/x-since: has no effect here"),
    ("dated definition", {"thing/a": {"$defs": {"d": {"x-since": "2.0.0"}}}}, r"#/\$defs/d/x-since: has no effect"),
    ("dated shared one", {"thing/a": GOOD, "defs/d": {"x-since": "2.0.0"}}, r"defs/d\.json#/x-since: has no effect"),
    ("required kind", {"thing/a": {"x-required-since": "2.0.0"}}, r"#/x-required-since: has no effect here"),
    ("required branch", {"thing/a": {"anyOf": [{"x-required-until": "2.0.0"}]}}, r"#/anyOf/0/x-required-until: has no"),
    ("no such file", {"thing/a": {"$ref": "../defs/gone.json"}}, r"a\.json: \$ref '.*gone\.json' names no file"),
    ("no such place", {"thing/a": {"$ref": "#/$defs/gone"}}, r"a\.json: \$ref '#/\$defs/gone' names nothing in"),
    ("into a list", {"thing/a": {"anyOf": [{"$ref": "#/anyOf/1"}, {}]}}, r"\$ref '#/anyOf/1' names nothing in thing/a"),
    ("recursion", {"thing/a": inside(f={"$ref": "#"})}, r"thing/a\.json: \$ref '#' comes back to itself"),
    ("in turns", {"thing/a": {"$ref": "b.json"}, "thing/b": {"$ref": "a.json"}}, r"'[ab]\.json' comes back to itself"),
    ("routes no JSON", {"thing/a": GOOD, "routes": "{"}, r"routes\.json:1: not valid JSON"),
    ("routes no object", {"thing/a": GOOD, "routes": []}, r"routes\.json: lacks or misspells"),
    ("no surfaces", {"thing/a": GOOD, "routes": {"evidence": ROUTES["evidence"]}}, r"routes\.json: .*'surfaces'"),
    ("no evidence", {"thing/a": GOOD, "routes": {"surfaces": {}}}, r"routes\.json: lacks or misspells 'evidence'"),
    (
        "evidence no version",
        {"thing/a": GOOD, "routes": {**ROUTES, "evidence": {"first": "1.0.0", "last": "soon"}}},
        r"routes\.json: evidence: 'soon' is not a Claude Code version",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("files", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_catalogue_names_the_file_and_the_place(tmp_path: Path, files: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        Catalogue.load(write_catalogue(tmp_path, files))
    assert re.search(message, str(caught.value)), caught.value


def test_every_problem_of_a_catalogue_is_told_at_once(tmp_path: Path) -> None:
    files = {"thing/a": inside(f={"nope": 1}, g={"x-since": "?"}), "thing/b": {"type": "strng"}}
    with pytest.raises(CatalogueError) as caught:
        Catalogue.load(write_catalogue(tmp_path, files))
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        "thing/a.json#/properties/f",
        "thing/a.json#/properties/g/x-since",
        "thing/b.json#/type",
    ]


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="gone: no such folder of schemas"):
        Catalogue.load(tmp_path / "gone")


def test_an_empty_folder_is_said_to_hold_no_schemas(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"holds no schema files \(\*\.json\)"):
        Catalogue.load(tmp_path)


def test_a_folder_without_routes_is_asked_whether_it_is_a_catalogue(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(CatalogueError, match=r"routes\.json: cannot be read .*is this a catalogue\?"):
        Catalogue.load(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("show", "thing/a"),
        ("show", "thing/a", "--at", "2.0.0"),
        ("export", "-o", "out"),
        ("history", "thing/a"),
    ],
    ids=" ".join,
)
def test_every_command_says_in_one_sentence_what_is_wrong_with_a_catalogue(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    folder = write_catalogue(tmp_path / "mine", {"thing/a": inside(f={"$ref": "#"})})
    done = run("schemas", *arguments, "--schemas", folder, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "Error: thing/a.json: $ref '#' comes back to itself\n"
    assert not (tmp_path / "out").exists()


def test_a_check_with_a_broken_catalogue_says_so_and_fails(tmp_path: Path) -> None:
    folder = write_catalogue(tmp_path / "mine", {"thing/a": {"type": "strng"}})
    (tmp_path / "records.jsonl").write_text("{}\n")
    done = run("check", tmp_path / "records.jsonl", "--schemas", folder)
    assert done.code == 2
    assert "thing/a.json#/type: is not JSON Schema" in done.err
