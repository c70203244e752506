"""Which files a run looks at, and what it says of those it cannot."""

from __future__ import annotations

import base64
import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import EXECUTABLE, Run, as_report, check, clean_environment, run
from records import SESSION, hook, lines, prompt, session, user, write

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
_DROP_FROM_BOUNDING_SET = 24
_READ_ANYTHING = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


def _names(ran: Run) -> set[str]:
    return {Path(example.rpartition(":")[0]).name for f in ran.report["findings"] for example in f["examples"]}


def _become_ordinary() -> None:
    """Give up the right to read what file modes forbid, which a superuser has."""
    if os.geteuid() == 0:
        for right in _READ_ANYTHING:
            if ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDING_SET, right, 0, 0, 0):
                raise OSError("cannot give up rights")


def _check_without_rights(*arguments: str | Path) -> Run:
    if os.geteuid() == 0 and sys.platform != "linux":
        pytest.skip("the superuser reads everything here")
    done = subprocess.run(
        [EXECUTABLE, "check", "--format", "json", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=clean_environment(),
        preexec_fn=_become_ordinary,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Run(done.returncode, done.stdout, done.stderr)


def _says_nothing_was_checked(ran: Run, *words: str) -> None:
    assert ran.code == 2
    assert ran.err.startswith("Error: nothing was checked: ")
    for word in words:
        assert word in ran.err


def test_an_empty_folder_is_said_with_what_to_do(tmp_path: Path) -> None:
    _says_nothing_was_checked(run("check", tmp_path), str(tmp_path), "holds no .jsonl or .json files", "Name a session")


def test_a_missing_path_is_said(tmp_path: Path) -> None:
    _says_nothing_was_checked(run("check", tmp_path / "nowhere"), "nowhere: no such file or directory")


def test_a_missing_path_beside_a_good_one_fails_the_run_and_the_good_one_is_checked(tmp_path: Path) -> None:
    ran = check(write(tmp_path / "good.jsonl", user(shelf=1)), tmp_path / "nowhere.jsonl")

    assert (ran.code, ran.err) == (2, "")
    assert [skipped["name"] for skipped in ran.report["skipped"]] == [str(tmp_path / "nowhere.jsonl")]
    assert ran.findings == [("NEW_FIELD", "transcript/user", "shelf", 1)]


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "empty.jsonl")

    _says_nothing_was_checked(run("check", path), "empty.jsonl: is empty")


def test_a_file_of_blank_lines_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "blank.jsonl"
    path.write_bytes(b"\n\n  \n")

    _says_nothing_was_checked(run("check", path), "blank.jsonl: is empty")


def test_an_empty_file_in_a_folder_is_noted_and_does_not_fail_the_run(tmp_path: Path) -> None:
    write(tmp_path / "empty.jsonl")
    write(tmp_path / "good.jsonl", user())

    ran = check(tmp_path)

    assert ran.code == 0
    assert ran.report["skipped"] == [{"name": str(tmp_path / "empty.jsonl"), "reason": "is empty", "is_failure": False}]


def test_a_folder_of_pictures_is_said_with_how_many_there_were(tmp_path: Path) -> None:
    for name in ("a.png", "b.png", "c.png"):
        (tmp_path / name).write_bytes(PNG)

    _says_nothing_was_checked(run("check", tmp_path), "no .jsonl or .json files", "3 files of other kinds")


def test_a_binary_file_is_said_to_be_no_data_of_claude_code(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(PNG)

    _says_nothing_was_checked(run("check", path), "picture.png: holds no JSON objects", "not data of Claude Code")


def test_json_of_another_kind_is_said(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text('{"name": "shop", "version": "1.0.0"}')

    _says_nothing_was_checked(run("check", path), "does not look like data of Claude Code", "--surface")


def test_a_file_that_may_not_be_read_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "closed.jsonl", user())
    path.chmod(0)

    ran = _check_without_rights(path, write(tmp_path / "open.jsonl", user()))

    assert ran.code == 2
    assert as_report(ran.out)["skipped"] == [
        {"name": str(path), "reason": "cannot be read: permission denied", "is_failure": True}
    ]
    assert as_report(ran.out)["summary"]["files"] == 1


@pytest.mark.parametrize("inside", ["", "session.jsonl"], ids=["the folder", "a file in it"])
def test_a_folder_that_may_not_be_entered_is_said(tmp_path: Path, inside: str) -> None:
    folder = tmp_path / "closed"
    write(folder / "session.jsonl", user())
    folder.chmod(0)
    try:
        ran = _check_without_rights(folder / inside)
    finally:
        folder.chmod(0o700)

    _says_nothing_was_checked(ran, "permission denied")


def test_a_folder_below_that_may_not_be_entered_fails_the_run(tmp_path: Path) -> None:
    write(tmp_path / "open" / "session.jsonl", user())
    folder = tmp_path / "closed"
    folder.mkdir(mode=0)
    try:
        ran = _check_without_rights(tmp_path)
    finally:
        folder.chmod(0o700)

    assert ran.code == 2
    assert [skipped["name"] for skipped in as_report(ran.out)["skipped"]] == [str(folder)]
    assert as_report(ran.out)["summary"]["records"] == 1


def test_links_in_circles_are_survived_and_every_file_is_read_once(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "session.jsonl", user(shelf=1))
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "again").symlink_to(tmp_path / "a")
    (tmp_path / "again.jsonl").symlink_to(tmp_path / "a" / "b" / "session.jsonl")
    (tmp_path / "itself").symlink_to("itself")

    ran = check(tmp_path)

    assert (ran.code, ran.findings) == (1, [("NEW_FIELD", "transcript/user", "shelf", 1)])
    assert ran.report["summary"]["passed_over"] == 1


@pytest.mark.parametrize("target", ["nowhere.jsonl", "link.jsonl"], ids=["to nothing", "to itself"])
def test_a_link_that_leads_to_no_file_is_said(tmp_path: Path, target: str) -> None:
    write(tmp_path / "good.jsonl", user())
    (tmp_path / "link.jsonl").symlink_to(target)

    ran = check(tmp_path)

    assert ran.code == 2
    assert [Path(skipped["name"]).name for skipped in ran.report["skipped"]] == ["link.jsonl"]


def test_a_file_named_twice_is_read_once_and_called_the_same_in_any_order(tmp_path: Path) -> None:
    path = write(tmp_path / "session.jsonl", user(shelf=1))
    link = tmp_path / "other.jsonl"
    link.hardlink_to(path)

    there, back = check(path, link, path, tmp_path), check(tmp_path, path, link)

    assert there.out == back.out
    assert there.findings == [("NEW_FIELD", "transcript/user", "shelf", 1)]


def test_a_file_named_beside_its_folder_counts_as_named_in_any_order(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.jsonl")
    write(tmp_path / "good.jsonl", user())

    there, back = check(tmp_path, empty), check(empty, tmp_path)

    assert there.code == back.code == 2
    assert there.out == back.out


def test_a_pipe_can_be_named(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [EXECUTABLE, "check", "--format", "json", pipe], stdout=subprocess.PIPE, env=clean_environment()
    ) as process:
        pipe.write_bytes(lines([user(shelf=1)] * 100))
        out, _ = process.communicate()

    assert process.returncode == 1
    assert as_report(out.decode())["findings"][0]["count"] == 100


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to("pipe.jsonl")
    write(tmp_path / "session.jsonl", user())

    assert check(tmp_path).report["summary"]["files"] == 1


def test_a_name_of_any_bytes_can_be_reported(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\x1b[31m:bomb:[bold].jsonl"
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(lines([user(shelf=1)]))

    as_json, as_text = check(tmp_path), run("check", tmp_path)

    assert as_json.report["findings"][0]["examples"] == [f"{tmp_path}/\\xff\x1b[31m:bomb:[bold].jsonl:1"]
    assert f"see {tmp_path}/\\xff\\u001b[31m:bomb:[bold].jsonl:1\n" in as_text.out


def test_a_name_with_terminal_escapes_is_defused_on_standard_error_too(tmp_path: Path) -> None:
    ran = run("check", write(tmp_path / "\x1b[31m:bomb:[bold].jsonl"))

    assert "\x1b" not in ran.out + ran.err
    assert ran.out.count(r"\u001b[31m:bomb:[bold].jsonl: is empty") == 1
    assert ran.err.count(r"\u001b[31m:bomb:[bold].jsonl: is empty") == 1


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A config folder with sessions in every place that has been used, each drifting in its own way."""
    home = tmp_path / "config"
    projects = home / "projects"
    encoded = base64.urlsafe_b64encode(b"/home/someone/shop").decode()
    places = {
        "dashed": projects / "-home-someone-shop" / f"{SESSION}.jsonl",
        "dashed_without_first": projects / "home-someone-shop" / f"{SESSION}.jsonl",
        "base64": projects / encoded / f"{SESSION}.jsonl",
        "direct": projects / f"{SESSION}.jsonl",
        "in_sessions": home / "sessions" / f"{SESSION}.jsonl",
        "beside_agent": projects / "-home-someone-shop" / "agent-1.jsonl",
        "subagent": projects / "-home-someone-shop" / SESSION / "subagents" / "agent-2.jsonl",
    }
    for name, path in places.items():
        write(path, user() | {f"drift_{name}": 1})
    write(places["subagent"].with_name("agent-2.meta.json"), {"agentType": "Explore", "drift_sidecar": 1})
    write(home / "sessions" / "4242.json", session(drift_process=1))
    write(home / "history.jsonl", prompt(drift_history=1))
    write(home / "settings.json", {"drift_settings": 1})
    write(home / "todos" / "list.json", {"drift_todo": 1})
    return home


EVERYWHERE = {
    *("drift_dashed", "drift_dashed_without_first", "drift_base64", "drift_direct", "drift_in_sessions"),
    *("drift_beside_agent", "drift_subagent", "drift_sidecar", "drift_process", "drift_history"),
}


def test_without_a_path_the_config_folder_is_checked_in_every_place_that_holds_sessions(config: Path) -> None:
    ran = check(env={"CLAUDE_CONFIG_DIR": str(config)})

    assert {path for _, _, path, _ in ran.findings} == EVERYWHERE
    assert ran.report["summary"]["surfaces"] == {"history": 1, "session": 1, "sidecar": 1, "transcript": 7}


def test_without_a_path_and_a_variable_the_config_folder_in_the_home_is_checked(config: Path) -> None:
    home = config.parent
    config.rename(home / ".claude")

    assert {path for _, _, path, _ in check(env={"HOME": str(home)}).findings} == EVERYWHERE


def test_a_config_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = run("check", env={"CLAUDE_CONFIG_DIR": str(tmp_path / "nowhere")})

    _says_nothing_was_checked(ran, str(tmp_path / "nowhere"), "no such file or directory")


def test_each_surface_is_told_by_the_look_of_its_records(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", user())
    write(tmp_path / "b.jsonl", hook(stop_hook_active=False))
    write(tmp_path / "c.jsonl", session())
    write(tmp_path / "d.jsonl", prompt())
    write(tmp_path / "e.jsonl", {"type": "tool_use", "name": "lamp", "input": {}})
    write(tmp_path / "f.jsonl", {"type": "keep_alive"})

    surfaces = check(tmp_path).report["summary"]["surfaces"]

    assert surfaces == dict.fromkeys(("adapter", "history", "hook", "session", "stream", "transcript"), 1)
