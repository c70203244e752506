"""Records as Claude Code writes them, made up: whole and valid at their version, for tests to bend."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Record = dict[str, Any]

OLD, NEW = "2.0.76", "2.1.237"
SESSION = "5e551010-0000-4000-8000-00000000cafe"
UUID = "a0a0a0a0-0000-4000-8000-000000000001"
PARENT = "b0b0b0b0-0000-4000-8000-000000000002"
TIME = "2026-01-02T03:04:05.678Z"


def envelope(version: str = NEW, **fields: Any) -> Record:
    record: Record = {
        "parentUuid": PARENT,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/someone/shop",
        "sessionId": SESSION,
        "version": version,
        "uuid": UUID,
        "timestamp": TIME,
    }
    parts = tuple(map(int, version.split(".")))
    if parts > (1, 0, 54):
        record["gitBranch"] = "main"
    if parts > (2, 1, 81):
        record["entrypoint"] = "cli"
    return record | fields


def user(content: Any = "Sort the shelves, please.", version: str = NEW, **fields: Any) -> Record:
    return envelope(version, type="user", message={"role": "user", "content": content}, **fields)


def usage(**fields: Any) -> Record:
    tokens = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    return dict.fromkeys(tokens, 7) | {"service_tier": "standard"} | fields


def message(*blocks: Record, **fields: Any) -> Record:
    plain: Record = {
        "id": "msg_made_up",
        "type": "message",
        "role": "assistant",
        "model": "claude-made-up",
        "content": list(blocks) or [text()],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage(),
    }
    return plain | fields


def assistant(*blocks: Record, version: str = NEW, **fields: Any) -> Record:
    return envelope(version, type="assistant", requestId="req_made_up", message=message(*blocks), **fields)


def text(words: str = "Done: the shelves are sorted.", **fields: Any) -> Record:
    return {"type": "text", "text": words, **fields}


def call(tool: str, tool_input: Any, call_id: str = "toolu_1") -> Record:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": tool_input}


def answer(content: Any = "ok", call_id: str = "toolu_1", **fields: Any) -> Record:
    return {"tool_use_id": call_id, "type": "tool_result", "content": content, **fields}


def calls(tool: str, tool_input: Any, call_id: str = "toolu_1", version: str = NEW) -> Record:
    """The record in which a tool is called."""
    return assistant(call(tool, tool_input, call_id), version=version)


def gives(result: Any, call_id: str = "toolu_1", version: str = NEW, **fields: Any) -> Record:
    """The record in which a tool's result comes back."""
    return user([answer("ok", call_id, **fields)], version, toolUseResult=result)


def bash_result(**fields: Any) -> Record:
    plain = {"stdout": "3 shelves", "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    return plain | fields


def system(subtype: str, version: str = NEW, **fields: Any) -> Record:
    return envelope(version, type="system", subtype=subtype, **fields)


def attachment(version: str = NEW, **fields: Any) -> Record:
    return envelope(version, type="attachment", attachment=fields)


def progress(version: str = "2.1.29", **data: Any) -> Record:
    return envelope(version, type="progress", data=data, toolUseID="bash-0", parentToolUseID="toolu_1")


def hook(event: str = "Stop", **fields: Any) -> Record:
    common = {"session_id": SESSION, "transcript_path": "/home/someone/t.jsonl", "cwd": "/home/someone/shop"}
    return common | {"hook_event_name": event} | fields


def stream(kind: str, **fields: Any) -> Record:
    return {"type": kind, "session_id": SESSION, "uuid": UUID, **fields}


def stream_init(version: str = NEW, **fields: Any) -> Record:
    plain = {
        "tools": ["Bash"],
        "mcp_servers": [],
        "cwd": "/home/someone/shop",
        "model": "claude-made-up",
        "permissionMode": "default",
        "apiKeySource": "none",
        "slash_commands": [],
        "output_style": "default",
        "agents": ["Explore"],
        "skills": [],
        "plugins": [],
        "claude_code_version": version,
    }
    return stream("system", subtype="init", **plain) | fields


def stream_result(**fields: Any) -> Record:
    plain = {
        "is_error": False,
        "duration_ms": 5,
        "duration_api_ms": 4,
        "num_turns": 1,
        "result": "Done.",
        "total_cost_usd": 0.25,
        "usage": usage(),
        "permission_denials": [],
        "modelUsage": {},
        "stop_reason": "end_turn",
    }
    return stream("result", subtype="success", **plain) | fields


def session(version: str = NEW, **fields: Any) -> Record:
    plain = {
        "pid": 4242,
        "sessionId": SESSION,
        "cwd": "/home/someone/shop",
        "startedAt": 1767323045678,
        "kind": "interactive",
        "entrypoint": "cli",
        "procStart": "4711",
        "version": version,
        "peerProtocol": 1,
    }
    return plain | fields


def prompt(**fields: Any) -> Record:
    plain = {
        "display": "Sort the shelves",
        "pastedContents": {},
        "timestamp": 1767323045678,
        "project": "/home/someone",
    }
    return plain | {"sessionId": SESSION} | fields


def without(record: Record, *names: str) -> Record:
    """A record without the field at a path."""
    bent: Record = json.loads(json.dumps(record))
    holder = bent
    for name in names[:-1]:
        holder = holder[name]
    del holder[names[-1]]
    return bent


def lines(records: Iterable[Record]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def write(path: Path, *records: Record) -> Path:
    """A file of records, one on each line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(records))
    return path
