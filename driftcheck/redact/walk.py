"""Redacts one record along its schema: what the format itself says is kept, what people said is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from driftcheck import names
from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import Schema
from driftcheck.catalogue.parts import CALLED_TOOL, Template
from driftcheck.catalogue.routes import Surface
from driftcheck.drift.explain import is_listed
from driftcheck.drift.judge import first_answer
from driftcheck.drift.route import route
from driftcheck.jsontype import Json
from driftcheck.redact.mask import TEXT, Mask
from driftcheck.versions import find_version

_NO_NAME = "no name"
_ANY: Schema = {}
_OPEN: Schema = {"additionalProperties": True}


@dataclass
class Redactor:
    """Redacts the records of one file; it remembers the file's tool calls, for their results."""

    catalogue: Catalogue
    mask: Mask
    surface: Surface
    file_name: str
    _tools: dict[str, str] = field(default_factory=dict)
    _record: dict[str, Json] = field(default_factory=dict)

    def record(self, record: dict[str, Json]) -> dict[str, Json]:
        self._record = record
        kind = route(self.catalogue.routes, self.surface, record, self.file_name)
        redacted: dict[str, Json] = self._value(record, [self._schema(kind) if isinstance(kind, str) else _ANY])
        for path in ((self.surface.by,) if self.surface.by else (), *self.surface.then.values()):
            self._keep_told(record, redacted, path)
        version = record.get(self.surface.version) if self.surface.version else None
        if isinstance(version, str) and (known := find_version(version)):
            redacted[self.surface.version or ""] = str(known)
        return redacted

    def _schema(self, kind: str) -> Schema:
        """A kind over its whole history; of an unknown one nothing is known."""
        known = self.catalogue.projected(kind, None) if kind in self.catalogue.files else None
        return known or _ANY

    def _value(self, value: Json, schemas: Iterable[Schema], holder: dict[str, Json] | None = None) -> Json:
        """A value redacted by what any of its possible schemas says."""
        possible = [part for schema in schemas for part in self._alternatives(schema, value, holder)]
        if isinstance(value, dict):
            return self._object(value, possible)
        if isinstance(value, list):
            items = [schema["items"] for schema in possible if "items" in schema] or [_open_items(possible)]
            return [self._item(item, items, holder) for item in value]
        if isinstance(value, str):
            listed = any(("const" in s or "enum" in s) and is_listed(s, value) for s in possible)
            return value if listed else self.mask.text(value)
        return value if value is None or isinstance(value, bool) else self.mask.number(value)

    def _item(self, item: Json, schemas: list[Schema], holder: dict[str, Json] | None) -> Json:
        redacted = self._value(item, schemas, holder)
        for template in _templates(schemas):
            if template.name and not template.in_parent:
                self._keep_told(item, redacted, (template.name,))
        return redacted

    def _object(self, value: dict[str, Json], schemas: list[Schema]) -> dict[str, Json]:
        redacted: dict[str, Json] = {}
        rest = [s["additionalProperties"] for s in schemas if s.get("additionalProperties", False) is not False]
        inner = [schema if isinstance(schema, dict) else _OPEN for schema in rest]
        for key, child in value.items():
            declared = [s["properties"][key] for s in schemas if key in s.get("properties", {})]
            if declared:
                redacted[key] = self._value(child, declared, value)
            elif inner:
                redacted[self.mask.key(key)] = self._value(child, inner, value)
            else:
                redacted[key if names.field(key) == key else self.mask.key(key)] = self._value(child, [_ANY], value)
        for schema in schemas:
            for template in _templates(schema.get("properties", {}).values()):
                if template.name and template.in_parent:
                    self._keep_told(value, redacted, (template.name,))
        if value.get("type") == "tool_result":
            self._keep_misfire(value, redacted)
        return redacted

    def _alternatives(self, schema: Schema, value: Json, holder: dict[str, Json] | None) -> Iterator[Schema]:
        """The schemas that one schema may mean: its branches, and the kind that it routes to."""
        if "x-kind" in schema:
            yield from self._alternatives(self._routed(Template.parse(schema["x-kind"]), value, holder), value, holder)
        for branch in schema.get("anyOf", []):
            yield from self._alternatives(branch, value, holder)
        yield schema

    def _routed(self, template: Template, value: Json, holder: dict[str, Json] | None) -> Schema:
        if template.name is None:
            return self._schema(template.before)
        if template.name == CALLED_TOOL:
            block = first_answer(self._record)
            name: Json = self._tools.get(str(block.get("tool_use_id"))) if block else None
        else:
            teller = holder if template.in_parent else value
            name = teller.get(template.name) if isinstance(teller, dict) else None
            if template.in_parent and isinstance(name, str) and holder and isinstance(holder.get("id"), str):
                self._tools[holder["id"]] = name
        return self._schema(template.fill(self.catalogue.routes.alias(name))) if isinstance(name, str) else _ANY

    def _keep_told(self, original: Json, redacted: Json, path: tuple[str, ...]) -> None:
        """Keep a discriminator, as far as it reads like a name."""
        for step in path[:-1]:
            original = original.get(step) if isinstance(original, dict) else None
            redacted = redacted.get(step) if isinstance(redacted, dict) else None
        name = original.get(path[-1]) if path and isinstance(original, dict) else None
        if isinstance(name, str) and isinstance(redacted, dict) and path[-1] in redacted:
            alias = self.catalogue.routes.alias(name)
            redacted[path[-1]] = (names.word(name) or _NO_NAME) if alias == name else f"{alias}__server__tool"

    def _keep_misfire(self, original: dict[str, Json], redacted: dict[str, Json]) -> None:
        """A tool result still says whether the call itself was wrong."""
        content = original.get("content")
        if isinstance(content, str):
            redacted["content"] = self.mask.answer(content)
        elif isinstance(content, list) and content and isinstance(content[0], dict):
            text = content[0].get("text")
            if isinstance(text, str) and (answer := self.mask.answer(text)) != TEXT:
                redacted["content"][0]["text"] = answer


def _open_items(schemas: list[Schema]) -> Schema:
    """What is known of the elements of a list that no schema describes: in an open object, nothing at all."""
    return _OPEN if any(schema is _OPEN for schema in schemas) else _ANY


def _templates(schemas: Iterable[Schema]) -> Iterator[Template]:
    for schema in schemas:
        if "x-kind" in schema:
            yield Template.parse(schema["x-kind"])
        yield from _templates(schema.get("anyOf", []))
