"""Which strings are names that a report may show, and which could be somebody's data."""

from __future__ import annotations

import re
from functools import lru_cache

_NAME = re.compile(r"-?[A-Za-z_$][A-Za-z0-9_$-]{0,63}", re.ASCII)
_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", re.ASCII)
_ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-.*"  # a uuid
    r"|(?=[0-9a-f-]*\d)[0-9a-f-]{7,}"  # a hash
    r"|.*\d{6,}.*"  # a date, a serial number
    r"|[a-z]{2,8}_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{12,}",  # toolu_01ABC…, msg_01ABC…
    re.ASCII,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", re.ASCII)
_SHORTEST_MEAN = 2.5

ANY_KEY = "{}"
"""How a path shows a key that is data."""
NO_NAME = "a string that is no name"
"""How a report shows a value that should be a name and does not read like one."""


@lru_cache(maxsize=16384)
def field(key: str) -> str:
    """A field's name if it reads like one, else the sign for a key that is data."""
    return key if _NAME.fullmatch(key) and not _looks_made_up(key) else ANY_KEY


@lru_cache(maxsize=4096)
def word(value: str) -> str | None:
    """A discriminator's or an enumeration's value if it reads like a name, else None."""
    return value if _TYPE_NAME.fullmatch(value) and not _looks_made_up(value) else None


def _looks_made_up(name: str) -> bool:
    """Whether a name is an id or a key rather than words: its letters change case and turn to digits all the time."""
    if _ID.fullmatch(name):
        return True
    return any(_is_jumble(part) for part in re.split(r"[_$.:-]+", name))


def _is_jumble(part: str) -> bool:
    words = _WORDS.findall(part)
    is_mixed = len(words) > 2 or (len(words) > 1 and not part.isalpha())
    return is_mixed and sum(map(len, words)) / len(words) < _SHORTEST_MEAN


def show_kind(kind: str) -> str:
    """A kind with every step that does not read like a name replaced."""
    return "/".join(step if word(step) else ANY_KEY for step in kind.split("/"))


def under(parent: str, name: str) -> str:
    """The path of something below a parent path."""
    return f"{parent}.{name}" if parent and name and name[0] != "[" else parent + name
