"""Decides the kind of a record by its discriminators, before anything is validated."""

from __future__ import annotations

from dataclasses import dataclass

from driftcheck import names
from driftcheck.catalogue.routes import Routes, Surface
from driftcheck.drift.codes import Code
from driftcheck.drift.explain import Drift
from driftcheck.jsontype import Json, json_type


@dataclass(frozen=True)
class Unrouted:
    """A record or part whose kind cannot be told, and why."""

    kind: str
    drift: Drift


def route(routes: Routes, surface: Surface, record: dict[str, Json], file_name: str) -> str | Unrouted:
    """The kind of a record, whether or not the catalogue knows it."""
    if surface.by is None:
        return surface.kind_of_file(file_name)
    kind: str | Unrouted = tell(routes, surface.name, record, (surface.by,))
    while isinstance(kind, str) and kind in surface.then:
        path = surface.then[kind]
        if dig(record, path[:-1], path[-1]) is None:
            break
        kind = tell(routes, kind, record, path)
    return kind


def tell(routes: Routes, family: str, value: dict[str, Json], path: tuple[str, ...]) -> str | Unrouted:
    """The kind that the discriminator at a path gives a value of some family."""
    name = dig(value, path[:-1], path[-1])
    if isinstance(name, str):
        return f"{family}/{step(routes, name)}"
    where = ".".join(path)
    if name is None:
        return Unrouted(family, Drift(Code.MISSING_FIELD, where, ("string",), ("absent",)))
    return Unrouted(family, Drift(Code.TYPE_MISMATCH, where, ("string",), (json_type(name),)))


def step(routes: Routes, name: str) -> str:
    """A discriminator's value as one step of a kind; a value with a slash would be several, and is no name."""
    name = routes.alias(name)
    return names.ANY_KEY if "/" in name else name


def dig(value: Json, path: tuple[str, ...], name: str) -> Json:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value.get(name) if isinstance(value, dict) else None


def unknown(family: str, kind: str, path: str) -> Unrouted:
    """A kind that the catalogue does not have at this version."""
    name = kind.removeprefix(f"{family}/")
    observed = names.word(name.partition("/")[0]) or names.NO_NAME
    return Unrouted(names.show_kind(kind), Drift(Code.UNKNOWN_TYPE, path, (), (observed,)))
