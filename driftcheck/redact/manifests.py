"""Carries the manifests of captures along: what was played, and how it ended, without the program's words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson

from driftcheck.files import write_atomically

NAME = "manifest.json"
_PATH = re.compile(r"(?:/[^\s'\":]+){2,}")


def find_manifests(root: Path) -> dict[Path, dict[str, Any]]:
    """The manifests of captured versions in a folder, or in the folders directly below it."""
    found = {}
    for path in sorted([root / NAME, *root.glob(f"*/{NAME}")]) if root.is_dir() else []:
        data = orjson.loads(path.read_bytes()) if path.is_file() else None
        if isinstance(data, dict) and isinstance(data.get("scenarios"), dict):
            found[path] = data
    return found


def carry_manifests(root: Path, out: Path) -> set[str]:
    """Write the manifests of a folder to another one; returns the names of the scenarios they speak of."""
    names: set[str] = set()
    for path, data in find_manifests(root).items():
        names |= set(data["scenarios"])
        target = out / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, orjson.dumps(_clean(data), option=orjson.OPT_INDENT_2).decode() + "\n")
    return names


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _clean(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_clean(child) for child in value]
    return _PATH.sub("…", value) if isinstance(value, str) else value
