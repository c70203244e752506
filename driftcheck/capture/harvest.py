"""The harvest: what the program wrote, copied out in its own tree, and live files caught while they last."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from types import TracebackType

import orjson

from driftcheck.capture.hooks import collect_payloads
from driftcheck.capture.sandbox import Sandbox


def harvest(box: Sandbox, out: Path) -> None:
    projects = box.config / "projects"
    if projects.is_dir():
        shutil.copytree(projects, out / "projects", dirs_exist_ok=True)
    history = box.config / "history.jsonl"
    if history.is_file():
        shutil.copy(history, out / "history.jsonl")
    collect_payloads(box, out / "hooks")


class SessionWatch:
    """Copies `sessions/<pid>.json` while the program lives, for it removes them; every new shape or status is kept."""

    def __init__(self, box: Sandbox, out: Path, every: float = 0.1) -> None:
        self._live = box.config / "sessions"
        self._out = out / "sessions"
        self._every = every
        self._seen: set[tuple[str, ...]] = set()
        self._counts: dict[str, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> SessionWatch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(self._every):
            for path in self._live.glob("*.json"):
                try:
                    self._keep(path.stem, path.read_bytes())
                except (OSError, orjson.JSONDecodeError):
                    continue  # removed or half written between two looks

    def _keep(self, pid: str, text: bytes) -> None:
        record = orjson.loads(text)
        shape = (pid, str(record.get("status")), *sorted(record))
        if shape in self._seen:
            return
        self._seen.add(shape)
        count = self._counts[pid] = self._counts.get(pid, 0) + 1
        self._out.mkdir(parents=True, exist_ok=True)
        (self._out / (f"{pid}.json" if count == 1 else f"{pid}.{count}.json")).write_bytes(text)
