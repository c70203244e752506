"""Runs a check over many files, in this process or in several, and reports once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import active_children, get_context
from multiprocessing.synchronize import Event

from driftcheck.catalogue import Catalogue
from driftcheck.drift.file import Checker, Options, SkippedError
from driftcheck.drift.report import Circumstances, Report, Skipped, make_report
from driftcheck.drift.tally import Tally
from driftcheck.read.discover import Discovery, Source, config_folder, discover
from driftcheck.read.records import UnreadableError
from driftcheck.versions import Version

_BATCH = 8 << 20
_WORTH_A_PROCESS = 32 << 20
"""Below this many bytes, starting more processes costs more than it saves."""

PathLike = str | os.PathLike[str]
Progress = Callable[[int], None]
"""Told how many bytes went by."""


class UsageError(ValueError):
    """A request that cannot be carried out as it is put."""


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


def check(
    paths: Iterable[PathLike] | PathLike | None = None,
    *,
    surface: str | None = None,
    at: Version | str | None = None,
    schemas: Catalogue | PathLike | None = None,
    jobs: int | None = 1,
    progress: Callable[[Discovery], Progress] | None = None,
) -> Report:
    """Check files and folders for drift.

    With no paths, the Claude config folder is checked. `surface` names what the files are where their look
    does not tell; `at` judges everything as one version; `schemas` is another catalogue; `jobs` is how many
    processes share the work (None: one per core, where the files are large enough for that).
    """
    catalogue = schemas if isinstance(schemas, Catalogue) else Catalogue.load(schemas)
    if surface is not None and surface not in catalogue.routes.surfaces:
        known = ", ".join(sorted(catalogue.routes.surfaces))
        raise UsageError(f"{surface!r} is no surface; there are {known}")
    version = Version.parse(at) if isinstance(at, str) else at
    discovery = discover(_named(paths))
    tick = progress(discovery) if progress else _ignore
    outcome = _run(catalogue, Options(surface, version), discovery.sources, jobs, tick)
    missed = [Skipped(missed.name, missed.reason, True) for missed in discovery.missed]
    circumstances = Circumstances(
        newest=catalogue.newest,
        evidence=catalogue.routes.evidence,
        at=version,
        skipped=(*outcome.skipped, *missed),
        passed_over=discovery.passed_over + outcome.passed_over,
        interrupted=outcome.interrupted,
    )
    return make_report(outcome.tally, circumstances)


def _named(paths: Iterable[PathLike] | PathLike | None) -> list[PathLike]:
    if paths is None:
        return [config_folder(os.environ)]
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _ignore(_: int) -> None:
    pass


def _run(
    catalogue: Catalogue, options: Options, sources: Iterable[Source], jobs: int | None, tick: Progress
) -> Outcome:
    batches = _share_out(sources)
    jobs = _processes(batches, jobs)
    if jobs == 1:
        checker = Checker(catalogue, options)
        return _run_here(checker, [source for batch in batches for source in batch], tick)
    outcome, lost = _run_apart(catalogue, options, batches, jobs, tick)
    for source in lost:
        if outcome.interrupted:
            break
        again, dead = _run_apart(catalogue, options, [[source]], 1, tick)
        outcome.add(again)
        outcome.skipped += [Skipped(name.name, "the process that checked it died", True) for name in dead]
    return outcome


def _processes(batches: list[list[Source]], jobs: int | None) -> int:
    if any(source.is_stdin for batch in batches for source in batch):
        return 1
    if jobs is None:
        size = sum(source.size for batch in batches for source in batch)
        jobs = 1 if size < _WORTH_A_PROCESS else os.cpu_count() or 1
    return max(1, min(jobs, len(batches)))


def _share_out(sources: Iterable[Source]) -> list[list[Source]]:
    """Batches of about the same size, so that thousands of small files do not cost a message each."""
    batches: list[list[Source]] = []
    room = 0
    for source in sources:
        if room <= 0:
            batches.append([])
            room = _BATCH
        batches[-1].append(source)
        room -= max(source.size, 1024)
    return batches


def _run_here(checker: Checker, sources: Iterable[Source], tick: Progress) -> Outcome:
    outcome = Outcome()
    try:
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
    except KeyboardInterrupt:
        outcome.interrupted = True
    return outcome


@dataclass(frozen=True)
class _Worker:
    checker: Checker
    stop: Event


_worker: _Worker | None = None


def _start_worker(catalogue: Catalogue, options: Options, stop: Event) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _worker = _Worker(Checker(catalogue, options), stop)


def _work(sources: list[Source]) -> Outcome:
    """Check a batch; an interrupt ends the work and not the worker, so that what it found is not lost."""
    assert _worker is not None
    try:
        signal.signal(signal.SIGINT, _interrupt_once)
        return Outcome(interrupted=True) if _worker.stop.is_set() else _run_here(_worker.checker, sources, _ignore)
    except KeyboardInterrupt:
        return Outcome(interrupted=True)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt_once(*_: object) -> None:
    """The terminal interrupts every process, and the first one passes it on: once is enough."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Processes started in here begin with interrupts held back, too, until they can deal with one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_apart(
    catalogue: Catalogue, options: Options, batches: list[list[Source]], jobs: int, tick: Progress
) -> tuple[Outcome, list[Source]]:
    """Check batches in processes of their own; also returns the files whose process died."""
    total = Outcome()
    lost: list[Source] = []
    waiting: dict[Future[Outcome], list[Source]] = {}

    def submit() -> None:
        for batch in batches:
            try:
                waiting[pool.submit(_work, batch)] = batch
            except BrokenProcessPool:
                lost.extend(batch)

    def collect() -> None:
        for future in as_completed(list(waiting)):
            batch = waiting.pop(future)
            try:
                total.add(future.result())
                tick(sum(source.size for source in batch))
            except BrokenProcessPool:
                lost.extend(batch)
            except CancelledError:
                pass

    context = get_context("spawn")
    stop = context.Event()
    others = set(active_children())
    with ProcessPoolExecutor(jobs, context, _start_worker, (catalogue, options, stop)) as pool:
        try:
            with _interrupts_held_back():
                submit()
            collect()
        except KeyboardInterrupt:
            total.interrupted = True
            stop.set()
            for future in waiting:
                future.cancel()
            for child in set(active_children()) - others:
                if child.pid:
                    os.kill(child.pid, signal.SIGINT)
            collect()
        if lost:  # the pool would wait for ever for a process that was only just starting when another died
            for child in set(active_children()) - others:
                child.kill()
    return total, lost
