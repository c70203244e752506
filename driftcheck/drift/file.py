"""Checks one file: tells its surface, gives every record its version, and has it judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.routes import Routes, Surface
from driftcheck.drift.bench import Bench, Press
from driftcheck.drift.judge import Judge, Witness
from driftcheck.drift.tally import Tally
from driftcheck.jsontype import Json
from driftcheck.read.discover import Source
from driftcheck.read.parse import Trouble
from driftcheck.read.records import Item, open_source, read_records
from driftcheck.read.surface import surface_by_look, surface_by_name
from driftcheck.versions import Version, find_version

_LOOK_AT = 256
"""How many records are looked at to tell a file's surface."""
_WAIT_FOR = 4096
"""How many records may wait for the first one that states a version."""
_MOST_BENCHES = 1000
"""More versions than were ever published."""


class SkippedError(Exception):
    """A file in which there is nothing to check, and why."""


@dataclass(frozen=True)
class Options:
    """How a run judges: the same for all files of it."""

    surface: str | None = None
    at: Version | None = None


class Checker:
    """Checks files against one catalogue, one after the other."""

    def __init__(self, catalogue: Catalogue, options: Options, witness: Witness | None = None) -> None:
        self._witness = witness
        self._routes = catalogue.routes
        self._press = Press(catalogue)
        self._options = options
        self._benches: dict[str | None, Bench] = {}

    def check(self, source: Source, tally: Tally, tick: Callable[[int], None]) -> None:
        """Add what one file holds to a tally.

        Raises UnreadableError where the file cannot be read to its end, and SkippedError where there is
        nothing in it to check.
        """

        def count(size: int) -> None:
            tally.bytes += size
            tick(size)

        with open_source(None if source.is_stdin else source.path, count) as handle:
            items = read_records(handle, is_document=source.is_document)
            surface, items = tell_surface(self._routes, source, items, self._options.surface)
            tally.files += 1
            tally.surfaces[surface.name] += 1
            judge = Judge(source.name, surface, self._routes, tally, self._witness)
            try:
                self._judge_items(judge, surface, items, source.stated_version)
            finally:
                judge.close()

    def _judge_items(self, judge: Judge, surface: Surface, items: Iterator[Item], stated: str | None) -> None:
        """Judge each record by its own version, else the nearest before it, else the nearest after it."""
        field = None if self._options.at else surface.version
        version = str(self._options.at) if self._options.at else None
        bench = self._bench(version or stated)
        waiting: list[tuple[int, dict[str, Json]]] = []
        for line, record in items:
            if isinstance(record, Trouble):
                judge.malformed(line, record)
                continue
            own = record.get(field) if field else version
            if own is not None and own != version and (known := _version_in(own)) != version and known:
                version = known
                bench = self._bench(version)
            if version is None and field and len(waiting) < _WAIT_FOR:
                waiting.append((line, record))
                continue
            if waiting:
                _judge_all(judge, waiting, bench)
            judge.record(record, line, bench)
        _judge_all(judge, waiting, bench)

    def _bench(self, version: str | None) -> Bench:
        try:
            return self._benches[version]
        except KeyError:
            known = find_version(version) if version else None
            if len(self._benches) > _MOST_BENCHES:
                self._benches.clear()
            return self._benches.setdefault(version, Bench(self._press, known, version))


def tell_surface(
    routes: Routes, source: Source, items: Iterator[Item], named: str | None
) -> tuple[Surface, Iterator[Item]]:
    """The surface of a file, by its name or its first records; also returns all records again."""
    name = named or surface_by_name(source.path)
    looked_at: list[Item] = []
    while name is None and len(looked_at) < _LOOK_AT:
        item = next(items, None)
        if item is None:
            break
        looked_at.append(item)
        if isinstance(item[1], dict):
            name = surface_by_look(item[1])
    if name is None:
        raise SkippedError(_no_surface(looked_at))
    return routes.surfaces[name], chain(looked_at, items)


def _judge_all(judge: Judge, waiting: list[tuple[int, dict[str, Json]]], bench: Bench) -> None:
    for line, record in waiting:
        judge.record(record, line, bench)
    waiting.clear()


def _version_in(value: Json) -> str | None:
    version = find_version(value) if isinstance(value, str) else None
    return str(version) if version else None


def _no_surface(looked_at: list[Item]) -> str:
    if not looked_at:
        return "is empty"
    troubles = [item for _, item in looked_at if isinstance(item, Trouble)]
    if len(troubles) == len(looked_at):
        return f"holds no JSON objects ({troubles[0].reason}): not data of Claude Code"
    return "does not look like data of Claude Code; if it is, name its surface with --surface"
