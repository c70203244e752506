"""Writes the catalogue at one version as self-contained schemas, for any other validator."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path

import orjson

from driftcheck.catalogue.core import View
from driftcheck.catalogue.files import DRAFT, Schema
from driftcheck.catalogue.parts import CALLED_TOOL, Template
from driftcheck.catalogue.routes import Surface
from driftcheck.files import write_atomically


def export(view: View, folder: Path) -> list[Path]:
    """Write one file per kind, and one per surface that tells kinds apart; returns what was written.

    Each file stands alone: the kinds that it refers to are in its `$defs`.
    """
    written = []
    for name, schema in (*standalone_kinds(view), *standalone_surfaces(view)):
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, orjson.dumps(schema, option=orjson.OPT_INDENT_2).decode() + "\n")
        written.append(path)
    return written


def standalone_kinds(view: View) -> Iterator[tuple[str, Schema]]:
    for kind in view.kinds:
        yield kind, standalone(view, kind)


def standalone(view: View, kind: str) -> Schema:
    """One kind with everything that it needs inside it."""
    bundle = _Bundle(view)
    schema = bundle.kind(kind)
    return {"$schema": DRAFT, **schema, **({"$defs": bundle.definitions()} if bundle.needed else {})}


def standalone_surfaces(view: View) -> Iterator[tuple[str, Schema]]:
    """For each surface that tells kinds apart and has some at this version, one schema for any record of it."""
    for surface in view.catalogue.routes.surfaces.values():
        kinds = [kind for kind in view.kinds if kind.startswith(f"{surface.name}/")]
        if surface.by is None or not kinds:
            continue
        bundle = _Bundle(view)
        top = sorted({kind.split("/")[1] for kind in kinds})
        top_kinds = {f"{surface.name}/{name}" for name in top}
        cases = [_case(_condition(kind, surface), bundle.ref(kind)) for kind in kinds]
        cases += [_case(*_known_below(parent, surface, kinds)) for parent in surface.then if parent in top_kinds]
        schema: Schema = {
            "$schema": DRAFT,
            "title": surface.name,
            "type": "object",
            "required": [surface.by],
            "properties": {surface.by: {"enum": top}},
            "allOf": cases,
        }
        yield surface.name, {**schema, "$defs": bundle.definitions()}


def _known_below(parent: str, surface: Surface, kinds: list[str]) -> tuple[Schema, Schema]:
    """That a record with kinds below its own tells one that there is, unless its own kind does without."""
    path = surface.then[parent]
    known = _has(path, {"enum": [kind[len(parent) + 1 :] for kind in kinds if kind.startswith(f"{parent}/")]})
    if parent in kinds:
        known = {"anyOf": [known, {"not": _has(path, {"type": "string"})}]}
    return _named(parent, surface), known


def _named(kind: str, surface: Surface) -> Schema:
    return {"properties": {surface.by: {"const": kind.split("/")[1]}}, "required": [surface.by]}


def _condition(kind: str, surface: Surface) -> Schema:
    """What a record must have to be of a kind: its discriminators."""
    _, name, *rest = kind.split("/")
    parent = f"{surface.name}/{name}"
    condition = _named(kind, surface)
    if parent not in surface.then:
        return condition
    path = surface.then[parent]
    if rest:
        return {"allOf": [condition, _has(path, {"const": rest[0]})]}
    return {"allOf": [condition, {"not": _has(path, {"type": "string"})}]}


def _has(path: tuple[str, ...], test: Schema) -> Schema:
    name, *rest = path
    inner = _has(tuple(rest), test) if rest else test
    return {"type": "object", "properties": {name: inner}, "required": [name]}


def _case(condition: Schema, then: Schema) -> Schema:
    return {"if": condition, "then": then}


class _Bundle:
    """The kinds that a schema refers to, gathered as definitions."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.needed: list[str] = []

    def kind(self, kind: str) -> Schema:
        annotated = self.view.annotated(kind)
        assert annotated is not None
        return self._link(annotated)

    def ref(self, kind: str) -> Schema:
        if kind not in self.needed:
            self.needed.append(kind)
        return {"$ref": "#/$defs/" + kind.replace("~", "~0").replace("/", "~1")}

    def definitions(self) -> Schema:
        made: Schema = {}
        while len(made) < len(self.needed):
            kind = self.needed[len(made)]
            made[kind] = self.kind(kind)
        return made

    def _link(self, schema: Schema) -> Schema:
        linked: Schema = {key: value for key, value in schema.items() if key != "x-kind"}
        if "properties" in linked:
            linked["properties"] = {name: self._link(child) for name, child in linked["properties"].items()}
            self._link_beside(schema["properties"], linked)
        for keyword in ("items", "additionalProperties"):
            if isinstance(linked.get(keyword), dict):
                linked[keyword] = self._link(linked[keyword])
        if "anyOf" in linked:
            linked["anyOf"] = [self._link(branch) for branch in linked["anyOf"]]
        if "x-kind" in schema:
            self._link_own(Template.parse(schema["x-kind"]), linked)
        return linked

    def _link_own(self, template: Template, linked: Schema) -> None:
        """Tie a part to its kind, where it says itself which one it is."""
        if template.name is None:
            if template.before in self.view.kinds:
                linked |= self.ref(template.before)
        elif template.name == CALLED_TOOL:
            linked["$comment"] = "Judged by the schema of the tool that was called: see tool/NAME/result."
        elif not template.in_parent:
            names = self._names(template)
            linked |= {"required": [template.name], "properties": {template.name: {"enum": names}}}
            linked["allOf"] = [
                _case({"properties": {template.name: {"const": name}}}, self.ref(template.fill(name))) for name in names
            ]

    def _link_beside(self, properties: Schema, linked: Schema) -> None:
        """Tie parts to their kinds where a field beside them says which: the input of a tool call."""
        for part, child in properties.items():
            template = Template.parse(child["x-kind"]) if "x-kind" in child else None
            if template is None or not template.in_parent or template.name is None:
                continue
            cases = [
                _case(
                    {"properties": {template.name: self._alike(name)}, "required": [template.name]},
                    {"properties": {part: self.ref(template.fill(name))}},
                )
                for name in self._names(template)
            ]
            linked.setdefault("allOf", []).extend(cases)
            if template.after == "/input":
                known = [self._alike(name) for name in self._names(template)]
                linked["properties"][template.name] = {"type": "string", "anyOf": known}

    def _alike(self, name: str) -> Schema:
        pattern = next((p for p, to in self.view.catalogue.routes.aliases if to == name), None)
        return {"pattern": f"^{translate(pattern)[4:-3]}$"} if pattern else {"const": name}

    def _names(self, template: Template) -> list[str]:
        """The names with which a template makes a kind of this version."""
        inside = [k for k in self.view.kinds if k.startswith(template.before) and k.endswith(template.after)]
        names = [kind[len(template.before) : len(kind) - len(template.after)] for kind in inside]
        return [name for name in names if "/" not in name]
