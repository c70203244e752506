"""Replaces single values: ids by other ids, times by shifted ones, everything else by a word."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from driftcheck.drift.calls import misfire_sign

TEXT = "some text"
"""What every free text becomes; it reads like no name, so that nobody takes it for one."""

_HEX = "0123456789abcdef"
_LETTERS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_PREFIXED = re.compile(r"(toolu|srvtoolu|msg|req|file|cse|session|task|wf|run)_([A-Za-z0-9]{6,64})")
_HEX_ID = re.compile(r"(a|b|)(?=[0-9a-f]*\d)[0-9a-f]{7,64}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_SHIFT_DAYS = (400, 4000)


@dataclass(frozen=True)
class Mask:
    """A consistent replacement: the same value becomes the same other value, for one seed."""

    seed: str

    def text(self, value: str) -> str:
        """A string that says nothing, of the same form where the form is an id or a time."""
        if _UUID.fullmatch(value):
            digits = self._draw(value.lower(), _HEX, 32)
            return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
        if match := _PREFIXED.fullmatch(value):
            return f"{match[1]}_{self._draw(value, _LETTERS, len(match[2]))}"
        if _HEX_ID.fullmatch(value):
            return value[0] + self._draw(value, _HEX, len(value) - 2) + "0"
        if _TIME.fullmatch(value):
            return self.time(value)
        return TEXT if value else ""

    def answer(self, value: str) -> str:
        """What a tool answered: nothing is left but whether the call itself was wrong."""
        sign = misfire_sign(value)
        return f"{sign}: {TEXT}" if sign else self.text(value)

    def key(self, value: str) -> str:
        """A key that is data; it never reads like the name of a field."""
        return f"key {self._draw(value, _HEX, 8)}"

    def name(self, value: str) -> str:
        """A part of a path."""
        return f"x{self._draw(value, _HEX, 8)}"

    def time(self, value: str) -> str:
        whole, dot, fraction = value.partition(".")
        zone = value[-6:] if value[-6] in "+-" else "Z"
        try:
            moved = datetime.fromisoformat(whole[:19]) - self._shift
        except (ValueError, OverflowError):
            return TEXT
        digits = len(re.sub(r"\D.*", "", fraction)) if dot else 0
        return moved.strftime("%Y-%m-%dT%H:%M:%S") + (f".{'0' * digits}" if digits else "") + zone

    @staticmethod
    def number(value: int | float) -> int | float:
        """A number of the same kind and sign."""
        if isinstance(value, int):
            return (value > 0) - (value < 0)
        if value.is_integer():
            return float((value > 0) - (value < 0))
        return 0.5 if value > 0 else -0.5

    @cached_property
    def _shift(self) -> timedelta:
        low, high = _SHIFT_DAYS
        draw = int.from_bytes(hashlib.sha256(f"shift{self.seed}".encode()).digest()[:4], "big")
        return timedelta(days=low + draw % (high - low))

    def _draw(self, value: str, letters: str, length: int) -> str:
        drawn = hashlib.shake_256(f"{self.seed}\0{value}".encode("utf-8", "surrogatepass")).digest(length)
        return "".join(letters[byte % len(letters)] for byte in drawn)
