"""Schema drift checker for Claude Code's JSON: transcripts, stream output, hook payloads, session files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftcheck.catalogue import Catalogue, CatalogueError
    from driftcheck.drift.codes import Code
    from driftcheck.drift.report import Finding, Report
    from driftcheck.drift.run import check

__all__ = ["Catalogue", "CatalogueError", "Code", "Finding", "Report", "__version__", "check"]

_HOMES = {
    "Catalogue": "driftcheck.catalogue",
    "CatalogueError": "driftcheck.catalogue",
    "Code": "driftcheck.drift.codes",
    "Finding": "driftcheck.drift.report",
    "Report": "driftcheck.drift.report",
    "check": "driftcheck.drift.run",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for only then: `driftcheck --version` should not load a validator."""
    import importlib

    if name == "__version__":
        from importlib import metadata

        return metadata.version("driftcheck")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'driftcheck' has no attribute {name!r}")
