"""Runs a check over many files, in this process or in several, and reports once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from driftcheck.catalogue import Catalogue
from driftcheck.drift.file import Checker, Options
from driftcheck.drift.outcome import Outcome, Progress, check_here, unheard
from driftcheck.drift.report import Circumstances, Report, Skipped, make_report
from driftcheck.read.discover import Discovery, Source, config_folder, discover
from driftcheck.versions import Version

_BATCH = 8 << 20
_WORTH_A_PROCESS = 32 << 20
"""Below this many bytes, starting more processes costs more than it saves."""

PathLike = str | os.PathLike[str]


class UsageError(ValueError):
    """A request that cannot be carried out as it is put."""


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
    tick = progress(discovery) if progress else unheard
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


def _run(
    catalogue: Catalogue, options: Options, sources: Iterable[Source], jobs: int | None, tick: Progress
) -> Outcome:
    batches = _share_out(sources)
    jobs = _processes(batches, jobs)
    if jobs == 1:
        checker = Checker(catalogue, options)
        return check_here(checker, [source for batch in batches for source in batch], tick)
    from driftcheck.drift.pool import check_apart

    outcome, lost = check_apart(catalogue, options, batches, jobs, tick)
    for source in lost:
        if outcome.interrupted:
            break
        again, dead = check_apart(catalogue, options, [[source]], 1, tick)
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
