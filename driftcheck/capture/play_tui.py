"""The terminal interface: prompts typed and keys pressed in a pseudo-terminal, one step after the other."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from driftcheck.capture.ending import LINGERED, Ending
from driftcheck.capture.sandbox import running, wait_until
from driftcheck.capture.scenario import Start, Step
from driftcheck.capture.script import fill
from driftcheck.capture.stage import Stage
from driftcheck.capture.terminal import Terminal

_PROMPT = "❯|│>|>"
_QUIET = 0.45
"""A spinner turns while the program works; a screen that stands still this long awaits the user."""
_GUARD = 0.7
"""Newer versions take no key for a moment after a question appeared, lest it was meant for something else."""
_STEP_SECONDS = 7.0


def play(stage: Stage, start: Start) -> Ending:
    limit = time.monotonic() + start.seconds
    with Terminal() as terminal:
        ends = {"stdin": terminal.far, "stdout": terminal.far, "stderr": terminal.far}
        with running(stage.command(start), stage.box, stage.environment(start), **ends) as process:
            user = _User(stage, terminal, process, limit)
            user.wait(lambda: terminal.shows(_PROMPT) and terminal.quiet_for() > _QUIET)
            for step in start.steps:
                user.take(step)
            in_time = time.monotonic() < limit
            code = user.leave()
    if in_time and code is None:
        return Ending(0, "", "; ".join([*user.notes, LINGERED]))
    return Ending(code, "" if code == 0 else terminal.words()[-200:], "; ".join(user.notes))


class _User:
    """Someone at the keyboard, who gives up when the time limit has come."""

    def __init__(self, stage: Stage, terminal: Terminal, process: subprocess.Popen[bytes], limit: float) -> None:
        self._stage = stage
        self._terminal = terminal
        self._process = process
        self._limit = limit
        self._mark = 0
        self._heard = False
        self.notes: list[str] = []

    def _over(self) -> bool:
        return self._stage.stop.is_set() or self._process.poll() is not None or time.monotonic() > self._limit

    def wait(self, ready: Callable[[], bool], seconds: float = _STEP_SECONDS) -> bool:
        wait_until(lambda: ready() or self._over(), seconds)
        return ready()

    def take(self, step: Step) -> None:
        if self._over():
            return
        if step.when and not self.wait(lambda: self._terminal.shows(step.when, self._mark), 1.0):
            return
        if step.screen and not self.wait(lambda: self._terminal.shows(step.screen, self._mark)):
            self.notes.append(f"never saw: {step.screen}")
        self.wait(lambda: False, max(step.pause, _GUARD if step.screen or step.when else 0.0))
        if step.say or step.keys:
            self._mark = self._terminal.mark
        if step.say:
            self._say(str(fill(step.say, self._stage.server.names)))
        for key in step.keys:
            self._terminal.press(key)
            self.wait(lambda: False, 0.12)
        if step.settle:
            self._settle(step.cue or step.say)

    def _say(self, words: str) -> None:
        """Enter is a key of its own: pasted together with the words it would be taken for a new line."""
        mark = self._terminal.mark
        self._terminal.type(words)
        if not self.wait(lambda: self._terminal.shows(words[-6:], mark), 1.5) and not self._heard:
            # A program that is still starting may throw away what was typed first.
            self._terminal.type(words)
            self.wait(lambda: self._terminal.shows(words[-6:], mark), 1.5)
        self._heard = True
        self.wait(lambda: self._terminal.quiet_for() > 0.25, 1.0)
        self._terminal.press("enter")
        self.wait(lambda: False, 0.2)

    def _settle(self, cue: str) -> None:
        server, terminal = self._stage.server, self._terminal

        def settled() -> bool:
            return server.script.spoken(cue) and server.idle_for() > _QUIET and terminal.quiet_for() > _QUIET

        self.wait(settled)

    def leave(self) -> int | None:
        for farewell in (("ctrl-c",), ("ctrl-c",), ("ctrl-d",), ("ctrl-d",)):
            if self._process.poll() is not None:
                break
            for key in farewell:
                self._terminal.press(key)
            wait_until(lambda: self._process.poll() is not None, 0.6)
        wait_until(lambda: self._process.poll() is not None or self._stage.stop.is_set(), 3)
        return self._process.poll()
