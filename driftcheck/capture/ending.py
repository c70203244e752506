"""How one start of the program ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LINGERED = "did all its steps, then had to be ended"


@dataclass(frozen=True)
class Ending:
    """An exit code, or None where the time limit ended it; and the program's last words."""

    code: int | None
    words: str = ""
    note: str = ""


def last_words(path: Path, lines: int = 6) -> str:
    """The end of an error file, which is removed: it is no part of the format."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    path.unlink(missing_ok=True)
    return "\n".join(text.strip().splitlines()[-lines:])
