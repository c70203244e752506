from __future__ import annotations

from pathlib import Path

import pytest

from driftcheck.capture.hooks import DEEDS
from driftcheck.capture.install import Program
from driftcheck.capture.scenario import MODES, Scenario, ScenarioError, chosen, packaged, read

PLAIN = {"name": "x", "description": "x", "mode": "print", "steps": [{"say": "go", "model": ["Gone."]}]}


@pytest.mark.parametrize("scenario", packaged(), ids=lambda scenario: scenario.name)
def test_every_packaged_scenario_can_be_played(scenario: Scenario) -> None:
    assert scenario.description.endswith(".")
    assert scenario.exercises
    assert scenario.fingerprint
    assert all(start.mode in MODES and start.steps for start in scenario.starts)
    assert all(hook.does in DEEDS for hooks in scenario.hooks.values() for hook in hooks)


def test_names_are_unique_and_every_mode_is_played() -> None:
    names = [scenario.name for scenario in packaged()]
    assert len(names) == len(set(names))
    assert {scenario.mode for scenario in packaged()} == set(MODES)


def test_scenarios_are_chosen_by_name_and_by_mode() -> None:
    assert [scenario.name for scenario in chosen(["web"], None)] == ["web"]
    assert {scenario.mode for scenario in chosen(None, ["tui"])} == {"tui"}


@pytest.mark.parametrize(("names", "modes"), [(["nothing"], None), (None, ["nothing"])])
def test_an_unknown_choice_names_what_there_is(names: list[str] | None, modes: list[str] | None) -> None:
    with pytest.raises(ScenarioError, match=r"nothing; the(re| modes) are"):
        chosen(names, modes)


@pytest.mark.parametrize(
    "change",
    [{"mode": "radio"}, {"typo": 1}, {"steps": [{"sya": "go"}]}, {"steps": [{"say": "go", "model": [{"txt": "x"}]}]}],
)
def test_a_scenario_that_cannot_be_read_names_its_file(change: dict[str, object]) -> None:
    with pytest.raises(ScenarioError, match=r"made-up\.yaml"):
        read({**PLAIN, **change}, "made-up.yaml")


def test_a_version_that_lacks_a_feature_says_which(tmp_path: Path) -> None:
    body = tmp_path / "cli.js"
    body.write_text('const flags = ["--print"]')
    scenario = read({**PLAIN, "needs": ["--print", "--fork-session"]}, "made-up.yaml")
    assert scenario.lacking(Program("1.2.3", ("node",), body)) == "1.2.3 does not know --fork-session"
