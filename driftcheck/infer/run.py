"""From records to a proven proposal, and from a proposal to changed files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import ROUTES_FILE, file_text, load_json
from driftcheck.files import write_atomically
from driftcheck.infer.census import Census
from driftcheck.infer.learn import learn
from driftcheck.infer.propose import Proposal, propose
from driftcheck.infer.prove import patched, prove
from driftcheck.infer.rules import Rules
from driftcheck.versions import Version

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Offer:
    """A proposal with what is wrong with it: nothing, if it may be applied."""

    proposal: Proposal
    problems: tuple[str, ...]
    records: int
    undated: int
    newest: Version


def make_offer(
    paths: Iterable[PathLike],
    *,
    corpus: Iterable[PathLike] = (),
    schemas: Catalogue | PathLike | None = None,
    rules: Rules | None = None,
) -> Offer:
    """Propose the schema update that the drift in some records calls for, and prove it.

    `corpus` is what was known before: it dates absences, and must be as clean afterwards.
    """
    catalogue = schemas if isinstance(schemas, Catalogue) else Catalogue.load(schemas)
    new, old = [os.fspath(path) for path in paths], [os.fspath(path) for path in corpus]
    learner, tally = learn(catalogue, new)
    evidence = Census()
    evidence.add(learner.census)
    if old:
        evidence.add(learn(catalogue, old)[0].census)
    proposal = propose(catalogue, learner, evidence, rules or Rules())
    newest = max(
        (version for lesson in learner.lessons.values() for version in lesson.versions), default=catalogue.newest
    )
    after = patched(catalogue, proposal, newest)
    problems = tuple(prove(catalogue, after, proposal, new, old)) if proposal.changed else ()
    return Offer(proposal, problems, sum(tally.records.values()), learner.undated, newest)


def apply(offer: Offer, folder: Path) -> list[Path]:
    """Write a proposal into the files of a catalogue, each whole or not at all; returns what was written."""
    written = []
    for name in offer.proposal.changed:
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, file_text(offer.proposal.after[name]))
        written.append(path)
    routes = load_json(folder / ROUTES_FILE)
    if offer.proposal.changed and Version.parse(routes["evidence"]["last"]) < offer.newest:
        routes["evidence"]["last"] = str(offer.newest)
        write_atomically(folder / ROUTES_FILE, orjson.dumps(routes, option=orjson.OPT_INDENT_2).decode() + "\n")
        written.append(folder / ROUTES_FILE)
    return written
