"""A published version to play with, installed once for all tests."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from driftcheck.capture.install import Program, install

VERSION = "2.0.76"


def needs_npm() -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("npm and node are not on this machine, so no published version can be run")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of the tests' own; DRIFTCHECK_TEST_CACHE names one to use again from run to run."""
    kept = os.environ.get("DRIFTCHECK_TEST_CACHE")
    return Path(kept) if kept else tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def program(cache: Path) -> Program:
    needs_npm()
    return install(VERSION, cache)
