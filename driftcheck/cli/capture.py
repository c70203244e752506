"""`driftcheck capture`: fresh transcripts from published Claude Code versions, without an account."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
from rich.console import Console
from rich.table import Table

from driftcheck.cli.main import EXIT_CLEAN, EXIT_FAILED, EXIT_INTERRUPTED, Failure

try:
    from driftcheck import capture as library
except ModuleNotFoundError as missing:  # the extra is not installed
    raise Failure(f"capture needs {missing.name}: pip install 'driftcheck[capture]'") from missing

_MARKS = {"captured": "green", "skipped": "yellow", "failed": "red", "timeout": "red", "installed": "cyan"}


@click.command(short_help="Make fresh transcripts with real, published versions.")
@click.argument("versions", nargs=-1, metavar="[VERSION]...")
@click.option("--latest", is_flag=True, help="Capture the newest published version.")
@click.option("--installed", type=click.Path(path_type=Path), metavar="PATH", help="Capture the program at PATH.")
@click.option("-o", "--output", "out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Where to keep what the versions write.")  # fmt: skip
@click.option("--scenario", "scenarios", multiple=True, metavar="NAME", help="Play only this scenario (repeatable).")
@click.option("--mode", "modes", metavar="MODES", help="Play only scenarios of these modes: print, sdk, tui.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=3, show_default=True, metavar="N",
              help="Start the program N times side by side.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=1), metavar="SECONDS", help="Time limit for one start.")
@click.option("--cache", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Where versions are installed.  [default: the user's cache folder]")  # fmt: skip
@click.option("--keep", is_flag=True, help="Keep the installed versions in the cache.")
@click.option("--list", "listing", is_flag=True, help="List the scenarios and stop.")
@click.option("--coverage", is_flag=True, help="Print kinds × versions of what DIR already holds, and stop.")
def capture(
    versions: tuple[str, ...],
    latest: bool,
    installed: Path | None,
    out: Path | None,
    scenarios: tuple[str, ...],
    modes: str | None,
    jobs: int,
    timeout: float | None,
    cache: Path | None,
    keep: bool,
    listing: bool,
    coverage: bool,
) -> None:
    """Play scenarios through real Claude Code versions and keep what they write.

    Each VERSION is installed from the npm registry and runs in a sandbox: an empty environment, a temporary
    home, a made-up key, and a scripted model on loopback that answers it. Nothing of yours is read or written.
    What is captured already is not captured again. The result is raw; `driftcheck redact` makes it shareable.

    \b
    Examples:
      driftcheck capture --latest -o captures && driftcheck check captures
      driftcheck capture 2.0.76 2.1.326 -o captures --mode print,sdk
      driftcheck capture --installed ~/.local/bin/claude -o captures
      driftcheck capture --coverage -o captures

    Exit codes: 0 all captured or skipped with a reason, 2 could not do the job.
    """
    if listing:
        _print_scenarios()
        return
    if out is None:
        raise Failure("say where to keep the capture: -o DIR")
    if coverage:
        _print_coverage(out)
        return
    try:
        with _terminable():
            wanted = [*versions, *([library.latest()] if latest else [])]
            programs = [library.installed(installed)] if installed else []
            if not wanted and not programs:
                raise Failure("name a version, or use --latest or --installed PATH")
            captures = library.capture(
                wanted,
                out,
                scenarios=scenarios or None,
                modes=[mode.strip() for mode in modes.split(",")] if modes else None,
                jobs=jobs,
                keep=keep,
                cache=cache,
                timeout=timeout,
                progress=_say,
                programs=programs,
            )
    except (library.InstallError, library.ScenarioError, library.ManifestError) as error:
        raise Failure(str(error)) from error
    except KeyboardInterrupt:
        click.echo("Interrupted: every program and server was ended; what is done is kept.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    _print_table(captures)
    sys.exit(EXIT_CLEAN if captures and all(one.complete for one in captures) else EXIT_FAILED)


@contextmanager
def _terminable() -> Iterator[None]:
    """A request to end (SIGTERM) is taken like Ctrl-C, so that the programs are ended first."""

    def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _say(step: library.Progress) -> None:
    mark = click.style(step.status, fg=_MARKS.get(step.status))
    reason = f": {step.reason}" if step.reason else ""
    seconds = f" {step.seconds:.1f} s" if step.seconds else ""
    click.echo(f"{step.version} {step.scenario or 'program'} {mark}{seconds}{reason}", err=True)


def _print_table(captures: Sequence[library.VersionCapture]) -> None:
    table = Table("version", "program", "captured", "skipped", "failed", "kinds", "not exercised")
    for one in captures:
        failed = one.counted("failed") + one.counted("timeout")
        program = one.error.splitlines()[0] if one.error else ("native" if one.native else "javascript")
        counts = [one.counted("captured"), one.counted("skipped"), failed, len(one.kinds), len(one.not_exercised())]
        table.add_row(one.version, program, *(str(count) for count in counts))
    Console().print(table)


def _print_scenarios() -> None:
    table = Table("scenario", "mode", "what it plays")
    for scenario in library.packaged():
        table.add_row(scenario.name, scenario.mode, scenario.description)
    Console().print(table)


def _print_coverage(out: Path) -> None:
    captures = library.read_all(out)
    if not captures:
        raise Failure(f"{out} holds no manifest; capture something into it first")
    table = Table("kind", *(one.version for one in captures))
    for kind, counts in library.coverage(captures).items():
        table.add_row(kind, *(str(count) if count else "·" for count in counts.values()))
    width = 40 + 12 * len(captures)
    Console(width=max(width, 80) if not sys.stdout.isatty() else None).print(table)
