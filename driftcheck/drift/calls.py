"""Joins tool results to the calls they answer, and tells a model's misfire from drift."""

from __future__ import annotations

from collections.abc import Callable

from driftcheck.jsontype import Json

_MOST_OPEN_CALLS = 65_536
_MISFIRE_SIGNS = ("InputValidationError", "No such tool available")
_SIGN_WITHIN = 200


class Calls:
    """The tool calls of one file that may still be answered, in flat memory."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}
        self._held: dict[str, list[Callable[[], None]]] = {}
        self._misfired: dict[str, None] = {}

    def made(self, call_id: Json, tool: Json) -> None:
        if type(call_id) is str and type(tool) is str:
            self._tools[call_id] = tool
            if len(self._tools) > _MOST_OPEN_CALLS:
                oldest = next(iter(self._tools))
                del self._tools[oldest]
                self._release(oldest)

    def tool_of(self, call_id: Json) -> str | None:
        return self._tools.get(call_id) if isinstance(call_id, str) else None

    def hold(self, call_id: str, report: Callable[[], None]) -> None:
        """Keep a drift in a call back until its answer tells whether the model misfired."""
        if call_id in self._misfired:  # newer versions write a call a second time, in the request that repeats it
            return
        self._held.setdefault(call_id, []).append(report)

    def knows(self, call_id: Json) -> bool:
        return isinstance(call_id, str) and call_id in self._tools

    def answered(self, block: dict[str, Json]) -> bool:
        """Note a tool result; true if it says that a call held back was the model's own mistake."""
        call_id = block.get("tool_use_id")
        if not self._held or not isinstance(call_id, str) or call_id not in self._held:
            return False
        if is_misfire(block):
            del self._held[call_id]
            self._misfired[call_id] = None
            if len(self._misfired) > _MOST_OPEN_CALLS:
                del self._misfired[next(iter(self._misfired))]
            return True
        self._release(call_id)
        return False

    def close(self) -> None:
        """Report everything still held back: the file ended before the answer came."""
        for call_id in list(self._held):
            self._release(call_id)

    def _release(self, call_id: str) -> None:
        for report in self._held.pop(call_id, []):
            report()


def is_misfire(block: dict[str, Json]) -> bool:
    """Whether a tool result says that the call itself was wrong: bad input, or no such tool."""
    if block.get("is_error") is not True:
        return False
    content = block.get("content")
    if isinstance(content, list):
        content = next((item.get("text") for item in content if isinstance(item, dict)), None)
    return isinstance(content, str) and misfire_sign(content) is not None


def misfire_sign(text: str) -> str | None:
    """The words by which an answer says that the call itself was wrong, if it does."""
    start = text[:_SIGN_WITHIN]
    return next((sign for sign in _MISFIRE_SIGNS if sign in start), None)
