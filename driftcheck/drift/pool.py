"""Checks files in several processes, and loses none of them: not to an interrupt, not to a process that dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from multiprocessing.synchronize import Event

from driftcheck.catalogue import Catalogue
from driftcheck.drift.file import Checker, Options
from driftcheck.drift.outcome import Outcome, Progress, check_here, unheard
from driftcheck.read.discover import Source


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
        return Outcome(interrupted=True) if _worker.stop.is_set() else check_here(_worker.checker, sources, unheard)
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


def check_apart(
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
