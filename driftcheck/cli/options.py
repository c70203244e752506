"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftcheck.versions import Version, VersionError


class VersionType(click.ParamType[Version]):
    name = "version"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Version:
        if isinstance(value, Version):
            return value
        try:
            return Version.parse(str(value))
        except VersionError as error:
            self.fail(str(error), param, ctx)


schemas_option = click.option(
    "--schemas",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Use the catalogue in DIR instead of the one that comes with driftcheck.",
)
at_option = click.option(
    "--at", type=VersionType(), metavar="VERSION", help="The Claude Code version to go by, like 2.1.42."
)
