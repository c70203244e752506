"""Nothing that could be somebody's words, names or numbers is ever in a report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run
from records import (
    Record,
    assistant,
    attachment,
    bash_result,
    calls,
    gives,
    hook,
    lines,
    message,
    progress,
    prompt,
    session,
    stream_init,
    stream_result,
    system,
    text,
    usage,
    user,
)

WORD, DIGITS, FRACTION = "Kanarienvogel", 7316254, 0.7316254
STRINGS = (
    f"{WORD} sings",
    f"/home/{WORD}/secret",
    f"{WORD}@example.org",
    f"\x1b[31m{WORD}\x07",
    f"[bold]{WORD}[/bold]",
    f"{WORD} " * 1000,
)
VALUES: tuple[Any, ...] = (
    *STRINGS,
    DIGITS,
    FRACTION,
    [f"{WORD} sings"],
    {f"{WORD} sings": f"{WORD} sings", f"/{WORD}": {f"{WORD}@example.org": DIGITS}},
)

SURFACES: dict[str, list[Record]] = {
    "transcript": [
        user(),
        user([text(), {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}]),
        assistant() | {"message": message(text(), usage=usage(service_tier="standard"))},
        calls("Bash", {"command": "ls", "timeout": 5}),
        gives(bash_result()),
        calls("AskUserQuestion", {"questions": [], "answers": {"Which?": "That"}}, "toolu_2"),
        system("turn_duration", durationMs=5, isMeta=False, messageCount=3),
        attachment(type="date_change", newDate="2026-01-02"),
        progress(type="bash_progress", output="", fullOutput="", elapsedTimeSeconds=1, totalLines=1),
    ],
    "stream": [stream_init(), stream_result()],
    "hook": [hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="toolu_1")],
    "session": [session()],
    "history": [prompt()],
}


def _bent(value: Any) -> Iterator[Any]:
    """A value with a canary in the place of each of its parts in turn, and beside them under keys that are none."""
    yield from VALUES
    if isinstance(value, dict):
        for name, child in value.items():
            for bent in _bent(child):
                yield {**value, name: bent}
        for key in STRINGS:
            yield {**value, key: f"{WORD} sings"}
    elif isinstance(value, list):
        for index, child in enumerate(value):
            for bent in _bent(child):
                yield [*value[:index], bent, *value[index + 1 :]]


def _assert_no_canary(path: Path, *options: str) -> None:
    for form in ("text", "json"):
        ran = run("check", "--format", form, *options, path)
        assert ran.code == 1, ran.err
        for canary in (WORD, str(DIGITS), "\x1b"):
            assert canary not in ran.out + ran.err


@pytest.mark.parametrize("surface", SURFACES)
def test_no_string_key_or_number_of_a_record_that_drifts_is_in_a_report(tmp_path: Path, surface: str) -> None:
    records = SURFACES[surface]
    bent = [other for record in records for other in _bent(record) if isinstance(other, dict)]
    path = tmp_path / "canaries.jsonl"
    path.write_bytes(lines([*records, *bent, *records]))

    _assert_no_canary(path, "--surface", surface)


def test_nothing_of_a_malformed_line_is_in_a_report(tmp_path: Path) -> None:
    whole = json.dumps({f"{WORD} sings": [WORD, DIGITS]}).encode()
    bad = [
        whole[:-3],
        whole + whole + b"}",
        whole.replace(b"[", b"[NaN, "),
        whole.replace(b"[", b"[\0"),
        whole.replace(b"[", b'["\xff", '),
        whole.replace(str(DIGITS).encode(), str(DIGITS).encode() * 100 + b"e999"),
        json.dumps([WORD, DIGITS]).encode(),
        json.dumps(WORD).encode(),
        str(DIGITS).encode(),
        WORD.encode(),
        whole + whole,
        whole.replace(b"[", b"[" * 5000),
    ]
    path = tmp_path / "canaries.jsonl"
    path.write_bytes(lines([user(shelf=1)]) + b"\n".join(bad) + b"\n" + whole[:-5])

    _assert_no_canary(path)


def test_nothing_of_a_file_that_is_no_data_is_in_the_error(tmp_path: Path) -> None:
    for name, raw in {"a.json": f'{{"{WORD}": {DIGITS}}}', "b.jsonl": f"{WORD} {DIGITS}\n"}.items():
        path = tmp_path / name
        path.write_text(raw)
        ran = run("check", path)
        assert ran.code == 2
        assert WORD not in ran.out + ran.err
        assert str(DIGITS) not in ran.out + ran.err


def test_a_name_that_reads_like_one_is_shown(tmp_path: Path) -> None:
    """The counter-check: were canaries identifiers, the tests above would find them."""
    path = tmp_path / "names.jsonl"
    path.write_bytes(lines([user() | {WORD: 1}, {"type": WORD, "sessionId": "x"}]))

    out = run("check", path).out

    assert f"NEW_FIELD     {WORD}\n" in out
    assert f"transcript/{WORD}\n" in out
