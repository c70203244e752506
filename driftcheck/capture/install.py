"""Published Claude Code versions: which there are, and one of them installed in a cache, ready to run."""

from __future__ import annotations

import json
import mmap
import os
import platform
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from driftcheck.capture.sandbox import sandbox

PACKAGE = "@anthropic-ai/claude-code"
FIRST_NATIVE = "2.1.113"
"""From this version on the package carries no JavaScript but depends on one native package per platform."""


class InstallError(Exception):
    """A version that could not be had; the message says what to do."""


class NoNpmError(InstallError):
    def __init__(self) -> None:
        super().__init__(
            "npm was not found: install Node.js with npm, or name a program on this machine with --installed PATH"
        )


class UnknownVersionError(InstallError):
    def __init__(self, version: str, known: Iterable[str]) -> None:
        newest = ", ".join(list(known)[-3:])
        super().__init__(f"{PACKAGE} has no published version {version}; the newest are {newest}")


class InstallRefusedError(InstallError):
    def __init__(self, version: str, said: str) -> None:
        last = "\n".join(said.strip().splitlines()[-8:])
        super().__init__(
            f"npm could not install {PACKAGE}@{version}; check the network and the registry setting. npm said:\n{last}"
        )


@dataclass(frozen=True)
class Program:
    """A Claude Code program that can be run."""

    version: str
    command: tuple[str, ...]
    body: Path
    """The file that holds the program's text: `cli.js`, or the native binary."""

    @property
    def native(self) -> bool:
        return self.body.suffix != ".js"

    def knows(self, words: Iterable[str]) -> dict[str, bool]:
        """Which words stand in the program's own text; flags, tools and hook events do so exactly where they exist."""
        with self.body.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return {word: text.find(word.encode()) >= 0 for word in words}


def default_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "driftcheck" / "claude-code"


def published() -> list[str]:
    """All published versions, oldest first."""
    said = _npm("view", PACKAGE, "versions", "--json")
    if said.returncode:
        raise InstallError(
            f"npm could not list the versions of {PACKAGE}; check the network. npm said:\n{said.stderr.strip()[-600:]}"
        )
    listed = json.loads(said.stdout)
    return [str(version) for version in (listed if isinstance(listed, list) else [listed])]


def latest() -> str:
    return published()[-1]


def install(version: str, cache: Path, stop: threading.Event | None = None) -> Program:
    """A version in the cache; several processes may ask for the same one at once."""
    home = cache / version
    if not home.is_dir():
        _fetch(version, home, stop or threading.Event())
    return _found(version, home)


def remove(version: str, cache: Path) -> None:
    shutil.rmtree(cache / version, ignore_errors=True)


def installed(path: Path) -> Program:
    """A program that is already on this machine, by the path of its command or of its `cli.js`."""
    real = path.resolve()
    if not real.is_file():
        raise InstallError(f"no program at {path}; name the claude command or its cli.js")
    command = (_node(), str(real)) if real.suffix in (".js", ".cjs", ".mjs") else (str(real),)
    with sandbox() as box:
        environment = {"PATH": box.path, "HOME": str(box.home), "DISABLE_AUTOUPDATER": "1"}
        asked = [*command, "--version"]
        said = subprocess.run(asked, capture_output=True, text=True, timeout=60, env=environment, check=False)
    version = said.stdout.split(" ")[0].strip()
    if said.returncode or not version[:1].isdigit():
        raise InstallError(
            f"{path} did not say its version; its last words: {(said.stderr or said.stdout).strip()[-300:]}"
        )
    return Program(version, command, real)


def _fetch(version: str, home: Path, stop: threading.Event) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{version}.", dir=home.parent) as staging:
        target = Path(staging) / "tree"
        target.mkdir()
        # No script of the package is needed: the native binary lies in a package of its own.
        said = _npm(
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-save",
            "--prefix",
            str(target),
            f"{PACKAGE}@{version}",
            stop=stop,
        )
        if stop.is_set():
            raise InstallError(f"the installation of {version} was interrupted")
        if said.returncode:
            known = published()
            raise InstallRefusedError(version, said.stderr) if version in known else UnknownVersionError(version, known)
        _found(version, target)
        try:
            target.rename(home)
        except OSError:
            if not home.is_dir():
                raise


def _found(version: str, home: Path) -> Program:
    scope = home / "node_modules" / "@anthropic-ai"
    script = scope / "claude-code" / "cli.js"
    if script.is_file():
        return Program(version, (_node(), str(script)), script)
    for name in _native_names():
        binary = scope / name / ("claude.exe" if os.name == "nt" else "claude")
        if binary.is_file():
            binary.chmod(0o755)
            return Program(version, (str(binary),), binary)
    raise InstallRefusedError(
        version, f"the package holds neither cli.js nor a native program for {platform.system()} {platform.machine()}"
    )


def _native_names() -> list[str]:
    system = {"linux": "linux", "darwin": "darwin", "windows": "win32"}.get(platform.system().lower(), "linux")
    machine = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    names = [f"claude-code-{system}-{machine}", f"claude-code-{system}-{machine}-musl"]
    return names if platform.libc_ver()[0] == "glibc" or system != "linux" else names[::-1]


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        raise InstallError("node was not found: versions before 2.1.113 are JavaScript; install Node.js 18 or later")
    return node


def _npm(*arguments: str, stop: threading.Event | None = None) -> subprocess.CompletedProcess[str]:
    """Runs npm with the user's own registry configuration; ended early when `stop` is set."""
    npm = shutil.which("npm")
    if npm is None:
        raise NoNpmError
    command = [npm, *arguments, "--loglevel=error"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while True:
            try:
                said, errors = process.communicate(timeout=0.2)
                return subprocess.CompletedProcess(command, process.returncode, said, errors)
            except subprocess.TimeoutExpired:
                if stop is not None and stop.is_set():
                    process.terminate()
