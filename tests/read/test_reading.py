"""Reading through the command: whatever the bytes are, they are counted, placed and never stop the run."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from command import Run, check, check_here, run
from records import NEW, Record, assistant, lines, user, write

LINE = lines([user()])
MEBI = 1 << 20


def _troubles(ran: Run) -> list[tuple[str, list[str]]]:
    return _troubles_in(ran.report)


def _troubles_in(report: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """The malformed lines: what is wrong, and on which lines of their file."""
    found = [f for f in report["findings"] if f["code"] == "MALFORMED"]
    return sorted((f["observed"][0], [example.rpartition(":")[2] for example in f["examples"]]) for f in found)


def _records(ran: Run) -> int:
    count = ran.report["summary"]["records"]
    assert isinstance(count, int)
    return count


def _deep(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels + b"\n"


@pytest.mark.parametrize(
    ("raw", "trouble"),
    [
        (b"oops\n", "not JSON"),
        (b"[1, 2]\n", "not an object but array"),
        (b'"text"\n', "not an object but string"),
        (LINE[:-20] + b"\n", "not JSON"),
        (b"\0\0\0\n", "NUL bytes"),
        (b'{"type": "user", "cost": NaN}\n', "NaN or Infinity"),
        (b'{"type": "user", "cost": 1e999}\n', "a number out of range"),
        (b'{"type": "user", "text": "\xff"}\n', "invalid UTF-8"),
        (_deep(100_000), "nested too deep"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_line_is_reported_with_its_number_and_the_lines_around_it_are_judged(
    tmp_path: Path, raw: bytes, trouble: str
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(LINE + raw + LINE)

    ran = check(path)

    assert (ran.code, _records(ran), ran.report["summary"]["malformed"]) == (0, 2, 1)
    assert _troubles(ran) == [(trouble, ["2"])]
    assert ran.report["findings"][0]["examples"] == [f"{path}:2"]


def test_malformed_lines_count_as_drift_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(LINE + b"oops\n")

    assert check(path).code == 0
    assert check(path, "--fail-on", "MALFORMED").code == 1


@pytest.mark.parametrize(
    ("ending", "trouble"),
    [(LINE[:-20], "truncated last line"), (LINE[:-20] + b"\n", "not JSON"), (b"oo", "not JSON")],
    ids=["cut without a newline", "cut before a newline", "no object at all"],
)
def test_a_last_line_that_is_being_written_is_told_from_one_that_is_broken(
    tmp_path: Path, ending: bytes, trouble: str
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(LINE + ending)

    ran = check(path)

    assert (_records(ran), _troubles(ran)) == (1, [(trouble, ["2"])])


def test_objects_glued_on_one_line_are_reported_once_and_each_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    glued = [user(shelf=1), user(), user(shelf=2)]
    path.write_bytes(LINE + b" ".join(json.dumps(record).encode() for record in glued) + b"\n" + LINE)

    ran = check(path)

    assert (_records(ran), _troubles(ran)) == (5, [("several objects on one line", ["2"])])
    assert ("NEW_FIELD", "transcript/user", "shelf", 2) in ran.findings


def test_blank_lines_byte_order_marks_and_windows_line_ends_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\r\n" + LINE.replace(b"\n", b"\r\n") + b"\r\n  \r\n" + lines([user(shelf=1)]))

    ran = check(path)

    assert (_records(ran), ran.report["summary"]["malformed"]) == (2, 0)
    assert [f["examples"] for f in ran.report["findings"]] == [[f"{path}:5"]]


def test_lone_surrogate_escapes_are_read_and_the_record_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines([user("HERE", shelf=1)]).replace(b"HERE", rb"\ud83d and \udc00"))

    ran = check(path)

    assert (ran.code, _records(ran), ran.report["summary"]["malformed"]) == (1, 1, 0)
    assert ran.findings == [("NEW_FIELD", "transcript/user", "shelf", 1)]


def test_a_line_of_100_megabytes_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    long = json.dumps(user("HERE", shelf=1)).encode().partition(b"HERE")
    with path.open("wb") as file:
        file.write(LINE + long[0])
        for _ in range(100):
            file.write(b"x" * MEBI)
        file.write(long[2] + b"\n" + LINE)

    ran = check(path)

    assert (ran.code, _records(ran), ran.report["summary"]["malformed"]) == (1, 3, 0)
    assert [f["examples"] for f in ran.report["findings"]] == [[f"{path}:2"]]


def test_a_line_past_any_reason_is_skipped_and_the_next_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    with path.open("wb") as file:
        file.write(LINE)
        file.seek(129 * MEBI, 1)
        file.write(b"\n" + lines([user(shelf=1)]))

    ran = check(path)

    assert (_records(ran), _troubles(ran)) == (2, [("line too long", ["2"])])
    assert ("NEW_FIELD", "transcript/user", "shelf", 1) in ran.findings


DRIFTING: list[Record] = [user(), assistant(), user(shelf=1)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (json.dumps(DRIFTING), 1),
        (json.dumps(DRIFTING, indent=2), json.dumps(DRIFTING[:2], indent=2).count("\n") + 1),
        ("\n".join(json.dumps(record, indent=2) for record in DRIFTING), 0),
        ("\n".join(map(json.dumps, DRIFTING)), 3),
        ("\ufeff" + json.dumps(DRIFTING), 1),
    ],
    ids=["array on a line", "array over lines", "objects over lines", "one on each line", "with a byte-order mark"],
)
@pytest.mark.parametrize("way", ["file", "gzip", "stdin"])
def test_a_document_is_read_in_whatever_form_it_is_written(tmp_path: Path, text: str, line: int, way: str) -> None:
    raw = text.encode()
    if way == "stdin":
        report = check("-", stdin=raw).report
    else:
        path = tmp_path / ("document.json.gz" if way == "gzip" else "document.json")
        path.write_bytes(gzip.compress(raw) if way == "gzip" else raw)
        report = check_here(path)

    summary = report["summary"]
    assert (summary["records"], summary["malformed"], summary["bytes"]) == (3, 0, len(raw))
    (finding,) = report["findings"]
    at = int(finding["examples"][0].rpartition(":")[2])
    assert at == (line or text[: text.rindex('"parentUuid"')].count("\n"))


def test_an_array_of_records_is_read_in_a_jsonl_file_too(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(DRIFTING, indent=2))

    assert _records(check(path)) == 3


@pytest.mark.parametrize(
    ("raw", "records", "trouble"),
    [
        (b"oops\n" + LINE * 2, 2, ("not JSON", ["1"])),
        (b"{\n" + LINE * 2, 2, ("not JSON", ["1"])),
        (LINE[:-20] + b"\n" + LINE * 2, 2, ("not JSON", ["1"])),
        (b"[" + LINE.strip() + b",\n" + LINE, 2, ("truncated last line", ["3"])),
        (json.dumps(user(), indent=1).encode() + b"\n" + json.dumps(user(), indent=1).encode()[:-40], 1,
         ("truncated last line", [str(json.dumps(user(), indent=1).count("\n") + 2)])),
        (b"[" + LINE.strip() + b"]\n" + LINE, 2, None),
        (b"[" + LINE.strip() + b"]\n[" + LINE + b"]", 2, None),
        (b'[5, "text", ' + LINE + b"]", 1, ("not an object but integer", ["1"])),
        (b"[\n" + LINE.replace(b"Sort", b"S\xff") + b",\n" + LINE + b"]", 1, ("invalid UTF-8", ["2"])),
        (b"[\n" + LINE + b",\n" + _deep(100_000) + b"]\n" + LINE, 2, ("nested too deep", ["4"])),
        (b"[\n" + LINE + b',\n{"cost": NaN},\n' + LINE + b"]", 2, ("NaN or Infinity", ["4"])),
        (b"[\n" + LINE + b',\n{"n": ' + b"9" * 5000 + b"}]\n", 1, ("a number out of range", ["4"])),
    ],
    ids=[
        "bad first line", "brace first line", "cut first line", "array without end", "object without end",
        "lines after an array", "two arrays", "values that are no objects", "bytes that are not UTF-8", "nested deep",
        "not a number", "endless number",
    ],
)  # fmt: skip
def test_trouble_in_a_document_has_its_line_and_reading_goes_on(
    tmp_path: Path, raw: bytes, records: int, trouble: tuple[str, list[str]] | None
) -> None:
    path = tmp_path / "document.json"
    path.write_bytes(raw)

    for report in (check_here(path), check("-", stdin=raw).report):
        assert report["summary"]["records"] == records
        found = _troubles_in(report)
        assert (trouble in found) if trouble else not found


def test_a_bad_line_late_on_standard_input_does_not_cost_the_lines_after_it() -> None:
    ran = check("-", stdin=lines([user("x" * 100_000)]) + b"oops\n" + LINE * 3)

    assert (_records(ran), _troubles(ran)) == (4, [("not JSON", ["2"])])


def test_a_gzipped_file_is_checked_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(gzip.compress(LINE + lines([user(shelf=1)])))

    ran = check(path)

    assert (ran.code, _records(ran)) == (1, 2)
    assert ran.report["findings"][0]["examples"] == [f"{path}:2"]


def test_a_gzipped_file_that_is_cut_is_said_and_what_was_read_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl.gz"
    packed = gzip.compress(b"".join(lines([user(f"{n} {n * n}", shelf=1)]) for n in range(20_000)))
    path.write_bytes(packed[: len(packed) // 2])

    ran = check(path)

    assert ran.code == 2
    assert ran.report["skipped"] == [{"name": str(path), "reason": "is not a whole gzip file", "is_failure": True}]
    assert 0 < _records(ran) < 20_000
    assert ran.findings == [("NEW_FIELD", "transcript/user", "shelf", _records(ran))]


def test_a_file_that_only_calls_itself_gzipped_is_said(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(LINE)

    ran = check(path)

    assert ran.code == 2
    assert ran.report["skipped"][0]["reason"] == "is not a whole gzip file"


def test_utf16_text_is_said_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(LINE.decode().encode("utf-16"))

    ran = check(path)

    assert ran.code == 2
    assert ran.report["skipped"][0]["reason"] == "is UTF-16 text; convert it to UTF-8"


def test_standard_input_is_named_with_a_dash() -> None:
    ran = check("-", stdin=lines([user(shelf=1)]))

    assert (ran.code, ran.report["findings"][0]["examples"]) == (1, ["-:1"])


def test_many_glued_objects_on_one_line_are_all_judged(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(LINE + b'{"type":"mode"}' * 40_000 + b"\n")

    assert _records(check(path)) == 40_001


def test_a_deep_value_where_anything_goes_is_judged(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "mcp__a__b", "input": json.loads(_deep(900))}

    ran = check(write(tmp_path / "session.jsonl", assistant(call, shelf=1), user()))

    assert (ran.findings, _records(ran)) == ([("NEW_FIELD", "transcript/assistant", "shelf", 1)], 2)


def test_the_surface_can_be_named_where_no_record_tells_it(tmp_path: Path) -> None:
    path = write(tmp_path / "odd.jsonl", {"type": "user", "shelf": 1})

    unknown = run("check", path)
    named = check(path, "--surface", "transcript", "--at", NEW)
    wrong = run("check", path, "--surface", "shelf")

    assert unknown.code == 2
    assert "name its surface with --surface" in unknown.err
    assert ("NEW_FIELD", "transcript/user", "shelf", 1) in named.findings
    assert wrong.code == 2
    assert "'shelf' is no surface; there are adapter, history, hook" in wrong.err
