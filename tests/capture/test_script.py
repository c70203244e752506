from __future__ import annotations

from typing import Any

import pytest

from driftcheck.capture.script import Call, Offer, Script, ScriptError, Turn, fill, read_turn


def request(*texts: str, tools: dict[str, dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "messages": [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts],
        "tools": [{"name": name, "input_schema": schema} for name, schema in (tools or {}).items()],
    }


def test_the_latest_cue_in_a_conversation_says_which_lines_come_next() -> None:
    script = Script({"first": [Turn(text="1")], "second": [Turn(text="2")]})
    assert script.cue_of(request("first", "second please")) == "second"
    assert script.cue_of(request("second", "first")) == "first"
    assert script.cue_of(request("neither")) is None


def test_a_cue_inside_a_tool_result_is_not_heard() -> None:
    block = {"type": "tool_result", "tool_use_id": "x", "content": "first"}
    assert Script({"first": []}).cue_of({"messages": [{"role": "user", "content": [block]}]}) is None


def test_lines_are_said_in_order_and_then_the_conversation_ends() -> None:
    script = Script({"go": [Turn(text="1"), Turn(text="2")]})
    said = [script.next("go", Offer({}))[0].text for _ in range(3)]
    assert said == ["1", "2", "Done."]
    assert script.spoken("go")
    assert script.unspoken() == {}


def test_a_turn_is_passed_over_when_the_version_offers_none_of_its_tools() -> None:
    script = Script({"go": [Turn(calls=(Call(("LS",), {}),)), Turn(text="next")]})
    turn, missed = script.next("go", Offer({"Bash": {}}))
    assert turn.text == "next"
    assert missed == [("LS",)]


def test_the_first_name_that_is_offered_is_called() -> None:
    call = Call(("Task", "Agent"), {"prompt": "x"})
    assert Offer({"Agent": {}}).fit(call) == ("Agent", {"prompt": "x"})
    assert Offer({"Agent": {}, "Task": {}}).fit(call) == ("Task", {"prompt": "x"})
    assert Offer({"Bash": {}}).fit(call) is None


def test_arguments_that_a_version_does_not_know_are_left_out() -> None:
    schema = {"properties": {"command": {}}, "additionalProperties": False}
    call = Call(("Bash",), {"command": "ls", "run_in_background": True})
    assert Offer({"Bash": schema}).fit(call) == ("Bash", {"command": "ls"})


def test_a_misfire_is_sent_as_it_stands() -> None:
    schema = {"properties": {"command": {}}, "additionalProperties": False}
    turn = read_turn({"calls": [{"!Bash": {"comand": "ls"}}, {"!Nothing": {}}]})
    assert [Offer({"Bash": schema}).fit(call) for call in turn.calls] == [("Bash", {"comand": "ls"}), ("Nothing", {})]


@pytest.mark.parametrize("raw", [7, {"txt": "typo"}, {"calls": [{"A": {}, "B": {}}]}])
def test_a_turn_that_cannot_be_read_is_refused(raw: object) -> None:
    with pytest.raises(ScriptError):
        read_turn(raw)


def test_places_are_filled_from_names_and_from_what_was_read() -> None:
    value = {"path": "{{work}}/a", "id": ["{{find:ID: (\\w+)}}"], "other": "{{unknown}}", "n": 1}
    filled = fill(value, {"work": "/w"}, ["ID: old", "ID: new"])
    assert filled == {"path": "/w/a", "id": ["new"], "other": "{{unknown}}", "n": 1}
