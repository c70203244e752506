"""Writes small catalogues for tests, and runs the installed command on them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftcheck.catalogue import Catalogue, View
from driftcheck.catalogue.files import nodes
from driftcheck.versions import Bound, Version

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("driftcheck")
ROUTES: dict[str, Any] = {
    "evidence": {"first": "1.0.0", "last": "3.0.0"},
    "surfaces": {"thing": {"by": "type", "then": {"thing/system": "subtype"}}},
    "aliases": {"mcp__*": "mcp"},
}


def write_catalogue(folder: Path, schemas: dict[str, Any], routes: Any = ROUTES) -> Path:
    for name, schema in {"routes": routes, **schemas}.items():
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(schema if isinstance(schema, str) else json.dumps(schema), encoding="utf-8")
    return folder


def load(folder: Path, schemas: dict[str, Any]) -> Catalogue:
    return Catalogue.load(write_catalogue(folder, schemas))


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def run(*arguments: str | Path, cwd: Path | None = None, stdin: str = "") -> Done:
    """Run the installed command, which never ends in a traceback."""
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def mentioned(catalogue: Catalogue) -> list[Version]:
    """Every version that a bound names, and the patch before and after it."""
    found: set[Version] = set()
    for file in catalogue.files.values():
        for _, node in nodes(file.schema):
            for text in (value for key, value in node.items() if key in ("x-since", "x-until") or "x-required" in key):
                bound = Bound.parse(text)
                for version in filter(None, (bound.after, bound.by)):
                    found |= {
                        Version(version.major, version.minor, max(0, version.patch + step)) for step in (-1, 0, 1)
                    }
    return sorted(found)


def views(catalogue: Catalogue, *versions: str) -> list[View]:
    return [catalogue.at(version) for version in versions]
