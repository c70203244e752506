"""The sandbox: an empty environment, a home and a work folder of its own, and processes that never outlive it.

Enforced: the program gets only the variables listed here, never the parent's; HOME and the work folder are new and
temporary; every process that it starts is killed at the end. Its API address is the scripted
server on 127.0.0.1, and its proxy variables name the same server, which refuses and records whatever is not loopback.
Not enforced: a program that ignores the proxy variables is not held back by the kernel. It has no credential to send.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEY = "sk-ant-made-up-by-driftcheck-0000000000000000000000000000"
_GIT = ("-c", "user.name=driftcheck", "-c", "user.email=driftcheck@example.invalid", "-c", "init.defaultBranch=main")


@dataclass(frozen=True)
class Sandbox:
    """The folders of one start of the program."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def config(self) -> Path:
        return self.home / ".claude"

    @property
    def hooks(self) -> Path:
        return self.root / "hooks"

    @property
    def path(self) -> str:
        return f"{self.root / 'bin'}:/usr/local/bin:/usr/bin:/bin"

    def environment(self, url: str, extra: Mapping[str, str]) -> dict[str, str]:
        """All that the program is given; nothing is taken from the parent."""
        return {
            "PATH": self.path,
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "HTTP_PROXY": url,
            "HTTPS_PROXY": url,
            "NO_PROXY": "127.0.0.1,localhost",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
            **extra,
        }

    def write(self, files: Mapping[str, bytes]) -> None:
        for name, content in files.items():
            path = self.work / name if not name.startswith("~/") else self.home / name[2:]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def onboard(self, extra: Mapping[str, Any]) -> None:
        """Answers, in the made-up home, what the terminal interface would ask on its first start."""
        known = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "numStartups": 5,
            "messageIdleNotifThresholdMs": 300,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {
                str(self.work): {
                    "hasTrustDialogAccepted": True,
                    "hasCompletedProjectOnboarding": True,
                    "allowedTools": [],
                }
            },
            **extra,
        }
        (self.home / ".claude.json").write_text(json.dumps(known))

    def commit(self) -> None:
        """A repository with one commit, so that branch names and worktrees have something to stand on."""
        environment = {"PATH": self.path, "HOME": str(self.home)}
        for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "--allow-empty", "-m", "start")):
            subprocess.run(["git", *_GIT, *arguments], cwd=self.work, env=environment, check=True, capture_output=True)


@contextlib.contextmanager
def sandbox() -> Iterator[Sandbox]:
    root = Path(tempfile.mkdtemp(prefix="driftcheck-")).resolve()
    box = Sandbox(root)
    try:
        for folder in (box.home, box.work, box.config, box.hooks, root / "tmp"):
            folder.mkdir()
        _link_tools(root / "bin")
        yield box
    finally:
        _end_strays(box)
        shutil.rmtree(root, ignore_errors=True)


@contextlib.contextmanager
def running(
    command: Sequence[str], box: Sandbox, environment: Mapping[str, str], **pipes: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """The program as the head of a process group that is ended, whatever happens, when the block is left."""
    process = subprocess.Popen(command, cwd=box.work, env=dict(environment), start_new_session=True, **pipes)
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes], grace: float = 1.0) -> None:
    """Ends a process and all of its group: asked first, then killed."""
    if process.poll() is None:
        _signal_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    _signal_group(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def strays(box: Sandbox) -> list[int]:
    """Processes that still carry this sandbox's HOME: background shells, which lead groups of their own."""
    listed = subprocess.run(
        ["ps", "axeww", "-o", "pid=,command="], capture_output=True, text=True, errors="replace", check=False
    )
    mark = f"HOME={box.home}"
    found = [line.split(None, 1) for line in listed.stdout.splitlines()]
    return [int(pid) for pid, command in (pair for pair in found if len(pair) == 2) if mark in command.split(" ")]


def _end_strays(box: Sandbox) -> None:
    for pid in strays(box):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def wait_until(ready: Callable[[], bool], seconds: float, step: float = 0.05) -> bool:
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if ready():
            return True
        time.sleep(step)
    return ready()


def _link_tools(folder: Path) -> None:
    """The tools that the program calls, by links of their own: the parent's PATH may tell of the user."""
    folder.mkdir()
    for tool in ("node", "git", "bash", "python3"):
        if found := shutil.which(tool):
            (folder / tool).symlink_to(os.path.realpath(found))
