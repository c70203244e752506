"""`driftcheck explain`: what a finding's code means and what to do about it."""

from __future__ import annotations

import click

from driftcheck.drift.codes import EXPLANATIONS, Code


@click.command(short_help="Say what a finding's code means and what to do about it.")
@click.argument("code", type=click.Choice([code.value for code in Code], case_sensitive=False), required=False)
def explain(code: str | None) -> None:
    """Say what a finding's CODE means, what it does to readers, and what to do about it.

    With no CODE, all of them are explained.

    \b
    Example:
      driftcheck explain NEW_FIELD
    """
    for known in [Code(code.upper())] if code else list(Code):
        text = EXPLANATIONS[known]
        click.secho(known.value, bold=True)
        for label, words in (("means", text.means), ("breaks", text.consequence), ("do", text.remedy)):
            indented = click.wrap_text(words, 90, f"  {label:7}", " " * 9)
            click.echo(indented)
        click.echo()
