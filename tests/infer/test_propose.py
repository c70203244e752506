"""A proposal says what the drift calls for, with its evidence, and no more."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from command import run
from records import (
    Record,
    assistant,
    attachment,
    bash_result,
    calls,
    envelope,
    gives,
    stream,
    usage,
    user,
    without,
    write,
)

from driftcheck import Catalogue, check
from driftcheck.catalogue.files import shipped_folder
from driftcheck.infer.prove import patched, prove
from driftcheck.infer.rules import Rules
from driftcheck.infer.run import Offer, apply, make_offer

NEXT = "2.1.400"
MANY = 12


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    folder = tmp_path / "schemas"
    shutil.copytree(shipped_folder(), folder)
    return folder


def _offer(tmp_path: Path, schemas: Path, *records: Record, rules: Rules | None = None) -> Offer:
    return make_offer([write(tmp_path / "new" / "a.jsonl", *records)], schemas=schemas, rules=rules)


def _at(offer: Offer, kind: str, *path: str) -> Any:
    node: Any = offer.proposal.after[kind]
    for step in path:
        node = node[step]
    return node


def test_records_that_do_not_drift_call_for_nothing(tmp_path: Path, schemas: Path) -> None:
    offer = _offer(tmp_path, schemas, user(), assistant())
    assert (offer.proposal.changed, offer.proposal.changes, offer.problems) == ([], [], ())


def test_a_new_field_gets_its_schema_and_its_first_version(tmp_path: Path, schemas: Path) -> None:
    new = {"seconds": 3, "wasLong": True, "when": "2026-01-02T03:04:05.678Z", "by": None}
    offer = _offer(tmp_path, schemas, user(version=NEXT, pause=new))
    field = _at(offer, "transcript/user", "properties", "pause")
    assert field["x-since"] == "<=2.1.400"
    assert field["properties"]["seconds"] == {"type": "number"}
    assert field["properties"]["wasLong"] == {"type": "boolean"}
    assert field["properties"]["when"] == {"type": "string", "format": "date-time"}
    assert "type" not in field["properties"]["by"]
    assert "required" not in field
    assert offer.problems == ()


def test_all_that_a_file_said_before_stays_where_it_was(tmp_path: Path, schemas: Path) -> None:
    before = json.loads((schemas / "transcript" / "user.json").read_text())
    offer = _offer(tmp_path, schemas, user(version=NEXT, pause=1))
    after = deepcopy(offer.proposal.after["transcript/user"])
    del after["properties"]["pause"]
    assert json.dumps(after) == json.dumps(before)
    assert offer.proposal.changed == ["transcript/user"]


def test_keys_that_are_data_make_a_map(tmp_path: Path, schemas: Path) -> None:
    offer = _offer(tmp_path, schemas, user(version=NEXT, seen={"/home/a/b.py": {"n": 1}, "/home/c.py": {"n": 2}}))
    field = _at(offer, "transcript/user", "properties", "seen")
    assert field["additionalProperties"]["properties"] == {"n": {"type": "integer"}}


def test_usage_and_blocks_are_shared_not_copied(tmp_path: Path, schemas: Path) -> None:
    blocks = [{"type": "text", "text": "hello"}]
    offer = _offer(tmp_path, schemas, user(version=NEXT, spent=usage(), said=blocks))
    assert _at(offer, "transcript/user", "properties", "spent", "x-kind") == "common/usage"
    assert _at(offer, "transcript/user", "properties", "said", "items", "x-kind") == "content/{type}"


def test_objects_that_only_look_like_blocks_are_not_taken_for_them(tmp_path: Path, schemas: Path) -> None:
    rows = [{"type": "text", "label": "x", "weight": 3}]
    offer = _offer(tmp_path, schemas, user(version=NEXT, rows=rows))
    assert set(_at(offer, "transcript/user", "properties", "rows", "items", "properties")) == {
        "type",
        "label",
        "weight",
    }


def test_a_few_words_often_seen_in_a_naming_field_make_an_enumeration(tmp_path: Path, schemas: Path) -> None:
    records = [user(version=NEXT, pauseKind=word, pauseNote=word) for word in ("short", "long") * MANY]
    offer = _offer(tmp_path, schemas, *records)
    assert _at(offer, "transcript/user", "properties", "pauseKind", "enum") == ["long", "short"]
    assert _at(offer, "transcript/user", "properties", "pauseNote", "type") == "string"


def test_words_seldom_seen_make_none(tmp_path: Path, schemas: Path) -> None:
    offer = _offer(tmp_path, schemas, user(version=NEXT, pauseKind="short"), user(version=NEXT, pauseKind="long"))
    assert _at(offer, "transcript/user", "properties", "pauseKind", "type") == "string"


@pytest.mark.parametrize(("files", "required"), [(1, False), (2, True)])
def test_a_field_is_required_only_if_it_is_in_enough_records_of_enough_files(
    tmp_path: Path, schemas: Path, files: int, required: bool
) -> None:
    for number in range(files):
        write(tmp_path / "new" / f"{number}.jsonl", *[user(version=NEXT, pause=1)] * MANY)
    offer = make_offer([tmp_path / "new"], schemas=schemas)
    assert ("pause" in _at(offer, "transcript/user").get("required", [])) is required


def test_a_field_that_one_record_lacks_is_not_required(tmp_path: Path, schemas: Path) -> None:
    for number in range(2):
        write(tmp_path / "new" / f"{number}.jsonl", *[user(version=NEXT, pause=1)] * MANY, user(version=NEXT))
    offer = make_offer([tmp_path / "new"], schemas=schemas)
    assert "pause" not in _at(offer, "transcript/user").get("required", [])


def test_an_absence_in_the_old_corpus_dates_a_new_field_if_it_is_sure_enough(tmp_path: Path, schemas: Path) -> None:
    old = write(tmp_path / "old" / "a.jsonl", *[user(version="2.1.300", entrypoint="cli")] * 25)
    few = write(tmp_path / "few" / "a.jsonl", *[user(version="2.1.320", entrypoint="cli")] * 3)
    new = write(tmp_path / "new" / "a.jsonl", user(version=NEXT, pause=1))
    offer = make_offer([new], corpus=[old, few], schemas=schemas)
    assert _at(offer, "transcript/user", "properties", "pause", "x-since") == ">2.1.300 <=2.1.400"


def test_a_field_seen_before_its_first_version_lowers_it(tmp_path: Path, schemas: Path) -> None:
    offer = _offer(tmp_path, schemas, user(version="1.0.20", gitBranch="main"))
    assert _at(offer, "defs/envelope", "properties", "gitBranch", "x-since") == "<=1.0.20"
    assert offer.problems == ()


def test_a_value_that_turned_null_gets_an_alternative_from_then_on(tmp_path: Path, schemas: Path) -> None:
    offer = _offer(tmp_path, schemas, user(version=NEXT, gitBranch=None))
    branches = _at(offer, "defs/envelope", "properties", "gitBranch", "anyOf")
    assert branches[0] == {"type": "string"}
    assert branches[1]["x-since"] == "<=2.1.400"
    assert offer.problems == ()
    assert _at(offer, "defs/envelope", "properties", "gitBranch", "x-since") == ">1.0.43 <=1.0.54"


def test_a_new_word_joins_its_enumeration(tmp_path: Path, schemas: Path) -> None:
    offer = _offer(tmp_path, schemas, user(version=NEXT, permissionMode="yolo"))
    branches = _at(offer, "transcript/user", "properties", "permissionMode", "anyOf")
    assert branches[-1] == {"x-since": "<=2.1.400", "const": "yolo"}
    assert "plan" in branches[0]["enum"]
    assert offer.problems == ()


def test_a_required_field_that_is_absent_loses_its_requirement(tmp_path: Path, schemas: Path) -> None:
    old = write(tmp_path / "old" / "a.jsonl", user(version="2.1.300"))
    new = write(tmp_path / "new" / "a.jsonl", without(user(version=NEXT), "cwd"), user(version=NEXT))
    offer = make_offer([new], corpus=[old], schemas=schemas)
    field = _at(offer, "defs/envelope", "properties", "cwd")
    assert field["x-required-until"] == ">2.1.300 <=2.1.400"
    assert "x-until" not in field
    assert offer.problems == ()


@pytest.mark.parametrize(("records", "is_gone"), [(5, False), (25, True)])
def test_a_field_is_gone_only_if_it_was_looked_for_often_enough(
    tmp_path: Path, schemas: Path, records: int, is_gone: bool
) -> None:
    old = write(tmp_path / "old" / "a.jsonl", user(version="2.1.300"))
    new = write(tmp_path / "new" / "a.jsonl", *[without(user(version=NEXT), "cwd")] * records)
    offer = make_offer([new], corpus=[old], schemas=schemas)
    assert ("x-until" in _at(offer, "defs/envelope", "properties", "cwd")) is is_gone
    assert offer.problems == ()


def test_a_field_that_every_kind_of_record_got_goes_into_their_envelope(tmp_path: Path, schemas: Path) -> None:
    records = [user(version=NEXT), assistant(version=NEXT), attachment(NEXT, type="date", date="2026-01-02")]
    offer = _offer(tmp_path, schemas, *[record | {"realm": "shop"} for record in records])
    assert offer.proposal.changed == ["defs/envelope"]
    assert _at(offer, "defs/envelope", "properties", "realm", "type") == "string"


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({"type": "shelf", "sessionId": envelope()["sessionId"], "version": NEXT, "n": 1}, "transcript/shelf"),
        (envelope(NEXT, type="system", subtype="shelf", n=1), "transcript/system/shelf"),
        (attachment(NEXT, type="shelf", n=1), "transcript/attachment/shelf"),
        (user([{"type": "shelf", "n": 1}], NEXT), "content/shelf"),
        (calls("Shelf", {"n": 1}, version=NEXT), "tool/Shelf/input"),
        (stream("system", subtype="shelf", claude_code_version=NEXT), "stream/system/shelf"),
    ],
)
def test_a_new_kind_gets_a_file_of_its_own_in_the_right_place(
    tmp_path: Path, schemas: Path, record: Record, kind: str
) -> None:
    offer = _offer(tmp_path, schemas, record)
    assert offer.problems == ()
    assert kind in offer.proposal.changed
    written = apply(offer, schemas)
    assert schemas / f"{kind}.json" in written
    assert [finding.name for finding in check(tmp_path / "new", schemas=schemas).findings] == []
    assert kind in Catalogue.load(schemas).at(NEXT).kinds


def test_a_new_hook_event_gets_a_file_that_shares_the_common_fields(tmp_path: Path, schemas: Path) -> None:
    common = {"session_id": envelope()["sessionId"], "transcript_path": "/t", "cwd": "/c", "hook_event_name": "Shelf"}
    new = write(
        tmp_path / NEXT / "hooks" / "Shelf.jsonl", common | {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    )
    offer = make_offer([new], schemas=schemas)
    schema = offer.proposal.after["hook/Shelf"]
    assert schema["allOf"] == [{"$ref": "../defs/hook.json"}]
    assert schema["properties"]["tool_input"] == {"x-kind": "tool/{../tool_name}/input"}
    assert "session_id" not in schema["properties"]


def test_a_result_of_a_tool_that_had_no_schema_gets_one(tmp_path: Path, schemas: Path) -> None:
    (schemas / "tool" / "Bash" / "result.json").unlink()
    offer = _offer(
        tmp_path, schemas, calls("Bash", {"command": "ls"}, version=NEXT), gives(bash_result(), version=NEXT)
    )
    assert offer.proposal.changed == ["tool/Bash/result"]


def test_records_of_unknown_version_teach_nothing(tmp_path: Path, schemas: Path) -> None:
    offer = _offer(tmp_path, schemas, without(user(pause=1), "version"))
    assert offer.proposal.changed == []
    assert offer.undated > 0


def test_a_record_that_no_schema_can_be_drafted_for_is_left_to_a_person(tmp_path: Path, schemas: Path) -> None:
    offer = _offer(tmp_path, schemas, user(), without(user(version=NEXT), "type"))
    assert offer.proposal.changed == []
    assert "of no kind" in offer.proposal.open_questions[0]


def _drifting(tmp_path: Path) -> Path:
    folder = tmp_path / "new"
    write(folder / "a.jsonl", user(version=NEXT, pause=1), assistant(version=NEXT, mood="calm"))
    write(
        folder / "b.jsonl",
        user(version=NEXT, permissionMode="yolo"),
        {"type": "shelf", "sessionId": "x", "version": NEXT},
    )
    return folder


def test_applied_twice_a_proposal_changes_nothing_more_and_the_order_of_files_does_not_matter(
    tmp_path: Path, schemas: Path
) -> None:
    folder = _drifting(tmp_path)
    one_way = run("propose", folder / "a.jsonl", folder / "b.jsonl", "--schemas", schemas, cwd=tmp_path)
    other_way = run("propose", folder / "b.jsonl", folder / "a.jsonl", "--schemas", schemas, cwd=tmp_path)
    assert one_way.code == 1
    assert one_way.out == other_way.out
    assert run("propose", folder, "--schemas", schemas, "--apply", cwd=tmp_path).code == 0
    assert run("check", folder, "--schemas", schemas).code == 0
    again = run("propose", folder, "--schemas", schemas, "--apply", cwd=tmp_path)
    assert (again.code, again.out) == (0, "")


def test_the_diff_is_one_that_git_applies(tmp_path: Path, schemas: Path) -> None:
    folder = _drifting(tmp_path)
    diff = run("propose", folder, "--schemas", schemas, cwd=tmp_path).out
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=tmp_path, check=True)
    assert [f.name for f in check(folder, schemas=schemas).findings] == []


def test_the_json_patch_leads_to_the_same_files(tmp_path: Path, schemas: Path) -> None:
    folder = _drifting(tmp_path)
    patches = json.loads(run("propose", folder, "--schemas", schemas, "--format", "json-patch", cwd=tmp_path).out)
    offer = make_offer([folder], schemas=schemas)
    assert set(patches) == {f"{name}.json" for name in offer.proposal.changed}
    for name, operations in patches.items():
        path = schemas / name
        document = json.loads(path.read_text()) if path.exists() else None
        for operation in operations:
            document = _patched(document, operation)
        assert document == offer.proposal.after[name.removesuffix(".json")]


def _patched(document: Any, operation: dict[str, Any]) -> Any:
    """RFC 6902, as far as proposals use it."""
    *steps, last = operation["path"].split("/") if operation["path"] else [""]
    if not operation["path"]:
        return operation["value"]
    holder = document
    for step in (step.replace("~1", "/").replace("~0", "~") for step in steps[1:]):
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    last = last.replace("~1", "/").replace("~0", "~")
    if operation["op"] == "remove":
        del holder[last]
    elif isinstance(holder, list):
        holder.append(operation["value"]) if last == "-" else holder.__setitem__(int(last), operation["value"])
    else:
        holder[last] = operation["value"]
    return document


def test_the_markdown_says_what_since_when_and_on_what_evidence(tmp_path: Path, schemas: Path) -> None:
    out = run("propose", _drifting(tmp_path), "--schemas", schemas, "--format", "markdown", cwd=tmp_path).out
    assert "### `transcript/user`" in out
    assert "- `pause` is new: since 2.1.400, 1 of 2" in out
    assert "- `permissionMode` can be yolo, too" in out
    assert "calm" not in out


def test_what_fails_its_proof_is_said_and_not_written(tmp_path: Path, schemas: Path) -> None:
    path = schemas / "tool" / "Bash" / "result.json"
    shapes = [
        {"type": "object", "properties": {"kind": {"const": name}, name: {"type": "string"}}} for name in ("a", "b")
    ]
    path.write_text(json.dumps({"title": "tool/Bash/result", "description": "Two shapes.", "anyOf": shapes}))
    before = path.read_text()
    result = gives({"kind": "b", "b": "x", "c": 1}, version=NEXT)
    new = write(tmp_path / "new" / "a.jsonl", calls("Bash", {"command": "ls"}, version=NEXT), result)
    done = run("propose", new, "--schemas", schemas, "--apply", cwd=tmp_path)
    assert done.code == 2
    assert "NEW_FIELD tool/Bash/result.c is still found in the new records" in done.err
    assert path.read_text() == before


def _prove(
    tmp_path: Path, schemas: Path, change: Callable[[dict[str, Any]], None], old: Record | None = None
) -> list[str]:
    catalogue = Catalogue.load(schemas)
    new = write(tmp_path / "new" / "a.jsonl", user(version=NEXT, pause=1))
    offer = make_offer([new], schemas=catalogue)
    change(offer.proposal.after["transcript/user"])
    after = patched(catalogue, offer.proposal, offer.newest)
    known = [str(write(tmp_path / "old" / "a.jsonl", old))] if old else []
    return prove(catalogue, after, offer.proposal, [str(new)], known)


def test_a_proposal_that_opens_a_kind_is_refused(tmp_path: Path, schemas: Path) -> None:
    problems = _prove(tmp_path, schemas, lambda schema: schema.update({"additionalProperties": True, "$comment": "x"}))
    assert problems == ["transcript/user.json would accept any field"]


def test_a_proposal_that_spoils_the_old_corpus_is_refused(tmp_path: Path, schemas: Path) -> None:
    def spoil(schema: dict[str, Any]) -> None:
        schema["properties"]["isMeta"] = {"type": "string"}

    problems = _prove(tmp_path, schemas, spoil, user(isMeta=True))
    assert problems == ["TYPE_MISMATCH transcript/user.isMeta would be found in the old corpus"]


def test_a_proposal_with_a_bound_that_is_none_is_refused(tmp_path: Path, schemas: Path) -> None:
    def spoil(schema: dict[str, Any]) -> None:
        schema["properties"]["pause"]["x-since"] = "soon"

    assert "soon" in _prove(tmp_path, schemas, spoil)[0]


def test_nothing_to_read_and_a_broken_catalogue_are_errors_that_say_so(tmp_path: Path, schemas: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "nothing was read" in run("propose", tmp_path / "empty", "--schemas", schemas).err
    (schemas / "transcript" / "user.json").write_text("{")
    done = run("propose", _drifting(tmp_path), "--schemas", schemas)
    assert done.code == 2
    assert "user.json" in done.err
