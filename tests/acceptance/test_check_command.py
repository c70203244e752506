"""`driftcheck check` as a user runs it: exit codes, formats, options, terminals."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from command import EXECUTABLE, ROOT, as_report, check, clean_environment, run
from records import OLD, assistant, lines, user, without, write

SHARE = 9 << 20
"""The size from which a file is a share of the work of its own."""
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    return write(tmp_path / "clean.jsonl", user(), assistant())


@pytest.fixture
def drifting(tmp_path: Path) -> Path:
    bad = b"oops\n"
    path = write(
        tmp_path / "drifting.jsonl", user(shelf=1), user(cwd=5), without(user(), "cwd"), user(userType="robot")
    )
    path.write_bytes(path.read_bytes() + bad)
    return path


def test_clean_records_give_0_and_say_so(clean: Path) -> None:
    ran = run("check", clean)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"clean · 2 records in 1 file, {clean.stat().st_size / 1e6:.1f} MB, version 2.1.237\n"


def test_drift_gives_1_and_shows_each_finding_under_its_kind(drifting: Path) -> None:
    ran = run("check", drifting)

    assert (ran.code, ran.err) == (1, "")
    headings = [line for line in ran.out.splitlines() if line and not line.startswith(" ")]
    assert headings[:2] == ["transcript", "transcript/user"]
    assert (
        "  NEW_FIELD     shelf\n"
        "                a field the schema does not have, integer\n"
        "                in 1 of 4, version 2.1.237\n"
        f"                see {drifting}:1\n"
    ) in ran.out
    assert "1 NEW_FIELD, 1 TYPE_MISMATCH, 1 MISSING_FIELD, 1 NEW_VALUE, 1 MALFORMED · 4 records in 1 file" in ran.out


def test_the_module_can_be_run_as_the_command(drifting: Path) -> None:
    command = [sys.executable, "-m", "driftcheck", "check", str(drifting)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, run("check", drifting).out)


def test_the_json_report_follows_its_published_schema_and_adds_up(drifting: Path) -> None:
    ran = check(drifting)

    summary = ran.report["summary"]
    assert (summary["files"], summary["records"], summary["bytes"]) == (1, 4, drifting.stat().st_size)
    assert (summary["malformed"], summary["misfires"], summary["versions"]) == (1, 0, {"2.1.237": 4})
    assert summary["by_code"] == {
        "UNKNOWN_TYPE": 0,
        "NEW_FIELD": 1,
        "TYPE_MISMATCH": 1,
        "MISSING_FIELD": 1,
        "NEW_VALUE": 1,
        "MALFORMED": 1,
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_report_can_go_to_a_file_that_is_whole_or_not_there(tmp_path: Path, drifting: Path, form: str) -> None:
    target = tmp_path / "out" / "report"
    target.parent.mkdir()
    target.write_text("an older and much longer report " * 1000)
    target.chmod(0o640)

    ran = run("check", "--format", form, "-o", target, drifting)

    assert (ran.code, ran.out, ran.err) == (1, "", "")
    assert target.read_text() == run("check", "--format", form, drifting).out
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(target.parent.iterdir()) == [target]


def test_a_report_that_cannot_be_written_is_said(tmp_path: Path, drifting: Path) -> None:
    ran = run("check", "-o", tmp_path / "nowhere" / "report", drifting)

    assert ran.code == 2
    assert "nowhere/report: the report cannot be written: No such file or directory" in ran.err


@pytest.mark.parametrize(
    ("options", "codes", "exit_code"),
    [
        (["--select", "NEW_FIELD"], {"NEW_FIELD"}, 1),
        (["--select", "new_field, MALFORMED"], {"NEW_FIELD", "MALFORMED"}, 1),
        (["--select", "MALFORMED"], {"MALFORMED"}, 0),
        (["--select", "UNKNOWN_TYPE"], set(), 0),
        (["--ignore", "NEW_FIELD,NEW_VALUE,MALFORMED"], {"TYPE_MISMATCH", "MISSING_FIELD"}, 1),
        (["--select", "NEW_FIELD,NEW_VALUE", "--ignore", "NEW_VALUE"], {"NEW_FIELD"}, 1),
        (["--select", "NEW_FIELD", "--fail-on", "NEW_VALUE"], {"NEW_FIELD"}, 0),
        (["--select", "NEW_FIELD,NEW_VALUE", "--fail-on", "NEW_VALUE"], {"NEW_FIELD", "NEW_VALUE"}, 1),
        (["--select", "MALFORMED", "--fail-on", "MALFORMED"], {"MALFORMED"}, 1),
        (["--select", "NEW_FIELD", "--exit-zero"], {"NEW_FIELD"}, 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_codes_can_be_chosen_to_be_shown_and_to_fail(
    drifting: Path, options: list[str], codes: set[str], exit_code: int
) -> None:
    ran = check(drifting, *options)

    assert ran.code == exit_code
    assert {code for code, _, _, _ in ran.findings} == codes
    assert {code for code, count in ran.report["summary"]["by_code"].items() if count} == codes


def test_exit_zero_does_not_hide_that_the_job_could_not_be_done(tmp_path: Path) -> None:
    assert run("check", "--exit-zero", tmp_path).code == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--select", "LAMP"], "has a code that is none of UNKNOWN_TYPE"),
        (["--at", "soon"], "'soon' is not a Claude Code version; write it like 2.1.42"),
        (["--format", "lamp"], "'lamp' is not one of"),
        (["--jobs", "0"], "0 is not in the range"),
        (["--lamp"], "No such option"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_an_option_that_makes_no_sense_is_said_and_gives_2(clean: Path, options: list[str], words: str) -> None:
    ran = run("check", *options, clean)

    assert ran.code == 2
    assert words in ran.err


def test_at_says_whether_another_version_would_cope(clean: Path) -> None:
    ran = check("--at", OLD, clean)

    assert (ran.code, {path for _, _, path, _ in ran.findings}) == (1, {"entrypoint"})


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "schemas", tmp_path / "schemas"))


def test_another_catalogue_can_be_used(schemas: Path, drifting: Path) -> None:
    file = schemas / "transcript" / "user.json"
    schema = json.loads(file.read_text())
    schema["properties"]["shelf"] = {"type": "integer"}
    file.write_text(json.dumps(schema))

    assert "shelf" not in {path for _, _, path, _ in check("--schemas", schemas, drifting).findings}


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("{", "transcript/user.json:1: not valid JSON"),
        ('{"type": "object", "minimum": 5}', "transcript/user.json#: keyword 'minimum'"),
        ('{"type": "object", "x-since": "soon"}', "transcript/user.json#/x-since: 'soon' is not a bound"),
        ('{"$ref": "lamp.json"}', "transcript/user.json: $ref 'lamp.json' names no file"),
    ],
    ids=["not JSON", "a keyword too many", "a bound that is none", "a reference to nothing"],
)
def test_a_broken_catalogue_is_said_with_the_file(schemas: Path, clean: Path, broken: str, words: str) -> None:
    (schemas / "transcript" / "user.json").write_text(broken)

    ran = run("check", "--schemas", schemas, clean)

    assert ran.code == 2
    assert words in ran.err


@pytest.mark.parametrize("lost", ["all", "routes.json"])
def test_a_folder_that_is_no_catalogue_is_said(tmp_path: Path, schemas: Path, clean: Path, lost: str) -> None:
    (schemas / "routes.json").unlink()
    folder = schemas if lost == "routes.json" else tmp_path / "nowhere"

    ran = run("check", "--schemas", folder, clean)

    assert ran.code == 2
    assert str(folder) in ran.err


def test_processes_and_the_order_of_paths_do_not_change_the_report(tmp_path: Path, drifting: Path) -> None:
    paths = [drifting, write(tmp_path / "empty.jsonl")]
    for number, name in enumerate("zay"):
        block = lines([user("shelf " * 3000, version=f"2.1.{number + 90}", lamp=number), user(x=1), assistant(cwd=5)])
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(block * (SHARE // len(block) + 1) + b"oops\n")
        paths.append(path)

    alone = check("--jobs", "1", *paths)
    shared = check("--jobs", "2", *reversed(paths))

    assert alone.code == shared.code == 2
    assert alone.out == shared.out
    assert len(alone.findings) > 5


def test_on_a_pipe_there_is_no_colour_no_bar_and_no_wrapping(tmp_path: Path) -> None:
    path = write(tmp_path / f"{'long-name-' * 20}.jsonl", user(shelf=1))

    ran = run("check", path, env={"FORCE_COLOR": "1", "COLUMNS": "40", "TERM": "xterm-256color"})

    assert "\x1b" not in ran.out + ran.err
    assert f"see {path}:1\n" in ran.out
    assert ran.err == ""


def _on_terminal(*arguments: str | Path, columns: int = 50, **environment: str) -> tuple[str, str]:
    """What the command writes to a terminal on standard output, and to one on standard error."""
    pairs = [pty.openpty(), pty.openpty()]
    for _, inner in pairs:
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [EXECUTABLE, "check", *map(str, arguments)],
        stdout=pairs[0][1],
        stderr=pairs[1][1],
        env=clean_environment() | {"TERM": "xterm"} | environment,
    )
    for _, inner in pairs:
        os.close(inner)
    out, err = (_drain(outer) for outer, _ in pairs)
    process.wait()
    return out, err


def _drain(handle: int) -> str:
    """Everything until the other side of a terminal is closed, which Linux tells with an error."""
    blocks = []
    try:
        while block := os.read(handle, 1 << 16):
            blocks.append(block)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
    os.close(handle)
    return b"".join(blocks).decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_lines_of_its_width_and_a_bar_on_standard_error_only(drifting: Path) -> None:
    out, err = _on_terminal(drifting, columns=50)

    assert "\x1b[36mNEW_FIELD" in out
    assert max(len(line) for line in ESCAPE.sub("", out).splitlines()) <= 50
    assert "checking" not in out
    assert "checking" in err
    assert "NEW_FIELD" not in err


def test_a_wide_terminal_is_used_and_a_narrow_one_not_below_reason(drifting: Path) -> None:
    wide, _ = _on_terminal(drifting, columns=400)
    narrow, _ = _on_terminal(drifting, columns=5)

    assert f"see {drifting}:1\n" in ESCAPE.sub("", wide)
    assert max(len(line) for line in ESCAPE.sub("", narrow).splitlines()) == 40


def test_no_color_is_heeded_on_a_terminal_and_an_empty_one_is_none(drifting: Path) -> None:
    plain, _ = _on_terminal(drifting, NO_COLOR="1")
    coloured, _ = _on_terminal(drifting, NO_COLOR="")

    assert "\x1b" not in plain
    assert "\x1b[36m" in coloured


def test_a_report_in_a_file_has_no_colour_though_there_is_a_terminal(tmp_path: Path, drifting: Path) -> None:
    out, _ = _on_terminal("-o", tmp_path / "report", drifting)

    assert out == ""
    assert (tmp_path / "report").read_text() == run("check", drifting).out


def test_json_on_a_terminal_is_json(drifting: Path) -> None:
    out, _ = _on_terminal("--format", "json", drifting)

    assert as_report(out)["findings"]
