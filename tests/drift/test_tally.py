"""A tally is a monoid: shares of the work may be merged in any order and any grouping, and the report is the same."""

from __future__ import annotations

import copy
from functools import reduce
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from driftcheck.drift.codes import Code
from driftcheck.drift.explain import Drift
from driftcheck.drift.report import Circumstances, Report, make_report
from driftcheck.drift.tally import Tally
from driftcheck.versions import Version

NAMES = st.sampled_from(["cwd", "cwdPath", "message.role", "message.rule", "shelf"])
KINDS = st.sampled_from(["transcript/user", "content/text", "tool/Bash/input"])
VERSIONS = st.sampled_from([None, "2.0.76", "2.1.9", "2.1.17"])
DRIFTS = st.builds(
    Drift,
    st.sampled_from(Code),
    NAMES,
    st.sampled_from([(), ("string",), ("array", "string")]),
    st.sampled_from([("integer",), ("null",), ("absent",), ("string",)]),
)
SIGHTINGS = st.tuples(
    KINDS, st.lists(DRIFTS, max_size=4), VERSIONS, st.tuples(st.sampled_from("abc"), st.integers(1, 9))
)


def _tally(sightings: list[tuple[str, list[Drift], str | None, tuple[str, int]]]) -> Tally:
    tally = Tally(files=1, bytes=len(sightings), misfires=len(sightings) % 2)
    for kind, drifts, version, example in sightings:
        seen = tally.seen_at(version)
        seen[kind] = seen.get(kind, 0) + 1
        tally.records[version] += 1
        tally.surfaces[example[0]] += 1
        tally.unjudged[kind] += 1
        tally.malformed += sum(drift.code is Code.MALFORMED for drift in drifts)
        for drift in drifts:
            tally.see(kind, drift, version, drift.path, example)
        tally.pair(kind, drifts)
    return tally


TALLIES = st.lists(SIGHTINGS, max_size=6).map(_tally)


def _plus(first: Tally, second: Tally) -> Tally:
    total = copy.deepcopy(first)
    total.add(second)
    return total


def _report(tally: Tally) -> Report:
    return make_report(tally, Circumstances(Version(2, 1, 10), ("1.0.0", "2.1.10"), None, (), 0, interrupted=False))


@given(st.lists(TALLIES, max_size=5), st.randoms())
def test_shares_merged_in_any_order_give_the_same_report(shares: list[Tally], random: Random) -> None:
    shuffled = list(shares)
    random.shuffle(shuffled)

    assert _report(reduce(_plus, shares, Tally())) == _report(reduce(_plus, shuffled, Tally()))


@given(TALLIES, TALLIES, TALLIES)
def test_shares_merged_in_any_grouping_give_the_same_report(a: Tally, b: Tally, c: Tally) -> None:
    assert _report(_plus(_plus(a, b), c)) == _report(_plus(a, _plus(b, c)))


@given(TALLIES)
def test_an_empty_share_changes_nothing(tally: Tally) -> None:
    assert _report(_plus(tally, Tally())) == _report(tally) == _report(_plus(Tally(), tally))


@given(st.lists(SIGHTINGS, max_size=12), st.integers(0, 12))
def test_work_split_anywhere_gives_the_same_findings(
    sightings: list[tuple[str, list[Drift], str | None, tuple[str, int]]], at: int
) -> None:
    whole = _report(_tally(sightings))
    split = _report(_plus(_tally(sightings[:at]), _tally(sightings[at:])))

    assert split.findings == whole.findings
    assert split.summary.versions == whole.summary.versions
    assert split.summary.kinds == whole.summary.kinds


@given(TALLIES, TALLIES)
def test_merging_leaves_the_share_that_was_merged_as_it_was(a: Tally, b: Tally) -> None:
    before = copy.deepcopy(b)
    total = Tally()
    total.add(b)
    total.add(a)
    total.add(b)

    assert b == before
