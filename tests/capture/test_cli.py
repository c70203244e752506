from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from driftcheck.capture import packaged
from driftcheck.capture.install import Program
from driftcheck.cli.capture import capture

from .support import VERSION


def test_the_command_captures_shows_a_table_and_then_the_coverage(tmp_path: Path, program: Program) -> None:
    where = ["-o", str(tmp_path)]
    done = CliRunner().invoke(capture, ["--installed", str(program.body), *where, "--scenario", "web"])
    assert done.exit_code == 0, done.output
    assert f"{VERSION} web captured" in done.stderr
    assert VERSION in done.stdout
    table = CliRunner().invoke(capture, ["--coverage", *where])
    assert "tool/WebFetch/result" in table.stdout


def test_the_scenarios_are_listed() -> None:
    listed = CliRunner().invoke(capture, ["--list"]).stdout
    assert all(scenario.name in listed for scenario in packaged())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "-o DIR"),
        (["-o", "x"], "name a version"),
        (["1.0.0", "-o", "x", "--scenario", "nothing"], "no scenario nothing"),
        (["1.0.0", "-o", "x", "--mode", "radio"], "no mode radio"),
        (["--installed", "nothing-here", "-o", "x"], "no program at nothing-here"),
        (["--coverage", "-o", "x"], "holds no manifest"),
    ],
)
def test_a_job_that_cannot_be_done_exits_with_2_and_says_why(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(capture, arguments)
    assert done.exit_code == 2
    assert words in done.stderr
