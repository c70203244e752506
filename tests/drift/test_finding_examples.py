"""Every file below tests/findings is a case: what is in `fires` fires exactly as written, near misses never do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import ROOT, check

from driftcheck import Catalogue, Code
from driftcheck import check as run_check

EXAMPLES = ROOT / "tests" / "findings"
FIRES = sorted(EXAMPLES.glob("*/fires/*.jsonl"))
NEAR_MISSES = sorted(EXAMPLES.glob("*/near_misses/*.jsonl"))


def _name(path: Path) -> str:
    return f"{path.parts[-3]}-{path.stem}"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.load()


@pytest.mark.parametrize("path", FIRES, ids=_name)
def test_an_example_that_drifts_gives_exactly_the_findings_beside_it(path: Path, catalogue: Catalogue) -> None:
    expected = json.loads(path.with_suffix(".expected.json").read_text())

    found = run_check(path, schemas=catalogue).findings

    assert [{"code": f.code.value, "kind": f.kind, "path": f.path, "count": f.count} for f in found] == expected
    assert path.parts[-3] in {finding.code.value for finding in found}


@pytest.mark.parametrize("path", NEAR_MISSES, ids=_name)
def test_a_near_miss_gives_no_finding(path: Path, catalogue: Catalogue) -> None:
    report = run_check(path, schemas=catalogue)

    assert report.findings == ()
    assert report.is_checked


@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_examples_that_fire_and_near_misses(code: Code) -> None:
    assert any(path.parts[-3] == code for path in FIRES)
    assert any(path.parts[-3] == code for path in NEAR_MISSES)


def test_every_expectation_belongs_to_an_example() -> None:
    expectations = {path.name.removesuffix(".expected.json") for path in EXAMPLES.glob("*/fires/*.json")}

    assert expectations == {path.stem for path in FIRES}


def test_the_command_finds_in_all_examples_together_what_it_finds_in_each() -> None:
    together: dict[tuple[str, str, str], int] = {}
    for path in FIRES:
        for row in json.loads(path.with_suffix(".expected.json").read_text()):
            key = row["code"], row["kind"], row["path"]
            together[key] = together.get(key, 0) + row["count"]

    found: dict[tuple[str, str, str], int] = {}
    ran = check(*FIRES)
    for code, kind, where, count in ran.findings:
        found[code, kind, where] = found.get((code, kind, where), 0) + count

    assert ran.code == 1
    assert found == together


def test_the_command_is_content_with_all_near_misses_together() -> None:
    ran = check(*NEAR_MISSES)

    assert (ran.code, ran.findings) == (0, [])
    assert ran.report["summary"]["misfires"] == sum("misfire" in path.stem for path in NEAR_MISSES)
