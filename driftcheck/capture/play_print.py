"""Print mode: one prompt, many turns of the model, and the program's standard output kept."""

from __future__ import annotations

import subprocess
from pathlib import Path

from driftcheck.capture.ending import Ending, last_words
from driftcheck.capture.sandbox import running, wait_until
from driftcheck.capture.scenario import Start
from driftcheck.capture.stage import Stage

_OUTPUTS = {
    "stream": (["--output-format", "stream-json", "--verbose"], "stream.jsonl"),
    "json": (["--output-format", "json"], "output.json"),
    "json-verbose": (["--output-format", "json", "--verbose"], "output.json"),
}


def play(stage: Stage, start: Start) -> Ending:
    flags, name = _OUTPUTS[start.output]
    prompt = start.steps[0].say
    command = [*stage.command(start), *flags, "-p", prompt]
    errors = stage.out / "stderr.txt"
    pipes = {"stdin": subprocess.DEVNULL}
    with (
        _place(stage.out / name).open("ab") as output,
        errors.open("ab") as words,
        running(command, stage.box, stage.environment(start), stdout=output, stderr=words, **pipes) as process,
    ):
        wait_until(lambda: process.poll() is not None or stage.stop.is_set(), start.seconds)
        code = process.poll()
    return Ending(code, last_words(errors))


def _place(path: Path) -> Path:
    """Lines of several starts may share a file; a JSON document needs one of its own."""
    places = [path, *(path.with_suffix(f".{number}.json") for number in range(2, 99))]
    return (
        path
        if path.suffix == ".jsonl"
        else next(place for place in places if not place.exists() or not place.stat().st_size)
    )
