"""Learns from records: what they hold, and what of it the schemas of their version do not accept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from driftcheck import names
from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.parts import ITEM
from driftcheck.drift.codes import Code
from driftcheck.drift.explain import Drift
from driftcheck.drift.file import Checker, Options, SkippedError
from driftcheck.drift.tally import Tally
from driftcheck.infer.census import Census, Counting
from driftcheck.infer.strategies import Builder
from driftcheck.jsontype import Json
from driftcheck.read.discover import discover
from driftcheck.read.records import UnreadableError
from driftcheck.versions import Version

DriftKey = tuple[Code, str, str]
"""A code, a kind and a path inside it."""


@dataclass
class Lesson:
    """What was learned about one distinct drift."""

    versions: Counter[Version] = field(default_factory=Counter)
    builder: Builder = field(default_factory=lambda: Builder(schema_uri=None))
    words: set[str] = field(default_factory=set)

    @property
    def first(self) -> Version:
        return min(self.versions)

    @property
    def count(self) -> int:
        return sum(self.versions.values())


@dataclass
class Learner:
    """A witness that counts everything, and keeps the shape of what was not accepted."""

    catalogue: Catalogue
    census: Census = field(default_factory=Census)
    lessons: dict[DriftKey, Lesson] = field(default_factory=dict)
    undated: int = 0
    """Values of unknown version: they cannot date a change, so nothing is learned from them."""

    def __post_init__(self) -> None:
        self._counting = Counting(self.catalogue, self.census)

    def saw(self, kind: str, value: Json, drifts: list[Drift], version: str | None, file: str) -> None:
        if version is None:
            self.undated += 1
            return
        dated = Version.parse(version)
        self._counting.value(kind, dated, value, file)
        for drift in drifts:
            self._learn(kind, value, drift, dated)

    def _learn(self, kind: str, value: Json, drift: Drift, version: Version) -> None:
        lesson = self.lessons.setdefault((drift.code, kind, drift.path), Lesson())
        lesson.versions[version] += 1
        if drift.code is Code.UNKNOWN_TYPE or kind not in self.catalogue.files:
            lesson.builder.add_object(value)
        elif drift.code is Code.NEW_VALUE:
            lesson.words.update(word for found in dig(value, drift.path) if (word := _word(found)))
        elif drift.code is not Code.MISSING_FIELD:
            for found in dig(value, drift.path):
                lesson.builder.add_object(found)


def learn(catalogue: Catalogue, paths: Iterable[str], options: Options | None = None) -> tuple[Learner, Tally]:
    """Learn from files and folders; what cannot be read teaches nothing and is left to `check` to say."""
    learner = Learner(catalogue)
    checker = Checker(catalogue, options or Options(), learner)
    tally = Tally()
    for source in discover(paths).sources:
        try:
            checker.check(source, tally, lambda _: None)
        except (UnreadableError, SkippedError):
            continue
    return learner, tally


def dig(value: Json, path: str) -> Iterator[Json]:
    """Everything at a path of a value, as reports write paths."""
    steps = path.replace(ITEM, f".{ITEM}").split(".") if path else []
    yield from _dig(value, [step for step in steps if step])


def _dig(value: Json, steps: list[str]) -> Iterator[Json]:
    if not steps:
        yield value
    elif steps[0] == ITEM:
        for item in value if isinstance(value, list) else ():
            yield from _dig(item, steps[1:])
    elif isinstance(value, dict):
        if steps[0] in value:
            yield from _dig(value[steps[0]], steps[1:])
        elif steps[0] == names.ANY_KEY:
            for child in value.values():
                yield from _dig(child, steps[1:])


def _word(value: Json) -> str | None:
    return names.word(value) if isinstance(value, str) else None
