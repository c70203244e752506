from __future__ import annotations

import subprocess

from driftcheck.capture.sandbox import wait_until
from driftcheck.capture.terminal import COLUMNS, ROWS, Terminal, plain


def test_words_are_compared_without_escapes_and_blanks() -> None:
    assert plain("\x1b[1mDo\x1b[1Cyou\x1b[0m want\r\n\x1b]0;title\x07?") == "Doyouwant?"


def test_a_program_sees_the_size_and_the_keys_and_its_words_are_seen() -> None:
    command = ["sh", "-c", "stty size; read line; echo heard $line"]
    with Terminal() as terminal:
        ends = {"stdin": terminal.far, "stdout": terminal.far, "stderr": terminal.far}
        with subprocess.Popen(command, **ends) as process:  # type: ignore[call-overload]
            assert wait_until(lambda: terminal.shows(f"{ROWS} {COLUMNS}"), 5)
            mark = terminal.mark
            terminal.type("a word")
            terminal.press("enter")
            assert wait_until(lambda: terminal.shows("nothing|heard a word", mark), 5)
            assert process.wait(5) == 0


def test_a_question_to_the_terminal_is_answered() -> None:
    command = ["sh", "-c", r"stty -echo -icanon; printf '\033[c'; head -c 7 | od -An -c"]
    with Terminal() as terminal:
        ends = {"stdin": terminal.far, "stdout": terminal.far, "stderr": terminal.far}
        with subprocess.Popen(command, **ends) as process:  # type: ignore[call-overload]
            assert wait_until(lambda: terminal.shows("?62;c"), 5)
            process.wait(5)
