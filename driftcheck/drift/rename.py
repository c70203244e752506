"""Finds missing and new fields that are probably one field under a new name."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from driftcheck.drift.codes import Code
from driftcheck.drift.tally import Tally

FindingKey = tuple[Code, str, str]
_MOSTLY = 0.9
"""The share of the records lacking the old name that must have the new one."""
_ALIKE = 0.6
"""How alike two names must be, of 1, where several fields could be meant."""


def find_renames(tally: Tally) -> list[tuple[FindingKey, FindingKey]]:
    """Pairs of a missing and a new field of one object that come together and agree in type, each field once."""
    scored = []
    rivals = Counter((kind, path) for kind, gone, come in tally.pairs for path in (gone, come))
    for (kind, gone, come), together in tally.pairs.items():
        missing = tally.marks.get((Code.MISSING_FIELD, kind, gone, ""))
        new = tally.marks.get((Code.NEW_FIELD, kind, come, ""))
        if missing is None or new is None:
            continue
        likeness = _likeness(gone, come)
        is_plain = rivals[kind, gone] == rivals[kind, come] == 1 or likeness >= _ALIKE
        if (
            is_plain
            and _agree(missing.expected, set(new.observed))
            and together >= _MOSTLY * max(missing.count, new.count)
        ):
            scored.append((-likeness, kind, gone, come))
    taken: set[tuple[str, str]] = set()
    links = []
    for _, kind, gone, come in sorted(scored):
        if not {(kind, gone), (kind, come)} & taken:
            taken |= {(kind, gone), (kind, come)}
            links.append(((Code.MISSING_FIELD, kind, gone), (Code.NEW_FIELD, kind, come)))
    return links


def _agree(expected: set[str], observed: set[str]) -> bool:
    if "number" in expected:
        expected = expected | {"integer"}
    return expected == {"any"} or bool(expected & observed)


def _likeness(gone: str, come: str) -> float:
    old, new = (path.rpartition(".")[2].replace("_", "").lower() for path in (gone, come))
    return SequenceMatcher(None, old, new).ratio()
