"""Keeps the records that prove something the others do not, with the tool calls that their results answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from driftcheck.jsontype import Json, json_type

_WORD = re.compile(r"[A-Za-z_][A-Za-z_:. -]*")
_MOST_ALIKE = 2
Line = tuple[int, dict[str, Json]]


def shape(value: Json) -> str:
    """What redacted values have in common that differ only in ids, times, numbers and lengths."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_key(key)}:{shape(child)}" for key, child in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(sorted({shape(item) for item in value})) + "]"
    return _leaf(value)


def features(value: Json, path: str = "") -> Iterator[str]:
    """All that one redacted value proves: the set of fields of each object in it, and each value's type or word."""
    if isinstance(value, dict):
        yield f"{path}{{{','.join(sorted({_key(key) for key in value}))}}}"
        here = f"{path}<{value['type']}>" if isinstance(value.get("type"), str) else path
        for key, child in value.items():
            yield from features(child, f"{here}.{_key(key)}")
    elif isinstance(value, list):
        yield f"{path}[{'' if value else 'empty'}]"
        for item in value:
            yield from features(item, f"{path}[]")
    else:
        yield f"{path}={_leaf(value)}"


def _leaf(value: Json) -> str:
    if isinstance(value, str):
        return f'"{value}"' if _WORD.fullmatch(value) else "string"
    return json_type(value)


def _key(key: str) -> str:
    return "key" if key.startswith("key ") else key


def shorten(value: Json) -> Json:
    """A value whose lists hold no more than two elements of one shape; blocks of messages stay as they are."""
    if isinstance(value, dict):
        return {key: shorten(child) for key, child in value.items()}
    if not isinstance(value, list) or any(isinstance(item, dict) and "type" in item for item in value):
        return [shorten(item) for item in value] if isinstance(value, list) else value
    kept: list[Json] = []
    seen: dict[str, int] = {}
    for item in value:
        form = shape(item)
        seen[form] = seen.get(form, 0) + 1
        if seen[form] <= _MOST_ALIKE:
            kept.append(shorten(item))
    return kept


@dataclass
class Unique:
    """What the records kept so far prove, over any number of files."""

    seen: set[str] = field(default_factory=set)

    def pick(self, lines: Iterable[Line]) -> list[Line]:
        """The lines of one file that prove something new, in order; a call and its answer stay together."""
        every = list(lines)
        calls = {call: index for index, (_, record) in enumerate(every) for call in _calls(record)}
        answers = {answer: index for index, (_, record) in enumerate(every) for answer in _answers(record)}
        tools = {call: name for _, record in every for call, name in _calls(record).items()}
        picked: set[int] = set()
        for index, (_, record) in enumerate(every):
            about = _about(record) + "".join(sorted(f" {tools.get(answer)}" for answer in _answers(record)))
            proven = {f"{about} {feature}" for feature in features(record)}
            if not proven <= self.seen:
                self.seen |= proven
                picked.add(index)
        waiting = list(picked)
        while waiting:
            record = every[waiting.pop()][1]
            partners = [calls.get(answer) for answer in _answers(record)] + [
                answers.get(call) for call in _calls(record)
            ]
            new = {partner for partner in partners if partner is not None} - picked
            picked |= new
            waiting += new
        return [every[index] for index in sorted(picked)]


def _about(record: dict[str, Json]) -> str:
    """What a record is, and which tools it calls: what it proves, it proves of those."""
    what = [record.get(name) for name in ("type", "subtype", "hook_event_name", "tool_name")]
    return " ".join(str(word) for word in (*what, *sorted(_calls(record).values())) if word)


def _blocks(record: dict[str, Json]) -> list[dict[str, Json]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _calls(record: dict[str, Json]) -> dict[str, str]:
    return {
        str(block.get("id")): str(block.get("name")) for block in _blocks(record) if block.get("type") == "tool_use"
    }


def _answers(record: dict[str, Json]) -> list[str]:
    return [str(block.get("tool_use_id")) for block in _blocks(record) if block.get("type") == "tool_result"]
