"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftcheck.versions import Version, VersionError

if TYPE_CHECKING:
    _VersionParam = click.ParamType[Version]
else:
    _VersionParam = click.ParamType  # older releases of click know no parameters of this type


class VersionType(_VersionParam):
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
