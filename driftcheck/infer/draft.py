"""Turns what genson inferred into a schema as the catalogue writes them."""

from __future__ import annotations

from driftcheck.catalogue.files import Schema
from driftcheck.infer.rules import Rules

_USAGE = {"input_tokens", "output_tokens"}
_ONLY_NULL = "Only null was seen so far."


def draft(inferred: Schema, name: str, rules: Rules, blocks: set[str]) -> Schema:
    """The schema of a new field; `blocks` are the content blocks that the catalogue knows."""
    if "anyOf" in inferred:
        return {"anyOf": [draft(branch, name, rules, blocks) for branch in inferred["anyOf"]]}
    kind = inferred.get("type")
    if kind == "null":
        return {"$comment": _ONLY_NULL}
    if kind == "object":
        return _draft_object(inferred, rules, blocks)
    if kind == "array":
        items = draft(inferred["items"], name, rules, blocks) if inferred.get("items") else {}
        return (
            {"type": "array", "items": _shared_block(inferred["items"], blocks) or items}
            if items
            else {"type": "array"}
        )
    words = inferred.get("x-words")
    if words and rules.is_vocabulary(name, words):
        return {"enum": sorted(words)}
    return {key: value for key, value in inferred.items() if not key.startswith("x-")}


def _draft_object(inferred: Schema, rules: Rules, blocks: set[str]) -> Schema:
    if isinstance(inferred.get("additionalProperties"), dict):
        return {"type": "object", "additionalProperties": draft(inferred["additionalProperties"], "", rules, blocks)}
    properties = inferred.get("properties", {})
    if set(properties) >= _USAGE:
        return {"x-kind": "common/usage"}
    drafted: Schema = {"type": "object"}
    required = inferred.get("required", []) if inferred.get("x-count", 0) >= rules.records else []
    if required:
        drafted["required"] = [field for field in properties if field in required]
    drafted["properties"] = {field: draft(child, field, rules, blocks) for field, child in properties.items()}
    return drafted


def _shared_block(items: Schema, blocks: set[str]) -> Schema | None:
    """Content blocks are a kind of their own, wherever they are."""
    words = items.get("properties", {}).get("type", {}).get("x-words")
    return {"type": "object", "x-kind": "content/{type}"} if words and set(words) <= blocks else None
