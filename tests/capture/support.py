"""What the tests of captures share: the version they play with, and a look at the processes that live."""

from __future__ import annotations

import shutil
import subprocess

import pytest

VERSION = "2.0.76"


def needs_npm() -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("npm and node are not on this machine, so no published version can be run")


def living(mark: str) -> list[str]:
    """The processes whose command or environment holds a mark, this look itself left out."""
    listed = subprocess.run(
        ["ps", "axeww", "-o", "pid=,command="], capture_output=True, text=True, errors="replace", check=True
    )
    return [line for line in listed.stdout.splitlines() if mark in line]
