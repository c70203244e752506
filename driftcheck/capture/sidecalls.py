"""Answers to the requests made beside the conversation: titles, prefixes, page readings, web searches."""

from __future__ import annotations

import json
import re
from typing import Any

from driftcheck.capture.script import Json, Turn

_SUMMARY = re.compile(
    r"detailed summary of (the|this|our|this portion of the) (conversation|recent portion)|create a detailed summary",
    re.I,
)

_SUMMARY_REPLY = """<analysis>
Short.
</analysis>

<summary>
1. Primary Request and Intent:
   A scripted session.
</summary>"""


def kind_of(request: Json) -> str:
    """What a request is for: `main` (the conversation or a subagent), `compact`, `search`, `page`, or `side`."""
    tools = request.get("tools") or []
    if any(str(tool.get("type", "")).startswith("web_search") for tool in tools):
        return "search"
    if _SUMMARY.search(last_text(request)):
        return "compact"
    if "Web page content:" in last_text(request):
        return "page"
    return "main" if tools else "side"


def answer(kind: str, request: Json) -> Turn:
    if kind == "search":
        return Turn(search="a page")
    if kind == "compact":
        return Turn(text=_SUMMARY_REPLY)
    if kind == "page":
        return Turn(text="The page says hello.")
    schema = _wanted_schema(request)
    if schema is not None:
        return Turn(text=json.dumps(instance_of(schema)))
    return Turn(text=_short_answer(request))


def _short_answer(request: Json) -> str:
    system, last = _system_text(request), last_text(request)
    if "prefix" in system + last and (command := re.search(r"Command: (\S+)", last)):
        return command[1]
    if "isNewTopic" in system:
        return '{"isNewTopic": true, "title": "Scripted session"}'
    if '"title"' in system:
        return '{"title": "Scripted session", "branch": "scripted"}'
    if '"ok"' in system + last:
        return '{"ok": true}'
    return "Scripted session"


def _wanted_schema(request: Json) -> Json | None:
    wanted = (request.get("output_config") or {}).get("format") or request.get("output_format") or {}
    schema = wanted.get("schema")
    return schema if isinstance(schema, dict) else None


def instance_of(schema: Json) -> Any:
    """A small value that a JSON Schema accepts: all that is required, nothing else."""
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if schema.get(choice):
            return instance_of(schema[choice][0])
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "object":
        properties = schema.get("properties") or {}
        return {key: instance_of(properties.get(key) or {}) for key in schema.get("required") or properties}
    plain: dict[str, Any] = {"array": [], "boolean": True, "integer": 1, "number": 1, "null": None}
    return plain.get(str(kind), "Scripted session")


def last_text(request: Json) -> str:
    messages = request.get("messages") or [{}]
    content = messages[-1].get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content if block.get("type") == "text")


def _system_text(request: Json) -> str:
    system = request.get("system") or ""
    return system if isinstance(system, str) else "\n".join(block.get("text", "") for block in system)
