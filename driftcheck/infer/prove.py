"""Proves a proposal before it is offered: it mends what drifted, spoils nothing, and does not open everything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import SchemaFile
from driftcheck.catalogue.lint import lint
from driftcheck.drift.codes import DRIFT
from driftcheck.drift.engine import fast
from driftcheck.drift.report import Finding
from driftcheck.drift.run import check
from driftcheck.infer.propose import Proposal
from driftcheck.versions import Version

_STRANGER = "driftcheckPlantedField"


def patched(catalogue: Catalogue, proposal: Proposal, newest: Version) -> Catalogue:
    """The catalogue as it would be with a proposal."""
    files = {name: SchemaFile(name, schema) for name, schema in sorted(proposal.after.items())}
    first, last = catalogue.routes.evidence
    evidence = first, str(max(Version.parse(last), newest))
    return Catalogue(files, replace(catalogue.routes, evidence=evidence), catalogue.folder)


def prove(
    catalogue: Catalogue, after: Catalogue, proposal: Proposal, new: Iterable[str], old: Iterable[str]
) -> list[str]:
    """What is wrong with a proposal; nothing, if it may be offered."""
    problems = [problem for name in proposal.changed for problem in lint(after.files[name])]
    if problems:
        return problems
    left = _drift(after, new)
    asked = len(proposal.open_questions)
    if len(left) > asked:
        problems += [f"{finding.code} {finding.name} is still found in the new records" for finding in left]
    known = {finding.fingerprint for finding in _drift(catalogue, old)}
    problems += [
        f"{finding.code} {finding.name} would be found in the old corpus"
        for finding in _drift(after, old)
        if finding.fingerprint not in known
    ]
    return problems + _opened(after, proposal)


def _drift(catalogue: Catalogue, paths: Iterable[str]) -> list[Finding]:
    named = list(paths)
    return [f for f in check(named, schemas=catalogue).findings if f.code in DRIFT] if named else []


def _opened(after: Catalogue, proposal: Proposal) -> list[str]:
    """Changed kinds that would no longer notice a field that nobody has ever written."""
    problems = []
    for name in proposal.changed:
        if not after.files[name].is_kind or (name in proposal.before and _is_open(proposal.before[name])):
            continue
        schema = after.at(after.newest).annotated(name)
        if schema is not None and "properties" in schema and fast({**schema, "required": []})({_STRANGER: 1}):
            problems.append(f"{name}.json would accept any field")
    return problems


def _is_open(schema: dict[str, object]) -> bool:
    return schema.get("additionalProperties") is True
