"""The stage for one scenario: its files, settings, hooks and flags, laid out for the version that will play it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from driftcheck.capture.hooks import install_hooks
from driftcheck.capture.install import Program
from driftcheck.capture.sandbox import KEY, Sandbox
from driftcheck.capture.scenario import Scenario, Start
from driftcheck.capture.script import fill
from driftcheck.capture.server import ModelServer

ALL_TOOLS = (
    "Bash,BashOutput,KillShell,KillBash,Write,Read,Edit,MultiEdit,Glob,Grep,LS,Task,Agent,TodoWrite,TodoRead,NotebookRead,"
    "NotebookEdit,WebFetch,WebSearch,ExitPlanMode,exit_plan_mode,Skill,SlashCommand"
)


@dataclass(frozen=True)
class Stage:
    """Everything one start of the program needs."""

    program: Program
    scenario: Scenario
    box: Sandbox
    server: ModelServer
    out: Path
    stop: threading.Event
    dropped: set[str]
    """Flags and hook events of the scenario that this version does not know."""

    def command(self, start: Start) -> list[str]:
        known = [flag for flag in start.flags if flag.split(" ")[0] not in self.dropped]
        words = [word for flag in known for word in flag.split(" ", 1)]
        return [*self.program.command, *self._permission(), *fill(words, self.server.names)]

    def environment(self, start: Start) -> dict[str, str]:
        return self.box.environment(self.server.url, fill(dict(start.env), self.server.names))

    def _permission(self) -> list[str]:
        wanted = self.scenario.permission
        known = self.program.knows(["--permission-mode", "IS_SANDBOX"])
        if wanted != "bypass":
            return ["--permission-mode", wanted] if known["--permission-mode"] else []
        # As root the flag is refused by the versions that do not know this variable.
        if os.getuid() != 0 or known["IS_SANDBOX"]:
            return ["--dangerously-skip-permissions"]
        return ["--allowedTools", ALL_TOOLS]


def set_stage(
    program: Program, scenario: Scenario, box: Sandbox, server: ModelServer, out: Path, stop: threading.Event
) -> Stage:
    server.names.update(work=str(box.work), home=str(box.home), root=str(box.root))
    box.write({name: _filled(content, server.names) for name, content in scenario.files.items()})
    events = program.knows([f'"{event}"' for event in scenario.hooks])
    hooks = {event: kept for event, kept in scenario.hooks.items() if events[f'"{event}"']}
    settings = dict(scenario.settings)
    if hooks:
        settings["hooks"] = install_hooks(box, hooks)
    if settings:
        box.write({".claude/settings.json": json.dumps(settings).encode()})
    saved_key = {} if program.knows(["IS_SANDBOX"])["IS_SANDBOX"] else {"primaryApiKey": KEY}
    box.onboard({**saved_key, **scenario.onboarding})
    box.commit()
    flags = program.knows({flag.split(" ")[0] for start in scenario.starts for flag in start.flags})
    dropped = {flag for flag, known in flags.items() if not known} | (set(scenario.hooks) - set(hooks))
    return Stage(program, scenario, box, server, out, stop, dropped)


def _filled(content: bytes, names: Mapping[str, str]) -> bytes:
    if b"{{" not in content:
        return content
    return str(fill(content.decode(), names)).encode()


def certificate(folder: Path) -> Path | None:
    """A throw-away certificate for the loopback page, where openssl is at hand."""
    openssl = shutil.which("openssl")
    if openssl is None:
        return None
    path = folder / "loopback.pem"
    made = subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(path), "-out", str(path) + ".crt"],
        capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode:
        return None
    path.write_bytes(path.read_bytes() + Path(str(path) + ".crt").read_bytes())
    return path
