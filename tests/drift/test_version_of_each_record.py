"""Every record is judged by its own version, or by the nearest that its file states."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import check, check_here, run
from records import (
    NEW,
    OLD,
    Record,
    assistant,
    bash_result,
    calls,
    gives,
    hook,
    stream_init,
    stream_result,
    user,
    write,
)

QUEUED: Record = {
    "type": "queue-operation",
    "operation": "enqueue",
    "timestamp": "2026-01-02T03:04:05Z",
    "sessionId": "5e551010-0000-4000-8000-00000000cafe",
}
"""A record that states no version, and that 1.0.24 does not have."""

Found = list[tuple[str, str, str, list[str]]]


def _found(path: Path, **options: str) -> Found:
    """The findings of a file, each with the lines it is on."""
    return [
        (f["code"], f["kind"], f["path"], [example.rpartition(":")[2] for example in f["examples"]])
        for f in check_here(path, **options)["findings"]
    ]


def _old_bash_result() -> Record:
    return {name: value for name, value in bash_result().items() if name != "noOutputExpected"}


def test_a_file_that_spans_versions_is_judged_line_by_line_with_no_false_alarm(tmp_path: Path) -> None:
    old = [user(version=OLD), calls("Bash", {"command": "ls"}, version=OLD), gives(_old_bash_result(), version=OLD)]
    new = [
        user(permissionMode="default", promptSource="typed"),
        calls("Bash", {"command": "ls"}, "toolu_2"),
        gives(bash_result(), "toolu_2"),
        assistant(),
    ]
    path = write(tmp_path / "resumed.jsonl", *old, *new, *old, *new)

    ran = check(path)

    assert (ran.code, ran.findings) == (0, [])
    assert ran.report["summary"]["versions"] == {OLD: 6, NEW: 8}


def test_the_same_field_is_judged_differently_on_both_sides_of_a_version(tmp_path: Path) -> None:
    bare = {name: value for name, value in user().items() if name != "entrypoint"}
    path = write(
        tmp_path / "resumed.jsonl",
        user(version=OLD, permissionMode="default"),
        user(permissionMode="default"),
        user(version=OLD),
        bare,
        user(version=OLD, permissionMode="plan"),
    )

    assert _found(path) == [
        ("MISSING_FIELD", "transcript/user", "entrypoint", ["4"]),
        ("NEW_FIELD", "transcript/user", "permissionMode", ["1", "5"]),
    ]


def test_a_tool_result_is_judged_by_its_own_version_and_its_call_by_its(tmp_path: Path) -> None:
    path = write(tmp_path / "resumed.jsonl", calls("Bash", {"command": "ls"}, version=OLD), gives(_old_bash_result()))

    assert _found(path) == [("MISSING_FIELD", "tool/Bash/result", "noOutputExpected", ["2"])]


@pytest.mark.parametrize(
    ("records", "lines"),
    [
        ([user(version="1.0.24"), QUEUED, user(), QUEUED], ["2"]),
        ([QUEUED, QUEUED, user(version="1.0.24"), user(), QUEUED], ["1", "2"]),
        ([user(), QUEUED, user(version="1.0.24"), QUEUED], ["4"]),
        ([user(), QUEUED | {"version": 5}, QUEUED | {"version": "new"}], []),
    ],
    ids=["the nearest before", "else the nearest after", "the last one stated", "and nothing that is no version"],
)
def test_a_record_without_a_version_takes_one_from_its_file(
    tmp_path: Path, records: list[Record], lines: list[str]
) -> None:
    unknown = [found for found in _found(write(tmp_path / "a.jsonl", *records)) if found[0] == "UNKNOWN_TYPE"]

    assert [found[3] for found in unknown] == ([lines] if lines else [])


@pytest.mark.parametrize("name", ["1.0.24.jsonl", "1.0.24/session.jsonl", "1.0.24/deep/down/session.jsonl"])
def test_a_version_that_the_file_name_or_a_folder_states_is_taken_where_no_record_states_one(
    tmp_path: Path, name: str
) -> None:
    report = check_here(write(tmp_path / name, QUEUED, QUEUED))

    assert [(f["code"], f["count"]) for f in report["findings"]] == [("UNKNOWN_TYPE", 2)]
    assert (report["summary"]["versions"], report["summary"]["unversioned"]) == ({"1.0.24": 2}, 0)


def test_a_version_that_a_record_states_goes_before_the_name_of_the_file(tmp_path: Path) -> None:
    assert _found(write(tmp_path / "1.0.24.jsonl", QUEUED, user())) == []


def test_a_pre_release_in_a_name_counts_as_its_release(tmp_path: Path) -> None:
    assert check_here(write(tmp_path / f"{NEW}-beta.1" / "a.jsonl", QUEUED))["summary"]["versions"] == {NEW: 1}


def test_a_hook_payload_has_the_version_of_its_folder(tmp_path: Path) -> None:
    call = hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls", "run_in_background": True})

    old = check_here(write(tmp_path / "1.0.60" / "hooks.jsonl", call))
    unknown = check_here(write(tmp_path / "hooks.jsonl", call))

    assert [(f["kind"], f["path"]) for f in old["findings"]] == [("tool/Bash/input", "run_in_background")]
    assert unknown["findings"] == []
    assert (unknown["summary"]["unversioned"], old["summary"]["unversioned"]) == (1, 0)


def test_records_of_no_known_version_are_judged_by_the_whole_history_and_that_is_said(tmp_path: Path) -> None:
    ran = run("check", write(tmp_path / "a.jsonl", QUEUED, QUEUED | {"shelf": 1}))

    assert ran.code == 1
    assert "NEW_FIELD     shelf" in ran.out
    assert "note: 2 records of no stated version: judged by the whole history at once" in ran.out
    assert ran.out.rstrip().endswith("no version stated")


def test_a_stream_states_its_version_once_for_all_of_it(tmp_path: Path) -> None:
    report = check_here(write(tmp_path / "a.jsonl", stream_init(), stream_result(), stream_result()))

    assert (report["findings"], report["summary"]["versions"]) == ([], {NEW: 3})


def test_at_judges_everything_as_one_version(tmp_path: Path) -> None:
    path = write(tmp_path / f"{NEW}.jsonl", user(version=OLD), user(permissionMode="default"), QUEUED)

    ran = check(path, "--at", OLD)

    assert ran.findings == [
        ("NEW_FIELD", "transcript/user", "entrypoint", 1),
        ("NEW_FIELD", "transcript/user", "permissionMode", 1),
    ]
    assert (ran.report["at"], ran.report["summary"]["versions"]) == (OLD, {OLD: 3})


def test_a_version_newer_than_all_evidence_is_judged_by_the_newest_schemas_and_that_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", user(version="99.0.0", shelf=1), user())

    as_json, as_text = check(path), run("check", path)

    last = as_json.report["evidence"]["last"]
    assert as_json.findings == [("NEW_FIELD", "transcript/user", "shelf", 1)]
    assert as_json.report["summary"]["beyond"] == ["99.0.0"]
    assert f"note: 99.0.0 is newer than all evidence ({last}): judged by the newest schemas" in as_text.out


def test_no_version_within_the_evidence_is_called_newer(tmp_path: Path) -> None:
    assert check_here(write(tmp_path / "a.jsonl", user(), user(version=OLD)))["summary"]["beyond"] == []


def test_a_finding_says_at_which_versions_it_was_seen(tmp_path: Path) -> None:
    records = [user(version=version, shelf=1) for version in ("2.1.9", NEW, "2.1.17", "2.1.9")]

    (finding,) = check_here(write(tmp_path / "a.jsonl", *records))["findings"]

    assert finding["versions"] == {"first": "2.1.9", "last": NEW, "count": 3}
    assert json.dumps(finding["examples"]).count("a.jsonl:") == 3
