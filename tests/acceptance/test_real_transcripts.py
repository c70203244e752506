"""The transcripts that real versions wrote, where they are at hand: no finding that nobody can explain."""

from __future__ import annotations

import pytest
from command import ROOT, check

TRANSCRIPTS = ROOT.parent / "shared" / "transcripts"
EXPLAINED = {
    # Enumerated fields whose value the redaction of these files replaced with the word "text".
    ("NEW_VALUE", "tool/Agent/input", "isolation"),
    ("NEW_VALUE", "tool/ExitPlanMode/input", "allowedPrompts[].tool"),
    ("NEW_VALUE", "tool/ReportFindings/input", "findings[].verdict"),
}
MISFIRES = {
    # Calls that the model got wrong, in whose results the redaction replaced the words that say so.
    ("tool/AskUserQuestion/input", "2.0.37"),
    ("tool/Monitor/input", "2.1.178"),
}


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason=f"the transcripts are not at {TRANSCRIPTS}")
def test_every_finding_in_real_transcripts_is_explained() -> None:
    ran = check(TRANSCRIPTS)

    unexplained = [
        finding
        for finding in ran.report["findings"]
        if (finding["code"], finding["kind"], finding["path"]) not in EXPLAINED
        and (finding["kind"], finding["versions"] and finding["versions"]["first"]) not in MISFIRES
    ]
    assert unexplained == []
    assert ran.report["skipped"] == []
    assert ran.report["summary"]["files"] == len(list(TRANSCRIPTS.glob("*.jsonl")))
    assert ran.report["summary"]["malformed"] == 0
