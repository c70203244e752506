"""Turns what genson inferred into a schema as the catalogue writes them."""

from __future__ import annotations

from driftcheck.catalogue.files import Schema
from driftcheck.infer.rules import Rules

_ONLY_NULL = "Only null was seen so far."
_A_SCHEMA = "A JSON Schema that belongs to a tool, not to the format."

_PARTS = {
    "tool_input": "tool/{../tool_name}/input",
    "tool_response": "tool/{../tool_name}/result",
    "toolUseResult": "tool/{@tool}/result",
    "tool_use_result": "tool/{@tool}/result",
}
"""Fields of a record that are a kind of their own, and how it is told."""

Shapes = dict[str, set[str]]
"""The shapes that are kinds of their own wherever they are: their fields, by kind."""


def draft(inferred: Schema, name: str, rules: Rules, shared: Shapes) -> Schema:
    """The schema of a new field, or of a field of one."""
    if "anyOf" in inferred:
        return {"anyOf": [draft(branch, name, rules, shared) for branch in inferred["anyOf"]]}
    kind = inferred.get("type")
    if kind == "null":
        return {"$comment": _ONLY_NULL}
    if kind == "object":
        return _draft_object(inferred, rules, shared)
    if kind == "array":
        items = inferred.get("items")
        if not items:
            return {"type": "array"}
        return {"type": "array", "items": _block(items, shared) or draft(items, name, rules, shared)}
    words = inferred.get("x-words")
    if words and rules.is_vocabulary(name, words):
        return {"enum": sorted(words)}
    return {key: value for key, value in inferred.items() if not key.startswith("x-")}


def draft_kind(inferred: Schema, rules: Rules, shared: Shapes) -> Schema:
    """The schema of a new kind."""
    drafted = draft(inferred, "", rules, shared)
    for name in _PARTS.keys() & drafted.get("properties", {}).keys():
        drafted["properties"][name] = {"x-kind": _PARTS[name]}
    return drafted


def draft_field(inferred: Schema, path: str, rules: Rules, shared: Shapes) -> Schema:
    """The schema of a new field of a known kind."""
    if path in _PARTS:
        return {"x-kind": _PARTS[path]}
    return draft(inferred, path.rpartition(".")[2], rules, shared)


def _draft_object(inferred: Schema, rules: Rules, shared: Shapes) -> Schema:
    if isinstance(inferred.get("additionalProperties"), dict):
        return {"type": "object", "additionalProperties": draft(inferred["additionalProperties"], "", rules, shared)}
    properties = inferred.get("properties", {})
    if {"type", "properties"} <= set(properties) or "$schema" in properties:
        return {"$comment": _A_SCHEMA, "type": "object", "additionalProperties": True}
    if {"input_tokens", "output_tokens"} <= set(properties) <= shared.get("common/usage", set()):
        return {"x-kind": "common/usage"}
    drafted: Schema = {"type": "object"}
    required = inferred.get("required", []) if inferred.get("x-count", 0) >= rules.records else []
    if required:
        drafted["required"] = [field for field in properties if field in required]
    drafted["properties"] = {field: draft(child, field, rules, shared) for field, child in properties.items()}
    if {"tool_name", "input"} <= set(properties):
        drafted["properties"]["input"] = {"x-kind": _PARTS["tool_input"]}
    return drafted


def _block(items: Schema, shared: Shapes) -> Schema | None:
    """The blocks of a message, if that is what the elements of a list are."""
    properties = items.get("properties", {})
    kinds = [f"content/{word}" for word in properties.get("type", {}).get("x-words", ())]
    if not kinds or not all(kind in shared for kind in kinds):
        return None
    known = set().union(*(shared[kind] for kind in kinds))
    return {"type": "object", "x-kind": "content/{type}"} if set(properties) <= known else None
