"""A catalogue as it was known when one version was the newest: nothing that was first seen later is in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from driftcheck.catalogue.core import Catalogue
from driftcheck.catalogue.files import Schema, SchemaFile
from driftcheck.catalogue.project import bound
from driftcheck.versions import Version


def truncate(catalogue: Catalogue, last: Version) -> Catalogue:
    """The catalogue with its history ending at a version."""
    files = {
        name: SchemaFile(name, _truncated(file.schema, last))
        for name, file in catalogue.files.items()
        if _is_known(file.schema, last)
    }
    routes = replace(catalogue.routes, evidence=(catalogue.routes.evidence[0], str(last)))
    return Catalogue(files, routes, catalogue.folder)


def _is_known(node: Any, last: Version) -> bool:
    since = bound(node, "x-since") if isinstance(node, dict) else None
    return since is None or since.certain(last)


def _truncated(node: Any, last: Version) -> Any:
    if not isinstance(node, dict):
        return node
    kept: Schema = {key: value for key, value in node.items() if not _is_later(node, key, last)}
    for keyword in ("properties", "$defs"):
        if keyword in kept:
            known = {name: child for name, child in kept[keyword].items() if _is_known(child, last)}
            kept[keyword] = {name: _truncated(child, last) for name, child in known.items()}
    for keyword in ("items", "additionalProperties"):
        if keyword in kept:
            kept[keyword] = _truncated(kept[keyword], last)
    for keyword in ("anyOf", "allOf"):
        if keyword in kept:
            kept[keyword] = [_truncated(part, last) for part in kept[keyword] if _is_known(part, last)]
    if "required" in kept:
        kept["required"] = [name for name in kept["required"] if name in kept.get("properties", {})]
        if not kept["required"]:
            del kept["required"]
    return kept


def _is_later(node: Schema, key: str, last: Version) -> bool:
    """Whether a bound speaks of a change that was not known yet."""
    if key not in ("x-until", "x-required-since", "x-required-until"):
        return False
    change = bound(node, key)
    return change is not None and not change.certain(last)
