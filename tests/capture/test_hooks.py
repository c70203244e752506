from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest

from driftcheck.capture.hooks import DEEDS, collect_payloads, install_hooks
from driftcheck.capture.sandbox import Sandbox, sandbox
from driftcheck.capture.scenario import Hook

CODES = {"fail": 1, "block": 2, "block_once": 2}
NOT_JSON = {"ok", "words", "invalid", "worktree", "background", *CODES}


@pytest.fixture
def box() -> Iterator[Sandbox]:
    with sandbox() as made:
        yield made


def run(box: Sandbox, does: str, payload: str = '{"hook_event_name": "Stop"}') -> subprocess.CompletedProcess[str]:
    settings = install_hooks(box, {"Stop": (Hook(does),)})
    command = settings["Stop"][0]["hooks"][0]["command"]
    return subprocess.run(command, shell=True, input=payload, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("does", sorted(DEEDS))
def test_every_deed_keeps_the_payload_and_ends_as_it_should(box: Sandbox, does: str) -> None:
    done = run(box, does)
    assert done.returncode == CODES.get(does, 0)
    if does not in NOT_JSON:
        assert isinstance(json.loads(done.stdout), dict)
    collect_payloads(box, box.root / "kept")
    assert (box.root / "kept" / "Stop.jsonl").read_text() == '{"hook_event_name": "Stop"}\n'


def test_a_hook_that_blocks_once_lets_the_second_pass(box: Sandbox) -> None:
    assert [run(box, "block_once").returncode for _ in range(2)] == [2, 0]


def test_payloads_are_one_line_each_in_the_order_they_came(box: Sandbox) -> None:
    for number in range(3):
        run(box, "ok", json.dumps({"number": number}, indent=1))
    collect_payloads(box, box.root / "kept")
    lines = (box.root / "kept" / "Stop.jsonl").read_text().splitlines()
    assert [json.loads(line)["number"] for line in lines] == [0, 1, 2]


def test_a_matcher_is_written_only_where_there_is_one(box: Sandbox) -> None:
    settings = install_hooks(box, {"PreToolUse": (Hook("ok"), Hook("block", "Bash"))})
    assert [entry.get("matcher") for entry in settings["PreToolUse"]] == [None, "Bash"]
