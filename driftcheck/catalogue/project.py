"""Projects a schema with its history onto one version: a plain, strict, standard schema."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from driftcheck.catalogue.files import ANNOTATIONS, BOUNDS, CatalogueError, Schema, SchemaFile, nodes
from driftcheck.versions import Bound, Break, Version

_COPIED = ("type", "enum", "const", "format", "x-kind")


def bound(node: Schema, keyword: str) -> Bound | None:
    return Bound.parse(node[keyword]) if keyword in node else None


def exists(node: Schema, version: Version | None) -> bool:
    """Whether a subschema may hold at a version."""
    since, until = bound(node, "x-since"), bound(node, "x-until")
    return (since is None or since.possible(version)) and (until is None or not until.certain(version))


def is_required(node: Schema, listed: bool, version: Version | None) -> bool:
    """Whether a property is in every record of a version, for all that is known."""
    starts = [b for key in ("x-since", "x-required-since") if (b := bound(node, key))]
    ends = [b for key in ("x-until", "x-required-until") if (b := bound(node, key))]
    return (
        (listed or "x-required-since" in node)
        and all(start.certain(version) for start in starts)
        and not any(end.possible(version) for end in ends)
    )


@dataclass(frozen=True)
class Timeless:
    """The subschemas that are the same at every version, projected once for all."""

    projected: dict[int, Schema] = field(default_factory=dict)
    known: dict[int, bool] = field(default_factory=dict)

    def includes(self, node: Schema) -> bool:
        if id(node) not in self.known:
            is_dated = "$ref" in node or any(key in node for key in BOUNDS)
            self.known[id(node)] = not is_dated and all(map(self.includes, _children(node)))
        return self.known[id(node)]


def _children(node: Schema) -> Iterator[Schema]:
    yield from node.get("properties", {}).values()
    yield from node.get("$defs", {}).values()
    yield from node.get("anyOf", [])
    yield from node.get("allOf", [])
    yield from (node[key] for key in ("items", "additionalProperties") if isinstance(node.get(key), dict))


@dataclass
class Projection:
    files: Mapping[str, SchemaFile]
    version: Version | None
    timeless: Timeless = field(default_factory=Timeless)
    _trail: list[str] = field(default_factory=list)

    def kind(self, name: str) -> Schema | None:
        """The plain schema of a kind, or None where the version does not have it."""
        file = self.files[name]
        return self._project(file.schema, file) if exists(file.schema, self.version) else None

    def _project(self, node: Schema, file: SchemaFile) -> Schema:
        if "$ref" in node:
            return self._follow(node, file)
        if not self.timeless.includes(node):
            return self._project_node(node, file)
        if id(node) not in self.timeless.projected:
            self.timeless.projected[id(node)] = self._project_node(node, file)
        return self.timeless.projected[id(node)]

    def _project_node(self, node: Schema, file: SchemaFile) -> Schema:
        plain: Schema = {key: node[key] for key in ANNOTATIONS if key in node}
        if "anyOf" in node:
            return _unite([self._project(branch, file) for branch in self._branches(node)]) | plain
        plain |= {key: node[key] for key in _COPIED if key in node}
        if "properties" in node:
            self._object(node, file, plain)
        if "items" in node:
            plain["items"] = self._project(node["items"], file)
        for part in node.get("allOf", []):
            _absorb(plain, self._project(part, file), set(node.get("properties", {})))
        self._close(node, file, plain)
        return plain

    def _branches(self, node: Schema) -> list[Schema]:
        """The alternatives that a version has; where none is known for it, any that some version has."""
        return [branch for branch in node["anyOf"] if exists(branch, self.version)] or list(node["anyOf"])

    def _object(self, node: Schema, file: SchemaFile, plain: Schema) -> None:
        listed = set(node.get("required", []))
        kept = {name: child for name, child in node["properties"].items() if exists(child, self.version)}
        plain["properties"] = {name: self._project(child, file) for name, child in kept.items()}
        required = [n for n, child in kept.items() if is_required(child, n in listed, self.version)]
        if required:
            plain["required"] = required

    def _close(self, node: Schema, file: SchemaFile, plain: Schema) -> None:
        rest = node.get("additionalProperties")
        if rest is True or ("x-kind" in node and "properties" not in node):
            return
        if isinstance(rest, dict):
            plain["additionalProperties"] = self._project(rest, file)
        elif "properties" in plain or "object" in types_named(plain):
            plain["additionalProperties"] = False

    def _follow(self, node: Schema, file: SchemaFile) -> Schema:
        target, home = resolve(self.files, file, node["$ref"])
        mark = f"{home.name}#{node['$ref'].partition('#')[2]}"
        if mark in self._trail:
            raise CatalogueError(f"{file.name}.json: $ref {node['$ref']!r} comes back to itself")
        self._trail.append(mark)
        plain = self._project(target, home)
        self._trail.pop()
        return plain | {key: node[key] for key in ANNOTATIONS if key in node}


def types_named(schema: Schema) -> list[str]:
    named = schema.get("type", [])
    return [named] if isinstance(named, str) else list(named)


def _absorb(plain: Schema, part: Schema, own: set[str]) -> None:
    """Merge a shared object (an envelope) into one that uses it; what the user says itself wins.

    That holds also where the user says that a field is not there at this version.
    """
    shared = {name: child for name, child in part.get("properties", {}).items() if name not in own}
    plain["properties"] = {**shared, **plain.get("properties", {})}
    required = [name for name in part.get("required", []) if name in shared] + plain.get("required", [])
    if required:
        plain["required"] = required


def _unite(branches: list[Schema]) -> Schema:
    """One schema that takes any of several alternatives, as simply as that can be said."""
    flat = [leaf for branch in branches for leaf in (branch["anyOf"] if set(branch) == {"anyOf"} else [branch])]
    types: list[str] = []
    values: dict[tuple[bool, object], object] = {}  # True is 1 to Python, and is not to JSON
    rest: list[Schema] = []
    for branch in flat:
        if set(branch) == {"type"}:
            types += [name for name in types_named(branch) if name not in types]
        elif set(branch) <= {"enum", "const"} and branch:
            values |= {(isinstance(v, bool), v): v for v in branch.get("enum", [branch.get("const")])}
        else:
            rest.append(branch)
    united = rest
    if values:
        united.insert(0, {"enum": list(values.values())})
    if types:
        united.append({"type": types[0] if len(types) == 1 else types})
    return united[0] if len(united) == 1 else {"anyOf": united}


def resolve(files: Mapping[str, SchemaFile], file: SchemaFile, ref: str) -> tuple[Schema, SchemaFile]:
    """The subschema that a `$ref` names, and the file it is in."""
    path, _, pointer = ref.partition("#")
    home = file
    if path:
        name = posixpath.normpath(posixpath.join(posixpath.dirname(file.name), path)).removesuffix(".json")
        if name not in files:
            raise CatalogueError(f"{file.name}.json: $ref {ref!r} names no file of the catalogue")
        home = files[name]
    target: Any = home.schema
    for step in filter(None, pointer.split("/")):
        target = target.get(step.replace("~1", "/").replace("~0", "~"), None)
        if not isinstance(target, dict):
            raise CatalogueError(f"{file.name}.json: $ref {ref!r} names nothing in {home.name}.json")
    return target, home


def breaks(files: Mapping[str, SchemaFile], name: str, known: dict[str, FileBreaks] | None = None) -> list[Break]:
    """The points in the history at which the projection of a kind can change, in order."""
    known = {} if known is None else known
    found: set[Break] = set()
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            if current not in known:
                known[current] = _file_breaks(files, files[current])
            points, others = known[current]
            found |= points
            waiting += others
    return sorted(found)


FileBreaks = tuple[set[Break], set[str]]
"""The points that one file's bounds make, and the other files that it refers to."""


def _file_breaks(files: Mapping[str, SchemaFile], file: SchemaFile) -> FileBreaks:
    points = set(_own_breaks(file.schema, is_required=False))
    others = set()
    for _, node in nodes(file.schema):
        listed = node.get("required", [])
        for name, child in node.get("properties", {}).items():
            points.update(_own_breaks(child, name in listed or "x-required-since" in child))
        for child in (*node.get("anyOf", []), *node.get("allOf", []), *node.get("$defs", {}).values()):
            points.update(_own_breaks(child, is_required=False))
        if "$ref" in node:
            others.add(resolve(files, file, node["$ref"])[1].name)
    return points, others


def _own_breaks(node: Schema, is_required: bool) -> Iterator[Break]:
    """Where the bounds of one subschema change what it projects to: a doubt turns only what is required."""
    for key in BOUNDS:
        if key in node:
            change = Bound.parse(node[key])
            if key in ("x-since", "x-required-until") or is_required:
                yield from change.turns_possible()
            if key in ("x-until", "x-required-since") or is_required:
                yield from change.turns_certain()


def lean(schema: Schema) -> Schema:
    """A projected schema with nothing in it but what validates."""
    kept: Schema = {k: v for k, v in schema.items() if k not in (*ANNOTATIONS, "x-kind")}
    if "properties" in kept:
        kept["properties"] = {name: lean(child) for name, child in kept["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(kept.get(keyword), dict):
            kept[keyword] = lean(kept[keyword])
    if "anyOf" in kept:
        kept["anyOf"] = [lean(branch) for branch in kept["anyOf"]]
    return kept
