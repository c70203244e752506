"""Prints how long a check takes beside parsing alone, in one run on one corpus: a ratio, not a time."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import orjson

from driftcheck.redact.mask import TEXT
from driftcheck.versions import find_version

ROOT = Path(__file__).resolve().parents[1]
_WORDS = [
    "the",
    "check",
    "reads",
    "every",
    "record",
    "and",
    "says",
    "what",
    "changed",
    "since",
    "the",
    "last",
    "release",
    "of",
    "it",
]
_MEAN_WORDS = 700
"""The mean length of a tool's output or a file's text, in words; what a record then weighs is printed."""

_SESSION = 400_000
"""The least size of a session's file."""


def build(target: Path, size: int, source: Path, versions: int) -> int:
    """Write a corpus of about `size` bytes from the shapes of another, with texts of realistic length."""
    chance = random.Random(1)
    newest = sorted({_version_of(path) for path in source.rglob("*.jsonl")}, key=_order)[-versions:]
    files = [path for path in sorted(source.rglob("*.jsonl")) if _is_session(path) and _version_of(path) in newest]
    chance.shuffle(files)
    written = number = 0
    while written < size:
        path = files[number % len(files)]
        version = _version_of(path)
        lines = [
            orjson.dumps(_dated(_fatten(orjson.loads(line), chance), version))
            for line in path.read_bytes().splitlines()
        ]
        folder = target / version
        folder.mkdir(exist_ok=True)
        data = (b"\n".join(lines) + b"\n") * (1 + _SESSION // sum(map(len, lines)))
        (folder / f"{number:06}-{path.name}").write_bytes(data)
        written += len(data)
        number += 1
    return written


def _version_of(path: Path) -> str:
    return next((part for part in (path.stem, *reversed(path.parts)) if find_version(part)), "0.0.0")


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _is_session(path: Path) -> bool:
    """Whether a file is a session's transcript, and not a short one."""
    return path.parent.name not in ("hooks", "subagents") and "stream" not in path.name and path.stat().st_size > 8000


def _dated(record: object, version: str) -> object:
    return {**record, "version": version} if isinstance(record, dict) and "version" in record else record


def _fatten(value: object, chance: random.Random, key: str = "") -> object:
    if isinstance(value, dict):
        return {name: _fatten(child, chance, name) for name, child in value.items()}
    if isinstance(value, list):
        return [_fatten(child, chance, key) for child in value]
    if value in ("text", TEXT) and key in (
        "text",
        "content",
        "stdout",
        "thinking",
        "new_string",
        "old_string",
        "originalFile",
    ):
        return " ".join(chance.choices(_WORDS, k=int(chance.expovariate(1 / _MEAN_WORDS))))
    return value


def parse_all(folder: Path) -> float:
    start = time.perf_counter()
    for path in sorted(folder.rglob("*.jsonl")):
        with path.open("rb") as handle:
            for line in handle:
                orjson.loads(line)
    return time.perf_counter() - start


_CHILD = """
import resource, sys, time
import driftcheck
start = time.perf_counter()
report = driftcheck.check(sys.argv[1], jobs=1)
print(time.perf_counter() - start, report.summary.records, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def check_all(folder: Path) -> tuple[float, int, float]:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    seconds, records, peak = done.stdout.split()
    return float(seconds), int(records), int(peak) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--versions", type=int, default=6, help="how many of the newest versions")
    parser.add_argument("--source", type=Path, default=ROOT / "corpus" / "real")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = build(folder, options.megabytes << 20, options.source, options.versions)
        ratios, peaks = [], []
        for _ in range(options.rounds):
            parsing = parse_all(folder)
            checking, records, peak = check_all(folder)
            ratios.append(checking / parsing)
            peaks.append(peak)
            print(f"parse {parsing:6.2f} s   check {checking:6.2f} s   ratio {ratios[-1]:.2f}   peak {peak:.0f} MB")
        print(f"{size / 1e6:.0f} MB, {records:,} records of {size / records:,.0f} bytes, peak {max(peaks):.0f} MB:")
        print(f"{min(ratios):.2f} to {max(ratios):.2f} times as long as parsing alone, median {median(ratios):.2f}")


if __name__ == "__main__":
    main()
