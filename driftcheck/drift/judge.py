"""Judges one record after the other of a file: the record, and every part of it that is a kind of its own."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import Protocol, cast

from driftcheck import names
from driftcheck.catalogue.parts import Template, dotted
from driftcheck.catalogue.routes import Routes, Surface
from driftcheck.drift.bench import Bench, Entry, Place, Role
from driftcheck.drift.calls import Calls
from driftcheck.drift.codes import Code
from driftcheck.drift.explain import Drift, distinct, explain
from driftcheck.drift.route import Unrouted, route, step, tell, unknown
from driftcheck.drift.tally import Tally
from driftcheck.jsontype import Json
from driftcheck.read.parse import Trouble

Trail = tuple["Trail", str] | None
"""The way from the record's root to a part: the trail of what holds it, and the path from there."""

_NO_BENCH = cast(Bench, None)
_CALL = "content/tool_use"
_ANSWER = "content/tool_result"
_RESULT = "/result"
_UNEXPLAINED = Drift(Code.TYPE_MISMATCH, "", ("what the schema says",), ("something else",))


class Witness(Protocol):
    """Somebody who is told of every value that was judged, and of every one whose kind is unknown."""

    def saw(self, kind: str, value: Json, drifts: list[Drift], version: str | None, file: str) -> None: ...


class Judge:
    """The judge of one file; it remembers the file's tool calls until they are answered."""

    def __init__(
        self, file: str, surface: Surface, routes: Routes, tally: Tally, witness: Witness | None = None
    ) -> None:
        self._file = file
        self._name = PurePath(file).name
        self._surface = surface
        self._by = surface.by or ""
        self._routes = routes
        self._tally = tally
        self._witness = witness
        self._calls = Calls()
        self._held_for: str | None = None
        self._bench: Bench = _NO_BENCH
        self._records = 0

    def record(self, record: dict[str, Json], line: int, bench: Bench) -> None:
        """Judge one record by the schemas of one version."""
        if bench is not self._bench:
            self._count_records()
            self._bench = bench
            self._seen = self._tally.seen_at(bench.label)
            self._roots = bench.told.setdefault(self._surface.name, {})
        self._record = record
        self._line = line
        self._records += 1
        name = record.get(self._by)
        entry = self._roots.get(name) if type(name) is str else None
        if entry is None:
            entry = self._root(record, name)
        if entry is not None:
            self._value(entry, record, None)

    def malformed(self, line: int, trouble: Trouble) -> None:
        self._tally.malformed += 1
        drift = Drift(Code.MALFORMED, "", ("object",), (trouble.reason,))
        self._tally.see(self._surface.name, drift, None, "", (self._file, line))

    def close(self) -> None:
        self._calls.close()
        self._count_records()

    def _count_records(self) -> None:
        if self._records:
            self._tally.records[self._bench.label] += self._records
        self._records = 0

    def _root(self, record: dict[str, Json], name: Json) -> Entry | None:
        """The kind of a record; where it is not known, that is reported."""
        kind = route(self._routes, self._surface, record, self._name)
        entry = self._bench.entry(kind) if isinstance(kind, str) else None
        if entry is None:
            found = kind if isinstance(kind, Unrouted) else self._unknown_record(kind)
            self._see(found.kind, record, [found.drift], None)
        elif type(name) is str and entry.kind == f"{self._surface.name}/{name}" not in self._surface.then:
            self._roots[name] = entry
        return entry

    def _unknown_record(self, kind: str) -> Unrouted:
        if kind in self._surface.then:
            path = ".".join(self._surface.then[kind])
            return Unrouted(kind, Drift(Code.MISSING_FIELD, path, ("string",), ("absent",)))
        for parent, steps in self._surface.then.items():
            if kind.startswith(f"{parent}/"):
                return unknown(parent, kind, ".".join(steps))
        return unknown(self._surface.name, kind, self._surface.by or "")

    def _value(self, entry: Entry, value: Json, trail: Trail) -> None:
        kind = entry.kind
        try:
            self._seen[kind] += 1
        except KeyError:
            self._seen[kind] = 1
        if not entry.accepts(value):
            self._see(kind, value, explain(entry.schema, value) or [_UNEXPLAINED], trail)
        elif self._witness is not None:
            self._see(kind, value, [], trail)
        if kind == _CALL:
            self._calls.made(value.get("id"), value.get("name"))
        elif kind == _ANSWER:
            self._tally.misfires += self._calls.answered(value)
        for place in entry.places:
            parts = place.find(value)
            if parts:
                self._place(place, parts, trail)

    def _place(self, place: Place, parts: list[Json], trail: Trail) -> None:
        template = place.template
        here = trail, place.dotted
        if place.role is Role.OWN:
            self._own(template, parts, here)
        elif place.role is Role.FIXED:
            entry = self._bench.entry(template.before)
            if entry is not None:
                for part in parts:
                    self._value(entry, part, here)
        elif place.role is Role.BESIDE:
            for holder in parts:
                self._beside(place, holder, trail, here)
        else:
            for part in parts:
                self._result(template, part, here)

    def _own(self, template: Template, parts: list[Json], here: Trail) -> None:
        """Judge parts whose kind a field of their own tells: the blocks of a message."""
        known = self._bench.told.setdefault(template.text, {})
        field = template.name or ""
        for part in parts:
            if type(part) is not dict:
                continue
            name = part.get(field)
            entry = known.get(name) if type(name) is str else None
            if entry is None:
                entry = self._told(template, part)
            if entry is not None:
                self._value(entry, part, here)
            else:
                found = self._untold(template, part)
                self._see(found.kind, part, [found.drift], here)

    def _beside(self, place: Place, holder: Json, trail: Trail, here: Trail) -> None:
        """Judge a part whose kind a field beside it tells: the input of a tool call."""
        template, name = place.template, place.spot.path[-1]
        if type(holder) is not dict or name not in holder:
            return
        entry = self._told(template, holder)
        held, self._held_for = self._held_for, _call_id(holder)
        if entry is not None:
            self._value(entry, holder[name], here)
        else:
            found = self._untold(template, holder)
            if template.after == _RESULT:
                self._unjudged(found.kind, holder[name])
            elif found.drift.code is Code.UNKNOWN_TYPE:
                # A discriminator that is absent or no string is for the holder's own schema to judge.
                self._see(found.kind, holder[name], [found.drift], (trail, dotted(place.spot.path[:-1])))
        self._held_for = held

    def _result(self, template: Template, part: Json, here: Trail) -> None:
        """Judge what a tool gave back by the schema of the tool that was called."""
        block = first_answer(self._record)
        if block is None or (type(part) is str and block.get("is_error") is True):
            return
        tool = self._calls.tool_of(block.get("tool_use_id"))
        if tool is None:
            self._tally.unjudged["tool results whose call is not in the file"] += 1
            return
        kind = template.fill(step(self._routes, tool))
        entry = self._bench.entry(kind)
        if entry is not None:
            self._value(entry, part, here)
        else:
            self._unjudged(names.show_kind(kind), part)

    def _unjudged(self, kind: str, part: Json) -> None:
        """A result of a tool whose results have no schema: no finding, for nothing says that it is one."""
        self._tally.unjudged[kind] += 1
        if self._witness is not None:
            drift = Drift(Code.UNKNOWN_TYPE, "", (), ("no schema",))
            self._witness.saw(kind, part, [drift], self._bench.label, self._file)

    def _told(self, template: Template, teller: dict[str, Json]) -> Entry | None:
        """The kind that a discriminator tells, if the version has it."""
        name = teller.get(template.name or "")
        if type(name) is not str:
            return None
        known = self._bench.told.setdefault(template.text, {})
        if name not in known:
            known[name] = self._bench.entry(template.fill(self._routes.alias(name)))
        return known[name]

    def _untold(self, template: Template, teller: dict[str, Json]) -> Unrouted:
        assert template.name is not None
        kind = tell(self._routes, template.family, teller, (template.name,))
        if isinstance(kind, Unrouted):
            return kind
        return unknown(template.family, template.fill(kind.removeprefix(template.before)), template.name)

    def _see(self, kind: str, value: Json, drifts: list[Drift], trail: Trail) -> None:
        report = partial(self._report, kind, value, drifts, _where(trail), self._bench.label, (self._file, self._line))
        if self._held_for is not None and self._calls.knows(self._held_for):
            self._calls.hold(self._held_for, report)
        else:
            report()

    def _report(
        self,
        kind: str,
        value: Json,
        drifts: list[Drift],
        where: str,
        version: str | None,
        example: tuple[str, int],
    ) -> None:
        once = distinct(drifts)
        for drift in once:
            self._tally.see(kind, drift, version, names.under(where, drift.path), example)
        self._tally.pair(kind, once)
        if self._witness is not None:
            self._witness.saw(kind, value, once, version, example[0])


def _where(trail: Trail) -> str:
    if trail is None:
        return ""
    holder, path = trail
    return names.under(_where(holder), path)


def _call_id(holder: dict[str, Json]) -> str | None:
    call_id = holder.get("id")
    return call_id if isinstance(call_id, str) else None


def first_answer(record: dict[str, Json]) -> dict[str, Json] | None:
    """The tool result block of a record, if it delivers one."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            return block
    return None
