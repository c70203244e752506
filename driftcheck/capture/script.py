"""The scripted model's lines: turns, the cues that call for them, and calls fitted to what a version offers."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Json = dict[str, Any]

_PLACEHOLDER = re.compile(r"\{\{(\w+)(?::(.*?))?\}\}(?!\})")


class ScriptError(ValueError):
    """A turn in a scenario that cannot be read."""


@dataclass(frozen=True)
class Call:
    """One tool call; the first of its names that the version offers is the one made."""

    names: tuple[str, ...]
    input: Json
    unfitted: bool = False
    """Send the name and the input as they stand, even where the version would refuse them."""


@dataclass(frozen=True)
class Turn:
    """One reply of the model."""

    text: str = ""
    thinking: str = ""
    redacted: str = ""
    calls: tuple[Call, ...] = ()
    search: str = ""
    stop: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    message: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    error: int = 0
    error_type: str = ""
    cut: bool = False
    delay: float = 0.0


_TURN_FIELDS = {
    "text",
    "thinking",
    "redacted",
    "search",
    "stop",
    "usage",
    "message",
    "headers",
    "error",
    "error_type",
    "cut",
    "delay",
}


def read_turn(raw: object) -> Turn:
    if isinstance(raw, str):
        return Turn(text=raw)
    if not isinstance(raw, dict):
        raise ScriptError(f"a turn is a text or a mapping, not {type(raw).__name__}")
    unknown = set(raw) - _TURN_FIELDS - {"calls"}
    if unknown:
        raise ScriptError(
            f"unknown key in a turn: {', '.join(sorted(unknown))}; known: {', '.join(sorted(_TURN_FIELDS))}, calls"
        )
    calls = tuple(read_call(call) for call in raw.get("calls", ()))
    return Turn(calls=calls, **{key: value for key, value in raw.items() if key != "calls"})


def read_call(raw: object) -> Call:
    """`{"Task|Agent": {...}}`, or `{"!Bash": {...}}` for a call that is sent just as written."""
    if not isinstance(raw, dict) or len(raw) != 1:
        raise ScriptError(f"a call is one tool name with its input, not {raw!r}")
    [(names, arguments)] = raw.items()
    unfitted = str(names).startswith("!")
    return Call(tuple(str(names).lstrip("!").split("|")), dict(arguments or {}), unfitted)


@dataclass(frozen=True)
class Offer:
    """The tools that one request offers to the model."""

    schemas: Mapping[str, Json]

    @classmethod
    def of(cls, request: Json) -> Offer:
        tools = request.get("tools") or []
        return cls({tool["name"]: tool.get("input_schema") or {} for tool in tools if "name" in tool})

    def fit(self, call: Call) -> tuple[str, Json] | None:
        """The name and the input that this version understands, or None where it offers no such tool."""
        if call.unfitted:
            return call.names[0], call.input
        for name in call.names:
            if name in self.schemas:
                return name, fitted(call.input, self.schemas[name])
        return None


def fitted(value: Any, schema: Json) -> Any:
    """A value without the fields that a tool's schema does not have, at any depth: a model sends no others."""
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [fitted(item, schema["items"]) for item in value]
    properties = schema.get("properties")
    if not isinstance(value, dict) or not properties or schema.get("additionalProperties") not in (False, None):
        return value
    return {key: fitted(item, properties[key]) for key, item in value.items() if key in properties}


class Script:
    """Which turn comes next: the latest cue in a conversation says which lines, a cursor per cue says how far.

    Turns hang on cues and not on a count of requests, because versions differ in how many requests they make.
    """

    def __init__(self, lines: Mapping[str, Sequence[Turn]]) -> None:
        self._lines = {cue: tuple(turns) for cue, turns in lines.items()}
        self._spoken: dict[str, int] = dict.fromkeys(self._lines, 0)
        self._lock = threading.Lock()

    def cue_of(self, request: Json) -> str | None:
        for text in reversed(user_texts(request)):
            at = [(text.rfind(cue), cue) for cue in self._lines if cue in text]
            if at:
                return max(at)[1]
        return None

    def next(self, cue: str | None, offer: Offer) -> tuple[Turn, list[tuple[str, ...]]]:
        """The next turn for a cue, and the calls that found no tool; a turn none of whose calls fits is passed over."""
        missed: list[tuple[str, ...]] = []
        while True:
            turn = self._take(cue)
            if turn is None:
                return Turn(text="Done."), missed
            fitting = tuple(call for call in turn.calls if offer.fit(call))
            missed += [call.names for call in turn.calls if call not in fitting]
            if fitting or not turn.calls:
                return replace(turn, calls=fitting), missed

    def _take(self, cue: str | None) -> Turn | None:
        with self._lock:
            if cue is None or self._spoken[cue] >= len(self._lines[cue]):
                return None
            self._spoken[cue] += 1
            return self._lines[cue][self._spoken[cue] - 1]

    def spoken(self, cue: str) -> bool:
        """Whether every line of a cue has been said."""
        with self._lock:
            return self._spoken.get(cue, 0) >= len(self._lines.get(cue, ()))

    def unspoken(self) -> dict[str, int]:
        """How many lines of each cue were never asked for."""
        with self._lock:
            left = {cue: len(turns) - self._spoken[cue] for cue, turns in self._lines.items()}
        return {cue: count for cue, count in left.items() if count}


def user_texts(request: Json) -> list[str]:
    """All that the user's side said in a conversation, oldest first, tool results left out."""
    said = (message for message in request.get("messages") or () if message.get("role") == "user")
    return [block["text"] for message in said for block in _blocks(message) if block.get("type") == "text"]


def heard_texts(request: Json) -> list[str]:
    """All that the model was told in a conversation, tool results included, oldest first."""
    told = (message for message in request.get("messages") or () if message.get("role") != "assistant")
    return [_flat(block.get("content", block.get("text"))) for message in told for block in _blocks(message)]


def _blocks(message: Json) -> list[Json]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _flat(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""


def fill(value: Any, names: Mapping[str, str], results: Sequence[str] = ()) -> Any:
    """Fill the `{{name}}` and `{{find:REGEX}}` places; `find` looks through what was read, newest first."""
    if isinstance(value, dict):
        return {fill(key, names, results): fill(item, names, results) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, names, results) for item in value]
    if not isinstance(value, str):
        return value

    def put(match: re.Match[str]) -> str:
        if match[1] != "find":
            return names.get(match[1], match[0])
        for text in reversed(results):
            if found := re.search(match[2], text):
                return found[1]
        return "not-found"

    return _PLACEHOLDER.sub(put, value)
