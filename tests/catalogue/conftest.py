"""The catalogue that comes with the package."""

from __future__ import annotations

import pytest

from driftcheck.catalogue import Catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue.load()
