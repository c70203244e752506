"""The `driftcheck` command: its subcommands, each loaded only when it is called."""

from __future__ import annotations

import importlib
import os
import sys

import click

EXIT_CLEAN, EXIT_DRIFT, EXIT_FAILED, EXIT_INTERRUPTED = 0, 1, 2, 130

_COMMANDS = {
    "capture": ("driftcheck.cli.capture", "Make fresh transcripts with real, published versions."),
    "check": ("driftcheck.cli.check", "Find drift in files, folders or standard input."),
    "explain": ("driftcheck.cli.explain", "Say what a finding's code means and what to do about it."),
    "propose": ("driftcheck.cli.propose", "Propose the schema update that drift calls for."),
    "redact": ("driftcheck.cli.redact", "Write the same records without anybody's words."),
    "schemas": ("driftcheck.cli.schemas", "List, show, export and date the schemas of the catalogue."),
}


class Failure(click.ClickException):
    """A job that could not be done: one sentence that helps, and exit code 2."""

    exit_code = EXIT_FAILED


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(importlib.import_module(_COMMANDS[cmd_name][0]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in sorted(_COMMANDS.items())])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="driftcheck", prog_name="driftcheck")
def driftcheck() -> None:
    """Schema drift checker for Claude Code's JSON.

    Checks transcripts, stream output, hook payloads and session files against the schemas of the Claude
    Code version that wrote them, and says what changed.

    \b
    Examples:
      driftcheck check                      your own sessions, in ~/.claude
      driftcheck check transcripts/         every file in a folder
      driftcheck schemas show transcript/user --at 2.1.42

    Exit codes: 0 checked and clean, 1 drift found, 2 could not do the job.
    """


def main() -> None:
    """Run the command; a reader that closes the pipe early ends it quietly, and not as if drift were found."""
    try:
        sys.exit(driftcheck(prog_name="driftcheck", standalone_mode=False) or EXIT_CLEAN)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
