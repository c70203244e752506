"""`driftcheck check`: finds drift, prints the report, and says with its exit code how it went."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftcheck.catalogue import CatalogueError
from driftcheck.cli.main import EXIT_CLEAN, EXIT_DRIFT, EXIT_FAILED, EXIT_INTERRUPTED, Failure
from driftcheck.cli.options import at_option, schemas_option
from driftcheck.drift.codes import DRIFT, Code
from driftcheck.drift.outcome import Progress
from driftcheck.drift.report import Report
from driftcheck.drift.run import UsageError
from driftcheck.drift.run import check as run_check
from driftcheck.files import write_atomically
from driftcheck.read.discover import Discovery, config_folder
from driftcheck.report import FORMATS
from driftcheck.report.text import Look, clean
from driftcheck.versions import Version

if TYPE_CHECKING:
    _CodesParam = click.ParamType[tuple[Code, ...]]
else:
    _CodesParam = click.ParamType


class Codes(_CodesParam):
    """One or more codes, separated by commas."""

    name = "codes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Code, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(Code(name.strip().upper()) for name in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} has a code that is none of {', '.join(Code)}", param, ctx)


@click.command(short_help="Find drift in files, folders or standard input.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--format", "form", type=click.Choice(sorted(FORMATS)), default="text", show_default=True,
              help="How to write the report.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write the report to FILE instead of standard output.")  # fmt: skip
@at_option
@schemas_option
@click.option("--surface", metavar="NAME", help="What the files are, where their look does not tell: transcript, "
              "stream, hook, session, history, sidecar, journal or adapter.")  # fmt: skip
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N",
              help="Share the work over N processes.  [default: one per core, for large inputs]")  # fmt: skip
@click.option("--select", type=Codes(), metavar="CODES", help="Report only these codes (separated by commas).")
@click.option("--ignore", type=Codes(), metavar="CODES", default=(), help="Do not report these codes.")
@click.option("--fail-on", type=Codes(), metavar="CODES", default=DRIFT,
              help="The codes that make the exit code 1.  [default: all but MALFORMED]")  # fmt: skip
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if drift is found.")
def check(
    paths: tuple[str, ...],
    form: str,
    output: Path | None,
    at: Version | None,
    schemas: Path | None,
    surface: str | None,
    jobs: int | None,
    select: tuple[Code, ...] | None,
    ignore: tuple[Code, ...],
    fail_on: tuple[Code, ...],
    exit_zero: bool,
) -> None:
    """Check Claude Code data for drift: fields, types and values that its version's schemas do not have.

    PATH is a file (.jsonl, .json, either gzipped), a folder, or - for standard input. With no PATH, your own
    sessions are checked: $CLAUDE_CONFIG_DIR or ~/.claude. Every record is judged by the schema of the Claude
    Code version that wrote it.

    \b
    Examples:
      driftcheck check
      driftcheck check ~/.claude/projects --format json -o report.json
      claude -p "hi" --output-format stream-json --verbose | driftcheck check -
      driftcheck check old-session.jsonl --at 2.1.237     would a 2.1.237 reader cope?
      driftcheck check . --ignore NEW_FIELD --fail-on TYPE_MISMATCH,MISSING_FIELD

    Exit codes: 0 checked and clean, 1 drift found, 2 could not do the job.
    """
    try:
        with _progress_bar() as progress:
            report = run_check(paths or None, surface=surface, at=at, schemas=schemas, jobs=jobs, progress=progress)
    except (CatalogueError, UsageError) as error:
        raise Failure(str(error)) from error
    report = _selected(report, select or tuple(Code), ignore)
    _write(FORMATS[form](report, _look(output)), output)
    code = _exit_code(report, fail_on)
    if not report.is_checked and not report.summary.interrupted:
        click.echo(f"Error: nothing was checked: {_why_nothing(report, paths)}", err=True)
    sys.exit(EXIT_CLEAN if exit_zero and code == EXIT_DRIFT else code)


def _selected(report: Report, select: tuple[Code, ...], ignore: tuple[Code, ...]) -> Report:
    """The report without the codes that nobody asked for; their counts go too."""
    kept = tuple(f for f in report.findings if f.code in select and f.code not in ignore)
    by_code = {code.value: sum(f.code is code for f in kept) for code in Code}
    return replace(report, findings=kept, summary=replace(report.summary, by_code=by_code))


def _exit_code(report: Report, fail_on: tuple[Code, ...]) -> int:
    if report.summary.interrupted:
        return EXIT_INTERRUPTED
    if not report.is_checked or any(skipped.is_failure for skipped in report.skipped):
        return EXIT_FAILED
    return EXIT_DRIFT if any(finding.code in fail_on for finding in report.findings) else EXIT_CLEAN


def _why_nothing(report: Report, paths: tuple[str, ...]) -> str:
    where = ", ".join(clean(path) for path in paths) or clean(str(config_folder(os.environ)))
    if report.summary.malformed:
        return f"{where} holds no whole JSON object."
    if report.skipped:
        return clean(f"{report.skipped[0].name}: {report.skipped[0].reason}.")
    passed = report.summary.passed_over
    others = f" ({passed} files of other kinds were passed over)" if passed else ""
    return f"{where} holds no .jsonl or .json files{others}. Name a session file, or a folder that holds some."


def _look(output: Path | None) -> Look:
    if output is not None or not sys.stdout.isatty():
        return Look()
    size = os.get_terminal_size(sys.stdout.fileno())
    return Look(max(40, size.columns), colour=not os.environ.get("NO_COLOR"))


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        write_atomically(output, text)
    except OSError as error:
        raise Failure(f"{output}: the report cannot be written: {error.strerror}") from error


@contextmanager
def _progress_bar() -> Iterator[Callable[[Discovery], Progress] | None]:
    """A progress bar on a terminal's standard error, and nowhere else."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:

        def start(discovery: Discovery) -> Progress:
            task = bar.add_task("checking", total=sum(source.size for source in discovery.sources))
            return lambda size: bar.advance(task, size)

        yield start
