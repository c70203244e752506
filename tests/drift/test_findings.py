"""What a finding holds: one for each distinct drift, with its counts, its places and its other half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from command import check, check_here, run
from records import assistant, bash_result, call, calls, gives, hook, message, text, usage, user, without, write


def _only(path: Path) -> dict[str, Any]:
    (finding,) = check_here(path)["findings"]
    assert isinstance(finding, dict)
    return finding


def test_a_thousand_lines_with_one_drift_are_one_finding(tmp_path: Path) -> None:
    records = [user(shelf=n) if n % 2 else user() for n in range(1000)]

    finding = _only(write(tmp_path / "a.jsonl", *records))

    assert (finding["count"], finding["of"]) == (500, 1000)
    assert finding["examples"] == [f"{tmp_path}/a.jsonl:{line}" for line in (2, 4, 6)]


def test_the_examples_are_the_first_of_all_files(tmp_path: Path) -> None:
    for name in ("c", "b", "a"):
        write(tmp_path / f"{name}.jsonl", user(), user(shelf=1), user(shelf=1))

    finding = _only(tmp_path)

    assert finding["examples"] == [f"{tmp_path}/{place}" for place in ("a.jsonl:2", "a.jsonl:3", "b.jsonl:2")]


def test_what_was_expected_and_observed_are_types_and_names(tmp_path: Path) -> None:
    records = [user(cwd=5), user(cwd=None), user(userType="robot"), user(userType="two words"), user(shelf=[])]

    findings = check_here(write(tmp_path / "a.jsonl", *records))["findings"]

    assert {f["path"]: (f["expected"], f["observed"]) for f in findings} == {
        "cwd": (["string"], ["integer", "null"]),
        "userType": (["external", "internal"], ["a string that is no name", "robot"]),
        "shelf": ([], ["array"]),
    }


def test_a_part_is_counted_among_the_parts_of_its_kind(tmp_path: Path) -> None:
    finding = _only(write(tmp_path / "a.jsonl", assistant(text(), text(shelf=1)), user([text()])))

    assert (finding["count"], finding["of"], finding["where"]) == (1, 3, "message.content[].shelf")


def test_an_unknown_type_is_counted_among_its_family(tmp_path: Path) -> None:
    strange = assistant(text(), {"type": "hologram"}, {"type": "aura"})
    known = calls("Bash", {"command": "ls"})
    report = check_here(write(tmp_path / "a.jsonl", strange, known, calls("Lamp", {}, "toolu_2"), user()))

    assert {f["kind"]: (f["count"], f["of"]) for f in report["findings"]} == {
        "content/hologram": (1, 5),
        "content/aura": (1, 5),
        "tool/Lamp/input": (1, 2),
    }


def test_the_place_from_the_root_is_the_usual_one_and_the_others_are_listed(tmp_path: Path) -> None:
    nested = user([{"tool_use_id": "toolu_1", "type": "tool_result", "content": [text(shelf=1)]}])

    finding = _only(write(tmp_path / "a.jsonl", assistant(text(shelf=1)), assistant(text(shelf=1)), nested))

    assert (finding["path"], finding["where"]) == ("shelf", "message.content[].shelf")
    assert finding["also_at"] == ["message.content[].content[].shelf"]


def test_a_tool_input_has_its_place_from_the_root_of_a_record_and_of_a_hook(tmp_path: Path) -> None:
    drifting = {"command": "ls", "shelf": 1}
    transcript = _only(write(tmp_path / "a.jsonl", calls("Bash", drifting), gives(bash_result())))
    payload = _only(write(tmp_path / "b.jsonl", hook("PreToolUse", tool_name="Bash", tool_input=drifting)))

    assert (transcript["where"], payload["where"]) == ("message.content[].input.shelf", "tool_input.shelf")
    assert transcript["fingerprint"] == payload["fingerprint"]


def test_the_place_of_usage_is_where_the_record_has_it(tmp_path: Path) -> None:
    record = assistant() | {"message": message(usage=usage(shelf=1))}

    assert _only(write(tmp_path / "a.jsonl", record))["where"] == "message.usage.shelf"


def test_a_fingerprint_is_the_same_for_every_file_line_and_version(tmp_path: Path) -> None:
    here = _only(write(tmp_path / "a.jsonl", user(shelf=1)))
    there = _only(write(tmp_path / "deep" / "b.jsonl", user(), user(version="2.0.76", shelf="x")))
    other = _only(write(tmp_path / "c.jsonl", user(lamp=1)))

    assert here["fingerprint"] == there["fingerprint"] != other["fingerprint"]


def test_a_missing_and_a_new_field_that_look_like_a_rename_are_linked_both_ways(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *[without(user(workingDir="/home"), "cwd")] * 3)

    new, missing = sorted(check_here(path)["findings"], key=lambda f: str(f["code"]), reverse=True)
    words = run("check", path).out

    assert (missing["path"], new["path"]) == ("cwd", "workingDir")
    assert (missing["related"], new["related"]) == (new["fingerprint"], missing["fingerprint"])
    assert "looks like a rename to workingDir" in words
    assert "looks like a rename of cwd" in words


def test_fields_that_do_not_agree_in_type_or_do_not_come_together_are_not_linked(tmp_path: Path) -> None:
    other_type = write(tmp_path / "a.jsonl", without(user(workingDir=5), "cwd"))
    apart = write(tmp_path / "b.jsonl", without(user(), "cwd"), user(workingDir="/home"))
    nested = {"message": {"role": "user", "content": "", "cwd": "/home"}}
    elsewhere = write(tmp_path / "c.jsonl", without(user(), "cwd") | nested)

    for path in (other_type, apart, elsewhere):
        assert [f["related"] for f in check_here(path)["findings"]] == [None, None]


def test_of_several_new_fields_only_the_one_with_a_like_name_is_linked(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", without(user(session_identifier="x", lamp="x"), "sessionId"))

    related = {f["path"]: f["related"] is not None for f in check_here(path)["findings"]}

    assert related == {"sessionId": True, "session_identifier": True, "lamp": False}


def test_of_several_new_fields_none_is_linked_where_no_name_is_alike(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", without(user(lamp="x", shelf="x"), "cwd"))

    assert {f["related"] for f in check_here(path)["findings"]} == {None}


def test_a_new_field_that_only_now_and_then_stands_in_for_the_missing_one_is_not_linked(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *[without(user(), "cwd")] * 9, without(user(workingDir="/home"), "cwd"))

    assert {f["related"] for f in check_here(path)["findings"]} == {None}


def test_misfires_are_set_aside_and_counted_and_said(tmp_path: Path) -> None:
    sorry = {"tool_use_id": "toolu_1", "type": "tool_result", "content": "InputValidationError: x", "is_error": True}
    path = write(tmp_path / "a.jsonl", calls("Bash", {"comand": "ls"}), user([sorry]), user())

    ran = check(path)

    assert (ran.code, ran.findings, ran.report["summary"]["misfires"]) == (0, [], 1)
    assert "note: set aside: 1 tool call that the model itself got wrong\n" in run("check", path).out


def test_words_of_a_misfire_in_a_result_that_is_no_error_excuse_nothing(tmp_path: Path) -> None:
    fine = {"tool_use_id": "toolu_1", "type": "tool_result", "content": "InputValidationError: No such tool available"}
    path = write(tmp_path / "a.jsonl", calls("Bash", {"command": "ls", "shelf": 1}), user([fine]))

    assert check_here(path)["summary"]["misfires"] == 0
    assert _only(path)["path"] == "shelf"


def test_a_misfire_excuses_its_own_call_only(tmp_path: Path) -> None:
    sorry = {"tool_use_id": "toolu_2", "type": "tool_result", "content": "InputValidationError: x", "is_error": True}
    both = assistant(call("Bash", {"command": "ls", "shelf": 1}), call("Bash", {"command": "ls", "lamp": 1}, "toolu_2"))

    report = check_here(write(tmp_path / "a.jsonl", both, user([sorry])))

    assert [f["path"] for f in report["findings"]] == ["shelf"]
    assert report["summary"]["misfires"] == 1


def test_a_misfire_does_not_excuse_what_else_its_record_has(tmp_path: Path) -> None:
    sorry = {"tool_use_id": "toolu_1", "type": "tool_result", "content": "InputValidationError: x", "is_error": True}
    path = write(tmp_path / "a.jsonl", calls("Bash", {"shelf": 1}) | {"lamp": 1}, user([sorry]))

    assert _only(path)["path"] == "lamp"


def test_results_that_cannot_be_judged_are_counted_and_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", gives({"any": 1}, "toolu_elsewhere"), calls("Lamp", {}), gives({"any": 1}))

    ran = check(path)

    assert ran.report["summary"]["unjudged"] == {
        "tool results whose call is not in the file": 1,
        "tool/Lamp/result": 1,
    }
    assert ran.findings == [("UNKNOWN_TYPE", "tool/Lamp/input", "name", 1)]
    assert "not judged, for lack of a schema or a call: tool/Lamp/result" in run("check", path).out


def test_a_call_and_its_result_belong_to_one_file(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", calls("Bash", {"command": "ls"}))
    write(tmp_path / "b.jsonl", gives({"shelf": 1}))

    report = check_here(tmp_path)

    assert report["findings"] == []
    assert report["summary"]["unjudged"] == {"tool results whose call is not in the file": 1}
