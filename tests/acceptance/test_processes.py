"""What the command does when it is stopped, loses a process, or nobody reads what it writes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from command import EXECUTABLE, as_report, clean_environment
from records import lines, user, write

LARGE = 9 << 20
"""Enough for a file to be a share of the work of its own."""


class _TooLongError(Exception):
    """A guard for a test that would wait for ever."""


@pytest.fixture(autouse=True)
def _guard() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@contextmanager
def _started(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    command = [EXECUTABLE, "check", *map(str, arguments)]
    output = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=output, stderr=output, text=True, env=clean_environment(), start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate()
    assert "Traceback" not in err, err
    return process.returncode, out, err


def _wait_for_reader(pipe: Path) -> IO[bytes]:
    """Open a pipe for writing, which lasts until somebody has opened it for reading."""
    return pipe.open("wb", buffering=0)


def _kill_reader(writer: IO[bytes], pipe: Path, process: subprocess.Popen[str]) -> None:
    """Kill the process that reads a pipe, once it surely does."""
    writer.write(b" " * (1 << 18) + b"\n")  # more than a pipe holds, so this lasts until most of it is read
    (reader,) = _readers(pipe, process)
    handle = os.pidfd_open(reader)
    os.kill(reader, signal.SIGKILL)
    select.select([handle], [], [])
    os.close(handle)


def _readers(pipe: Path, process: subprocess.Popen[str]) -> Iterator[int]:
    """The processes of a command that have a pipe open."""
    for entry in Path("/proc").iterdir():
        try:
            is_of_command = entry.name.isdigit() and os.getsid(int(entry.name)) == process.pid
            if is_of_command and any(file.readlink() == pipe for file in (entry / "fd").iterdir()):
                yield int(entry.name)
        except OSError:
            continue


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="finds the process that reads a pipe through /proc")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    line = lines([user("shelf " * 2000, shelf=1)])
    path = tmp_path / "large.jsonl"
    path.write_bytes(line * (LARGE // len(line) + 1))
    return path


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    return path


def _line_count(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def test_an_interrupt_gives_what_was_checked_until_then_and_exit_130(tmp_path: Path, pipe: Path) -> None:
    first = write(tmp_path / "first.jsonl", user(shelf=1))
    with _started("--format", "json", first, pipe) as process, _wait_for_reader(pipe):
        os.killpg(process.pid, signal.SIGINT)
        code, out, _ = _finish(process)

    report = as_report(out)
    assert code == 130
    assert report["summary"]["interrupted"] is True
    assert [(f["path"], f["count"]) for f in report["findings"]] == [("shelf", 1)]


def test_an_interrupt_is_said_in_the_text(tmp_path: Path, pipe: Path) -> None:
    first = write(tmp_path / "first.jsonl", user())
    with _started(first, pipe) as process, _wait_for_reader(pipe):
        process.send_signal(signal.SIGINT)
        code, out, _ = _finish(process)

    assert code == 130
    assert "note: interrupted; this is what was checked until then\nclean · 1 record in 1 file" in out


@pytest.mark.parametrize("send", [os.killpg, os.kill], ids=["from the terminal", "to the command alone"])
def test_an_interrupt_of_several_processes_keeps_what_they_found(
    large: Path, pipe: Path, send: Callable[[int, int], None]
) -> None:
    with _started("--format", "json", "--jobs", "2", large, pipe) as process, pipe.open("r+b", buffering=0) as writer:
        writer.write(lines([user(version="1.0.24", lamp=1)]) + b" " * (1 << 18) + b"\n")
        send(process.pid, signal.SIGINT)
        code, out, _ = _finish(process)

    report = as_report(out)
    assert code == 130
    assert report["summary"]["interrupted"] is True
    assert "lamp" in {finding["path"] for finding in report["findings"]}


@needs_proc
def test_a_file_whose_process_is_killed_is_checked_again(large: Path, pipe: Path) -> None:
    with _started("--format", "json", "--jobs", "2", large, pipe) as process:
        with pipe.open("r+b", buffering=0) as writer:
            _kill_reader(writer, pipe, process)
            writer.write(lines([user(lamp=1)]) + b" " * (1 << 18) + b"\n")
        code, out, _ = _finish(process)

    report = as_report(out)
    assert (code, report["skipped"]) == (1, [])
    assert {f["path"]: f["count"] for f in report["findings"]} == {"shelf": _line_count(large), "lamp": 1}


@needs_proc
def test_a_file_that_kills_its_process_every_time_is_named(large: Path, pipe: Path) -> None:
    with _started("--format", "json", "--jobs", "2", large, pipe) as process:
        with pipe.open("r+b", buffering=0) as writer:
            _kill_reader(writer, pipe, process)
            _kill_reader(writer, pipe, process)
        code, out, _ = _finish(process)

    report = as_report(out)
    assert code == 2
    assert report["skipped"] == [{"name": str(pipe), "reason": "the process that checked it died", "is_failure": True}]
    assert report["summary"]["records"] == _line_count(large)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_reader_that_goes_away_is_no_trouble(tmp_path: Path, form: str) -> None:
    drifts = [user() | {f"shelf{chr(97 + n // 26)}{chr(97 + n % 26)}": 1} for n in range(500)]
    path = write(tmp_path / "many.jsonl", *drifts)
    with _started("--format", form, path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()

    assert err == ""
