"""Scenarios: what is played to the program, read from small YAML files."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from driftcheck.capture.install import Program
from driftcheck.capture.script import ScriptError, Turn, read_turn

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable  # a package of its own only since Python 3.11

MODES = ("print", "sdk", "tui")
_START_FIELDS = {"mode", "flags", "steps", "output", "env", "seconds"}
_SCENARIO_FIELDS = {
    "name",
    "description",
    "needs",
    "permission",
    "settings",
    "hooks",
    "files",
    "replies",
    "exercises",
    "starts",
    "onboarding",
    "tls",
}


class ScenarioError(ValueError):
    """A scenario file that cannot be read; the message names the file and the key."""


@dataclass(frozen=True)
class Step:
    """One thing the user does: say something, press keys, send a control message, or wait."""

    say: str = ""
    cue: str = ""
    blocks: tuple[Mapping[str, Any], ...] = ()
    """Content blocks sent along with the words, in stream-json input."""
    keys: tuple[str, ...] = ()
    control: Mapping[str, Any] = field(default_factory=dict)
    screen: str = ""
    """Words to wait for on the screen before anything else is done."""
    when: str = ""
    """Words without which the step is passed over: a question that only some versions ask."""
    pause: float = 0.0
    settle: bool = True
    """Whether to wait, after this step, until the model has said all its lines and is quiet."""


@dataclass(frozen=True)
class Start:
    """One start of the program within a scenario."""

    mode: str
    flags: tuple[str, ...]
    steps: tuple[Step, ...]
    output: str = "stream"
    env: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 40.0


@dataclass(frozen=True)
class Hook:
    """A hook that keeps its payload and then does something: see `hooks.DEEDS`."""

    does: str = "ok"
    matcher: str = ""


@dataclass(frozen=True)
class Scenario:
    name: str
    description: str
    starts: tuple[Start, ...]
    lines: Mapping[str, tuple[Turn, ...]]
    words: tuple[str, ...] = ()
    permission: str = "bypass"
    settings: Mapping[str, Any] = field(default_factory=dict)
    hooks: Mapping[str, tuple[Hook, ...]] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    onboarding: Mapping[str, Any] = field(default_factory=dict)
    exercises: tuple[str, ...] = ()
    tls: bool = False
    fingerprint: str = ""
    """Of the file it came from: a changed scenario is captured again."""

    @property
    def mode(self) -> str:
        return self.starts[0].mode

    def lacking(self, program: Program) -> str:
        """Why a version cannot play this scenario; empty where it can."""
        known = program.knows(self.words)
        missing = [word for word, there in known.items() if not there]
        return f"{program.version} does not know {', '.join(missing)}" if missing else ""


def packaged() -> list[Scenario]:
    """All scenarios that come with driftcheck, by name."""
    folder = resources.files("driftcheck.capture") / "scenarios"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    return [_read_file(file) for file in files]


def chosen(names: Iterable[str] | None, modes: Iterable[str] | None) -> list[Scenario]:
    scenarios = packaged()
    if names is not None:
        wanted = set(names)
        unknown = wanted - {scenario.name for scenario in scenarios}
        if unknown:
            raise ScenarioError(
                f"no scenario {', '.join(sorted(unknown))}; there are {', '.join(one.name for one in scenarios)}"
            )
        scenarios = [scenario for scenario in scenarios if scenario.name in wanted]
    if modes is not None:
        allowed = set(modes)
        if unknown := allowed - set(MODES):
            raise ScenarioError(f"no mode {', '.join(sorted(unknown))}; the modes are {', '.join(MODES)}")
        scenarios = [scenario for scenario in scenarios if scenario.mode in allowed]
    return scenarios


def _read_file(file: Traversable | Path) -> Scenario:
    try:
        text = file.read_text(encoding="utf-8")
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScenarioError(f"{file.name}: not YAML: {error}") from error
    return replace(read(raw, file.name), fingerprint=hashlib.sha256(text.encode()).hexdigest()[:16])


def read(raw: Any, source: str) -> Scenario:
    if not isinstance(raw, dict):
        raise ScenarioError(f"{source}: a scenario is a mapping")
    unknown = set(raw) - _SCENARIO_FIELDS - _START_FIELDS
    if unknown:
        raise ScenarioError(f"{source}: unknown key {', '.join(sorted(unknown))}")
    try:
        return _scenario(raw)
    except (ScriptError, KeyError, TypeError, ValueError) as error:
        raise ScenarioError(f"{source}: {error}") from error


def _scenario(raw: dict[str, Any]) -> Scenario:
    shared = {key: raw[key] for key in _START_FIELDS & set(raw)}
    starts = [{**shared, **start} for start in raw.get("starts", [{}])]
    lines = {cue: tuple(read_turn(turn) for turn in turns) for cue, turns in (raw.get("replies") or {}).items()}
    for start in starts:
        for step in start.get("steps", ()):
            if "model" in step:
                lines[step.get("cue") or step["say"]] = tuple(read_turn(turn) for turn in step["model"])
    return Scenario(
        name=raw["name"],
        description=raw["description"],
        starts=tuple(_start(start) for start in starts),
        lines=lines,
        words=tuple(raw.get("needs") or ()),
        permission=raw.get("permission", "bypass"),
        settings=raw.get("settings") or {},
        hooks={event: tuple(_hook(hook) for hook in hooks) for event, hooks in (raw.get("hooks") or {}).items()},
        files={name: _content(content) for name, content in (raw.get("files") or {}).items()},
        onboarding=raw.get("onboarding") or {},
        exercises=tuple(raw.get("exercises") or ()),
        tls=bool(raw.get("tls")),
    )


def _start(raw: dict[str, Any]) -> Start:
    if raw["mode"] not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}, not {raw['mode']}")
    steps = tuple(_step(step) for step in raw["steps"])
    rest = {key: raw[key] for key in ("output", "env", "seconds") if key in raw}
    return Start(raw["mode"], tuple(str(flag) for flag in raw.get("flags") or ()), steps, **rest)


def _step(raw: dict[str, Any]) -> Step:
    rest = {key: value for key, value in raw.items() if key != "model"}
    rest.update({key: tuple(rest[key]) for key in ("keys", "blocks") if key in rest})
    return Step(**rest)


def _hook(raw: Any) -> Hook:
    return Hook(raw) if isinstance(raw, str) else Hook(**raw)


def _content(raw: Any) -> bytes:
    if not isinstance(raw, dict):
        return str(raw).encode()
    if "base64" in raw:
        return base64.b64decode(raw["base64"])
    return (str(raw["repeat"]) * int(raw["times"])).encode()
