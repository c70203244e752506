"""Stream-json input: messages and control requests written to the program, its answers read line by line."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

from driftcheck.capture.ending import LINGERED, Ending, last_words
from driftcheck.capture.sandbox import running, wait_until
from driftcheck.capture.scenario import Start, Step
from driftcheck.capture.script import fill
from driftcheck.capture.stage import Stage

_FLAGS = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
_STEP_SECONDS = 15.0
_CONTROL = "control_request"
"""The first versions with stream-json input take nothing but user messages, and end at anything else."""
_ONE_BLOCK = "exactly one item"
"""Words of a refusal: versions that hold them take a message of one content block only."""
FORBIDDEN = "forbidden"
"""A tool whose input holds this word is refused when the program asks for permission; any other is allowed."""


def play(stage: Stage, start: Start) -> Ending:
    errors = stage.out / "stderr.txt"
    limit = time.monotonic() + start.seconds
    with errors.open("ab") as words:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": words}
        command = [*stage.command(start), *_FLAGS]
        with running(command, stage.box, stage.environment(start), **pipes) as process:
            talk = _Talk(stage, process, limit)
            for step in start.steps:
                talk.take(step)
            in_time = time.monotonic() < limit
            code = talk.leave()
        talk.hear_out()
    note = "" if code is not None else LINGERED
    return Ending(0 if in_time and code is None else code, last_words(errors), note)


class _Talk:
    """Both directions of the conversation over the program's pipes."""

    def __init__(self, stage: Stage, process: subprocess.Popen[bytes], limit: float) -> None:
        self._stage = stage
        self._process = process
        self._limit = limit
        self._results = 0
        self._requests = 0
        known = stage.program.knows([_CONTROL, _ONE_BLOCK])
        self._controllable, self._one_block = known[_CONTROL], known[_ONE_BLOCK]
        if not self._controllable:
            stage.dropped.add(_CONTROL)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with (self._stage.out / "stream.jsonl").open("ab") as kept:
            for line in self._process.stdout:
                kept.write(line)
                with contextlib.suppress(ValueError):
                    self._heard(json.loads(line))

    def _heard(self, message: dict[str, Any]) -> None:
        if message.get("type") == "result":
            self._results += 1
        request = message.get("request") or {}
        if message.get("type") == _CONTROL and request.get("subtype") == "can_use_tool":
            self._answer(message["request_id"], request)

    def _answer(self, request_id: str, request: dict[str, Any]) -> None:
        arguments = request.get("input") or {}
        verdict: dict[str, Any] = {"behavior": "allow", "updatedInput": arguments}
        if FORBIDDEN in json.dumps(arguments):
            verdict = {"behavior": "deny", "message": "not this one"}
        elif request.get("tool_name") == "AskUserQuestion":
            answers = {one["question"]: one["options"][0]["label"] for one in arguments.get("questions", [])}
            verdict["updatedInput"] = {**arguments, "answers": answers}
        self._send(
            {
                "type": "control_response",
                "response": {"subtype": "success", "request_id": request_id, "response": verdict},
            }
        )

    def _say(self, content: list[Any]) -> None:
        message = {"role": "user", "content": content}
        envelope = {"parent_tool_use_id": None, "session_id": "", "uuid": str(uuid.uuid4())}
        self._send({"type": "user", "message": message, **envelope})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _wait(self, ready: Callable[[], bool], seconds: float) -> None:
        left = min(seconds, self._limit - time.monotonic())
        wait_until(lambda: ready() or self._process.poll() is not None or self._stage.stop.is_set(), max(0.0, left))

    def take(self, step: Step) -> None:
        before = self._results
        if step.pause:
            self._wait(lambda: False, step.pause)
        if step.say:
            more = () if self._one_block else step.blocks
            self._say([{"type": "text", "text": step.say}, *more])
        if step.control and self._controllable:
            self._requests += 1
            request = fill(dict(step.control), self._stage.server.names)
            self._send({"type": _CONTROL, "request_id": f"request-{self._requests}", "request": request})
        if step.say and step.settle:
            self._wait(lambda: self._results > before, _STEP_SECONDS)
        elif step.settle:
            self._wait(lambda: False, 0.3)

    def leave(self) -> int | None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._wait(lambda: False, 4.0)
        return self._process.poll()

    def hear_out(self) -> None:
        """Reads to the end what the program, now gone, had still to say."""
        assert self._process.stdout is not None
        self._thread.join(2)
        self._process.stdout.close()
