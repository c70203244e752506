"""The JSON type of a parsed value, by name."""

from __future__ import annotations

from typing import Any

Json = Any
"""A parsed JSON value."""

_NAMES: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def json_type(value: Json) -> str:
    return _NAMES[type(value)]


def is_type(value: Json, wanted: str) -> bool:
    """Whether a value is of a JSON Schema type, where 1.0 is an integer and an integer is a number."""
    actual = _NAMES[type(value)]
    if actual == wanted:
        return True
    if wanted == "number":
        return actual == "integer"
    return wanted == "integer" and actual == "number" and value.is_integer()
