from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from driftcheck.capture.script import Script, Turn
from driftcheck.capture.server import ModelServer
from driftcheck.capture.sidecalls import instance_of, kind_of

LINES = {
    "speak": [Turn(text="Hello there.")],
    "fail": [Turn(error=429, headers={"retry-after": "3"})],
    "break": [Turn(text="Half of it", cut=True)],
}
TOOLS = [{"name": "Bash", "input_schema": {}}]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Script(LINES)) as running:
        yield running


def ask(server: ModelServer, method: str, path: str, body: Any = None) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request(method, path, json.dumps(body) if body is not None else None)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def message(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "a-model", "messages": [{"role": "user", "content": text}], "tools": TOOLS, **more}


def test_a_plain_request_gets_a_plain_message(server: ModelServer) -> None:
    response, content = ask(server, "POST", "/v1/messages?beta=true", message("speak"))
    assert response.status == 200
    assert json.loads(content)["content"] == [{"type": "text", "text": "Hello there."}]
    assert response.headers["request-id"].startswith("req_")


def test_a_streaming_request_gets_events(server: ModelServer) -> None:
    response, content = ask(server, "POST", "/v1/messages", message("speak", stream=True))
    assert response.headers["content-type"] == "text/event-stream"
    assert content.rstrip().endswith(b'data: {"type": "message_stop"}')


def test_an_error_comes_with_its_headers(server: ModelServer) -> None:
    response, content = ask(server, "POST", "/v1/messages", message("fail", stream=True))
    assert (response.status, response.headers["retry-after"]) == (429, "3")
    assert json.loads(content)["error"]["type"] == "rate_limit_error"


def test_a_cut_stream_ends_without_its_last_events(server: ModelServer) -> None:
    _, content = ask(server, "POST", "/v1/messages", message("break", stream=True))
    assert b"content_block_delta" in content
    assert b"message_stop" not in content


def test_tokens_are_counted(server: ModelServer) -> None:
    _, content = ask(server, "POST", "/v1/messages/count_tokens", message("speak"))
    assert json.loads(content)["input_tokens"] > 0


def test_a_side_call_does_not_use_up_a_line(server: ModelServer) -> None:
    _, content = ask(server, "POST", "/v1/messages", {"model": "m", "messages": [{"role": "user", "content": "speak"}]})
    assert json.loads(content)["content"][0]["text"] == "Scripted session"
    assert not server.script.spoken("speak")


@pytest.mark.parametrize("target", ["claude.ai:443", "example.org:443"])
def test_nothing_is_ever_forwarded(server: ModelServer, target: str) -> None:
    response, _ = ask(server, "CONNECT", target)
    assert response.status == 403
    assert server.log.refused == [target]


def test_an_address_beyond_loopback_is_refused_and_recorded(server: ModelServer) -> None:
    response, _ = ask(server, "GET", "http://example.org/page")
    assert response.status == 403
    assert server.log.refused == ["http://example.org/page"]


def test_the_port_is_closed_at_the_end() -> None:
    with ModelServer(Script({})) as server:
        port = server.port
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection("127.0.0.1", port, timeout=1).connect()


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (message("speak"), "main"),
        ({"messages": [{"role": "user", "content": "a title please"}]}, "side"),
        (message("Your task is to create a detailed summary of the conversation so far"), "compact"),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}], "messages": []}, "search"),
        ({"messages": [{"role": "user", "content": "Web page content:\n---\nhello"}]}, "page"),
    ],
)
def test_a_request_is_known_by_what_it_is_for(asked: dict[str, Any], kind: str) -> None:
    assert kind_of(asked) == kind


def test_a_structured_side_call_gets_what_its_schema_requires() -> None:
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}, "why": {"enum": ["a", "b"]}, "more": {"type": "string"}},
        "required": ["ok", "why"],
    }
    assert instance_of(schema) == {"ok": True, "why": "a"}
