"""Reads the records of one file: JSON lines, a JSON document or an array, plain or gzipped, in flat memory."""

from __future__ import annotations

import gzip
import io
import json
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
        raw: Any = sys.stdin.buffer if path is None else path.open("rb", buffering=0)
    except OSError as error:
        raise UnreadableError(_reason(error)) from error
    if path is not None and path.suffix == ".gz":
        raw = gzip.GzipFile(fileobj=raw)
    return io.BufferedReader(Meter(raw, tick), _BLOCK)


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
        first_line = start.lstrip().partition(b"\n")[0]
        if first_line[:1] == b"[" or (is_document and isinstance(parse_record(first_line), Trouble)):
            yield from _read_document(handle)
        else:
            yield from _read_lines(handle, is_document)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableError(_reason(error)) from error


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
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="\n")
    try:
        yield from _Document(text).items()
    except UnicodeDecodeError:
        yield 0, parse.NOT_UTF8
    finally:
        text.detach()


class _Document:
    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._buffer = ""
        self._line = 1
        self._at_end = False
        self._decoder = json.JSONDecoder()

    def items(self) -> Iterator[Item]:
        in_array = self._next() == "["
        if in_array:
            self._drop(1)
        while (sign := self._next()) and not (in_array and sign == "]"):
            if sign == ",":
                self._drop(1)
                continue
            line = self._line
            size = self._measure()
            if size is None:
                yield line, parse.NOT_JSON
                return
            yield line, self._record(self._buffer[:size])
            self._drop(size)

    def _record(self, text: str) -> dict[str, Json] | Trouble:
        return parse_record(text.encode("utf-8", "surrogatepass"))

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

    def _measure(self) -> int | None:
        """The length of the value at the start of the buffer, reading on until it is whole."""
        while True:
            try:
                end: int = self._decoder.raw_decode(self._buffer)[1]
            except RecursionError:
                return None
            except ValueError:
                end = 0
            if end and (end < len(self._buffer) or self._at_end):
                return end
            if not self._more(max(_BLOCK, len(self._buffer))) and not end:
                return None

    def _more(self, size: int = _BLOCK) -> bool:
        block = "" if len(self._buffer) > LONGEST_LINE else self._text.read(size)
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
