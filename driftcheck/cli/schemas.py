"""`driftcheck schemas`: lists, shows, exports and dates the schemas of the catalogue."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import click
import orjson

from driftcheck.catalogue import Catalogue, CatalogueError, View
from driftcheck.cli.main import EXIT_DRIFT, Failure
from driftcheck.cli.options import at_option, schemas_option
from driftcheck.versions import Version


@click.group(short_help="List, show, export and date the schemas of the catalogue.")
def schemas() -> None:
    """List, show, export and date the schemas of the catalogue.

    \b
    Examples:
      driftcheck schemas list --at 2.1.42
      driftcheck schemas show tool/Bash/input --at 2.1.42
      driftcheck schemas history transcript/user.permissionMode
      driftcheck schemas export --at 2.1.42 -o schemas-2.1.42
    """


def _load(folder: Path | None) -> Catalogue:
    try:
        return Catalogue.load(folder)
    except CatalogueError as error:
        raise Failure(str(error)) from error


def _known(catalogue: Catalogue, view: View, kind: str) -> None:
    if kind not in catalogue.kinds:
        raise Failure(f"there is no kind {kind!r}; `driftcheck schemas list` lists them")
    if kind not in view.kinds:
        raise Failure(
            f"{view.version} has no kind {kind!r}; `driftcheck schemas history {kind}` tells when it was there"
        )


@schemas.command("list")
@click.argument("pattern", default="*")
@at_option
@schemas_option
def list_(pattern: str, at: Version | None, schemas: Path | None) -> None:
    """List the kinds, of all versions or of one, with what each is.

    PATTERN picks some of them.

    \b
    Examples:
      driftcheck schemas list
      driftcheck schemas list 'tool/*/input' --at 2.1.42
    """
    catalogue = _load(schemas)
    kinds = [kind for kind in catalogue.at(at).kinds if fnmatchcase(kind, pattern)]
    if not kinds:
        raise Failure(f"no kind is like {pattern!r}")
    width = max(map(len, kinds))
    for kind in kinds:
        click.echo(f"{kind:{width}}  {catalogue.files[kind].schema.get('description', '')}".rstrip())


@schemas.command()
@click.argument("kind")
@at_option
@schemas_option
def show(kind: str, at: Version | None, schemas: Path | None) -> None:
    """Show the schema of KIND: with its history inside, or plain as it stood --at one version.

    \b
    Examples:
      driftcheck schemas show transcript/user
      driftcheck schemas show tool/Bash/input --at 2.1.42
    """
    catalogue = _load(schemas)
    view = catalogue.at(at)
    _known(catalogue, view, kind)
    from driftcheck.catalogue.export import standalone

    schema = standalone(view, kind) if at else catalogue.files[kind].schema
    click.echo(orjson.dumps(schema, option=orjson.OPT_INDENT_2))


@schemas.command()
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR",
              help="The folder to write to; it is made if it is not there.")  # fmt: skip
@at_option
@schemas_option
def export(output: Path, at: Version | None, schemas: Path | None) -> None:
    """Write the plain schemas of one version, for any other validator.

    One file per kind, and one per surface (transcript.json, stream.json, hook.json, adapter.json) that takes
    any record of it. Every file is standard JSON Schema 2020-12 and stands alone. Without --at, the newest
    version that the catalogue has evidence for.

    \b
    Example:
      driftcheck schemas export --at 2.1.42 -o schemas-2.1.42
    """
    from driftcheck.catalogue.export import export as write

    catalogue = _load(schemas)
    try:
        written = write(catalogue.at(at or catalogue.newest), output)
    except OSError as error:
        raise Failure(f"{output}: cannot be written: {error.strerror}") from error
    click.echo(f"{len(written)} schemas of {at or catalogue.newest} written to {output}")


@schemas.command()
@click.argument("name", metavar="KIND[.PATH]")
@schemas_option
def history(name: str, schemas: Path | None) -> None:
    """Tell when a kind, or a field of it, came, went and became required.

    A bound like '>2.1.74 <=2.1.81' says that the change happened after 2.1.74 and by 2.1.81; a plain version
    is exact. What has no line here has no bound: it holds, for all that is known, at every version.

    \b
    Examples:
      driftcheck schemas history transcript/user
      driftcheck schemas history common/usage
      driftcheck schemas history tool/Agent/input.model
    """
    from driftcheck.catalogue.history import history as tell

    try:
        events = tell(_load(schemas), name)
    except CatalogueError as error:
        raise Failure(str(error)) from error
    if not events:
        click.echo(f"{name}: at every version, for all that is known")
    width = max((len(str(event.when)) for event in events), default=0)
    for event in events:
        subject = event.path or event.kind
        click.echo(f"{event.when!s:{width}}  {subject}{f' ({event.detail})' if event.detail else ''} {event.what}")


@schemas.command()
@click.argument("corpus", nargs=-1, type=click.Path(exists=True), metavar="[PATH]...")
@click.option("-v", "--verbose", is_flag=True, help="Also list the kinds and fields that no record has.")
@schemas_option
def verify(corpus: tuple[str, ...], verbose: bool, schemas: Path | None) -> None:
    """Hold every bound and field of the schemas against the records in PATH.

    Lists what records contradict and exact bounds that lack evidence on both sides; either makes the exit code
    1. Also counts the kinds and fields that no record has. Without PATH, corpus/real is used.

    \b
    Example:
      driftcheck schemas verify corpus/real
    """
    from driftcheck.infer.verify import verify as hold

    paths = corpus or tuple(path for path in ("corpus/real",) if Path(path).is_dir())
    if not paths:
        raise Failure("there is no corpus/real here; name the records to verify with")
    try:
        verdict = hold(_load(schemas), paths)
    except CatalogueError as error:
        raise Failure(str(error)) from error
    for finding in verdict.contradicted:
        click.echo(f"contradicted: {finding.code} {finding.name}, see {', '.join(finding.examples)}")
    for event in verdict.unproven:
        click.echo(f"unproven: {event.kind} {event.path} {event.what} at {event.when}")
    for unseen in verdict.unseen if verbose else ():
        click.echo(f"no evidence: {unseen}")
    click.echo(
        f"{len(verdict.contradicted)} contradicted; {verdict.bounds:,} bounds, {verdict.exact:,} of them exact, "
        f"{len(verdict.unproven)} unproven; {verdict.seen:,} fields seen, {len(verdict.unseen):,} without evidence"
    )
    raise SystemExit(0 if verdict.holds else EXIT_DRIFT)
