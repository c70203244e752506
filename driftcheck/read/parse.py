"""Turns the bytes of one line into a record, or says what is wrong with them."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import NoReturn

import orjson

from driftcheck.jsontype import Json, json_type

_SPACE = b" \t\r\n"
_GAP = re.compile(r"[ \t\r\n]*")
_DEEPEST = 1000


@dataclass(frozen=True)
class Trouble:
    """A line that is not one JSON object, and why."""

    reason: str


TRUNCATED = Trouble("truncated last line")
TOO_LONG = Trouble("line too long")
NOT_UTF8 = Trouble("invalid UTF-8")
NUL_BYTES = Trouble("NUL bytes")
NOT_A_NUMBER = Trouble("NaN or Infinity")
TOO_DEEP = Trouble("nested too deep")
GLUED = Trouble("several objects on one line")
NOT_JSON = Trouble("not JSON")


TOO_LARGE = Trouble("a number out of range")


class _RefusedError(ValueError):
    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble


def parse(raw: bytes) -> Json | Trouble:
    """One JSON value, or the trouble with it."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _parse_slowly(raw)


def parse_record(raw: bytes) -> dict[str, Json] | Trouble:
    """One record: a JSON object."""
    value = parse(raw)
    if isinstance(value, (dict, Trouble)):
        return value
    return not_an_object(value)


def not_an_object(value: Json) -> Trouble:
    return Trouble(f"not an object but {json_type(value)}")


def parse_glued(raw: bytes) -> list[dict[str, Json]]:
    """The objects that stand on one line one after the other, or none if that is not what the line is."""
    decoder = json.JSONDecoder()
    found: list[dict[str, Json]] = []
    try:
        text = raw.decode("utf-8")
        at = 0
        while at < len(text):
            value, end = decoder.raw_decode(text, at)
            again = parse_record(text[at:end].encode("utf-8"))
            if not isinstance(value, dict) or isinstance(again, Trouble):
                return []
            found.append(again)
            at = _GAP.match(text, end).end()  # type: ignore[union-attr]
    except (ValueError, RecursionError):
        return []
    return found if len(found) > 1 else []


def _parse_slowly(raw: bytes) -> Json | Trouble:
    """What orjson refuses: mend a lone surrogate (legal JSON, and JavaScript writes it), else name the trouble."""
    if b"\0" in raw:
        return NUL_BYTES
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_UTF8
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_number, parse_int=_number)
        mended = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return orjson.loads(mended)
    except _RefusedError as refusal:
        return refusal.trouble
    except (RecursionError, orjson.JSONDecodeError):
        return TOO_DEEP
    except ValueError:
        return TOO_DEEP if _is_deep(raw) else NOT_JSON


def _refuse(_: str) -> NoReturn:
    raise _RefusedError(NOT_A_NUMBER)


def _number(text: str) -> float:
    if len(text) < 19 and text.lstrip("-").isdigit():
        return int(text)
    number = float(text)
    if math.isinf(number):
        raise _RefusedError(TOO_LARGE)
    return number


def _is_deep(raw: bytes) -> bool:
    start = raw.lstrip(_SPACE)[: 16 * _DEEPEST]
    return start.count(b"[") + start.count(b"{") > 8 * _DEEPEST
