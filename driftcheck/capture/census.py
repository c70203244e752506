"""A census of kinds in captured files: what each piece of JSON is, by its discriminators alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

Record = dict[str, Any]


def kinds_of(path: Path) -> Counter[str]:
    """How often each kind occurs in one captured file; tools are counted by their inputs and results."""
    surface = _surface(path)
    if surface is None:
        return Counter()
    counts: Counter[str] = Counter()
    tools: dict[str, str] = {}
    for record in _records(path):
        counts[_kind(surface, record)] += 1
        counts.update(_parts(record, tools))
    return counts


def _surface(path: Path) -> str | None:
    folder = path.parent.name
    if path.name == "history.jsonl":
        return "history"
    if path.name == "stream.jsonl" or (path.name.startswith("output.") and path.suffix == ".json"):
        return "stream"
    if folder == "hooks" and path.suffix == ".jsonl":
        return "hook"
    if folder == "sessions" and path.suffix == ".json":
        return "session"
    if "projects" in path.parts:
        return {".jsonl": "transcript", ".json": "sidecar"}.get(path.suffix)
    return None


def _records(path: Path) -> Iterator[Record]:
    data = path.read_bytes()
    for line in [data] if path.suffix == ".json" else data.splitlines():
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict))


def _kind(surface: str, record: Record) -> str:
    if surface in ("session", "history", "sidecar"):
        return surface
    if surface == "hook":
        return f"hook/{record.get('hook_event_name')}"
    words = [surface, str(record.get("type"))]
    nested = {"attachment": record.get("attachment"), "progress": record.get("data")}.get(words[1])
    inner = nested.get("type") if isinstance(nested, dict) else record.get("subtype")
    if words[1] == "stream_event":
        inner = (record.get("event") or {}).get("type")
    return "/".join([*words, str(inner)] if isinstance(inner, str) else words)


def _parts(record: Record, tools: dict[str, str]) -> Iterator[str]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        kind = str(block.get("type"))
        yield f"content/{kind}"
        if kind == "tool_use":
            tools[str(block.get("id"))] = name = _tool(str(block.get("name")))
            yield f"tool/{name}/input"
        result = record.get("toolUseResult", record.get("tool_use_result"))
        if kind == "tool_result" and result is not None:
            name = tools.get(str(block.get("tool_use_id")), "unknown")
            yield f"tool/{name}/{'error' if block.get('is_error') else 'result'}"


def _tool(name: str) -> str:
    return "mcp" if name.startswith("mcp__") else name
