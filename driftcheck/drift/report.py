"""The result of a check: findings, and what they were found in."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from driftcheck.drift.codes import Code
from driftcheck.drift.rename import find_renames
from driftcheck.drift.tally import Key, Mark, Tally
from driftcheck.versions import Version


@dataclass(frozen=True)
class Versions:
    """The Claude Code versions at which something was seen."""

    first: str
    last: str
    count: int

    @staticmethod
    def of(versions: Iterable[str]) -> Versions | None:
        ordered = sorted({version for version in versions if version}, key=Version.parse)
        return Versions(ordered[0], ordered[-1], len(ordered)) if ordered else None


@dataclass(frozen=True)
class Finding:
    """One distinct drift. It holds names and JSON types, never a value."""

    code: Code
    kind: str
    path: str
    """Where it is inside the kind."""
    where: str
    """Where it is from the record's root."""
    also_at: tuple[str, ...]
    """The other places from a record's root, where the kind occurs in several."""
    count: int
    of: int
    """In how many records or parts of the kind it is, of how many there were."""
    versions: Versions | None
    expected: tuple[str, ...]
    observed: tuple[str, ...]
    examples: tuple[str, ...]
    fingerprint: str
    related: str | None = None
    """The fingerprint of the finding that this one looks like the other half of: a rename."""

    @property
    def name(self) -> str:
        return f"{self.kind}.{self.path}" if self.path else self.kind


@dataclass(frozen=True)
class Skipped:
    """A file or folder that was not checked, or not to its end, and why."""

    name: str
    reason: str
    is_failure: bool
    """Whether it should have been checked: unreadable, or named by the user and not there."""


@dataclass(frozen=True)
class Summary:
    files: int
    records: int
    bytes: int
    malformed: int
    misfires: int
    versions: dict[str, int]
    """How many records each version wrote."""
    unversioned: int
    by_code: dict[str, int]
    """How many distinct findings there are of each code."""
    kinds: dict[str, int]
    surfaces: dict[str, int]
    unjudged: dict[str, int]
    beyond: tuple[str, ...]
    """Versions newer than all evidence, judged by the newest schemas."""
    passed_over: int
    not_kept: int
    interrupted: bool


@dataclass(frozen=True)
class Report:
    findings: tuple[Finding, ...]
    summary: Summary
    skipped: tuple[Skipped, ...]
    at: str | None
    """The version that everything was judged as, if one was given."""
    evidence: tuple[str, str]
    """The first and last version that the catalogue has evidence for."""

    @property
    def is_checked(self) -> bool:
        """Whether there was anything to check at all."""
        return self.summary.records > 0


@dataclass(frozen=True)
class Circumstances:
    """What a report says beside the tally."""

    newest: Version
    evidence: tuple[str, str]
    at: Version | None
    skipped: tuple[Skipped, ...]
    passed_over: int
    interrupted: bool


def make_report(tally: Tally, circumstances: Circumstances) -> Report:
    findings = _link_renames(tally, [_finding(tally, key, mark) for key, mark in tally.marks.items()])
    findings.sort(key=lambda finding: (finding.kind, finding.path, finding.code, finding.observed))
    return Report(
        tuple(findings),
        _summary(tally, findings, circumstances),
        tuple(sorted(circumstances.skipped, key=lambda skipped: skipped.name)),
        str(circumstances.at) if circumstances.at else None,
        circumstances.evidence,
    )


def fingerprint(key: Key) -> str:
    """A drift's identity: the same on every machine, for every file and line."""
    return hashlib.sha256("\0".join(key).encode()).hexdigest()[:16]


def _finding(tally: Tally, key: Key, mark: Mark) -> Finding:
    code, kind, path, _ = key
    places = sorted(mark.where, key=lambda place: (-mark.where[place], place))
    return Finding(
        code=code,
        kind=kind,
        path=path,
        where=places[0],
        also_at=tuple(places[1:]),
        count=mark.count,
        of=_denominator(tally, code, kind, mark.count),
        versions=Versions.of(mark.versions),
        expected=tuple(sorted(mark.expected)),
        observed=tuple(sorted(mark.observed)),
        examples=tuple(f"{file}:{line}" for file, line in mark.examples),
        fingerprint=fingerprint(key),
    )


def _denominator(tally: Tally, code: Code, kind: str, count: int) -> int:
    """How many records or parts there were of a kind; of an unknown one, how many of its family."""
    if code is Code.MALFORMED:
        return sum(tally.records.values()) + tally.malformed
    seen = sum(counts.get(kind, 0) for counts in tally.seen.values())
    if seen:
        return seen
    family, _, name = kind.partition("/")
    part = "/" + name.partition("/")[2] if family == "tool" else ""
    siblings = sum(
        number
        for counts in tally.seen.values()
        for known, number in counts.items()
        if known.startswith(f"{family}/") and known.endswith(part)
    )
    strangers = sum(
        mark.count
        for (other, stranger, _, _), mark in tally.marks.items()
        if other is Code.UNKNOWN_TYPE and stranger.startswith(f"{family}/") and stranger.endswith(part)
    )
    return max(siblings + strangers, count)


def _link_renames(tally: Tally, findings: list[Finding]) -> list[Finding]:
    links = find_renames(tally)
    marks = {(finding.code, finding.kind, finding.path): finding.fingerprint for finding in findings}
    related = {marks[a]: marks[b] for a, b in links} | {marks[b]: marks[a] for a, b in links}
    return [_relate(finding, related.get(finding.fingerprint)) for finding in findings]


def _relate(finding: Finding, other: str | None) -> Finding:
    return replace(finding, related=other) if other else finding


def _summary(tally: Tally, findings: list[Finding], circumstances: Circumstances) -> Summary:
    versions = {version: count for version, count in tally.records.items() if version and count}
    ordered = sorted(versions, key=Version.parse)
    kinds: Counter[str] = Counter()
    for counts in tally.seen.values():
        kinds.update(counts)
    return Summary(
        files=tally.files,
        records=sum(tally.records.values()),
        bytes=tally.bytes,
        malformed=tally.malformed,
        misfires=tally.misfires,
        versions={version: versions[version] for version in ordered},
        unversioned=tally.records[None],
        by_code={code.value: sum(finding.code is code for finding in findings) for code in Code},
        kinds=dict(sorted(kinds.items())),
        surfaces=dict(sorted(tally.surfaces.items())),
        unjudged=dict(sorted(tally.unjudged.items())),
        beyond=tuple(version for version in ordered if Version.parse(version) > circumstances.newest),
        passed_over=circumstances.passed_over,
        not_kept=tally.overflow,
        interrupted=circumstances.interrupted,
    )
