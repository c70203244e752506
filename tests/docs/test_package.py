"""The package as others get it: a Python API, a command that starts light, and a wheel that has everything."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import driftcheck

ROOT = Path(__file__).resolve().parents[2]
RECORD = {"display": "hi", "pastedContents": {}, "timestamp": 1, "project": "/", "aNewField": "somebody's words"}


def python(*arguments: str | Path) -> str:
    """What a fresh Python prints; it must not fail."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    path.write_text(json.dumps(RECORD) + "\n")
    return path


def test_check_takes_one_path_or_several_and_returns_a_report(history: Path) -> None:
    for paths in (history, str(history), [history], (str(history),), iter([history])):
        report = driftcheck.check(paths)
        assert isinstance(report, driftcheck.Report)
        [finding] = [finding for finding in report.findings if finding.code is driftcheck.Code.NEW_FIELD]
        assert isinstance(finding, driftcheck.Finding)
        assert (finding.kind, finding.path, finding.count, finding.of) == ("history/prompt", "aNewField", 1, 1)


def test_check_takes_a_catalogue_or_the_folder_of_one(history: Path) -> None:
    catalogue = driftcheck.Catalogue.load()
    reports = [driftcheck.check(history, schemas=schemas) for schemas in (None, catalogue, str(catalogue.folder))]
    assert reports[0] == reports[1] == reports[2]


def test_check_refuses_a_catalogue_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(driftcheck.CatalogueError):
        driftcheck.check([], schemas=tmp_path)


def test_the_package_offers_what_it_names_and_nothing_else() -> None:
    for name in driftcheck.__all__:
        assert getattr(driftcheck, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'forget'"):
        driftcheck.forget  # noqa: B018


def test_the_command_finds_what_the_function_finds(history: Path) -> None:
    command = Path(sys.executable).with_name("driftcheck")
    done = subprocess.run([command, "check", "--format", "json", history], capture_output=True, check=False)
    assert done.returncode == 1
    found = [finding["fingerprint"] for finding in json.loads(done.stdout)["findings"]]
    assert found == [finding.fingerprint for finding in driftcheck.check(history).findings]


def test_python_m_driftcheck_is_the_command() -> None:
    assert python("-m", "driftcheck", "--version") == f"driftcheck, version {driftcheck.__version__}\n"
    assert python("-m", "driftcheck", "--help").startswith("Usage: driftcheck [OPTIONS] COMMAND")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]], ids=" ".join)
def test_the_command_starts_without_loading_a_validator_or_a_terminal_library(arguments: list[str]) -> None:
    script = (
        "import sys, driftcheck.cli.main as main\n"
        f"sys.argv[1:] = {arguments!r}\n"
        "try:\n    main.main()\n"
        "except SystemExit as stop:\n    assert not stop.code\n"
        "heavy = {'jsonschema', 'jsonschema_rs', 'rich', 'orjson', 'yaml'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))\n"
    )
    assert python("-c", script).endswith("loaded: []\n")


def test_importing_the_package_loads_no_validator() -> None:
    script = "import sys, driftcheck; print('jsonschema_rs' in sys.modules, driftcheck.check.__name__)"
    assert python("-c", script) == "False check\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("pip") is None or importlib.util.find_spec("hatchling") is None:
        pytest.skip("pip and hatchling are needed to build the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    python("-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ROOT)
    [built] = folder.glob("driftcheck-*.whl")
    return built


def test_the_wheel_is_typed_and_holds_the_schemas(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    assert "driftcheck/py.typed" in held
    schemas = {path.relative_to(ROOT).as_posix() for path in (ROOT / "schemas").rglob("*.json")}
    assert {name.removeprefix("driftcheck/") for name in held if name.startswith("driftcheck/schemas/")} == schemas
    assert not [name for name in held if name.startswith(("tests", "corpus", "benchmarks"))]


@pytest.mark.usefixtures("history")
def test_the_installed_wheel_checks_outside_the_repository(wheel: Path, tmp_path: Path) -> None:
    """Only driftcheck itself is installed anew; what it depends on is taken from where the tests run."""
    venv.create(tmp_path / "fresh", with_pip=False)
    bin_folder = tmp_path / "fresh" / "bin"
    python("-m", "pip", "--python", bin_folder / "python", "install", "-q", "--no-deps", wheel)
    environment = {**os.environ, "PYTHONPATH": sysconfig.get_paths()["purelib"], "CLAUDE_CONFIG_DIR": str(tmp_path)}

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )

    where = run(bin_folder / "python", "-c", "import driftcheck; print(driftcheck.Catalogue.load().folder)")
    assert Path(where.stdout.strip()).is_relative_to(tmp_path / "fresh"), where.stderr
    done = run(bin_folder / "driftcheck", "check", "history.jsonl")
    assert done.returncode == 1, done.stderr
    assert "aNewField" in done.stdout
    assert "somebody's words" not in done.stdout
    assert run(bin_folder / "driftcheck", "schemas", "list").stdout.startswith("adapter/")
