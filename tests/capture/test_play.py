"""The three ways to play, each with the real program and a small scenario of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from driftcheck.capture.install import Program
from driftcheck.capture.perform import Performance, perform
from driftcheck.capture.scenario import read

CALL = {"calls": [{"Bash": {"command": "echo seen", "description": "Echo"}}]}


def played(program: Program, out: Path, **scenario: Any) -> Performance:
    raw = {"name": "small", "description": "Small.", **scenario}
    performance = perform(program, read(raw, "small"), out)
    assert performance.status == "captured", performance.reason
    assert performance.unspoken == {}
    return performance


def records(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def test_print_mode_plays_one_prompt_and_keeps_the_hooks_payloads(program: Program, tmp_path: Path) -> None:
    steps = [{"say": "Begin", "model": [CALL, "Done."]}]
    played(program, tmp_path / "out", mode="print", steps=steps, hooks={"PreToolUse": ["ok"], "Stop": ["ok"]})
    [payload] = records(tmp_path / "out" / "hooks" / "PreToolUse.jsonl")
    assert (payload["hook_event_name"], payload["tool_name"]) == ("PreToolUse", "Bash")
    assert records(tmp_path / "out" / "stream.jsonl")[-1]["type"] == "result"


def test_stream_json_input_plays_several_prompts_and_answers_for_the_user(program: Program, tmp_path: Path) -> None:
    refused = {"calls": [{"Write": {"file_path": "{{work}}/forbidden.txt", "content": "x"}}]}
    steps = [
        {"say": "First", "model": [refused, "Refused."]},
        {"control": {"subtype": "set_permission_mode", "mode": "acceptEdits"}},
        {"say": "Second", "model": ["Done."]},
    ]
    flags = ["--permission-prompt-tool stdio", "--no-flag-of-any-version"]
    done = played(program, tmp_path / "out", mode="sdk", permission="default", flags=flags, steps=steps)
    assert done.kinds["stream/result/success"] == 2
    assert done.kinds["stream/control_request/can_use_tool"] == 1
    assert done.kinds["tool/Write/input"] == 3, "in the transcript, in the stream, and in the request for permission"
    assert "tool/Write/result" not in done.kinds
    assert "--no-flag-of-any-version" in done.dropped


def test_the_terminal_interface_plays_what_is_typed(program: Program, tmp_path: Path) -> None:
    steps = [
        {"say": "First", "model": [CALL, "Done."]},
        {"when": "A question that nobody asks", "keys": ["ctrl-c", "ctrl-c"]},
        {"say": "/compact"},
        {"say": "Second", "model": ["Done."]},
    ]
    done = played(program, tmp_path / "out", mode="tui", steps=steps)
    assert done.kinds["transcript/system/compact_boundary"] == 1
    assert done.kinds["history/prompt"] == 3
    typed = [record["display"] for record in records(tmp_path / "out" / "history.jsonl")]
    assert typed == ["First", "/compact ", "Second"] or [one.strip() for one in typed] == [
        "First",
        "/compact",
        "Second",
    ]


@pytest.mark.parametrize("mode", ["print", "sdk"])
def test_the_sandbox_is_gone_after_the_play(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    played(program, tmp_path / "out", mode=mode, steps=[{"say": "Begin", "model": ["Done."]}])
    assert list(temporary.iterdir()) == []
