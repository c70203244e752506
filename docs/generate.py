"""Writes docs/commands.md: the help of every command, as the command itself prints it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from driftcheck.cli.main import driftcheck

TARGET = Path(__file__).with_name("commands.md")
_WIDTH = 100


def commands(command: click.Command, path: tuple[str, ...] = ("driftcheck",)) -> Iterator[tuple[str, str]]:
    """Every command below one, with its help."""
    context = click.Context(command, info_name=" ".join(path), terminal_width=_WIDTH, max_content_width=_WIDTH)
    yield " ".join(path), command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from commands(child, (*path, name))


def page() -> str:
    sections = [f"## {name}\n\n```text\n{text}\n```\n" for name, text in commands(driftcheck)]
    return "# Commands\n\nWhat `--help` prints; `python docs/generate.py` writes this page.\n\n" + "\n".join(sections)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
