"""Judges one record after the other of a file: the record, and every part of it that is a kind of its own."""

from __future__ import annotations

from functools import partial

from driftcheck import names
from driftcheck.catalogue.parts import CALLED_TOOL, Spot, dotted
from driftcheck.catalogue.routes import Routes, Surface
from driftcheck.drift.bench import Bench, Entry
from driftcheck.drift.calls import Calls
from driftcheck.drift.codes import Code
from driftcheck.drift.explain import Drift, distinct, explain
from driftcheck.drift.route import Unrouted, route, tell, unknown
from driftcheck.drift.tally import Tally
from driftcheck.jsontype import Json
from driftcheck.read.parse import Trouble

_CALL = "content/tool_use"
_ANSWER = "content/tool_result"
_RESULT = "/result"
_UNEXPLAINED = Drift(Code.TYPE_MISMATCH, "", ("what the schema says",), ("something else",))


class Judge:
    """The judge of one file; it remembers the file's tool calls until they are answered."""

    def __init__(self, file: str, surface: Surface, routes: Routes, tally: Tally) -> None:
        self._file = file
        self._surface = surface
        self._routes = routes
        self._tally = tally
        self._calls = Calls()
        self._held_for: str | None = None

    def record(self, record: dict[str, Json], line: int, bench: Bench, version: str | None) -> None:
        """Judge one record by the schemas of one version."""
        self._record = record
        self._example = self._file, line
        self._bench = bench
        self._version = version
        self._tally.records[version or ""] += 1
        self._tally.families[self._surface.name] += 1
        kind = route(self._routes, self._surface, record)
        entry = self._bench.entry(kind) if isinstance(kind, str) else None
        if entry is not None:
            self._value(entry, record, "")
        else:
            found = kind if isinstance(kind, Unrouted) else self._unknown_record(kind)
            self._see(found.kind, [found.drift], "")

    def malformed(self, line: int, trouble: Trouble) -> None:
        self._tally.malformed += 1
        drift = Drift(Code.MALFORMED, "", ("object",), (trouble.reason,))
        self._tally.see(self._surface.name, drift, None, "", (self._file, line))

    def close(self) -> None:
        self._calls.close()

    def _unknown_record(self, kind: str) -> Unrouted:
        if kind in self._surface.then:
            path = ".".join(self._surface.then[kind])
            return Unrouted(kind, Drift(Code.MISSING_FIELD, path, ("string",), ("absent",)))
        for parent, steps in self._surface.then.items():
            if kind.startswith(f"{parent}/"):
                return unknown(parent, kind, ".".join(steps))
        return unknown(self._surface.name, kind, self._surface.by or "")

    def _value(self, entry: Entry, value: Json, where: str) -> None:
        kind = entry.kind
        self._tally.seen[self._version or "", kind] += 1
        if not entry.accepts(value):
            self._see(kind, explain(entry.schema, value) or [_UNEXPLAINED], where)
        if kind == _CALL:
            self._calls.made(value.get("id"), value.get("name"))
        elif kind == _ANSWER:
            self._tally.misfires += self._calls.answered(value)
        for place in entry.places:
            for holder, part in place.find(value):
                self._part(place.spot, holder, part, where)

    def _part(self, spot: Spot, holder: dict[str, Json], part: Json, where: str) -> None:
        template = spot.template
        here = names.under(where, spot.dotted)
        if template.name is None:
            entry = self._bench.entry(template.before)
            if entry is not None:
                self._value(entry, part, here)
        elif template.name == CALLED_TOOL:
            self._result(spot, part, here)
        elif template.in_parent:
            held, self._held_for = self._held_for, _call_id(holder)
            self._told_part(spot, holder, part, here, names.under(where, dotted(spot.path[:-1])))
            self._held_for = held
        elif isinstance(part, dict):
            self._told_part(spot, part, part, here, here)

    def _told_part(self, spot: Spot, teller: dict[str, Json], part: Json, here: str, told_at: str) -> None:
        """Judge a part whose kind a discriminator tells: a field of its own, or one beside it."""
        template = spot.template
        told = tell(self._routes, template.family, teller, (template.name or "",))
        if isinstance(told, Unrouted):
            # A discriminator beside the part belongs to another kind, whose own schema speaks of it.
            if teller is part:
                self._see(told.kind, [told.drift], told_at)
            return
        self._tally.families[template.family] += 1
        kind = template.fill(told.removeprefix(template.before))
        entry = self._bench.entry(kind)
        if entry is not None:
            self._value(entry, part, here)
        elif template.after == _RESULT:
            self._tally.unjudged[f"{names.show_kind(kind)}"] += 1
        else:
            found = unknown(template.family, kind, template.name or "")
            self._see(found.kind, [found.drift], told_at)

    def _result(self, spot: Spot, part: Json, here: str) -> None:
        """Judge what a tool gave back by the schema of the tool that was called."""
        block = _first_answer(self._record)
        if block is None or (isinstance(part, str) and block.get("is_error") is True):
            return
        tool = self._calls.tool_of(block.get("tool_use_id"))
        if tool is None:
            self._tally.unjudged["tool results whose call is not in the file"] += 1
            return
        kind = spot.template.fill(self._routes.alias(tool))
        entry = self._bench.entry(kind)
        if entry is not None:
            self._value(entry, part, here)
        else:
            self._tally.unjudged[names.show_kind(kind)] += 1

    def _see(self, kind: str, drifts: list[Drift], where: str) -> None:
        if self._held_for is not None and self._calls.knows(self._held_for):
            report = partial(self._report, kind, drifts, where, self._version, self._example)
            self._calls.hold(self._held_for, report)
        else:
            self._report(kind, drifts, where, self._version, self._example)

    def _report(
        self, kind: str, drifts: list[Drift], where: str, version: str | None, example: tuple[str, int]
    ) -> None:
        once = distinct(drifts)
        for drift in once:
            self._tally.see(kind, drift, version, names.under(where, drift.path), example)
        self._tally.pair(kind, once)


def _call_id(holder: dict[str, Json]) -> str | None:
    call_id = holder.get("id")
    return call_id if isinstance(call_id, str) else None


def _first_answer(record: dict[str, Json]) -> dict[str, Json] | None:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            return block
    return None
