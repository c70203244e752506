"""Both engines and the explanation agree on every record, and every part of one, that is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftcheck.catalogue.files import Schema
from driftcheck.drift import engine
from driftcheck.drift.explain import explain
from driftcheck.drift.run import check
from driftcheck.jsontype import Json

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "corpus", ROOT.parent / "shared" / "transcripts"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_engines_and_the_explanation_agree_on_every_record_and_part(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check itself runs, with each verdict of its engine held against the reference."""
    if not any(folder.rglob("*.jsonl")):
        pytest.skip(f"no records in {folder.name}/")
    judged = 0
    fast = engine.fast

    def both(schema: Schema) -> engine.Accept:
        quick, slow = fast(schema), engine.reference(schema)

        def accept(value: Json) -> bool:
            nonlocal judged
            judged += 1
            accepted = quick(value)
            assert slow(value) == accepted
            assert (explain(schema, value) == []) == accepted
            return accepted

        return accept

    monkeypatch.setattr(engine, "fast", both)
    report = check(folder, jobs=1)
    assert judged >= report.summary.records > 0
