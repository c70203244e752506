"""`driftcheck schemas`, run as it is installed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from driftcheck.catalogue import Catalogue

from .build import run, write_catalogue

MINE = {
    "thing/a": {
        "description": "A thing.",
        "x-since": "2.0.0",
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"const": "a"}, "f": {"type": "string", "x-since": "2.1.0"}, "g": {"type": "null"}},
    },
    "thing/b": {"description": "Another thing.", "type": "object", "properties": {"type": {"const": "b"}}},
}


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return write_catalogue(tmp_path / "mine", MINE)


def test_list_names_every_kind_with_what_it_is(catalogue: Catalogue) -> None:
    done = run("schemas", "list")
    assert (done.code, done.err) == (0, "")
    listed = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert listed == {kind: catalogue.files[kind].schema["description"] for kind in catalogue.kinds}


def test_list_names_the_kinds_of_one_version_and_of_one_pattern(mine: Path) -> None:
    assert run("schemas", "list", "--schemas", mine).out == "thing/a  A thing.\nthing/b  Another thing.\n"
    assert run("schemas", "list", "--at", "1.9.9", "--schemas", mine).out == "thing/b  Another thing.\n"
    assert run("schemas", "list", "*/a", "--schemas", mine).out == "thing/a  A thing.\n"


def test_list_fails_where_no_kind_is_like_the_pattern(mine: Path) -> None:
    done = run("schemas", "list", "nothing/*", "--schemas", mine)
    assert (done.code, done.out, done.err) == (2, "", "Error: no kind is like 'nothing/*'\n")


def test_show_gives_the_file_with_its_history_or_the_plain_schema_of_a_version(mine: Path) -> None:
    assert json.loads(run("schemas", "show", "thing/a", "--schemas", mine).out) == MINE["thing/a"]
    plain = json.loads(run("schemas", "show", "thing/a", "--at", "2.0.0", "--schemas", mine).out)
    assert plain == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "A thing.",
        "type": "object",
        "properties": {"type": {"const": "a"}, "g": {"type": "null"}},
        "required": ["type"],
        "additionalProperties": False,
    }


def test_show_at_a_version_stands_alone() -> None:
    shown = json.loads(run("schemas", "show", "transcript/assistant", "--at", "2.1.42").out)
    jsonschema.Draft202012Validator.check_schema(shown)
    assert "content/tool_use" in shown["$defs"]


def test_history_tells_when_each_field_came(mine: Path) -> None:
    assert run("schemas", "history", "thing/a", "--schemas", mine).out == "2.0.0  thing/a came\n2.1.0  f came\n"
    assert run("schemas", "history", "thing/a.f", "--schemas", mine).out == "2.1.0  f came\n"


def test_history_of_what_has_no_bound_says_so(mine: Path) -> None:
    done = run("schemas", "history", "thing/a.g", "--schemas", mine)
    assert (done.code, done.out) == (0, "thing/a.g: at every version, for all that is known\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "thing/c"), "there is no kind 'thing/c'; `driftcheck schemas list` lists them"),
        (("show", "defs/envelope"), "there is no kind 'defs/envelope'"),
        (
            ("show", "thing/a", "--at", "1.9.9"),
            "1.9.9 has no kind 'thing/a'; `driftcheck schemas history thing/a` tells",
        ),
        (("history", "thing/c"), "there is no kind 'thing/c'"),
        (("history", "thing/a.h"), "thing/a has no field 'h'; `driftcheck schemas show thing/a` shows its fields"),
        (("list", "--at", "2.1"), "'2.1' is not a Claude Code version; write it like 2.1.42"),
        (("show", "thing/a", "--at", "latest"), "'latest' is not a Claude Code version"),
        (("export", "-o", "out", "--at", "x"), "'x' is not a Claude Code version"),
        (("export",), "Missing option '-o'"),
        (("show",), "Missing argument 'KIND'"),
        (("forget",), "No such command 'forget'"),
    ],
)
def test_a_request_that_cannot_be_met_is_a_sentence_and_exit_code_2(
    mine: Path, arguments: tuple[str, ...], message: str
) -> None:
    schemas = () if arguments == ("forget",) else ("--schemas", mine)
    done = run("schemas", *arguments, *schemas, cwd=mine.parent)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("command", [("list",), ("show", "thing/a"), ("history", "thing/a"), ("export", "-o", "out")])
def test_a_catalogue_folder_that_is_not_there_is_said_so(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run("schemas", *command, "--schemas", tmp_path / "gone", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"Error: {tmp_path / 'gone'}: no such folder of schemas\n"


def test_export_says_how_many_it_wrote_of_which_version(mine: Path, tmp_path: Path) -> None:
    done = run("schemas", "export", "--at", "1.9.9", "-o", "deep/out", "--schemas", mine, cwd=tmp_path)
    assert (done.code, done.out) == (0, "2 schemas of 1.9.9 written to deep/out\n")
    assert sorted(path.relative_to(tmp_path).as_posix() for path in (tmp_path / "deep").rglob("*.json")) == [
        "deep/out/thing.json",
        "deep/out/thing/b.json",
    ]


def test_export_without_a_version_takes_the_newest_of_the_evidence(mine: Path, tmp_path: Path) -> None:
    done = run("schemas", "export", "-o", "out", "--schemas", mine, cwd=tmp_path)
    assert (done.code, done.out) == (0, "3 schemas of 3.0.0 written to out\n")


def test_export_to_where_nothing_can_be_written_is_said_so(mine: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    done = run("schemas", "export", "-o", tmp_path / "file" / "out", "--schemas", mine)
    assert done.code == 2
    assert "cannot be written: Not a directory" in done.err
    assert (tmp_path / "file").read_text() == "mine"
