"""Proposes the change of the catalogue that the drift in some records calls for."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, field

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import Schema, SchemaFile
from driftcheck.catalogue.project import resolve
from driftcheck.drift.codes import Code
from driftcheck.infer import edit
from driftcheck.infer.census import Census
from driftcheck.infer.draft import draft_field, draft_kind
from driftcheck.infer.learn import DriftKey, Learner, Lesson
from driftcheck.infer.place import Desk, last_step
from driftcheck.infer.rules import Rules
from driftcheck.versions import Version

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_ORDER = (Code.NEW_FIELD, Code.UNKNOWN_TYPE, Code.TYPE_MISMATCH, Code.NEW_VALUE, Code.MISSING_FIELD)
_SHARED_BY = 3
"""A new field goes into a shared definition if at least so many kinds that use it have it, and all that were seen."""


@dataclass(frozen=True)
class Change:
    """One change of the catalogue, and the evidence for it."""

    kind: str
    path: str
    what: str
    since: Version
    count: int
    of: int
    file: str
    uncertain: str = ""


@dataclass
class Proposal:
    before: dict[str, Schema]
    after: dict[str, Schema]
    changes: list[Change] = field(default_factory=list)
    open_questions: list[str] = field(default_factory=list)

    @property
    def changed(self) -> list[str]:
        """The names of the files that it changes or makes."""
        return sorted(name for name, schema in self.after.items() if self.before.get(name) != schema)


def propose(catalogue: Catalogue, learner: Learner, evidence: Census, rules: Rules) -> Proposal:
    """The update for what a learner learned; `evidence` is all that is known of what versions hold."""
    before = {name: file.schema for name, file in catalogue.files.items()}
    after = copy.deepcopy(before)
    desk = Desk({name: SchemaFile(name, schema) for name, schema in after.items()})
    drafter = _Drafter(catalogue, desk, evidence, rules, Proposal(before, after))
    shared = _shared_fields(desk, learner.lessons, evidence)
    for code in _ORDER:
        for key in sorted(key for key in learner.lessons if key[0] is code):
            drafter.draft(key, learner.lessons[key], shared)
    return drafter.proposal


def _shared_fields(desk: Desk, lessons: dict[DriftKey, Lesson], evidence: Census) -> dict[tuple[str, str], str]:
    """New top-level fields that belong into a shared definition: by kind and name, the definition."""
    shared: dict[tuple[str, str], str] = {}
    new = {(kind, path) for code, kind, path in lessons if code is Code.NEW_FIELD and path.isidentifier()}
    for definition, kinds in _users(desk).items():
        for name in {path for kind, path in new if kind in kinds}:
            having = [kind for kind in kinds if (kind, name) in new]
            first = min(lessons[Code.NEW_FIELD, kind, name].first for kind in having)
            exercised = [kind for kind in kinds if any(version >= first for version in evidence.versions(kind))]
            if len(having) >= _SHARED_BY and set(having) == set(exercised):
                shared.update(((kind, name), definition) for kind in having)
    return shared


def _users(desk: Desk) -> dict[str, list[str]]:
    """The kinds that are made with each shared definition."""
    users: dict[str, list[str]] = {}
    for name, file in desk.files.items():
        for part in file.schema.get("allOf", []):
            if "$ref" in part:
                users.setdefault(resolve(desk.files, file, part["$ref"])[1].name, []).append(name)
    return users


@dataclass
class _Drafter:
    catalogue: Catalogue
    desk: Desk
    evidence: Census
    rules: Rules
    proposal: Proposal

    def draft(self, key: DriftKey, lesson: Lesson, shared: dict[tuple[str, str], str]) -> None:
        code, kind, path = key
        if code is Code.UNKNOWN_TYPE or (kind not in self.desk.files and kind.count("/")):
            self._new_kind(kind, path, lesson)
        elif kind not in self.desk.files:
            self._ask(f"{kind}: a record without a {path} is of no kind")
        elif code is Code.NEW_FIELD:
            self._new_field(kind, path, lesson, shared.get((kind, path)))
        elif code is Code.TYPE_MISMATCH:
            self._new_type(kind, path, lesson)
        elif code is Code.NEW_VALUE:
            self._new_values(kind, path, lesson)
        elif code is Code.MISSING_FIELD:
            self._missing(kind, path, lesson)

    def _ask(self, question: str) -> None:
        self.proposal.open_questions.append(question)

    def _note(self, kind: str, path: str, what: str, lesson: Lesson, file: str, uncertain: str = "") -> None:
        of = sum(count for version, count in self.evidence.could_be(kind, path).items() if version >= lesson.first)
        change = Change(kind, path, what, lesson.first, lesson.count, max(of, lesson.count), file, uncertain)
        self.proposal.changes.append(change)

    def _shared(self) -> dict[str, set[str]]:
        """The shapes that are kinds of their own wherever they are: their fields, by kind."""
        kinds = [name for name in self.desk.files if name.startswith("content/") or name == "common/usage"]
        return {kind: set(self.desk.files[kind].schema.get("properties", {})) for kind in kinds}

    def _last_absent(self, kind: str, path: str, first: Version) -> Version | None:
        """The newest version before a first sighting at which the field could have been and was not."""
        seen = self.evidence.seen(kind, path)
        could = self.evidence.could_be(kind, path)
        absent = [v for v, count in could.items() if v < first and not seen[v] and count >= self.rules.absent]
        return max(absent, default=None)

    def _is_required(self, kind: str, path: str, first: Version) -> bool:
        seen, could = self.evidence.seen(kind, path), self.evidence.could_be(kind, path)
        versions = [version for version in could if version >= first]
        records = sum(could[version] for version in versions)
        files = sum(self.evidence.files[kind, version] for version in versions)
        full = all(seen[version] == could[version] for version in versions)
        return full and records >= self.rules.records and files >= self.rules.files

    def _new_field(self, kind: str, path: str, lesson: Lesson, definition: str | None) -> None:
        known = self.desk.parents(kind, path)
        if known:
            for name, holder in known:
                edit.reopen(holder["properties"][last_step(path)], lesson.first, max(lesson.versions))
                self._note(kind, path, "is there at more versions than was known", lesson, name)
            return
        if definition is not None:
            name, holder = definition, self.desk.files[definition].schema
            if last_step(path) in holder.get("properties", {}):
                return
        else:
            holders = self.desk.holders(kind, path)
            if not holders:
                self._ask(f"{kind}: where {path} belongs could not be told")
                return
            name, holder = holders[0]
        inferred = draft_field(lesson.builder.to_schema(), path, self.rules, self._shared())
        absent = self._last_absent(kind, path, lesson.first)
        required = self._is_required(kind, path, lesson.first)
        edit.add_field(holder, last_step(path), inferred, edit.since(absent, lesson.first), required)
        doubt = "" if required else "optional, or not enough records to say that it is in all"
        self._note(kind, path, "is new", lesson, name, doubt)

    def _new_type(self, kind: str, path: str, lesson: Lesson) -> None:
        found = self.desk.nodes(kind, path)
        inferred = draft_field(lesson.builder.to_schema(), path, self.rules, self._shared())
        if not found:
            self._ask(f"{kind}: {path or 'the whole'} has another type, and where to say so could not be told")
            return
        name, node = found[0]
        branch = edit.has_branch(node, inferred)
        if branch is not None:
            edit.reopen(branch, lesson.first, max(lesson.versions))
        else:
            edit.add_branch(node, inferred, edit.since(None, lesson.first))
        self._note(kind, path, "has another type, too", lesson, name)

    def _new_values(self, kind: str, path: str, lesson: Lesson) -> None:
        listed = [(n, s) for n, s in self.desk.nodes(kind, path) if "enum" in s or "const" in s or "anyOf" in s]
        if not listed or not lesson.words:
            self._ask(f"{kind}: {path} has a value that reads like no name, or whose list could not be found")
            return
        name, node = listed[0]
        for word in sorted(lesson.words):
            branch = edit.has_branch(node, {"const": word})
            if branch is not None:
                edit.reopen(branch, lesson.first, max(lesson.versions))
            else:
                edit.add_word(node, word, edit.since(None, lesson.first))
            self._note(kind, path, f"can be {word}, too", lesson, name)

    def _missing(self, kind: str, path: str, lesson: Lesson) -> None:
        seen, could = self.evidence.seen(kind, path), self.evidence.could_be(kind, path)
        absent = sorted(version for version in could if seen[version] < could[version])
        present = sorted(version for version in could if could[version] and seen[version] == could[version])
        for name, holder in self.desk.parents(kind, path):
            what = edit.loosen(holder, last_step(path), absent, present)
            later = [version for version in could if version >= lesson.first]
            is_gone = not any(seen[version] for version in later)
            if "x-required-until" in holder["properties"][last_step(path)] and is_gone and self._is_sure(could, later):
                node = holder["properties"][last_step(path)]
                node["x-until"] = node.pop("x-required-until")
                what = "is gone"
            self._note(kind, path, what, lesson, name)

    def _is_sure(self, could: Counter[Version], versions: list[Version]) -> bool:
        """Whether a kind was exercised often enough for an absence to mean something."""
        return sum(could[version] for version in versions) >= self.rules.absent

    def _new_kind(self, kind: str, path: str, lesson: Lesson) -> None:
        known = self.desk.files.get(kind)
        if known is not None:
            edit.reopen(known.schema, lesson.first, max(lesson.versions))
            self._note(kind, path, "is there at more versions than was known", lesson, kind)
            return
        if "{}" in kind:
            self._ask(f"{kind}: its name does not read like one")
            return
        schema = draft_kind(lesson.builder.to_schema(), self.rules, self._shared())
        self._fix_discriminators(kind, schema)
        self._share_envelope(kind, schema)
        words = {"title": kind, "description": f"First seen in {lesson.first}."}
        made = {"$schema": _DRAFT, **words, "x-since": edit.since(None, lesson.first), **schema}
        self.desk.files[kind] = SchemaFile(kind, made)
        self.proposal.after[kind] = made
        self._note(kind, path, "is a new kind", lesson, kind)

    def _fix_discriminators(self, kind: str, schema: Schema) -> None:
        """Say in the schema of a kind what makes a value one of it."""
        surface = self.catalogue.routes.surfaces.get(kind.split("/")[0])
        paths: list[tuple[tuple[str, ...], str]] = []
        if surface and surface.by:
            paths.append(((surface.by,), kind.split("/")[1]))
        if surface and len(kind.split("/")) > 2:
            parent = "/".join(kind.split("/")[:2])
            paths += [(surface.then[parent], kind.split("/")[2])] if parent in surface.then else []
        if kind.startswith("content/"):
            paths = [(("type",), kind.partition("/")[2])]
        for steps, word in paths:
            node = schema
            for step in steps[:-1]:
                node = node.get("properties", {}).get(step, {})
            if steps[-1] in node.get("properties", {}):
                node["properties"][steps[-1]] = {"const": word}
                if steps[-1] not in node.get("required", []):
                    node["required"] = [steps[-1], *node.get("required", [])]

    def _share_envelope(self, kind: str, schema: Schema) -> None:
        """Let a record that has the fields of an envelope use the envelope."""
        for name, file in self.desk.files.items():
            if not name.startswith("defs/"):
                continue
            fields, own = file.schema.get("properties", {}), schema.get("properties", {})
            if file.schema.get("required") and set(file.schema["required"]) <= set(own):
                schema["properties"] = {n: child for n, child in own.items() if n not in fields}
                schema["required"] = [n for n in schema.get("required", []) if n not in fields]
                schema.setdefault("allOf", []).append({"$ref": "../" * kind.count("/") + f"{name}.json"})
        if not schema.get("required"):
            schema.pop("required", None)
