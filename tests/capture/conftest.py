"""A published version to play with, installed once for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from driftcheck.capture.install import Program, install

from .support import VERSION, needs_npm


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of the tests' own; DRIFTCHECK_TEST_CACHE names one to use again from run to run."""
    kept = os.environ.get("DRIFTCHECK_TEST_CACHE")
    return Path(kept) if kept else tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def program(cache: Path) -> Program:
    needs_npm()
    return install(VERSION, cache)
