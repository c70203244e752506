"""Runs the installed `driftcheck` as a user does, in a process of its own."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

import driftcheck
from driftcheck.report.json import write as write_json

EXECUTABLE = str(Path(sys.executable).parent / "driftcheck")
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """The JSON report on standard output, held against its published schema."""
        return as_report(self.out)

    @property
    def findings(self) -> list[tuple[str, str, str, int]]:
        return [(f["code"], f["kind"], f["path"], f["count"]) for f in self.report["findings"]]


def run(
    *arguments: str | Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Run:
    """Run `driftcheck`, which never ends in a traceback."""
    done = subprocess.run(
        [EXECUTABLE, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=clean_environment() | dict(env or {}),
        cwd=cwd,
        check=False,
    )
    result = Run(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.err + result.out, result.err
    return result


def check(*arguments: str | Path, **settings: Any) -> Run:
    """Run `driftcheck check` with a report as JSON."""
    return run("check", "--format", "json", *arguments, **settings)


def check_here(*paths: Path, **options: Any) -> dict[str, Any]:
    """The report of a check in this process: what `check` gives, without the cost of starting a command."""
    return as_report(write_json(driftcheck.check(paths, **options)))


def clean_environment() -> dict[str, str]:
    """This process's environment without what would change how the command looks or what it reads."""
    others = ("CLAUDE_CONFIG_DIR", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM")
    return {name: value for name, value in os.environ.items() if name not in others}


def as_report(text: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text)
    _report_validator().validate(report)
    return report


@functools.cache
def _report_validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((ROOT / "schemas" / "report.json").read_text()))
