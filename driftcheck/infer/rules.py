"""How much evidence a proposal asks for before it says something."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMING = re.compile(
    r"(type|kind|status|state|mode|reason|source|level|trigger|operation|action|role|event|outcome|decision)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Rules:
    records: int = 10
    """A field is required only if it is in all of at least so many…"""
    files: int = 2
    """…of at least so many files."""
    absent: int = 20
    """An absence dates a change only if at least so many objects could have had the field."""
    words: int = 8
    """A vocabulary is closed only if it has at most so many words, and ten times as many values were seen."""

    def is_vocabulary(self, name: str, words: dict[str, int]) -> bool:
        """Whether the values of a field are the words of an enumeration."""
        enough = sum(words.values()) >= max(self.records, 10 * len(words) // 2)
        return bool(_NAMING.search(name)) and enough and len(words) <= self.words and min(words.values()) > 1
