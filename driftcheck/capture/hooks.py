"""Hooks that keep the payload they were given, and then succeed, fail, block or add context."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from driftcheck.capture.sandbox import Sandbox
from driftcheck.capture.scenario import Hook

_SPECIFIC = """printf '{"hookSpecificOutput":{"hookEventName":"%s",%s}}' "$1" """
DEEDS = {
    "ok": "",
    "words": "echo 'plain words of a hook'",
    "context": _SPECIFIC + """'"additionalContext":"noted by a hook"'""",
    "context_once": '[ -e "$0.$1.said" ] && exit 0; touch "$0.$1.said"; '
    + _SPECIFIC
    + """'"additionalContext":"noted once"'""",
    "message": """printf '{"systemMessage":"a word from a hook"}'""",
    "allow": _SPECIFIC + """'"permissionDecision":"allow","permissionDecisionReason":"fine"'""",
    "deny": _SPECIFIC + """'"permissionDecision":"deny","permissionDecisionReason":"no"'""",
    "decide": _SPECIFIC + """'"decision":{"behavior":"allow"}'""",
    "worktree": 'mktemp -d "$(dirname "$0")/../tmp/tree.XXXXXX"',
    "fail": "echo 'the hook failed' >&2; exit 1",
    "block": "echo 'the hook blocks this' >&2; exit 2",
    "block_once": '[ -e "$0.$1.done" ] && exit 0; touch "$0.$1.done"; echo \'the hook blocks this once\' >&2; exit 2',
    "stop": """printf '{"continue":false,"stopReason":"the hook ends it"}'""",
    "invalid": """printf '{"continue": "perhaps"'""",
    "background": """printf '{"async":true}'; sleep 0.3; printf '\\n{"systemMessage":"late word"}'""",
}
"""What a hook does once its payload is kept, as shell commands; `$1` is the event."""
_KEEPER = "keep.sh"


def install_hooks(box: Sandbox, hooks: Mapping[str, tuple[Hook, ...]]) -> dict[str, Any]:
    """Writes the keeper script and returns the `hooks` part of the settings."""
    deeds = "\n".join(f"  {name}) {deed} ;;" for name, deed in DEEDS.items())
    (box.hooks / _KEEPER).write_text(
        f'kept=$(mktemp "{box.hooks}/$1.XXXXXXXX")\ncat > "$kept"\ncase "$2" in\n{deeds}\nesac\n'
    )
    return {event: [_setting(box, event, hook) for hook in kept] for event, kept in hooks.items()}


def _setting(box: Sandbox, event: str, hook: Hook) -> dict[str, Any]:
    command = {"type": "command", "command": f"sh {box.hooks}/{_KEEPER} {event} {hook.does}", "timeout": 10}
    matcher = {"matcher": hook.matcher} if hook.matcher else {}
    return {**matcher, "hooks": [command]}


def collect_payloads(box: Sandbox, out: Path) -> None:
    """Joins the kept payloads, oldest first; each came in a file of its own so that none is torn."""
    kept: dict[str, list[str]] = {}
    for path in sorted(box.hooks.glob("*.????????"), key=lambda path: path.stat().st_mtime_ns):
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        if text:
            kept.setdefault(path.name.split(".")[0], []).append(_one_line(text))
    for event, payloads in kept.items():
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{event}.jsonl").write_text("\n".join(payloads) + "\n", encoding="utf-8")


def _one_line(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False) if "\n" in text else text
    except ValueError:
        return text.replace("\n", " ")
