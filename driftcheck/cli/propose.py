"""`driftcheck propose`: the schema update that the drift in some records calls for."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from driftcheck.catalogue import CatalogueError
from driftcheck.catalogue.files import shipped_folder
from driftcheck.cli.main import EXIT_CLEAN, EXIT_DRIFT, EXIT_FAILED, Failure
from driftcheck.cli.options import schemas_option
from driftcheck.infer.rules import Rules
from driftcheck.infer.run import apply as write
from driftcheck.infer.run import make_offer
from driftcheck.infer.show import FORMATS


@click.command(short_help="Propose the schema update that drift calls for.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--format", "form", type=click.Choice(sorted(FORMATS)), default="diff", show_default=True,
              help="How to show the proposal.")  # fmt: skip
@click.option("--apply", "applies", is_flag=True, help="Write the proposal into the schema files.")
@click.option("--corpus", multiple=True, type=click.Path(exists=True), metavar="PATH",
              help="Records that were known before: they date absences and must stay clean. May be given several "
              "times.  [default: corpus/real, where there is one]")  # fmt: skip
@click.option("--min-records", type=click.IntRange(min=1), default=Rules.records, show_default=True, metavar="N",
              help="Propose a field as required only if it is in all of at least N objects.")  # fmt: skip
@click.option("--min-files", type=click.IntRange(min=1), default=Rules.files, show_default=True, metavar="M",
              help="…over at least M files.")  # fmt: skip
@click.option("--min-absent", type=click.IntRange(min=1), default=Rules.absent, show_default=True, metavar="K",
              help="Take an absence as proof only if K objects could have had the field.")  # fmt: skip
@schemas_option
def propose(
    paths: tuple[str, ...],
    form: str,
    applies: bool,
    corpus: tuple[str, ...],
    min_records: int,
    min_files: int,
    min_absent: int,
    schemas: Path | None,
) -> None:
    """Propose the change of the schemas that the drift in PATH calls for, proven before it is shown.

    A new field gets its inferred schema, a new kind a file of its own, a required field that is gone loses its
    requirement; each with the version since when. The patched catalogue must accept the new records, be as
    clean as before on the old ones, and still notice a stranger. What fails this is said, not written.

    \b
    Examples:
      driftcheck propose captures/2.1.327
      driftcheck propose captures/2.1.327 --format markdown
      driftcheck propose captures/2.1.327 --apply && driftcheck check captures/2.1.327

    Exit codes: 0 nothing to propose, or applied; 1 there is a proposal; 2 could not do the job.
    """
    known = corpus or tuple(str(path) for path in (Path("corpus/real"),) if path.is_dir())
    rules = Rules(records=min_records, files=min_files, absent=min_absent)
    try:
        offer = make_offer(paths, corpus=known, schemas=schemas, rules=rules)
    except CatalogueError as error:
        raise Failure(str(error)) from error
    if not offer.records:
        raise Failure("nothing was read: no file holds records of Claude Code")
    if offer.undated:
        click.echo(f"note: {offer.undated:,} values of unknown version taught nothing", err=True)
    click.echo(FORMATS[form](offer.proposal), nl=False)
    for problem in offer.problems:
        click.echo(f"Error: {problem}", err=True)
    if offer.problems:
        sys.exit(EXIT_FAILED)
    if applies and offer.proposal.changed:
        try:
            written = write(offer, schemas or shipped_folder())
        except OSError as error:
            raise Failure(f"{error.filename}: cannot be written: {error.strerror}") from error
        click.echo(f"{len(written)} files written", err=True)
    sys.exit(EXIT_DRIFT if offer.proposal.changed and not applies else EXIT_CLEAN)
