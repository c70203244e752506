"""The Messages API on the wire: a turn as a plain message, as streamed events, or as an error."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftcheck.capture.script import Json, Turn

_SIGNATURE = "RHJpZnRjaGVja1NjcmlwdGVkTW9kZWw="
_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
_ids = itertools.count(1)


def new_id(prefix: str) -> str:
    return f"{prefix}_01{next(_ids):022d}"


def blocks_of(turn: Turn, calls: Sequence[tuple[str, Json]]) -> list[Json]:
    blocks: list[Json] = []
    if turn.thinking:
        blocks.append({"type": "thinking", "thinking": turn.thinking, "signature": _SIGNATURE})
    if turn.redacted:
        blocks.append({"type": "redacted_thinking", "data": turn.redacted})
    if turn.text:
        blocks.append({"type": "text", "text": turn.text})
    if turn.search:
        blocks += search_blocks(turn.search)
    blocks += [
        {"type": "tool_use", "id": new_id("toolu"), "name": name, "input": arguments} for name, arguments in calls
    ]
    return blocks


def search_blocks(query: str) -> list[Json]:
    """What the API's own web search puts into a reply."""
    use = new_id("srvtoolu")
    page = {
        "type": "web_search_result",
        "title": "A page",
        "url": "http://127.0.0.1/page",
        "encrypted_content": "eA==",
        "page_age": None,
    }
    return [
        {"type": "server_tool_use", "id": use, "name": "web_search", "input": {"query": query}},
        {"type": "web_search_tool_result", "tool_use_id": use, "content": [page]},
        {"type": "text", "text": "Found one page."},
    ]


def message_of(turn: Turn, calls: Sequence[tuple[str, Json]], model: str) -> Json:
    usage = {
        "input_tokens": 12,
        "cache_creation_input_tokens": 120,
        "cache_read_input_tokens": 1200,
        "cache_creation": {"ephemeral_5m_input_tokens": 120, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 24,
        "service_tier": "standard",
    }
    if turn.search:
        usage["server_tool_use"] = {"web_search_requests": 1}
    return {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks_of(turn, calls),
        "stop_reason": turn.stop or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {**usage, **turn.usage},
        **turn.message,
    }


def events_of(message: Json) -> Iterator[tuple[str, Json]]:
    """The streamed form of a message, event by event."""
    closing = {key: message[key] for key in ("stop_reason", "stop_sequence")}
    late = {key: value for key, value in message.items() if key in ("stop_details", "container")}
    opening = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    opening = {key: value for key, value in opening.items() if key not in ("context_management", *late)}
    opening["usage"] = {**message["usage"], "output_tokens": 1}
    opening["usage"].pop("server_tool_use", None)
    yield "message_start", {"message": opening}
    yield "ping", {}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    delta: Json = {"delta": {**closing, **late}, "usage": message["usage"]}
    if "context_management" in message:
        delta["context_management"] = message["context_management"]
    yield "message_delta", delta
    yield "message_stop", {}


def _block_events(index: int, block: Json) -> Iterator[tuple[str, Json]]:
    start, deltas = _opened(block)
    yield "content_block_start", {"index": index, "content_block": start}
    for delta in deltas:
        yield "content_block_delta", {"index": index, "delta": delta}
    yield "content_block_stop", {"index": index}


def _opened(block: Json) -> tuple[Json, list[Json]]:
    """A block as its stream opens it, with the deltas that complete it."""
    kind = block["type"]
    if kind == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": part} for part in _halves(block["text"])]
    if kind == "thinking":
        return {**block, "thinking": "", "signature": ""}, [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    if kind in ("tool_use", "server_tool_use"):
        written = json.dumps(block["input"])
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in _halves(written)]
    return block, []


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


def sse(event: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {event}\ndata: {json.dumps({'type': event, **data})}\n\n".encode()


def error_of(status: int, kind: str = "", text: str = "") -> Json:
    kind = kind or _ERRORS.get(status, "api_error")
    return {
        "type": "error",
        "error": {"type": kind, "message": text or f"scripted {kind}"},
        "request_id": new_id("req"),
    }
