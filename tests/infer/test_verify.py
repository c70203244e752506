"""The catalogue is held against the corpus: what records contradict, and what nothing proves, is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import ROOT, run

from driftcheck.catalogue.files import shipped_folder

CORPUS = ROOT / "corpus" / "real"


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    folder = tmp_path / "schemas"
    shutil.copytree(shipped_folder(), folder)
    return folder


def _set(path: Path, field: str, **keywords: str) -> None:
    schema = json.loads(path.read_text())
    schema["properties"][field] |= keywords
    path.write_text(json.dumps(schema))


def test_the_shipped_catalogue_is_contradicted_by_no_record_of_the_corpus() -> None:
    done = run("schemas", "verify", CORPUS)
    assert done.code == 0, done.out
    assert done.out.startswith("0 contradicted")


def test_a_bound_that_records_contradict_is_named(schemas: Path) -> None:
    _set(schemas / "defs" / "envelope.json", "cwd", **{"x-until": "2.0.0"})
    done = run("schemas", "verify", CORPUS / "2.0.30", "--schemas", schemas)
    assert done.code == 1
    assert "contradicted: NEW_FIELD transcript/user.cwd" in done.out


def test_an_exact_bound_without_evidence_on_both_sides_is_named(schemas: Path) -> None:
    _set(schemas / "transcript" / "user.json", "promptId", **{"x-since": "2.1.73"})
    done = run("schemas", "verify", CORPUS, "--schemas", schemas)
    assert done.code == 1
    assert "unproven: transcript/user promptId came at 2.1.73" in done.out


def test_an_exact_bound_with_evidence_on_both_sides_is_proven(schemas: Path) -> None:
    _set(schemas / "transcript" / "user.json", "promptId", **{"x-since": "2.1.100"})
    done = run("schemas", "verify", CORPUS / "2.1.70", CORPUS / "2.1.100", "--schemas", schemas)
    assert "promptId" not in done.out


def test_what_no_record_has_is_listed_on_request(schemas: Path) -> None:
    quiet = run("schemas", "verify", CORPUS / "2.0.30", "--schemas", schemas).out
    loud = run("schemas", "verify", CORPUS / "2.0.30", "--schemas", schemas, "--verbose").out
    assert "no evidence: adapter/user" in loud
    assert "no evidence" not in quiet


def test_a_folder_without_records_proves_nothing(tmp_path: Path) -> None:
    done = run("schemas", "verify", tmp_path)
    assert done.code == 2
    assert "holds no records" in done.err
