"""Each captured version's update is proposed from its records alone, as if it were published today."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from driftcheck import Catalogue, check
from driftcheck.catalogue.history import paths
from driftcheck.catalogue.project import types_named
from driftcheck.catalogue.truncate import truncate
from driftcheck.drift.codes import DRIFT
from driftcheck.infer.learn import learn
from driftcheck.infer.prove import patched
from driftcheck.infer.run import Offer, make_offer
from driftcheck.versions import Version

CORPUS = Path(__file__).parents[2] / "corpus" / "real"
FULL = Catalogue.load()
VERSIONS = sorted(Version.parse(path.name) for path in CORPUS.iterdir() if path.is_dir())
STEPS = list(pairwise(VERSIONS))


def _offer(before: Version, version: Version) -> tuple[Catalogue, Offer]:
    known = truncate(FULL, before)
    return known, make_offer([CORPUS / str(version)], corpus=[CORPUS / str(before)], schemas=known)


def _fields(catalogue: Catalogue, version: Version) -> set[tuple[str, str]]:
    view = catalogue.at(version)
    return {(kind, path) for kind in view.kinds for path in paths(view.annotated(kind) or {})}


def _is_left_open(kind: str, path: str, version: Version) -> bool:
    """Whether a person has since decided to leave open what a field is in; that is no drafter's to decide."""
    return any(_is_open(step) for step in _along(FULL.at(version).annotated(kind), path))


def _is_open(node: dict[str, Any]) -> bool:
    takes_objects = "object" in types_named(node) or not types_named(node)
    is_said_otherwise = {"x-kind", "anyOf", "const", "enum"} & set(node)
    return takes_objects and node.get("additionalProperties", True) is True and not is_said_otherwise


def _along(schema: dict[str, Any] | None, path: str) -> Iterator[dict[str, Any]]:
    waiting = [(schema or {}, [step for step in path.replace("[]", ".[]").split(".") if step])]
    while waiting:
        node, steps = waiting.pop()
        yield node
        waiting += [(branch, steps) for branch in node.get("anyOf", [])]
        if steps:
            keyword = {"[]": node.get("items"), "{}": node.get("additionalProperties")}
            child = keyword.get(steps[0], node.get("properties", {}).get(steps[0]))
            if isinstance(child, dict):
                waiting.append((child, steps[1:]))


@pytest.mark.parametrize(("before", "version"), STEPS, ids=[str(version) for _, version in STEPS])
def test_the_update_for_a_version_is_what_that_version_changed_and_nothing_else(
    before: Version, version: Version
) -> None:
    known, offer = _offer(before, version)
    assert offer.problems == ()
    mended = patched(known, offer.proposal, version)
    for folder in (before, version):
        left = check(CORPUS / str(folder), schemas=mended).findings
        assert [finding.name for finding in left if finding.code in DRIFT] == []
    proposed = _fields(mended, version) - _fields(known, version)
    assert {spot for spot in proposed - _fields(FULL, version) if not _is_left_open(*spot, version)} == set()
    exercised = set(learn(FULL, [str(CORPUS / str(version))])[0].census.types)
    really_new = (_fields(FULL, version) - _fields(known, version)) & exercised
    assert really_new - proposed == set()


def test_some_step_changes_something() -> None:
    assert any(_offer(*step)[1].proposal.changes for step in STEPS[-3:])
