"""Versions, and the bounds within which a change between them is known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftcheck.versions import Bound, Version, VersionError, find_version

MODEST = settings(deadline=None, max_examples=100)

versions = st.builds(Version, st.integers(0, 3), st.integers(0, 3), st.integers(0, 9))


@st.composite
def bounds(draw: st.DrawFn) -> Bound:
    one, other = sorted((draw(versions), draw(versions)))
    forms = [str(one), f"<={one}", f">{one}"] + ([f">{one} <={other}"] if one < other else [])
    return Bound.parse(draw(st.sampled_from(forms)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.1.42", Version(2, 1, 42)),
        ("0.2.126", Version(0, 2, 126)),
        ("2.1.42-beta.1", Version(2, 1, 42)),
        ("2.1.42+build-7", Version(2, 1, 42)),
        ("002.01.042", Version(2, 1, 42)),
    ],
)
def test_a_version_is_three_numbers_and_a_prerelease_counts_as_its_release(text: str, expected: Version) -> None:
    assert Version.parse(text) == find_version(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "2.1",
        "latest",
        "2.1.42.1",
        "v2.1.42",
        " 2.1.42",
        "2.1.42 ",
        "2.1.42\n",
        "2.1.x",
        "-2.1.42",
        "2.1.42-",
        "2.1.٤٢",
        "2.1.1234567",
        f"2.1.42-{'a' * 65}",
    ],
)
def test_what_is_no_version_is_refused_with_an_example_of_one(text: str) -> None:
    assert find_version(text) is None
    with pytest.raises(VersionError, match=r"write it like 2\.1\.42"):
        Version.parse(text)


def test_a_long_text_that_is_no_version_is_not_quoted_in_full() -> None:
    with pytest.raises(VersionError) as caught:
        Version.parse("secret" * 100)
    assert len(str(caught.value)) < 120


def test_versions_are_ordered_by_number_not_by_text() -> None:
    texts = ["0.2.126", "1.0.9", "1.0.128", "2.0.0", "2.0.76", "2.1.9", "2.1.42", "2.1.237", "2.10.0"]
    assert sorted(map(Version.parse, reversed(texts))) == list(map(Version.parse, texts))


@MODEST
@given(versions)
def test_a_version_is_written_the_way_it_is_read(version: Version) -> None:
    assert Version.parse(str(version)) == version


BEFORE, EDGE, AFTER = Version(2, 1, 79), Version(2, 1, 80), Version(2, 1, 81)
LOW_BEFORE, LOW, LOW_AFTER = Version(2, 1, 73), Version(2, 1, 74), Version(2, 1, 75)


@pytest.mark.parametrize(
    ("text", "version", "possible", "certain"),
    [
        ("2.1.80", BEFORE, False, False),
        ("2.1.80", EDGE, True, True),
        ("2.1.80", AFTER, True, True),
        ("2.1.80", None, True, False),
        ("<=2.1.80", Version(0, 0, 0), True, False),
        ("<=2.1.80", BEFORE, True, False),
        ("<=2.1.80", EDGE, True, True),
        ("<=2.1.80", AFTER, True, True),
        ("<=2.1.80", None, True, False),
        (">2.1.74", LOW_BEFORE, False, False),
        (">2.1.74", LOW, False, False),
        (">2.1.74", LOW_AFTER, True, False),
        (">2.1.74", Version(99, 0, 0), True, False),
        (">2.1.74", None, True, False),
        (">2.1.74 <=2.1.80", LOW, False, False),
        (">2.1.74 <=2.1.80", LOW_AFTER, True, False),
        (">2.1.74 <=2.1.80", BEFORE, True, False),
        (">2.1.74 <=2.1.80", EDGE, True, True),
        (">2.1.74 <=2.1.80", AFTER, True, True),
        (">2.1.74 <=2.1.80", None, True, False),
    ],
)
def test_a_bound_tells_where_a_change_may_be_and_where_it_is_for_sure(
    text: str, version: Version | None, possible: bool, certain: bool
) -> None:
    bound = Bound.parse(text)
    assert (bound.possible(version), bound.certain(version)) == (possible, certain)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "<=",
        ">",
        "<2.1.80",
        ">=2.1.80",
        "=2.1.80",
        "2.1",
        "since 2.1.80",
        "2.1.80 2.1.81",
        "<=2.1",
        ">x",
        ">2.1.74 2.1.80",
        ">2.1.80 <=2.1.80",
        ">2.1.81 <=2.1.80",
        ">2.1.74<=2.1.80",
        "<=2.1.80 >2.1.74",
        "2.1.80\n",
    ],
)
def test_what_is_no_bound_is_refused(text: str) -> None:
    with pytest.raises(VersionError, match="not a"):
        Bound.parse(text)


@MODEST
@given(bounds())
def test_a_bound_is_written_the_way_it_is_read(bound: Bound) -> None:
    assert Bound.parse(str(bound)) == bound


@MODEST
@given(bounds(), versions | st.none())
def test_what_is_certain_is_possible(bound: Bound, version: Version | None) -> None:
    assert bound.possible(version) or not bound.certain(version)


@MODEST
@given(bounds(), versions, versions)
def test_a_change_does_not_unhappen(bound: Bound, one: Version, other: Version) -> None:
    earlier, later = sorted((one, other))
    assert bound.possible(later) >= bound.possible(earlier)
    assert bound.certain(later) >= bound.certain(earlier)


@MODEST
@given(bounds(), versions, versions)
def test_the_answers_turn_at_the_breaks_and_nowhere_else(bound: Bound, one: Version, other: Version) -> None:
    earlier, later = sorted((one, other))
    between = [point for point in bound.breaks() if (earlier, 0) < point <= (later, 0)]
    turned = (bound.possible(earlier), bound.certain(earlier)) != (bound.possible(later), bound.certain(later))
    assert turned == bool(between)
