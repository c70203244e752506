"""One performance: one scenario played on one version, from an empty sandbox to the harvest."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from driftcheck.capture import play_print, play_sdk, play_tui
from driftcheck.capture.census import kinds_of
from driftcheck.capture.ending import Ending
from driftcheck.capture.harvest import SessionWatch, harvest
from driftcheck.capture.install import Program
from driftcheck.capture.sandbox import sandbox
from driftcheck.capture.scenario import Scenario, Start
from driftcheck.capture.script import Script
from driftcheck.capture.server import ModelServer
from driftcheck.capture.stage import Stage, certificate, set_stage

PLAYERS: dict[str, Callable[[Stage, Start], Ending]] = {
    "print": play_print.play,
    "sdk": play_sdk.play,
    "tui": play_tui.play,
}


_LACKING = re.compile(r"option '.*' argument '.*' is invalid")
_REFUSED = re.compile(r"unknown option '(--[\w-]+)|passed via (--[\w-]+)\) not found")


class InterruptedPerformanceError(Exception):
    """A performance that was stopped half-way; nothing of it is kept."""


@dataclass(frozen=True)
class Performance:
    """How a scenario went on one version, as the manifest records it."""

    scenario: str
    mode: str
    status: str
    reason: str = ""
    seconds: float = 0.0
    exits: tuple[int | None, ...] = ()
    kinds: dict[str, int] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    not_offered: tuple[str, ...] = ()
    unspoken: dict[str, int] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def perform(program: Program, scenario: Scenario, out: Path, stop: threading.Event | None = None) -> Performance:
    """Plays a scenario; `out` is replaced as a whole, so that a half-done performance is never taken for one."""
    if reason := scenario.lacking(program):
        return Performance(scenario.name, scenario.mode, "skipped", reason, missing=scenario.exercises)
    staging = out.with_name(f".{out.name}.part")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    try:
        performance = _play(program, scenario, staging, stop or threading.Event())
        if stop is not None and stop.is_set():
            raise InterruptedPerformanceError(f"{scenario.name} was interrupted")
        shutil.rmtree(out, ignore_errors=True)
        if performance.status != "skipped":
            _drop_empty(staging)
            staging.rename(out)
        return performance
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _play(program: Program, scenario: Scenario, out: Path, stop: threading.Event) -> Performance:
    began = time.monotonic()
    with sandbox() as box:
        pem = certificate(box.root) if scenario.tls else None
        with ModelServer(Script(scenario.lines), certificate=pem) as server, SessionWatch(box, out):
            stage = set_stage(program, scenario, box, server, out, stop)
            endings = [_played(stage, start) for start in scenario.starts if not stop.is_set()]
        harvest(box, out)
    kinds = kinds_of(out)
    status, reason = _verdict(endings, kinds)
    return Performance(
        scenario=scenario.name,
        mode=scenario.mode,
        status=status,
        reason=reason,
        seconds=round(time.monotonic() - began, 1),
        exits=tuple(ending.code for ending in endings),
        kinds=dict(sorted(kinds.items())),
        dropped=tuple(sorted(stage.dropped)),
        not_offered=tuple(sorted({"|".join(names) for names in server.log.missed})),
        unspoken=server.script.unspoken(),
        refused=tuple(sorted({_host(address) for address in server.log.refused})),
        missing=tuple(kind for kind in scenario.exercises if kind not in kinds),
    )


def _played(stage: Stage, start: Start) -> Ending:
    """Plays a start; a flag that stands in the program's text and is refused all the same is left out."""
    ending = PLAYERS[start.mode](stage, start)
    while refused := _REFUSED.search(ending.words):
        flag = refused[1] or refused[2]
        if flag in stage.dropped:
            break
        stage.dropped.add(flag)
        ending = PLAYERS[start.mode](stage, start)
    return ending


def _drop_empty(folder: Path) -> None:
    """A start that said nothing leaves an empty file, which is no output of the program."""
    for path in folder.glob("*.json*"):
        if not path.stat().st_size:
            path.unlink()


def _host(address: str) -> str:
    """Whom the program tried to reach; whose registry that was is nobody's business."""
    host = urlsplit(address if "//" in address else f"//{address}").hostname or address
    return "a package registry" if "registry" in host else host


def _verdict(endings: list[Ending], kinds: Counter[str]) -> tuple[str, str]:
    words = "; ".join(filter(None, (ending.words for ending in endings)))
    notes = "; ".join(filter(None, (ending.note for ending in endings)))
    if not kinds and (lacking := _LACKING.search(words)):
        return "skipped", f"this version does not have it: {lacking[0]}"
    if any(ending.code is None for ending in endings):
        return "timeout", f"ended by the time limit; last words: {words or 'none'}"
    if not kinds:
        return "failed", f"the program wrote nothing; its last words: {words or 'none'}"
    worst = max((ending.code or 0 for ending in endings), key=abs)
    if worst not in (0, 1):
        return "failed", f"the program crashed with code {worst}; its last words: {words or 'none'}"
    return "captured", "; ".join(filter(None, ["exit code 1" if worst else "", words if worst else "", notes]))
