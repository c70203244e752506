"""The run: versions × scenarios, several starts side by side, resumable, and ended cleanly whatever happens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from driftcheck.capture import manifest
from driftcheck.capture.install import InstallError, Program, default_cache, install, remove
from driftcheck.capture.manifest import Entry, VersionCapture
from driftcheck.capture.perform import Performance, perform
from driftcheck.capture.scenario import Scenario, chosen

DONE = ("captured", "skipped")


@dataclass(frozen=True)
class Progress:
    """One thing that happened: a version was installed, or a scenario ended."""

    version: str
    scenario: str
    status: str
    seconds: float = 0.0
    reason: str = ""


Report = Callable[[Progress], None]


def capture(
    versions: Iterable[str],
    out: Path,
    *,
    scenarios: Iterable[str] | None = None,
    modes: Iterable[str] | None = None,
    jobs: int = 3,
    keep: bool = False,
    cache: Path | None = None,
    timeout: float | None = None,
    progress: Report | None = None,
    programs: Sequence[Program] = (),
) -> list[VersionCapture]:
    """Fresh transcripts of published versions (and of `programs` on this machine), under `out`/VERSION/SCENARIO.

    A version that cannot be installed is recorded with its error and does not stop the others. Unless `keep` is set,
    a version that this call installed is removed from the cache once it is captured.
    """
    played = [_limited(scenario, timeout) for scenario in chosen(scenarios, modes)]
    report = progress or (lambda _: None)
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool, ThreadPoolExecutor(max_workers=1) as installer:
        stage = _House(out, played, pool, stop, report)
        try:
            captures = [stage.play(program) for program in programs]
            shelf = _Shelf(cache or default_cache(), keep, installer, stop)
            return captures + _published(list(versions), stage, shelf)
        finally:
            stop.set()


def _limited(scenario: Scenario, timeout: float | None) -> Scenario:
    if timeout is None:
        return scenario
    starts = tuple(replace(start, seconds=min(start.seconds, timeout)) for start in scenario.starts)
    return replace(scenario, starts=starts)


def _published(versions: list[str], house: _House, shelf: _Shelf) -> list[VersionCapture]:
    """Plays one version while the next is being installed."""
    waiting = [version for version in versions if house.todo(version)]
    for number, version in enumerate(waiting):
        shelf.order(waiting[number : number + 2])
        try:
            program = shelf.take(version)
        except InstallError as error:
            house.refuse(version, str(error))
            continue
        house.report(Progress(version, "", "installed"))
        try:
            house.play(program)
        finally:
            shelf.put_away(version)
    return [found for version in versions if (found := manifest.read(house.out / version))]


class _Shelf:
    """Installed versions, fetched ahead of their turn and put away after it."""

    def __init__(self, cache: Path, keep: bool, installer: ThreadPoolExecutor, stop: threading.Event) -> None:
        self._cache = cache
        self._keep = keep
        self._installer = installer
        self._stop = stop
        self._coming: dict[str, Future[Program]] = {}
        self._had = {path.name for path in cache.iterdir()} if cache.is_dir() else set()

    def order(self, versions: Iterable[str]) -> None:
        for version in versions:
            if version not in self._coming:
                self._coming[version] = self._installer.submit(install, version, self._cache, self._stop)

    def take(self, version: str) -> Program:
        return self._coming[version].result()

    def put_away(self, version: str) -> None:
        if not self._keep and version not in self._had:
            remove(version, self._cache)


@dataclass(frozen=True)
class _House:
    """Where scenarios are played: several starts side by side, each result in the manifest as soon as it is there."""

    out: Path
    scenarios: Sequence[Scenario]
    pool: ThreadPoolExecutor
    stop: threading.Event
    report: Report

    def play(self, program: Program) -> VersionCapture:
        folder = self.out / program.version
        running = {
            self.pool.submit(perform, program, scenario, folder / scenario.name, self.stop): scenario
            for scenario in self.todo(program.version)
        }
        known = manifest.read(folder)
        entries = dict(known.entries) if known else {}
        try:
            for done in as_completed(running):
                scenario, performance = running[done], _result(done, running[done])
                entries[scenario.name] = Entry(scenario.fingerprint, performance)
                manifest.write(folder, VersionCapture(program.version, program.native, entries))
                self.report(
                    Progress(
                        program.version, scenario.name, performance.status, performance.seconds, performance.reason
                    )
                )
        except BaseException:
            self.stop.set()
            for future in running:
                future.cancel()
            raise
        return VersionCapture(program.version, program.native, entries)

    def refuse(self, version: str, reason: str) -> None:
        self.report(Progress(version, "", "failed", reason=reason))
        known = manifest.read(self.out / version) or VersionCapture(version, False)
        manifest.write(self.out / version, replace(known, error=reason))

    def todo(self, version: str) -> list[Scenario]:
        """What is not captured yet, or was captured with an older form of the scenario; the slowest first."""
        known = manifest.read(self.out / version)
        entries = known.entries if known else {}

        def stands(scenario: Scenario) -> bool:
            entry = entries.get(scenario.name)
            return entry is not None and entry.fingerprint == scenario.fingerprint and entry.performance.status in DONE

        return sorted((one for one in self.scenarios if not stands(one)), key=lambda one: one.mode != "tui")


def _result(done: Future[Performance], scenario: Scenario) -> Performance:
    try:
        return done.result()
    except (OSError, ValueError) as error:
        return Performance(scenario.name, scenario.mode, "failed", f"{type(error).__name__}: {error}")
