"""Exported schemas: standard, standing alone, and with a stock validator as strict as a check."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from driftcheck import Code, check
from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.export import export, standalone_surfaces
from driftcheck.catalogue.files import DRAFT

from .build import load, run

Record = dict[str, Any]
UUID = "a0a0a0a0-0000-4000-8000-000000000001"
VERSIONS = ("1.0.51", "2.1.237")


def references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [ref for item in schema for ref in references(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    return own + [ref for value in schema.values() for ref in references(value)]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_exported_file_is_standard_and_stands_alone(version: str, catalogue: Catalogue, tmp_path: Path) -> None:
    view = catalogue.at(version)
    written = export(view, tmp_path)
    surfaces = [f"{name}.json" for name, surface in catalogue.routes.surfaces.items() if surface.by]
    assert sorted(path.relative_to(tmp_path).as_posix() for path in written) == sorted(
        [f"{kind}.json" for kind in view.kinds] + surfaces
    )
    for path in written:
        schema = json.loads(path.read_text())
        assert schema["$schema"] == DRAFT
        assert not [key for key in _keywords(schema) if key.startswith("x-")]
        for ref in references(schema):
            assert ref.startswith("#/$defs/")
            assert ref.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~") in schema["$defs"]
    for surface in surfaces:
        jsonschema.Draft202012Validator.check_schema(json.loads((tmp_path / surface).read_text()))


def _keywords(schema: Any) -> set[str]:
    """The keywords in use, leaving aside the names of fields and definitions."""
    if isinstance(schema, list):
        return {key for item in schema for key in _keywords(item)}
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            found |= {inner for child in value.values() for inner in _keywords(child)}
        elif key not in ("enum", "const"):
            found |= _keywords(value)
    return found


def validator(catalogue: Catalogue, version: str, surface: str) -> jsonschema.Draft202012Validator:
    schemas = dict(standalone_surfaces(catalogue.at(version)))
    return jsonschema.Draft202012Validator(schemas[surface], format_checker=jsonschema.FormatChecker())


def codes(records: list[Record], folder: Path, version: str, surface: str) -> set[str]:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return {finding.code.value for finding in check(path, at=version, surface=surface).findings}


ENVELOPE: Record = {
    "parentUuid": None,
    "isSidechain": False,
    "userType": "external",
    "cwd": "/",
    "sessionId": UUID,
    "version": "2.1.42",
    "uuid": UUID,
    "timestamp": "2026-01-02T03:04:05.678Z",
}
USER: Record = {**ENVELOPE, "type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "hi"}]}}
USAGE = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
CALL: Record = {
    **ENVELOPE,
    "type": "assistant",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "some-model",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": USAGE,
    },
}
SYSTEM: Record = {**ENVELOPE, "type": "system", "subtype": "turn_duration", "durationMs": 7, "isMeta": False}
HOOK: Record = {
    "session_id": UUID,
    "transcript_path": "/t.jsonl",
    "cwd": "/",
    "permission_mode": "default",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "toolu_1",
}
STREAM: Record = {"type": "user", "message": {"role": "user", "content": "hi"}, "session_id": UUID, "uuid": UUID}
STREAM |= {"parent_tool_use_id": None}


def at(record: Record, *path: Any) -> Any:
    for step in path:
        record = record[step]
    return record


def edit(record: Record, *path: Any, **values: Any) -> Record:
    """A copy with other values in one of its objects; a value of ... is taken away."""
    copy = deepcopy(record)
    target = at(copy, *path)
    for name, value in values.items():
        if value is ...:
            del target[name]
        else:
            target[name] = value
    return copy


CONTENT = ("message", "content", 0)
CLEAN = [
    ("transcript", USER),
    ("transcript", edit(USER, "message", content="just text")),
    ("transcript", CALL),
    ("transcript", edit(CALL, *CONTENT, name="mcp__server__tool", input={"anything": ["goes"]})),
    ("transcript", SYSTEM),
    ("hook", HOOK),
    ("hook", edit(HOOK, tool_name="mcp__server__tool", tool_input={"anything": 1})),
    ("stream", STREAM),
]
DRIFTED = [
    ("transcript", edit(USER, type="unheard"), {"UNKNOWN_TYPE"}),
    ("transcript", edit(SYSTEM, subtype="unheard"), {"UNKNOWN_TYPE"}),
    ("transcript", edit(USER, *CONTENT, type="unheard"), {"UNKNOWN_TYPE"}),
    ("transcript", edit(CALL, *CONTENT, name="Unheard"), {"UNKNOWN_TYPE"}),
    ("transcript", {**ENVELOPE, "type": "attachment", "attachment": {"type": "unheard"}}, {"UNKNOWN_TYPE"}),
    ("transcript", {**ENVELOPE, "type": "attachment", "attachment": {}}, {"MISSING_FIELD"}),
    ("transcript", edit(USER, type=...), {"MISSING_FIELD"}),
    ("transcript", edit(USER, type=7), {"TYPE_MISMATCH"}),
    ("transcript", edit(USER, *CONTENT, type=...), {"MISSING_FIELD"}),
    ("transcript", edit(USER, aNewField=1), {"NEW_FIELD"}),
    ("transcript", edit(USER, "message", aNewField=1), {"NEW_FIELD"}),
    ("transcript", edit(USER, *CONTENT, aNewField=1), {"NEW_FIELD"}),
    ("transcript", edit(CALL, *CONTENT, "input", aNewField=1), {"NEW_FIELD"}),
    ("transcript", edit(CALL, "message", "usage", aNewField=1), {"NEW_FIELD"}),
    ("transcript", edit(USER, uuid=...), {"MISSING_FIELD"}),
    ("transcript", edit(USER, "message", role=...), {"MISSING_FIELD"}),
    ("transcript", edit(USER, *CONTENT, text=...), {"MISSING_FIELD"}),
    ("transcript", edit(CALL, *CONTENT, "input", command=...), {"MISSING_FIELD"}),
    ("transcript", edit(USER, isSidechain="no"), {"TYPE_MISMATCH"}),
    ("transcript", edit(USER, uuid="no uuid"), {"TYPE_MISMATCH"}),
    ("transcript", edit(USER, timestamp="yesterday"), {"TYPE_MISMATCH"}),
    ("transcript", edit(USER, *CONTENT, text=None), {"TYPE_MISMATCH"}),
    ("transcript", edit(CALL, *CONTENT, "input", command=["ls"]), {"TYPE_MISMATCH"}),
    ("transcript", edit(USER, userType="alien"), {"NEW_VALUE"}),
    ("transcript", edit(USER, "message", role="alien"), {"NEW_VALUE"}),
    ("hook", edit(HOOK, hook_event_name="Unheard"), {"UNKNOWN_TYPE"}),
    ("hook", edit(HOOK, tool_name="Unheard"), {"UNKNOWN_TYPE"}),
    ("hook", edit(HOOK, aNewField=1), {"NEW_FIELD"}),
    ("hook", edit(HOOK, "tool_input", aNewField=1), {"NEW_FIELD"}),
    ("hook", edit(HOOK, permission_mode="alien"), {"NEW_VALUE"}),
    ("stream", edit(STREAM, type="unheard"), {"UNKNOWN_TYPE"}),
    ("stream", edit(STREAM, aNewField=1), {"NEW_FIELD"}),
    ("stream", {"type": "system", "subtype": "unheard", "session_id": UUID, "uuid": UUID}, {"UNKNOWN_TYPE"}),
    ("stream", edit(STREAM, message="flat"), {"TYPE_MISMATCH"}),
]


@pytest.mark.parametrize(("surface", "record"), CLEAN)
def test_a_stock_validator_accepts_what_a_check_finds_clean(
    surface: str, record: Record, catalogue: Catalogue, tmp_path: Path
) -> None:
    assert codes([record], tmp_path, "2.1.42", surface) == set()
    errors = list(validator(catalogue, "2.1.42", surface).iter_errors(record))
    assert errors == []


@pytest.mark.parametrize(("surface", "record", "found"), DRIFTED)
def test_a_stock_validator_rejects_what_a_check_finds_drifted(
    surface: str, record: Record, found: set[str], catalogue: Catalogue, tmp_path: Path
) -> None:
    assert codes([record], tmp_path, "2.1.42", surface) == found
    assert not validator(catalogue, "2.1.42", surface).is_valid(record)


def test_each_code_of_drift_has_a_record_that_is_rejected() -> None:
    assert set().union(*(found for _, _, found in DRIFTED)) == {code.value for code in Code} - {"MALFORMED"}


TRANSCRIPTS = Path(__file__).resolve().parents[3] / "shared" / "transcripts"


@pytest.mark.parametrize("version", ["1.0.51", "2.0.55", "2.1.112", "2.1.168"])
def test_a_stock_validator_and_a_check_agree_on_real_records(
    version: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    source = TRANSCRIPTS / f"{version}.jsonl"
    if not source.is_file():
        pytest.skip(f"no real records of {version} at hand")
    is_valid = validator(catalogue, version, "transcript").is_valid
    records = [json.loads(line) for line in source.read_text().splitlines()[:60]]
    assert records
    for record in records:
        # Alone, a record with a result is not judged by its tool, nor is a misfire known as one: as in the export.
        assert is_valid(record) == (codes([record], tmp_path, version, "transcript") == set())


def test_a_kind_with_kinds_below_it_may_do_without_telling_one(tmp_path: Path) -> None:
    def kind(subtype: dict[str, Any], *required: str) -> dict[str, Any]:
        properties = {"type": {"const": "system"}, "subtype": subtype}
        return {"type": "object", "required": ["type", *required], "properties": properties}

    files = {"thing/system": kind({"type": "null"}), "thing/system/x": kind({"const": "x"}, "subtype")}
    schema = dict(standalone_surfaces(load(tmp_path, files).at("2.0.0")))["thing"]
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    assert is_valid({"type": "system"})
    assert is_valid({"type": "system", "subtype": None})
    assert is_valid({"type": "system", "subtype": "x"})
    assert not is_valid({"type": "system", "subtype": "y"})
    assert not is_valid({"type": "system", "subtype": 7})


def test_kinds_that_refer_to_each_other_are_exported_once_each(tmp_path: Path) -> None:
    part = {"type": "object", "x-kind": "thing/{type}"}
    files = {
        "thing/a": {"type": "object", "properties": {"type": {"const": "a"}, "in": part}},
        "thing/b": {"type": "object", "properties": {"type": {"const": "b"}, "in": part}},
    }
    view = load(tmp_path / "mine", files).at("2.0.0")
    export(view, tmp_path / "out")
    schema = json.loads((tmp_path / "out" / "thing" / "a.json").read_text())
    assert sorted(schema["$defs"]) == ["thing/a", "thing/b"]
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    assert is_valid({"type": "a", "in": {"type": "b", "in": {"type": "a"}}})
    assert not is_valid({"type": "a", "in": {"type": "b", "in": {"type": "c"}}})
    assert not is_valid({"type": "a", "in": {"type": "b", "in": {"type": "a", "other": 1}}})
    assert not is_valid({"type": "a", "in": {}})


@pytest.mark.skipif(shutil.which("check-jsonschema", path=str(Path(sys.executable).parent)) is None,
                    reason="check-jsonschema is not installed")  # fmt: skip
def test_check_jsonschema_takes_an_export_as_it_is(tmp_path: Path) -> None:
    assert run("schemas", "export", "--at", "2.1.42", "-o", tmp_path / "out").code == 0
    (tmp_path / "good.json").write_text(json.dumps(CALL))
    (tmp_path / "bad.json").write_text(json.dumps(edit(CALL, *CONTENT, "input", aNewField=1)))
    tool = Path(sys.executable).with_name("check-jsonschema")
    schema = tmp_path / "out" / "transcript.json"

    def verdict(name: str) -> int:
        done = subprocess.run([tool, "--schemafile", schema, tmp_path / name], capture_output=True, check=False)
        return done.returncode

    assert (verdict("good.json"), verdict("bad.json")) == (0, 1)
