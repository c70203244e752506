"""Shows a proposal: as a unified diff, as a JSON patch, or in words for a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import unified_diff
from itertools import groupby
from typing import Any

import orjson

from driftcheck.catalogue.files import Schema, file_text
from driftcheck.infer.propose import Proposal

Operation = dict[str, Any]


def to_diff(proposal: Proposal) -> str:
    return "".join(_file_diff(name, proposal.before.get(name), proposal.after[name]) for name in proposal.changed)


def _file_diff(name: str, before: Schema | None, after: Schema) -> str:
    old = file_text(before).splitlines(keepends=True) if before is not None else []
    new = file_text(after).splitlines(keepends=True)
    path = f"schemas/{name}.json"
    return "".join(unified_diff(old, new, f"a/{path}" if before is not None else "/dev/null", f"b/{path}"))


def to_json_patch(proposal: Proposal) -> str:
    """RFC 6902, one patch for each file."""
    patches = {f"{name}.json": list(_patch(proposal, name)) for name in proposal.changed}
    return orjson.dumps(patches, option=orjson.OPT_INDENT_2).decode() + "\n"


def _patch(proposal: Proposal, name: str) -> Iterator[Operation]:
    before = proposal.before.get(name)
    if before is None:
        yield {"op": "add", "path": "", "value": proposal.after[name]}
    else:
        yield from _operations(before, proposal.after[name], "")


def _operations(old: Any, new: Any, path: str) -> Iterator[Operation]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            if key not in new:
                yield {"op": "remove", "path": f"{path}/{_escaped(key)}"}
        for key, value in new.items():
            if key not in old:
                yield {"op": "add", "path": f"{path}/{_escaped(key)}", "value": value}
            else:
                yield from _operations(old[key], value, f"{path}/{_escaped(key)}")
    elif isinstance(old, list) and isinstance(new, list) and new[: len(old)] == old:
        for value in new[len(old) :]:
            yield {"op": "add", "path": f"{path}/-", "value": value}
    elif old != new:
        yield {"op": "replace", "path": path, "value": new}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def to_markdown(proposal: Proposal) -> str:
    return "\n".join(_markdown(proposal)) + "\n"


def _markdown(proposal: Proposal) -> Iterator[str]:
    if not proposal.changes:
        yield "Nothing to propose: the schemas accept every record."
    else:
        files = len(proposal.changed)
        yield f"**{len(proposal.changes)} changes of {files} schema {'file' if files == 1 else 'files'}**"
    for kind, group in groupby(sorted(proposal.changes, key=lambda c: (c.kind, c.path)), key=lambda c: c.kind):
        yield f"\n### `{kind}`\n"
        for change in group:
            subject = f"`{change.path}`" if change.path else "the whole"
            where = f", in `{change.file}.json`" if change.file != kind else ""
            yield f"- {subject} {change.what}: since {change.since}, {change.count:,} of {change.of:,}{where}" + (
                f" ({change.uncertain})" if change.uncertain else ""
            )
    if proposal.open_questions:
        yield "\n### For a person to decide\n"
        yield from (f"- {question}" for question in proposal.open_questions)


FORMATS: dict[str, Callable[[Proposal], str]] = {
    "diff": to_diff,
    "json-patch": to_json_patch,
    "markdown": to_markdown,
}
