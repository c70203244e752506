"""A census of kinds in captured files: what each piece of JSON is, as a check tells it."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path

from driftcheck.catalogue import Catalogue
from driftcheck.drift.codes import Code
from driftcheck.drift.file import Checker, Options, SkippedError
from driftcheck.drift.tally import Tally
from driftcheck.read.discover import discover
from driftcheck.read.records import UnreadableError


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return Catalogue.load()


def kinds_of(path: Path) -> Counter[str]:
    """How often each kind occurs in captured files, known to the catalogue or not."""
    checker = Checker(_catalogue(), Options())
    tally = Tally()
    for source in discover([path]).sources:
        try:
            checker.check(source, tally, lambda _: None)
        except (UnreadableError, SkippedError):
            continue
    counts: Counter[str] = Counter()
    for seen in tally.seen.values():
        counts.update(seen)
    counts.update({kind: mark.count for (code, kind, _, _), mark in tally.marks.items() if code is Code.UNKNOWN_TYPE})
    counts.update(tally.unjudged)
    return counts
