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
    jobs: int = 2,
    keep: bool = False,
    cache: Path | None = None,
    timeout: float | None = None,
    progress: Report | None = None,
    programs: Sequence[Program] = (),
) -> list[VersionCapture]:
    """Fresh transcripts of published versions (and of `programs` already on the machine), under `out`/VERSION/SCENARIO.

    A version that cannot be installed is recorded with its error and does not stop the others. Unless `keep` is set,
    a version that this call installed is removed from the cache once it is captured.
    """
    played = [_limited(scenario, timeout) for scenario in chosen(scenarios, modes)]
    report = progress or (lambda _: None)
    stop = threading.Event()
    home = cache or default_cache()
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as stage, ThreadPoolExecutor(max_workers=1) as installer:
        try:
            captures = [_played(program, out, played, stage, stop, report) for program in programs]
            return captures + _published(list(versions), out, played, stage, installer, home, keep, stop, report)
        finally:
            stop.set()


def _limited(scenario: Scenario, timeout: float | None) -> Scenario:
    if timeout is None:
        return scenario
    return replace(scenario, starts=tuple(replace(start, seconds=min(start.seconds, timeout)) for start in scenario.starts))


def _published(
    versions: list[str],
    out: Path,
    scenarios: Sequence[Scenario],
    stage: ThreadPoolExecutor,
    installer: ThreadPoolExecutor,
    cache: Path,
    keep: bool,
    stop: threading.Event,
    report: Report,
) -> list[VersionCapture]:
    """Plays one version while the next is being installed."""
    had = {version for version in versions if (cache / version).is_dir()}
    waiting = [version for version in versions if _todo(out / version, scenarios)]
    coming: dict[str, Future[Program]] = {}
    for version, following in zip(waiting, [*waiting[1:], None], strict=True):
        for wanted in (version, following):
            if wanted and wanted not in coming:
                coming[wanted] = installer.submit(install, wanted, cache, stop)
        try:
            program = coming[version].result()
        except InstallError as error:
            report(Progress(version, "", "failed", reason=str(error)))
            manifest.write(out / version, replace(_known(out / version, version, False), error=str(error)))
            continue
        report(Progress(version, "", "installed"))
        try:
            _played(program, out, scenarios, stage, stop, report)
        finally:
            if not keep and version not in had:
                remove(version, cache)
    return [found for version in versions if (found := manifest.read(out / version))]


def _played(
    program: Program, out: Path, scenarios: Sequence[Scenario], stage: ThreadPoolExecutor, stop: threading.Event, report: Report
) -> VersionCapture:
    folder = out / program.version
    todo = _todo(folder, scenarios)
    running = {stage.submit(perform, program, scenario, folder / scenario.name, stop): scenario for scenario in todo}
    entries = dict(_known(folder, program.version, program.native).entries)
    try:
        for done in as_completed(running):
            scenario, performance = running[done], _result(done, running[done])
            entries[scenario.name] = Entry(scenario.fingerprint, performance)
            manifest.write(folder, VersionCapture(program.version, program.native, entries))
            report(Progress(program.version, scenario.name, performance.status, performance.seconds, performance.reason))
    except BaseException:
        stop.set()
        for future in running:
            future.cancel()
        raise
    return VersionCapture(program.version, program.native, entries)


def _result(done: Future[Performance], scenario: Scenario) -> Performance:
    try:
        return done.result()
    except (OSError, ValueError) as error:
        return Performance(scenario.name, scenario.mode, "failed", f"{type(error).__name__}: {error}")


def _todo(folder: Path, scenarios: Sequence[Scenario]) -> list[Scenario]:
    """What is not captured yet, or was captured with an older form of the scenario; the slowest first."""
    known = manifest.read(folder)
    entries = known.entries if known else {}

    def stands(scenario: Scenario) -> bool:
        entry = entries.get(scenario.name)
        return entry is not None and entry.fingerprint == scenario.fingerprint and entry.performance.status in DONE

    return sorted((scenario for scenario in scenarios if not stands(scenario)), key=lambda one: one.mode != "tui")


def _known(folder: Path, version: str, native: bool) -> VersionCapture:
    return manifest.read(folder) or VersionCapture(version, native)
