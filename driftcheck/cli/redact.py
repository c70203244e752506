"""`driftcheck redact`: writes the same records without anybody's words."""

from __future__ import annotations

from pathlib import Path

import click

from driftcheck.catalogue import CatalogueError
from driftcheck.cli.main import Failure
from driftcheck.cli.options import schemas_option
from driftcheck.report.text import clean


@click.command(short_help="Write the same records without anybody's words.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR",
              help="The folder to write to; it is made if it is not there.")  # fmt: skip
@click.option("--unique", is_flag=True, help="Keep only the records that show something the others do not.")
@click.option("--surface", metavar="NAME", help="What the files are, where their look does not tell.")
@click.option("--seed", metavar="TEXT", help="Make what ids and times become the same at every run.")
@click.option("--keep-name", "keep_names", multiple=True, metavar="NAME",
              help="Keep this name of a file or folder; others are replaced. May be given several times.")  # fmt: skip
@schemas_option
def redact(
    paths: tuple[str, ...],
    output: Path,
    unique: bool,
    surface: str | None,
    seed: str | None,
    keep_names: tuple[str, ...],
    schemas: Path | None,
) -> None:
    """Write the same records without anybody's words, so that they can be shown to others.

    What the format itself says is kept: the names of fields, JSON types, discriminators, the values of
    enumerations, versions, and which record answers which. Ids and times are replaced, each by the same
    other one everywhere; every text, path, number and key that is data is gone. A check finds the same drift.

    \b
    Examples:
      driftcheck redact ~/.claude/projects -o redacted
      driftcheck redact session.jsonl -o shapes --unique
    """
    from driftcheck.redact import redact as run

    try:
        done = run(paths, output, unique=unique, surface=surface, seed=seed, keep_names=keep_names, schemas=schemas)
    except (CatalogueError, ValueError) as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(f"{output}: cannot be written: {error.strerror}") from error
    for name, reason in done.skipped:
        click.echo(f"note: {clean(name)}: {reason}", err=True)
    if done.malformed:
        click.echo(f"note: {done.malformed:,} malformed lines are left out", err=True)
    if not done.files:
        raise Failure("nothing was redacted: no file holds records of Claude Code")
    click.echo(f"{done.kept:,} of {done.records:,} records of {done.files:,} files written to {output}")
