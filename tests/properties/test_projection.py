"""What holds for the projection of any catalogue onto any version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.export import standalone, standalone_surfaces
from driftcheck.catalogue.files import Schema, SchemaFile
from driftcheck.catalogue.lint import lint
from driftcheck.catalogue.project import Projection
from driftcheck.catalogue.routes import Routes, Surface
from driftcheck.drift import engine
from driftcheck.versions import Version

from .strategies import MODEST, VERSIONS, accepted_by, catalogues

TIMES = [*VERSIONS, Version(1, 0, 99), None]
ROUTES = Routes({"thing": Surface("thing", "type", (), None, {})}, (), ("1.0.0", "1.0.7"))


def catalogue_of(files: dict[str, Schema]) -> Catalogue:
    return Catalogue({name: SchemaFile(name, schema) for name, schema in files.items()}, ROUTES, Path())


def subschemas(schema: Any) -> Iterator[Schema]:
    if not isinstance(schema, dict):
        return
    yield schema
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for child in (*children, schema.get("items"), schema.get("additionalProperties")):
        yield from subschemas(child)


@MODEST
@given(catalogues())
def test_lint_understands_every_form_that_the_projection_does(files: dict[str, Schema]) -> None:
    assert [problem for name, schema in files.items() for problem in lint(SchemaFile(name, schema))] == []


@MODEST
@given(catalogues())
def test_a_projected_schema_is_plain_and_standard(files: dict[str, Schema]) -> None:
    catalogue = catalogue_of(files)
    for version in TIMES:
        view = catalogue.at(version)
        for kind in view.kinds:
            schema = view.schema(kind)
            jsonschema_rs.meta.validate(schema)
            used = {keyword for part in subschemas(schema) for keyword in part}
            assert used <= {"type", "properties", "required", "additionalProperties", "items", "anyOf"} | {
                "enum",
                "const",
                "format",
            }


@MODEST
@given(catalogues())
def test_a_projected_object_is_closed_unless_something_declares_it_open(files: dict[str, Schema]) -> None:
    closed = {
        name: _without_openness(schema) for name, schema in files.items()
    }  # the same catalogue, with nothing in it that is declared open, a map, or a part
    catalogue = catalogue_of(closed)
    for version in TIMES:
        view = catalogue.at(version)
        for kind in view.kinds:
            for part in subschemas(view.schema(kind)):
                if "properties" in part or "object" in str(part.get("type")):
                    assert part["additionalProperties"] is False


def _without_openness(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_openness(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_openness(value) for key, value in schema.items() if key not in ("additionalProperties", "x-kind")
    }


@MODEST
@given(catalogues())
def test_a_required_field_is_declared(files: dict[str, Schema]) -> None:
    catalogue = catalogue_of(files)
    for version in TIMES:
        view = catalogue.at(version)
        for kind in view.kinds:
            for part in subschemas(view.schema(kind)):
                assert set(part.get("required", [])) <= set(part.get("properties", {}))


@MODEST
@given(catalogues())
def test_versions_of_one_era_have_one_projection(files: dict[str, Schema]) -> None:
    catalogue = catalogue_of(files)
    for kind in catalogue.kinds:
        by_era: dict[int, Schema | None] = {}
        for version in TIMES:
            fresh = Projection(catalogue.files, version).kind(kind)
            assert by_era.setdefault(catalogue.era(kind, version), fresh) == fresh
            assert catalogue.projected(kind, version) == fresh


@MODEST
@given(catalogues(), st.sampled_from(TIMES), st.data())
def test_what_any_version_accepts_is_accepted_without_one(
    files: dict[str, Schema], version: Version | None, data: st.DataObject
) -> None:
    catalogue = catalogue_of(files)
    view = catalogue.at(version)
    for kind in view.kinds:
        value = data.draw(accepted_by(view.schema(kind)), label=kind)
        assert engine.fast(catalogue.at(None).schema(kind))(value)


@MODEST
@given(catalogues(), st.sampled_from(TIMES), st.data())
def test_an_exported_schema_is_standard_and_takes_what_the_projected_one_takes(
    files: dict[str, Schema], version: Version | None, data: st.DataObject
) -> None:
    plain = {name: _without_parts(schema) for name, schema in files.items()}
    view = catalogue_of(plain).at(version)
    for kind in view.kinds:
        exported = standalone(view, kind)
        jsonschema_rs.meta.validate(exported)
        value = data.draw(accepted_by(view.schema(kind)), label=kind)
        assert engine.reference(exported)(value)
    for _, surface in standalone_surfaces(view):
        jsonschema_rs.meta.validate(surface)


def _without_parts(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_parts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _without_parts(value) for key, value in schema.items() if key != "x-kind"}
