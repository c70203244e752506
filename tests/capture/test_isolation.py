"""What the program is given and what it writes, with canaries planted all around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftcheck.capture.install import Program
from driftcheck.capture.perform import perform
from driftcheck.capture.sandbox import KEY
from driftcheck.capture.scenario import read

from .support import living

CANARY = "canary-9f2c41"
LOOK_AROUND = read(
    {
        "name": "look",
        "description": "Shows all that the program can see of its surroundings.",
        "mode": "print",
        "hooks": {"SessionStart": ["ok"], "PreToolUse": ["ok"]},
        "steps": [
            {
                "say": "Look around",
                "model": [
                    {"calls": [{"Bash": {"command": "env; cat ~/.claude.json", "description": "Look"}}]},
                    {"calls": [{"Bash": {"command": "find ~ -type f", "description": "Look"}}]},
                    {"calls": [{"Bash": {"command": "sleep 300", "description": "Stay", "run_in_background": True}}]},
                    "Looked.",
                ],
            }
        ],
    },
    "look",
)


@pytest.fixture
def parent_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own home and environment, with a canary wherever something could leak from."""
    home = tmp_path / f"home-{CANARY}"
    (home / ".claude").mkdir(parents=True)
    (home / ".claude" / "settings.json").write_text(f'{{"env": {{"LEAK": "{CANARY}"}}}}')
    (home / ".claude" / ".credentials.json").write_text(f'{{"token": "{CANARY}"}}')
    (home / ".claude.json").write_text(f'{{"primaryApiKey": "{CANARY}"}}')
    (home / ".gitconfig").write_text(f"[user]\n\tname = {CANARY}\n\temail = {CANARY}\n")
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "PLAIN",
    ):
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    return home


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_no_canary_reaches_the_program_and_the_parent_home_stays_as_it_was(
    program: Program, parent_home: Path, tmp_path: Path
) -> None:
    before = contents(parent_home)
    performance = perform(program, LOOK_AROUND, tmp_path / "out")
    written = contents(tmp_path / "out")

    assert performance.status == "captured", performance.reason
    transcripts = b"".join(text for name, text in written.items() if "/projects/" in name)
    assert f"ANTHROPIC_API_KEY={KEY}".encode() in transcripts, "the program did not show its environment"
    assert not [name for name, text in written.items() if CANARY.encode() in text or CANARY in name.split("/out/")[1]]
    assert contents(parent_home) == before


def test_no_process_of_the_program_outlives_the_performance(program: Program, tmp_path: Path) -> None:
    performance = perform(program, LOOK_AROUND, tmp_path / "out")
    assert performance.kinds.get("tool/Bash/input"), performance
    [session] = {path.parent.name for path in (tmp_path / "out" / "projects").rglob("*.jsonl")}
    sandbox = session.partition("driftcheck-")[2].removesuffix("-work").replace("-", "_")
    assert living(sandbox) == []
