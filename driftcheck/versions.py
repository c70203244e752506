"""Claude Code versions, and the bounds within which a change between them is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:[-+][0-9A-Za-z.+-]{1,64})?", re.ASCII)
_BOUND = re.compile(r"(?:>(?P<after>\d\S*))? ?(?:(?P<sign><=)?(?P<by>\d\S*))?", re.ASCII)


class VersionError(ValueError):
    """Text that should be a version, or a bound on one, and is not."""


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @staticmethod
    def parse(text: str) -> Version:
        version = find_version(text)
        if version is None:
            raise VersionError(f"{text[:40]!r} is not a Claude Code version; write it like 2.1.42")
        return version


@lru_cache(maxsize=4096)
def find_version(text: str) -> Version | None:
    """The version that a text is, or None; a pre-release counts as its release."""
    match = _VERSION.fullmatch(text)
    return Version(*map(int, match.groups())) if match else None


@dataclass(frozen=True)
class Bound:
    """When a change happened: exactly with `by`, or somewhere in the interval (after, by].

    Written `2.1.80` (exact), `<=2.1.80` (at or before), `>2.1.74` (after) or `>2.1.74 <=2.1.80`.
    An unknown version (None) is one at which anything may hold and nothing is certain.
    """

    after: Version | None
    by: Version | None
    exact: bool = False

    @staticmethod
    @lru_cache(maxsize=4096)
    def parse(text: str) -> Bound:
        match = _BOUND.fullmatch(text)
        if not match or not text.strip():
            raise VersionError(f"{text[:60]!r} is not a bound; write 2.1.80, <=2.1.80 or '>2.1.74 <=2.1.80'")
        after = Version.parse(match["after"]) if match["after"] else None
        by = Version.parse(match["by"]) if match["by"] else None
        exact = by is not None and match["sign"] is None
        if (exact and after) or (after and by and after >= by):
            raise VersionError(f"{text!r} is not a bound: an interval is written '>2.1.74 <=2.1.80'")
        return Bound(after, by, exact)

    def possible(self, version: Version | None) -> bool:
        """May the change have happened at this version?"""
        if version is None:
            return True
        if self.exact:
            return self.by is not None and version >= self.by
        return self.after is None or version > self.after

    def certain(self, version: Version | None) -> bool:
        """Has the change happened at this version for sure?"""
        return version is not None and self.by is not None and version >= self.by

    def breaks(self) -> list[Break]:
        """The points at which `possible` or `certain` turns."""
        return [*self.turns_possible(), *self.turns_certain()] if not self.exact else self.turns_certain()

    def turns_possible(self) -> list[Break]:
        if self.exact:
            return self.turns_certain()
        return [(self.after, 1)] if self.after is not None else []

    def turns_certain(self) -> list[Break]:
        return [(self.by, 0)] if self.by is not None else []

    def __str__(self) -> str:
        if self.exact:
            return str(self.by)
        return " ".join(([f">{self.after}"] if self.after else []) + ([f"<={self.by}"] if self.by else []))


Break = tuple[Version, int]
"""A turning point: (v, 0) is just before v, (v, 1) just after it."""
