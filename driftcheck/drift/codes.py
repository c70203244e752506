"""The codes of findings, and what each means to the person who gets one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Code(str, Enum):
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    NEW_FIELD = "NEW_FIELD"
    TYPE_MISMATCH = "TYPE_MISMATCH"
    MISSING_FIELD = "MISSING_FIELD"
    NEW_VALUE = "NEW_VALUE"
    MALFORMED = "MALFORMED"

    def __str__(self) -> str:
        return self.value


DRIFT = tuple(code for code in Code if code is not Code.MALFORMED)
"""The codes that are drift of the format; MALFORMED is trouble with the data."""


@dataclass(frozen=True)
class Explanation:
    means: str
    consequence: str
    remedy: str


EXPLANATIONS = {
    Code.UNKNOWN_TYPE: Explanation(
        "A discriminator (a record's type or subtype, an attachment's or a block's type, a tool's name, a "
        "hook's event) has a value that the catalogue does not know at this Claude Code version.",
        "A reader that switches on it takes its default branch: it skips the record, or crashes.",
        "Add a schema file for the kind, with x-since; teach readers to skip kinds they do not know.",
    ),
    Code.NEW_FIELD: Explanation(
        "A record has a field, at some depth, that the schema of its version does not have.",
        "Tolerant readers lose the information; strict ones reject the record.",
        "Add the field to the kind's schema with x-since.",
    ),
    Code.TYPE_MISMATCH: Explanation(
        "A value has another JSON type, or another format (uuid, date-time), than the schema allows.",
        "A reader that relies on the type fails or computes nonsense: a null cost, a list taken for text.",
        "Widen the type in the schema from that version on; guard the place in readers.",
    ),
    Code.MISSING_FIELD: Explanation(
        "A field that every record of this kind has at this version is absent.",
        "A reader that takes it for granted fails, or silently drops the record.",
        "If the version stopped writing it, set x-required-until (or x-until); give readers a default.",
    ),
    Code.NEW_VALUE: Explanation(
        "An enumerated field (a stop reason, a permission mode, a queue operation…) has a value that the "
        "schema does not list.",
        "A reader that maps the value to something of its own has no entry for it.",
        "Add the value to the enumeration as a branch with x-since.",
    ),
    Code.MALFORMED: Explanation(
        "A line is not one JSON object: truncated, not UTF-8, not JSON, nested too deep, or two objects "
        "glued together. This is trouble with the data, not drift of the format, and is counted apart.",
        "A reader that does not skip such a line stops there.",
        "A truncated last line is normal while the session is being written; otherwise look at the file.",
    ),
}
