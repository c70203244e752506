"""Finds and loads the schema files of a catalogue."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

Schema = dict[str, Any]

ROUTES_FILE = "routes.json"
REPORT_FILE = "report.json"
DEFINITIONS = "defs"
"""The folder of shared definitions: schema files that are no kind of their own."""

BOUNDS = ("x-since", "x-until", "x-required-since", "x-required-until")
ANNOTATIONS = ("title", "description", "$comment")
DRAFT = "https://json-schema.org/draft/2020-12/schema"


class CatalogueError(Exception):
    """A catalogue that cannot be used, and where."""


@dataclass(frozen=True)
class SchemaFile:
    name: str
    """The path below the catalogue's folder, without `.json`: the kind, unless it is a definition."""
    schema: Schema

    @property
    def is_kind(self) -> bool:
        return PurePosixPath(self.name).parts[0] != DEFINITIONS


def shipped_folder() -> Path:
    """The catalogue that comes with the package: inside the wheel, or beside it in a checkout."""
    inside = Path(str(importlib.resources.files("driftcheck") / "schemas"))
    return inside if inside.is_dir() else Path(__file__).resolve().parents[2] / "schemas"


def load_json(path: Path) -> Any:
    try:
        return orjson.loads(path.read_bytes())
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be read ({error.strerror}); is this a catalogue?") from error
    except orjson.JSONDecodeError as error:
        raise CatalogueError(f"{path}:{error.lineno}: not valid JSON ({error.msg})") from error


def file_text(schema: Schema) -> str:
    """A schema as its file writes it."""
    return orjson.dumps(schema, option=orjson.OPT_INDENT_2).decode() + "\n"


def load_files(folder: Path) -> dict[str, SchemaFile]:
    if not folder.is_dir():
        raise CatalogueError(f"{folder}: no such folder of schemas")
    files = {}
    for path in sorted(folder.rglob("*.json")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if f"{name}.json" not in (ROUTES_FILE, REPORT_FILE):
            files[name] = SchemaFile(name, load_json(path))
    if not files:
        raise CatalogueError(f"{folder}: holds no schema files (*.json)")
    return files


def pointer_to(*steps: str | int) -> str:
    """The JSON pointer of a place."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def nodes(schema: Any, pointer: str = "") -> Iterator[tuple[str, Schema]]:
    """Every subschema of a schema with its JSON pointer, the schema itself first."""
    if not isinstance(schema, dict):
        return
    yield pointer, schema
    for keyword in ("properties", "$defs"):
        for name, child in schema.get(keyword, {}).items():
            yield from nodes(child, pointer + pointer_to(keyword, name))
    for keyword in ("items", "additionalProperties"):
        yield from nodes(schema.get(keyword), f"{pointer}/{keyword}")
    for keyword in ("allOf", "anyOf"):
        for index, child in enumerate(schema.get(keyword, [])):
            yield from nodes(child, f"{pointer}/{keyword}/{index}")
