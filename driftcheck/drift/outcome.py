"""What comes of checking some files in one process."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from driftcheck.drift.file import Checker, SkippedError
from driftcheck.drift.report import Skipped
from driftcheck.drift.tally import Tally
from driftcheck.read.discover import Source
from driftcheck.read.records import UnreadableError

Progress = Callable[[int], None]
"""Told how many bytes went by."""


def unheard(_: int) -> None:
    """Progress that nobody watches."""


@dataclass
class Outcome:
    """What came of some files: a tally, and what was skipped."""

    tally: Tally = field(default_factory=Tally)
    skipped: list[Skipped] = field(default_factory=list)
    passed_over: int = 0
    """JSON files in the folders that are something else: settings, manifests…"""
    interrupted: bool = False

    def add(self, other: Outcome) -> None:
        self.tally.add(other.tally)
        self.skipped += other.skipped
        self.passed_over += other.passed_over
        self.interrupted |= other.interrupted


def check_here(checker: Checker, sources: Iterable[Source], tick: Progress) -> Outcome:
    """Check files one after the other; an interrupt ends it with what was found until then."""
    outcome = Outcome()
    try:
        with _few_collections():
            _check_all(checker, sources, tick, outcome)
    except KeyboardInterrupt:
        outcome.interrupted = True
    return outcome


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for cycles seldom: records have none, and looking for them is a tenth of the work."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _check_all(checker: Checker, sources: Iterable[Source], tick: Progress, outcome: Outcome) -> None:
    for source in sources:
        try:
            checker.check(source, outcome.tally, tick)
        except UnreadableError as error:
            outcome.skipped.append(Skipped(source.name, str(error), True))
        except SkippedError as error:
            if source.named or source.name.removesuffix(".gz").endswith(".jsonl"):
                outcome.skipped.append(Skipped(source.name, str(error), source.named))
            else:
                outcome.passed_over += 1
