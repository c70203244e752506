"""Collects drift: counts that add up the same in whatever order files and processes deliver them."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from driftcheck.drift.codes import Code
from driftcheck.drift.explain import Drift

Key = tuple[Code, str, str, str]
"""What makes a drift distinct: code, kind, path and, for a malformed line, the reason."""
Example = tuple[str, int]
"""A file's name and a line in it."""

MOST_EXAMPLES = 3
MOST_FINDINGS = 50_000
"""More distinct drifts than any format has; past it they are counted, not kept, so that memory stays flat."""


@dataclass
class Mark:
    """All that is known of one distinct drift."""

    count: int = 0
    versions: Counter[str] = field(default_factory=Counter)
    where: Counter[str] = field(default_factory=Counter)
    expected: set[str] = field(default_factory=set)
    observed: Counter[str] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)

    def add(self, other: Mark) -> None:
        self.count += other.count
        self.versions += other.versions
        self.where += other.where
        self.expected |= other.expected
        self.observed += other.observed
        self.examples = heapq.nsmallest(MOST_EXAMPLES, {*self.examples, *other.examples})

    def see(self, drift: Drift, version: str | None, where: str, example: Example) -> None:
        self.count += 1
        if version is not None:
            self.versions[version] += 1
        self.where[where] += 1
        self.expected.update(drift.expected)
        self.observed.update(drift.observed)
        if len(self.examples) < MOST_EXAMPLES or example < self.examples[-1]:
            self.examples = heapq.nsmallest(MOST_EXAMPLES, {*self.examples, example})


@dataclass
class Tally:
    """What was seen: the counts of a run, or of a share of it. `a.add(b)` is all that merging takes."""

    marks: dict[Key, Mark] = field(default_factory=dict)
    pairs: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """How often a field was missing and another new in the same value: kind, missing path, new path."""
    seen: dict[str | None, dict[str, int]] = field(default_factory=dict)
    """How many records and parts of each kind there were, by version."""
    unjudged: Counter[str] = field(default_factory=Counter)
    """Parts for which there is no schema, by what they are."""
    surfaces: Counter[str] = field(default_factory=Counter)
    """How many files there were of each surface."""
    records: Counter[str | None] = field(default_factory=Counter)
    """How many records there were, by version."""
    files: int = 0
    bytes: int = 0
    malformed: int = 0
    misfires: int = 0
    overflow: int = 0
    """Drifts that were counted but not kept, past MOST_FINDINGS."""

    def seen_at(self, version: str | None) -> dict[str, int]:
        return self.seen.setdefault(version, {})

    def see(self, kind: str, drift: Drift, version: str | None, where: str, example: Example) -> None:
        reason = drift.observed[0] if drift.code is Code.MALFORMED else ""
        key = drift.code, kind, drift.path, reason
        mark = self.marks.get(key)
        if mark is None:
            if len(self.marks) >= MOST_FINDINGS:
                self.overflow += 1
                return
            mark = self.marks[key] = Mark()
        mark.see(drift, version, where, example)

    def pair(self, kind: str, drifts: Iterable[Drift]) -> None:
        """Remember which missing and new fields came together: it may be a rename."""
        drifts = list(drifts)
        missing = [drift.path for drift in drifts if drift.code is Code.MISSING_FIELD]
        new = [drift.path for drift in drifts if drift.code is Code.NEW_FIELD] if missing else []
        for gone in missing:
            for come in new:
                if gone.rpartition(".")[0] == come.rpartition(".")[0] and len(self.pairs) < MOST_FINDINGS:
                    self.pairs[kind, gone, come] += 1

    def add(self, other: Tally) -> None:
        for key, mark in other.marks.items():
            if key in self.marks or len(self.marks) < MOST_FINDINGS:
                self.marks.setdefault(key, Mark()).add(mark)
            else:
                self.overflow += mark.count
        for version, counts in other.seen.items():
            mine = self.seen_at(version)
            for kind, count in counts.items():
                mine[kind] = mine.get(kind, 0) + count
        for name in ("pairs", "records", "unjudged", "surfaces"):
            getattr(self, name).update(getattr(other, name))
        for name in ("files", "bytes", "malformed", "misfires", "overflow"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
