"""Reads the records of one file: JSON lines, a JSON document or an array, plain or gzipped, in flat memory."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from driftcheck.jsontype import Json
from driftcheck.read import parse
from driftcheck.read.parse import Trouble, parse_glued, parse_record

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST_LINE = 128 << 20
_BLOCK = 1 << 20
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PEEK = 1 << 16
_ARRAY_OF_RECORDS = re.compile(rb"\[\s*(\{|\]|$)")
_LONGEST_TOKEN = 16
"""More characters than any name of a constant or any escape has: so near to the end, one may be cut."""

Item = tuple[int, "dict[str, Json] | Trouble"]
"""A line's number, and the record on it or the trouble with it."""


class UnreadableError(Exception):
    """A file that cannot be read, or read any further, and why."""


class Meter(io.RawIOBase):
    """Passes bytes on from another file, and counts them."""

    def __init__(self, source: BinaryIO, tick: Callable[[int], None]) -> None:
        self._source = source
        self._tick = tick

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._source.readinto(buffer)  # type: ignore[attr-defined]
        self._tick(count or 0)
        return count or 0

    def close(self) -> None:
        if not self.closed and self._source is not sys.stdin.buffer:
            self._source.close()
        super().close()


def open_source(path: Path | None, tick: Callable[[int], None]) -> io.BufferedReader:
    """Open a file, or standard input, for reading, unpacked; `tick` is told how many bytes go by."""
    try:
        raw = _open(path)
    except OSError as error:
        raise UnreadableError(_reason(error)) from error
    return io.BufferedReader(Meter(raw, tick), _BLOCK)


def _open(path: Path | None) -> Any:
    if path is None:
        return sys.stdin.buffer
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb", buffering=0)


def read_records(handle: io.BufferedReader, *, is_document: bool = False) -> Iterator[Item]:
    """Every record of an open file, with the number of its line.

    `is_document` says that an object may go over several lines, and that a line may hold an array of records,
    as in a `.json` file.
    """
    try:
        start = handle.peek(_PEEK)[:_PEEK]
        if start.startswith(_UTF16_MARKS):
            raise UnreadableError("is UTF-16 text; convert it to UTF-8")
        if start.startswith(_UTF8_MARK):
            handle.read(len(_UTF8_MARK))
            start = start[len(_UTF8_MARK) :]
        if _is_over_lines(start.lstrip(), is_document):
            yield from _read_document(handle)
        else:
            yield from _read_lines(handle, is_document)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableError(_reason(error)) from error


def _is_over_lines(start: bytes, is_document: bool) -> bool:
    """Whether a file is not one record on each line, for all that its start tells."""
    first_line, newline, _ = start.partition(b"\n")
    if not is_document:
        return bool(_ARRAY_OF_RECORDS.match(start))
    return start[:1] == b"[" or (bool(newline) and isinstance(parse_record(first_line), Trouble))


def _read_lines(handle: io.BufferedReader, takes_arrays: bool) -> Iterator[Item]:
    number = 0
    while raw := handle.readline(LONGEST_LINE):
        number += 1
        if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
            _skip_line(handle)
            yield number, parse.TOO_LONG
            continue
        try:
            record = orjson.loads(raw)
        except orjson.JSONDecodeError:
            record = None
        if type(record) is dict:
            yield number, record
        elif takes_arrays and type(record) is list:
            yield from ((number, item if type(item) is dict else parse.not_an_object(item)) for item in record)
        elif not raw.isspace():
            yield from _salvage(raw, number)


def _salvage(raw: bytes, number: int) -> Iterator[Item]:
    """What can be had of a line that is not simply one object, and what is wrong with it.

    Objects glued together are reported and still judged; an unfinished last line is named as that.
    """
    trouble = parse_record(raw)
    if isinstance(trouble, dict):
        yield number, trouble
        return
    glued = parse_glued(raw) if trouble is parse.NOT_JSON else []
    if glued:
        yield number, parse.GLUED
        for record in glued:
            yield number, record
    elif trouble is parse.NOT_JSON and not raw.endswith(b"\n") and raw.lstrip()[:1] == b"{":
        yield number, parse.TRUNCATED
    else:
        yield number, trouble


def _skip_line(handle: io.BufferedReader) -> None:
    while (rest := handle.readline(_BLOCK)) and not rest.endswith(b"\n"):
        pass


def _read_document(handle: io.BufferedReader) -> Iterator[Item]:
    """Objects one after the other or in an array, over any number of lines, one in memory at a time."""
    text = io.TextIOWrapper(handle, encoding="utf-8", errors="surrogateescape", newline="\n")
    try:
        yield from _Document(text).items()
    finally:
        text.detach()


class _Document:
    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._buffer = ""
        self._line = 1
        self._at_end = False
        self._decoder = json.JSONDecoder(parse_int=float)

    def items(self) -> Iterator[Item]:
        in_array = False
        while sign := self._next():
            if sign == "," or sign == ("]" if in_array else "["):
                in_array ^= sign != ","
                self._drop(1)
                continue
            line = self._line
            size = self._measure()
            if isinstance(size, Trouble):
                yield line, size
                in_array = False
                self._skip_to_object()
            else:
                yield line, parse_record(self._buffer[:size].encode("utf-8", "surrogateescape"))
                self._drop(size)
        if in_array:
            yield self._line, parse.TRUNCATED

    def _next(self) -> str:
        """The next character that is not space, or nothing at the end."""
        while True:
            kept = self._buffer.lstrip()
            if kept:
                self._drop(len(self._buffer) - len(kept))
                return kept[0]
            self._drop(len(self._buffer))
            if not self._more():
                return ""

    def _measure(self) -> int | Trouble:
        """The length of the value at the start of the buffer, reading on until it is whole."""
        while True:
            end = 0
            try:
                end = self._decoder.raw_decode(self._buffer)[1]
            except RecursionError:
                return parse.TOO_DEEP
            except json.JSONDecodeError as error:
                if not self._may_go_on(error):
                    return parse.NOT_JSON
            if end and (end < len(self._buffer) or self._at_end):
                return end
            if len(self._buffer) > LONGEST_LINE:
                return parse.TOO_LONG
            if not self._more(max(_BLOCK, len(self._buffer))) and not end:
                return parse.TRUNCATED if self._buffer[0] == "{" else parse.NOT_JSON

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        """Whether the trouble with a value may only be that the rest of it is not read yet."""
        return error.msg.startswith("Unterminated") or error.pos > len(self._buffer) - _LONGEST_TOKEN

    def _skip_to_object(self) -> None:
        """Go on at the next line that opens an object, as every one of JSON lines does."""
        while (found := self._buffer.find("\n{")) < 0:
            self._drop(max(0, len(self._buffer) - 1))
            if not self._more():
                self._drop(len(self._buffer))
                return
        self._drop(found + 1)

    def _more(self, size: int = _BLOCK) -> bool:
        block = self._text.read(size)
        self._buffer += block
        self._at_end = not block
        return bool(block)

    def _drop(self, size: int) -> None:
        self._line += self._buffer.count("\n", 0, size)
        self._buffer = self._buffer[size:]


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read: {error.strerror.lower()}"
    if isinstance(error, (EOFError, gzip.BadGzipFile, zlib.error)):
        return "is not a whole gzip file"
    return f"cannot be read: {error}"
