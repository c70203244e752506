from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from driftcheck.capture.census import kinds_of

CALL = {
    "type": "assistant",
    "sessionId": "1",
    "message": {"content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {}}]},
}
ANSWER = {
    "type": "user",
    "sessionId": "1",
    "message": {"content": [{"type": "tool_result", "tool_use_id": "1"}]},
    "toolUseResult": {},
}


@pytest.mark.parametrize(
    ("name", "record", "kind"),
    [
        ("projects/p/s.jsonl", {"type": "user", "sessionId": "1"}, "transcript/user"),
        (
            "projects/p/s.jsonl",
            {"type": "system", "subtype": "compact_boundary", "sessionId": "1"},
            "transcript/system/compact_boundary",
        ),
        (
            "projects/p/s.jsonl",
            {"type": "attachment", "attachment": {"type": "file"}, "sessionId": "1"},
            "transcript/attachment/file",
        ),
        ("projects/p/s.jsonl", {"type": "progress", "data": {"type": "x"}, "sessionId": "1"}, "transcript/progress/x"),
        ("projects/p/agent-1.meta.json", {"agentType": "x"}, "sidecar/agent"),
        ("stream.jsonl", {"type": "result", "subtype": "success"}, "stream/result/success"),
        ("output.json", {"type": "result", "subtype": "success"}, "stream/result/success"),
        ("hooks/Stop.jsonl", {"hook_event_name": "Stop"}, "hook/Stop"),
        ("sessions/12.json", {"pid": 12}, "session/process"),
        ("history.jsonl", {"display": "x"}, "history/prompt"),
    ],
)
def test_a_record_is_counted_under_its_kind(tmp_path: Path, name: str, record: dict[str, object], kind: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(record) + b"\n")
    assert kinds_of(path) == {kind: 1}


def test_a_tool_is_counted_by_its_input_and_its_result(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "s.jsonl"
    path.parent.mkdir()
    path.write_bytes(orjson.dumps(CALL) + b"\n" + orjson.dumps(ANSWER) + b"\n{half a line")
    kinds = kinds_of(path)
    assert (kinds["tool/Bash/input"], kinds["tool/Bash/result"]) == (1, 1)


def test_a_file_of_no_surface_holds_no_kinds(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")
    assert not kinds_of(tmp_path / "notes.json")
