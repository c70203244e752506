"""Verifies the catalogue against a corpus: what records contradict, and what nothing proves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import CatalogueError
from driftcheck.catalogue.history import Event, history, paths
from driftcheck.drift.codes import DRIFT
from driftcheck.drift.report import Circumstances, Finding, make_report
from driftcheck.infer.census import Census
from driftcheck.infer.learn import learn


@dataclass(frozen=True)
class Verdict:
    contradicted: tuple[Finding, ...]
    """What records of the corpus have that the schemas of their own version do not allow."""
    unproven: tuple[Event, ...]
    """Exact bounds without evidence on both sides."""
    exact: int
    bounds: int
    unseen: tuple[str, ...]
    """Kinds and fields that no record of the corpus has."""
    seen: int

    @property
    def holds(self) -> bool:
        return not self.contradicted and not self.unproven


def verify(catalogue: Catalogue, corpus: Iterable[str | os.PathLike[str]]) -> Verdict:
    """Hold every bound and every field of a catalogue against the records of a corpus."""
    learner, tally = learn(catalogue, [os.fspath(path) for path in corpus])
    if not tally.records:
        raise CatalogueError("the corpus holds no records to verify the catalogue with")
    report = make_report(tally, Circumstances(catalogue.newest, catalogue.routes.evidence, None, (), 0, False))
    events = [event for kind in catalogue.kinds for event in history(catalogue, kind)]
    exact = [event for event in events if event.when.exact]
    spots = [(kind, path) for kind in catalogue.kinds for path in _fields(catalogue, kind)]
    unseen = [name(kind, path) for kind, path in spots if (kind, path) not in learner.census.types]
    return Verdict(
        contradicted=tuple(finding for finding in report.findings if finding.code in DRIFT),
        unproven=tuple(event for event in exact if not _is_proven(event, learner.census)),
        exact=len(exact),
        bounds=len(events),
        unseen=tuple(unseen),
        seen=len(spots) - len(unseen),
    )


def name(kind: str, path: str) -> str:
    return f"{kind}.{path}" if path else kind


def _fields(catalogue: Catalogue, kind: str) -> Iterator[str]:
    schema = catalogue.projected(kind, None)
    yield from dict.fromkeys(paths(schema) if schema else ())


def _is_proven(event: Event, census: Census) -> bool:
    """Whether records stand on both sides of an exact bound: with it at one, without it right before or after."""
    seen = census.seen(event.kind, event.path)
    could = census.could_be(event.kind, event.path) if event.path else seen
    at = event.when.by
    assert at is not None
    before = [version for version in could if version < at]
    if event.what == "came":
        return bool(seen[at]) and bool(before) and not any(seen[version] for version in before)
    if event.what == "went":
        return bool(could[at]) and not seen[at] and any(seen[version] for version in before)
    return bool(could[at]) and bool(before)
