"""A pseudo-terminal of fixed size with a program in it: keys go in, the words on the screen can be waited for."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import termios
import threading
import time
from types import TracebackType

ROWS, COLUMNS = 50, 160
KEYS = {
    "enter": "\r",
    "newline": "\n",
    "esc": "\x1b",
    "tab": "\t",
    "shift-tab": "\x1b[Z",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "backspace": "\x7f",
    "ctrl-b": "\x02",
    "ctrl-c": "\x03",
    "ctrl-d": "\x04",
    "ctrl-o": "\x0f",
    "ctrl-r": "\x12",
    "ctrl-t": "\x14",
    "ctrl-u": "\x15",
}
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|[()].|.)|\s")
# A terminal that never answers these questions makes some versions wait for it.
_QUESTIONS = {
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b[0c": b"\x1b[?62;c",
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[>0q": b"\x1bP>|driftcheck\x1b\\",
}


def plain(text: str) -> str:
    """Words as they are compared: without escapes and blanks, since a screen is painted in pieces."""
    return _ESCAPES.sub("", text)


class Terminal:
    """The near end of a pseudo-terminal; `far` is given to the program."""

    def __init__(self) -> None:
        self._near, self.far = pty.openpty()
        fcntl.ioctl(self.far, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._painted = bytearray()
        self._changed = time.monotonic()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Terminal:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for end in (self.far, self._near):
            with contextlib.suppress(OSError):
                os.close(end)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._near, 65536)
            except OSError:
                return
            if not data:
                return
            self._painted += data
            self._changed = time.monotonic()
            for question, answer in _QUESTIONS.items():
                if question in data:
                    self._write(answer)

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self._near, data)

    def type(self, text: str) -> None:
        self._write(text.encode())

    def press(self, key: str) -> None:
        """A key by its name, or the very text where no key has that name."""
        self.type(KEYS.get(key, key))

    @property
    def mark(self) -> int:
        """How much has been painted so far; a later look can begin there."""
        return len(self._painted)

    def shows(self, words: str, since: int = 0) -> bool:
        wanted = [plain(choice) for choice in words.split("|")]
        screen = self.words(since)
        return any(choice in screen for choice in wanted)

    def words(self, since: int = 0) -> str:
        return plain(bytes(self._painted[since:]).decode(errors="replace"))

    def quiet_for(self) -> float:
        return time.monotonic() - self._changed
