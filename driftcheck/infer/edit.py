"""Changes schemas: a field, a type, a value or a kind that came, and a requirement that went."""

from __future__ import annotations

from driftcheck.catalogue.files import ANNOTATIONS, BOUNDS, Schema
from driftcheck.versions import Bound, Version


def since(absent: Version | None, first: Version) -> str:
    return str(Bound(absent, first))


def add_field(holder: Schema, name: str, schema: Schema, when: str, required: bool) -> None:
    holder.setdefault("properties", {})[name] = {"x-since": when, **schema}
    if required:
        holder.setdefault("required", []).append(name)


def reopen(node: Schema, first: Version, last: Version) -> None:
    """Let bounds admit versions at which something was seen all the same."""
    came = Bound.parse(node["x-since"]) if "x-since" in node else None
    if came is not None and not came.possible(first):
        node["x-since"] = str(Bound(None, first))
    went = Bound.parse(node["x-until"]) if "x-until" in node else None
    if went is not None and went.certain(last):
        del node["x-until"]


def add_branch(node: Schema, branch: Schema, when: str) -> None:
    """Let a value be of another form from a version on."""
    if "anyOf" not in node:
        moved = {key: node.pop(key) for key in list(node) if key not in (*ANNOTATIONS, *BOUNDS)}
        node["anyOf"] = [moved]
    node["anyOf"].append({"x-since": when, **branch})


def add_word(node: Schema, word: str, when: str) -> None:
    """Let an enumeration have another value from a version on."""
    add_branch(node, {"const": word}, when)


def has_branch(node: Schema, branch: Schema) -> Schema | None:
    """The alternative that is the same but for its bounds, if there is one."""
    plain = {key: value for key, value in branch.items() if key not in BOUNDS}
    for known in node.get("anyOf", []):
        if {key: value for key, value in known.items() if key not in (*BOUNDS, *ANNOTATIONS)} == plain:
            found: Schema = known
            return found
    return None


def loosen(holder: Schema, name: str, absent: list[Version], present: list[Version]) -> str:
    """Say since when, or until when, a field is in every record; returns what became of it."""
    node: Schema = holder["properties"][name]
    if present and absent and min(absent) > max(present):
        node["x-required-until"] = str(Bound(max(present), min(absent)))
        return "is no longer in every record"
    if name in holder.get("required", []):
        holder["required"].remove(name)
        if not holder["required"]:
            del holder["required"]
    node.pop("x-required-since", None)
    if present and absent and max(absent) < min(present):
        node["x-required-since"] = str(Bound(max(absent), min(present)))
        return "is in every record only since then"
    return "is not in every record"
