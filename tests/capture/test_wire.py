from __future__ import annotations

import json
from typing import Any

import pytest

from driftcheck.capture.script import Turn
from driftcheck.capture.wire import error_of, events_of, message_of, sse


def rebuilt(events: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The content blocks that a client puts together from a stream."""
    blocks: list[dict[str, Any]] = []
    for event, data in events:
        if event == "content_block_start":
            blocks.append(dict(data["content_block"]))
        if event == "content_block_delta":
            delta, block = data["delta"], blocks[data["index"]]
            field = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}.get(
                delta["type"]
            )
            if field:
                block[field] += delta[field]
            else:
                block["partial"] = block.get("partial", "") + delta["partial_json"]
        if event == "content_block_stop" and "partial" in blocks[data["index"]]:
            blocks[data["index"]]["input"] = json.loads(blocks[data["index"]].pop("partial"))
    return blocks


FULL = Turn(thinking="Let me see.", redacted="aGk=", text="A word.", search="a page")


def test_a_stream_rebuilds_to_the_plain_message() -> None:
    message = message_of(FULL, [("Bash", {"command": "ls"}), ("Read", {"file_path": "/a", "limit": 3})], "a-model")
    assert rebuilt(list(events_of(message))) == message["content"]


def test_a_stream_opens_closes_and_ends_in_the_order_of_the_api() -> None:
    events = [event for event, _ in events_of(message_of(Turn(text="x"), [], "a-model"))]
    assert events == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def test_the_stop_reason_comes_only_at_the_end_of_a_stream() -> None:
    events = dict(events_of(message_of(Turn(text="x", stop="max_tokens"), [], "a-model")))
    assert events["message_start"]["message"]["stop_reason"] is None
    assert events["message_delta"]["delta"]["stop_reason"] == "max_tokens"


@pytest.mark.parametrize(("calls", "reason"), [([], "end_turn"), ([("Bash", {})], "tool_use")])
def test_the_stop_reason_follows_from_the_calls(calls: list[tuple[str, dict[str, Any]]], reason: str) -> None:
    assert message_of(Turn(text="x"), calls, "a-model")["stop_reason"] == reason


def test_usage_carries_the_cache_fields_and_what_the_turn_adds() -> None:
    usage = message_of(Turn(text="x", usage={"iterations": []}), [], "a-model")["usage"]
    assert usage["cache_creation"] == {"ephemeral_5m_input_tokens": 120, "ephemeral_1h_input_tokens": 0}
    assert usage["iterations"] == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (429, "rate_limit_error"),
        (529, "overloaded_error"),
    ],
)
def test_an_error_has_the_type_of_its_status(status: int, kind: str) -> None:
    assert error_of(status)["error"]["type"] == kind


def test_an_event_is_one_frame_of_server_sent_events() -> None:
    assert sse("ping", {}) == b'event: ping\ndata: {"type": "ping"}\n\n'
