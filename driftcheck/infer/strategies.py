"""Infers a schema from values with genson, by strategies of our own: maps, formats and words."""

from __future__ import annotations

import re
from typing import Any

from genson import SchemaBuilder
from genson.schema.strategies import Object, String

from driftcheck import names
from driftcheck.catalogue.files import Schema
from driftcheck.drift.explain import has_format

_FORMATS = ("uuid", "date-time")
_MOST_WORDS = 12
_MEASURE = re.compile(r"(ms|duration|cost|usd|seconds|time|ratio|score)$", re.IGNORECASE)


class Fields(Object):  # type: ignore[misc]
    """An object; one whose keys are data is a map."""

    def __init__(self, node_class: Any) -> None:
        super().__init__(node_class)
        self._values = node_class()
        self._is_map = False
        self.count = 0

    def add_object(self, obj: dict[str, Any]) -> None:
        self.count += 1
        data = [key for key in obj if names.field(key) != key]
        self._is_map |= bool(data)
        for key in data:
            self._values.add_object(obj[key])
        super().add_object({key: value for key, value in obj.items() if key not in data} if data else obj)

    def to_schema(self) -> Schema:
        if self._is_map:
            for child in self._properties.values():
                self._values.add_schema(_plain(child.to_schema()))
            return {"type": "object", "additionalProperties": self._values.to_schema()}
        schema: Schema = super().to_schema()
        schema.setdefault("properties", {})
        for name, child in schema["properties"].items():
            if child.get("type") == "integer" and _MEASURE.search(name):
                child["type"] = "number"
        schema["x-count"] = self.count
        return schema


def _plain(schema: Any) -> Any:
    """A schema without what was only counted, so that it can be merged with another."""
    if isinstance(schema, dict):
        return {key: _plain(value) for key, value in schema.items() if key not in ("x-count", "x-words", "format")}
    return [_plain(item) for item in schema] if isinstance(schema, list) else schema


class Words(String):  # type: ignore[misc]
    """A string, with the formats that all of them have and the words that they are, if few."""

    def __init__(self, node_class: Any) -> None:
        super().__init__(node_class)
        self._formats = set(_FORMATS)
        self._words: dict[str, int] | None = {}
        self.count = 0

    def add_object(self, obj: str) -> None:
        self.count += 1
        if self._formats:
            self._formats = {name for name in self._formats if has_format(name, obj)}
        if self._words is not None:
            word = names.word(obj)
            if word:
                self._words[word] = self._words.get(word, 0) + 1
            if not word or len(self._words) > _MOST_WORDS:
                self._words = None

    def to_schema(self) -> Schema:
        schema: Schema = super().to_schema()
        if self._formats and self.count:
            schema["format"] = min(self._formats)
        elif self._words:
            schema["x-words"] = dict(sorted(self._words.items()))
        return schema


class Builder(SchemaBuilder):  # type: ignore[misc]
    """Builds the schema of one spot from the values seen there, in memory that does not grow with them."""

    EXTRA_STRATEGIES = (Fields, Words)
