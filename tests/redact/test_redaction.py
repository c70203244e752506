"""A redacted record has the same shape and the same findings, and nothing that anybody said."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftcheck import Catalogue, check
from driftcheck.jsontype import json_type
from driftcheck.redact import redact
from driftcheck.redact.mask import TEXT, Mask
from driftcheck.redact.walk import Redactor

CORPUS = Path(__file__).parents[2] / "corpus" / "real"
CATALOGUE = Catalogue.load()
SECRETS = (
    "sk-ant-api03-Zm9vYmFy",
    "alice@example.org",
    "/home/alice/secret project/plan.md",
    "The launch code is 0000",
    '{"password": "hunter2 is mine", "nested": ["alice@example.org"]}',
    "https://user:pass@example.org/?token=abc",
    "\x1b[31mred\x1b[0m",
    "f3b1c9d2-7a6e-4c58-9b1d-2f4e6a8c0b7d",
    "2031-12-24T18:00:00.000Z",
    "0xdeadbeefcafe",
)


def _samples() -> list[tuple[str, str, dict[str, Any]]]:
    """One record of each kind and version of the corpus: its surface, its file's name, and itself."""
    found: dict[tuple[str, str], tuple[str, str, dict[str, Any]]] = {}
    for path in sorted(CORPUS.rglob("*.json*")):
        if path.name == "manifest.json":
            continue
        surface = _surface(path)
        for line in path.read_bytes().splitlines():
            record = orjson.loads(line)
            key = path.parts[len(CORPUS.parts)], f"{surface} {record.get('type')} {record.get('hook_event_name')}"
            found.setdefault(key, (surface, path.name, record))
    return list(found.values())


def _surface(path: Path) -> str:
    if path.parent.name == "hooks":
        return "hook"
    if path.parent.name == "sessions":
        return "session"
    names = {"history.jsonl": "history", "journal.jsonl": "journal", "custom-title.json": "sidecar"}
    if path.name.startswith(("stream", "output")):
        return "stream"
    return names.get(path.name, "sidecar" if path.name.endswith(".meta.json") else "transcript")


SAMPLES = _samples()


def _redacted(surface: str, name: str, record: dict[str, Any]) -> dict[str, Any]:
    return Redactor(CATALOGUE, Mask("seed"), CATALOGUE.routes.surfaces[surface], name).record(record)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _places(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _places(child, (*path, index))
    else:
        yield path


def _planted(record: dict[str, Any], path: tuple[Any, ...], secret: str, as_key: bool) -> dict[str, Any]:
    planted = copy.deepcopy(record)
    holder: Any = planted
    for step in path[:-1]:
        holder = holder[step]
    if as_key and isinstance(holder, dict):
        holder[secret] = holder.pop(path[-1])
    else:
        holder[path[-1]] = secret
    return planted


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted(repr(_shape(child)) for child in value.values())
    if isinstance(value, list):
        return [_shape(child) for child in value]
    return json_type(value)


def test_the_corpus_gives_samples_of_every_surface_to_redact() -> None:
    assert {"transcript", "stream", "hook", "session", "history"} <= {surface for surface, _, _ in SAMPLES}


@settings(deadline=None, max_examples=400)
@given(st.data())
def test_a_secret_planted_in_any_string_or_key_does_not_survive(data: st.DataObject) -> None:
    surface, name, record = data.draw(st.sampled_from(SAMPLES))
    path = data.draw(st.sampled_from(list(_places(record))))
    secret = data.draw(st.sampled_from(SECRETS))
    planted = _planted(record, path, secret, data.draw(st.booleans()))
    text = orjson.dumps(_redacted(surface, name, planted)).decode()
    assert orjson.dumps(secret).decode()[1:-1] not in text


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(SAMPLES))
def test_a_redacted_record_has_the_same_shape(sample: tuple[str, str, dict[str, Any]]) -> None:
    surface, name, record = sample
    assert _shape(_redacted(surface, name, record)) == _shape(record)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(SAMPLES))
def test_redacting_twice_with_one_seed_gives_the_same(sample: tuple[str, str, dict[str, Any]]) -> None:
    assert _redacted(*sample) == _redacted(*sample)


@given(st.text(max_size=60))
def test_no_text_but_the_empty_one_survives_the_mask_as_it_is(text: str) -> None:
    assert Mask("seed").text(text) != text or text in ("", TEXT)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_its_kind_and_sign_and_nothing_else(number: int | float) -> None:
    masked = Mask.number(number)
    assert type(masked) is type(number)
    assert (masked > 0, masked < 0) == (number > 0, number < 0)
    assert isinstance(number, int) or masked.is_integer() == number.is_integer()  # type: ignore[union-attr]
    assert abs(masked) <= 1


def test_the_same_id_becomes_the_same_other_id_everywhere() -> None:
    mask = Mask("seed")
    first, second = "toolu_01AbCdEfGhIjKl", "toolu_01AbCdEfGhIjKm"
    assert mask.text(first) == mask.text(first) != mask.text(second)
    assert mask.text(first).startswith("toolu_")
    assert Mask("another").text(first) != mask.text(first)


def test_times_keep_their_order_and_their_form() -> None:
    mask = Mask("seed")
    earlier, later = mask.text("2026-05-01T10:00:00.123Z"), mask.text("2026-05-01T10:00:01.456Z")
    assert earlier < later
    assert earlier.endswith(".000Z")
    assert not earlier.startswith("2026-05-01")


def _findings(path: Path) -> dict[tuple[str, str, str], int]:
    return {(f.code.value, f.kind, f.path): f.count for f in check(path).findings}


@pytest.mark.parametrize("version", sorted(path.name for path in CORPUS.iterdir() if path.is_dir()))
def test_a_check_as_another_version_finds_the_same_before_and_after(version: str, tmp_path: Path) -> None:
    for at in ("1.0.24", "2.1.42", "2.1.326"):
        redact(CORPUS / version, tmp_path / at / "2.0.0", seed="another")
        before = {(f.code, f.kind, f.path): f.count for f in check(CORPUS / version, at=at).findings}
        after = {(f.code, f.kind, f.path): f.count for f in check(tmp_path / at, at=at).findings}
        assert after == before


def test_unique_keeps_what_proves_something_and_the_calls_that_results_answer(tmp_path: Path) -> None:
    call = _call("toolu_01aaaaaaaaaaaa", "Bash", {"command": "ls"})
    answer = _answer("toolu_01aaaaaaaaaaaa", {"stdout": "", "stderr": "", "interrupted": False, "isImage": False})
    lines = [call, answer, _call("toolu_01bbbbbbbbbbbb", "Bash", {"command": "pwd"})] * 5
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "s.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    done = redact(tmp_path / "in", tmp_path / "out", unique=True)
    [written] = (tmp_path / "out").rglob("*.jsonl")
    kept = [orjson.loads(line) for line in written.read_bytes().splitlines()]
    assert (done.records, done.kept) == (15, len(kept))
    assert len(kept) < 6
    assert {"assistant", "user"} == {record["type"] for record in kept}
    assert check(tmp_path / "out").summary.unjudged == {}


def _envelope(kind: str) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": "d4e8ac2e-61e4-4fcb-8674-5e36e2349cfb",
        "parentUuid": None,
        "sessionId": "6c75e29d-01ec-4987-acf7-096af67c8031",
        "timestamp": "2025-12-24T06:01:50.097Z",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/alice/project",
        "version": "2.0.20",
        "gitBranch": "main",
    }


def _call(call_id: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {
        "id": "msg_01aaaaaaaaaaaa",
        "type": "message",
        "role": "assistant",
        "model": "a-model",
        "content": [{"type": "tool_use", "id": call_id, "name": tool, "input": arguments}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": usage,
    }
    return {**_envelope("assistant"), "message": message, "requestId": "req_01aaaaaaaaaaaa"}


def _answer(call_id: str, result: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": "ok", "is_error": False}
    return {**_envelope("user"), "message": {"role": "user", "content": [block]}, "toolUseResult": result}


def test_a_misfire_is_still_told_from_drift_after_redaction(tmp_path: Path) -> None:
    call = _call("toolu_01cccccccccccc", "Bash", {"comand": "ls"})
    answer = _answer("toolu_01cccccccccccc", "InputValidationError: Bash failed")
    answer["message"]["content"][0] |= {
        "is_error": True,
        "content": "<tool_use_error>InputValidationError: Bash failed</tool_use_error>",
    }
    path = tmp_path / "s.jsonl"
    path.write_bytes(orjson.dumps(call) + b"\n" + orjson.dumps(answer) + b"\n")
    redact(path, tmp_path / "out")
    report = check(tmp_path / "out")
    assert (report.findings, report.summary.misfires) == ((), 1)


def test_the_command_writes_masked_names_and_says_what_it_did(tmp_path: Path) -> None:
    source = tmp_path / "in" / "projects" / "-home-alice-secret" / "6c75e29d-01ec-4987-acf7-096af67c8031.jsonl"
    source.parent.mkdir(parents=True)
    source.write_bytes(orjson.dumps(_call("toolu_01aaaaaaaaaaaa", "Bash", {"command": "ls"})) + b"\nbroken\n")
    command = [sys.executable, "-m", "driftcheck", "redact", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 records of 1 files" in done.stdout
    assert "1 malformed line" in done.stderr
    [written] = (tmp_path / "out").rglob("*.jsonl")
    assert "alice" not in str(written.relative_to(tmp_path))
    assert written.parts[-3] == "projects"
    assert written.stem != source.stem


def test_nothing_to_redact_is_an_error_that_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "driftcheck", "redact", str(tmp_path), "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nothing was redacted" in done.stderr
