"""The documentation says what the command does: every command and option, and nothing that does not run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from driftcheck.catalogue import Catalogue
from driftcheck.cli.main import driftcheck
from driftcheck.drift.codes import Code
from driftcheck.report import FORMATS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def walk(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    yield context.command_path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from walk(child, click.Context(child, info_name=name, parent=context))


COMMANDS = dict(walk(driftcheck, click.Context(driftcheck, info_name="driftcheck")))
LEAVES = {path: command for path, command in COMMANDS.items() if not isinstance(command, click.Group)}
OPTIONS = [
    (path, option)
    for path, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option)
]


def blocks() -> Iterator[str]:
    for language, body in re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL):
        if language in ("console", "sh", "bash"):
            yield body.replace("\\\n", " ")


def calls() -> Iterator[str]:
    """Every call of driftcheck in a block of commands, without what the shell takes for itself."""
    for body in blocks():
        for line in body.splitlines():
            for part in re.split(r"&&|\|\||[|;]", line.removeprefix("$ ")):
                words = _words(part)
                if words and Path(words[0]).name == "driftcheck":
                    yield shlex.join(words[1:])


def _words(part: str) -> list[str]:
    words = shlex.split(part, comments=True)
    shell = next((index for index, word in enumerate(words) if word.startswith(("<", ">", "2>"))), len(words))
    return words[:shell]


CALLS = sorted(set(calls()))


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_is_documented(path: str) -> None:
    assert path in TEXT


@pytest.mark.parametrize(("path", "option"), OPTIONS, ids=lambda value: getattr(value, "name", value))
def test_every_option_is_documented(path: str, option: click.Option) -> None:
    names = [name for name in option.opts if name.startswith("--")] or option.opts
    assert any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", TEXT) for name in (*names, *option.opts)), path


@pytest.mark.parametrize(("path", "option"), OPTIONS, ids=lambda value: getattr(value, "name", value))
def test_every_option_has_help(path: str, option: click.Option) -> None:
    sentence, _, _default = (option.help or "").partition("  [")
    assert sentence.endswith("."), f"{path} {option.opts}"


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_has_help_and_a_line_of_it_for_the_list(path: str) -> None:
    assert COMMANDS[path].help
    assert COMMANDS[path].get_short_help_str(limit=100).endswith(".")


@pytest.mark.parametrize("path", LEAVES)
def test_every_command_shows_an_example_in_its_help(path: str) -> None:
    assert re.search(rf"Examples?:\s.*{re.escape(path)}", LEAVES[path].help or "", re.DOTALL)


@pytest.mark.parametrize("path", COMMANDS)
def test_every_example_in_a_help_text_is_a_call_that_parses(path: str) -> None:
    examples = [
        " ".join(_words(re.split(r"\s{3,}|\|", line.strip())[0])[1:])
        for line in (COMMANDS[path].help or "").splitlines()
        if line.strip().startswith("driftcheck ")
    ]
    for example in examples:
        parse(example)


@pytest.mark.parametrize("call", CALLS)
def test_every_call_in_the_documentation_parses(call: str) -> None:
    parse(call)


def test_there_are_calls_in_the_documentation() -> None:
    assert len(CALLS) > 10


def parse(call: str) -> None:
    """Have click take a call apart as it would to run it, without running it."""
    command: click.Command = driftcheck
    context = click.Context(driftcheck, info_name="driftcheck")
    words = shlex.split(call)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        child = command.get_command(context, words[0])
        assert child is not None, f"driftcheck {call}: there is no command {words[0]!r}"
        command, words = child, words[1:]
        context = click.Context(child, info_name=child.name, parent=context)
    if {"--help", "-h", "--version"} & set(words):
        return
    assert not isinstance(command, click.Group), f"driftcheck {call}: is no whole call"
    command.make_context(command.name, words, parent=context.parent)


@pytest.mark.parametrize(
    "call", ["forget", "check --no-such-option", "explain NO_SUCH_CODE", "schemas", "schemas show"]
)
def test_a_call_that_would_not_run_does_not_pass_for_one(call: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        parse(call)


@pytest.mark.parametrize("code", Code)
def test_every_code_is_documented(code: Code) -> None:
    assert f"`{code.value}`" in TEXT


@pytest.mark.parametrize("surface", Catalogue.load().routes.surfaces)
def test_every_surface_is_documented(surface: str) -> None:
    assert f"`{surface}`" in TEXT
    [option] = [option for path, option in OPTIONS if path == "driftcheck check" and option.name == "surface"]
    assert surface in (option.help or "")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_of_a_report_is_documented(form: str) -> None:
    assert re.search(rf"\b{form}\b", TEXT)


def test_every_link_to_a_place_in_the_repository_leads_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", TEXT) if "://" not in target]
    headings = {_anchor(line) for line in TEXT.splitlines() if line.startswith("#")}
    broken = [
        target
        for target in targets
        if not (target[1:] in headings if target.startswith("#") else (ROOT / target.partition("#")[0]).exists())
    ]
    assert broken == []


def _anchor(heading: str) -> str:
    words = re.sub(r"[^\w\- ]", "", heading.lstrip("# ").lower())
    return words.strip().replace(" ", "-")
