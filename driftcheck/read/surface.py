"""Tells what surface a file is, by its name or by the look of its records."""

from __future__ import annotations

import re
from pathlib import PurePath

from driftcheck.jsontype import Json

_BY_NAME = (
    (re.compile(r"agent-[^/]*\.meta\.json|custom-title\.json"), "sidecar"),
    (re.compile(r"history\.jsonl"), "history"),
    (re.compile(r"journal\.jsonl"), "journal"),
    (re.compile(r"(pid-)?\d+(\.\d+)?\.json"), "session"),
)
_STREAM_TYPES = {"result", "stream_event", "rate_limit_event", "tool_progress", "control_request"}
_STREAM_TYPES |= {"control_response", "control_cancel_request", "keep_alive", "auth_status"}
_FLAT_TYPES = {"tool_use", "tool_result"}


def surface_by_name(path: PurePath) -> str | None:
    """The surface that a file's name and place give away, if they do."""
    name = path.name.removesuffix(".gz")
    for pattern, surface in _BY_NAME:
        if pattern.fullmatch(name) and (surface != "session" or path.parent.name == "sessions"):
            return surface
    return None


def surface_by_look(record: dict[str, Json]) -> str | None:
    """The surface that one record gives away, if it does."""
    if "hook_event_name" in record:
        return "hook"
    if "type" not in record:
        return _look_untyped(record)
    kind, message = str(record["type"]), record.get("message")
    if kind in _FLAT_TYPES or isinstance(message, str) or _is_flat_result(record):
        return "adapter"
    is_start = kind == "system" and record.get("subtype") == "init"
    if is_start or kind in _STREAM_TYPES or "session_id" in record:
        return "stream"
    if "sessionId" in record or "leafUuid" in record or "parentUuid" in record or "messageId" in record:
        return "transcript"
    if isinstance(message, dict) and "timestamp" in record:
        return "transcript"
    return None


def _look_untyped(record: dict[str, Json]) -> str | None:
    if "pid" in record and "cwd" in record:
        return "session"
    if "display" in record and "timestamp" in record:
        return "history"
    return "sidecar" if "agentType" in record else None


def _is_flat_result(record: dict[str, Json]) -> bool:
    return record["type"] == "result" and "result" in record and "subtype" not in record
