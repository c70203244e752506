"""Runs over versions and scenarios: kept, resumed, interrupted, and loud when something is amiss."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from driftcheck.capture import Progress, capture, coverage, read_all
from driftcheck.capture.install import InstallError, Program, install, installed
from driftcheck.capture.manifest import ManifestError, read

from .support import VERSION, living, needs_npm

COMMAND = [sys.executable, "-c", "from driftcheck.cli.capture import capture; capture()"]


@pytest.fixture(scope="module")
def captured(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("captures")
    capture([], out, scenarios=["resume", "web"], programs=[program])
    return out


def test_a_capture_keeps_the_programs_own_tree_and_a_manifest(captured: Path) -> None:
    folder = captured / VERSION
    assert list((folder / "resume" / "projects").rglob("*.jsonl"))
    assert (folder / "resume" / "stream.jsonl").is_file()
    assert orjson.loads((folder / "resume" / "output.json").read_bytes())["type"] == "result"
    assert orjson.loads((folder / "resume" / "output.2.json").read_bytes())[-1]["type"] == "result"
    manifest = orjson.loads((folder / "manifest.json").read_bytes())
    assert manifest["version"] == VERSION
    assert manifest["kinds"]["stream/result/error_max_turns"] == 1
    assert manifest["scenarios"]["web"]["status"] == "captured"
    assert manifest["scenarios"]["web"]["kinds"]["tool/WebFetch/result"] >= 1


def test_what_is_captured_is_not_captured_again(captured: Path, program: Program) -> None:
    before = (captured / VERSION / "web" / "stream.jsonl").stat().st_mtime_ns
    told: list[Progress] = []
    [again] = capture([], captured, scenarios=["web"], programs=[program], progress=told.append)
    assert told == []
    assert again.complete
    assert (captured / VERSION / "web" / "stream.jsonl").stat().st_mtime_ns == before


def test_a_changed_scenario_is_captured_again(captured: Path, program: Program) -> None:
    path = captured / VERSION / "manifest.json"
    body = orjson.loads(path.read_bytes())
    body["scenarios"]["web"]["fingerprint"] = "of an older form"
    path.write_bytes(orjson.dumps(body))
    told: list[Progress] = []
    capture([], captured, scenarios=["web"], programs=[program], progress=told.append)
    assert [(step.scenario, step.status) for step in told] == [("web", "captured")]


def test_a_version_that_lacks_a_feature_is_skipped_with_the_reason(tmp_path: Path, program: Program) -> None:
    body = tmp_path / "cli.js"
    body.write_text("// knows nothing")
    old = Program("0.0.1", program.command, body)
    [result] = capture([], tmp_path / "out", scenarios=["stream"], programs=[old])
    performance = result.entries["stream"].performance
    assert (performance.status, performance.reason) == ("skipped", "0.0.1 does not know --input-format")


def test_a_version_that_refuses_a_value_is_skipped_with_its_own_words(tmp_path: Path, program: Program) -> None:
    [result] = capture([], tmp_path, scenarios=["auto"], programs=[replace(program, body=knows(tmp_path))])
    performance = result.entries["auto"].performance
    assert performance.status == "skipped"
    assert "argument 'auto' is invalid" in performance.reason


def knows(folder: Path) -> Path:
    """The text of a program that holds the words of a feature and yet has it not."""
    body = folder / "cli.js"
    body.write_text("// PermissionDenied --permission-mode IS_SANDBOX")
    return body


def test_a_program_that_crashes_is_a_failure_with_its_last_words(tmp_path: Path) -> None:
    body = tmp_path / "claude"
    body.write_text("#!/bin/sh\necho 'segments are at fault' >&2\nexit 139\n")
    body.chmod(0o755)
    broken = Program("9.9.9", (str(body),), body)
    [result] = capture([], tmp_path / "out", scenarios=["web"], programs=[broken])
    performance = result.entries["web"].performance
    assert performance.status == "failed"
    assert "wrote nothing" in performance.reason
    assert "segments are at fault" in performance.reason
    assert not result.complete


def test_a_time_limit_ends_a_program_that_does_not(tmp_path: Path) -> None:
    body = tmp_path / "claude"
    body.write_text('#!/bin/sh\necho \'{"type":"system","subtype":"init"}\'\nsleep 60\n')
    body.chmod(0o755)
    slow = Program("9.9.9", (str(body),), body)
    [result] = capture([], tmp_path / "out", scenarios=["web"], programs=[slow], timeout=1)
    assert result.entries["web"].performance.status == "timeout"
    assert result.entries["web"].performance.seconds < 10


def test_coverage_is_kinds_by_versions(captured: Path) -> None:
    table = coverage(read_all(captured))
    assert table["tool/WebFetch/input"][VERSION] > 0


def test_a_broken_manifest_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(ManifestError, match="remove it to capture this version again"):
        read(tmp_path)


def test_an_unknown_version_names_the_newest(tmp_path: Path) -> None:
    needs_npm()
    with pytest.raises(InstallError, match=r"no published version 99\.0\.0; the newest are"):
        install("99.0.0", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_npm_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InstallError, match="install Node"):
        install("2.0.76", tmp_path / "cache")


def test_a_version_that_cannot_be_installed_does_not_stop_the_others(
    tmp_path: Path, cache: Path, program: Program
) -> None:
    results = capture(["99.0.0", program.version], tmp_path, scenarios=["web"], cache=cache, keep=True)
    assert [(result.version, result.complete) for result in results] == [("99.0.0", False), (VERSION, True)]
    assert "no published version" in results[0].error


@pytest.mark.parametrize("name", ["absent", "mute"])
def test_an_installed_program_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    mute = tmp_path / "mute"
    mute.write_text("#!/bin/sh\n")
    mute.chmod(0o755)
    with pytest.raises(InstallError, match=r"no program at|did not say its version"):
        installed(tmp_path / name)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_every_process_and_keeps_nothing_half_done(
    tmp_path: Path, program: Program, number: signal.Signals
) -> None:
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    temporary.mkdir()
    arguments = ["--installed", str(program.body), "-o", str(out), "--scenario", "terminal", "--scenario", "agents"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen([*COMMAND, *arguments], env=environment, stderr=subprocess.PIPE) as process:
        mark = f"HOME={temporary}"
        limit = time.monotonic() + 30
        while not living(mark) and time.monotonic() < limit:
            time.sleep(0.1)
        assert living(mark), "the program never started"
        time.sleep(1.5)
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Interrupted" in said
    assert living(mark) == []
    assert list(temporary.glob("driftcheck-*")) == []
    assert [path for path in out.rglob("*") if path.is_file()] == []
