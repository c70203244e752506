"""The page of commands is what the commands print."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_commands_is_what_help_prints_today() -> None:
    page = runpy.run_path(str(DOCS / "generate.py"))["page"]()
    assert (DOCS / "commands.md").read_text(encoding="utf-8") == page, "run `python docs/generate.py`"
