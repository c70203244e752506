"""The catalogue: the schema of every kind, for every Claude Code version."""

from driftcheck.catalogue.core import Catalogue, View
from driftcheck.catalogue.files import CatalogueError

__all__ = ["Catalogue", "CatalogueError", "View"]
