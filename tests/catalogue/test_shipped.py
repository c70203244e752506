"""The catalogue that comes with the package: whole, standard, and saying what it leaves open."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import jsonschema
import pytest

from driftcheck.catalogue import Catalogue
from driftcheck.catalogue.files import BOUNDS, DRAFT, Schema, nodes
from driftcheck.catalogue.lint import lint
from driftcheck.catalogue.parts import CALLED_TOOL, Template, find_spots
from driftcheck.catalogue.project import Projection, breaks, resolve
from driftcheck.versions import Bound, Version

from .build import mentioned

SHIPPED = Catalogue.load()
FILES = list(SHIPPED.files.values())


def test_every_schema_passes_the_metaschema_and_names_it() -> None:
    for file in FILES:
        jsonschema.Draft202012Validator.check_schema(file.schema)
        assert file.schema["$schema"] == DRAFT, file.name


def test_lint_has_nothing_to_say() -> None:
    assert [problem for file in FILES for problem in lint(file)] == []


def test_every_reference_leads_to_a_schema() -> None:
    references = [(file, node["$ref"]) for file in FILES for _, node in nodes(file.schema) if "$ref" in node]
    assert references
    for file, ref in references:
        target, _ = resolve(SHIPPED.files, file, ref)
        assert isinstance(target, dict), f"{file.name}: {ref}"


def test_every_file_is_titled_by_its_kind() -> None:
    titles = {file.name: file.schema.get("title") for file in FILES}
    assert titles == {file.name: file.name if file.is_kind else PurePosixPath(file.name).name for file in FILES}


def test_every_file_says_in_a_sentence_what_it_is() -> None:
    assert [file.name for file in FILES if not file.schema.get("description", "").strip().endswith(".")] == []


def test_what_is_declared_open_says_why() -> None:
    silent = [
        f"{file.name}.json#{pointer}"
        for file in FILES
        for pointer, node in nodes(file.schema)
        if node.get("additionalProperties") is True and not node.get("$comment")
    ]
    assert silent == []


def test_every_part_with_a_kind_of_its_own_has_a_kind_to_be() -> None:
    templates = {node["x-kind"] for file in FILES for _, node in nodes(file.schema) if "x-kind" in node}
    assert {text for text in templates if not _kinds_made_by(Template.parse(text))} == set()


def _kinds_made_by(template: Template) -> list[str]:
    if template.name is None:
        return [kind for kind in SHIPPED.kinds if kind == template.before]
    return [kind for kind in SHIPPED.kinds if _is_made_by(template, kind)]


def _is_made_by(template: Template, kind: str) -> bool:
    middle = kind.removeprefix(template.before).removesuffix(template.after)
    return kind == template.fill(middle) and bool(middle) and "/" not in middle


def test_a_field_beside_a_part_that_tells_its_kind_is_declared() -> None:
    told_beside = 0
    for kind in SHIPPED.kinds:
        annotated = SHIPPED.at(None).annotated(kind)
        assert annotated is not None
        for spot in find_spots(annotated):
            if spot.template.in_parent and spot.template.name != CALLED_TOOL:
                told_beside += 1
                holders = _at(annotated, spot.path[:-1])
                assert any(spot.template.name in holder.get("properties", {}) for holder in holders), kind
    assert told_beside


def _at(schema: Schema, path: tuple[str, ...]) -> list[Schema]:
    if "anyOf" in schema:
        return [found for branch in schema["anyOf"] for found in _at(branch, path)]
    if not path:
        return [schema]
    keyword = {"[]": "items", "{}": "additionalProperties"}.get(path[0])
    child = schema.get(keyword) if keyword else schema.get("properties", {}).get(path[0])
    return _at(child, path[1:]) if isinstance(child, dict) else []


def test_every_folder_and_file_is_a_kind_a_definition_or_a_known_file() -> None:
    found = {path.relative_to(SHIPPED.folder).as_posix() for path in SHIPPED.folder.rglob("*") if path.is_file()}
    assert found - {"routes.json", "report.json"} == {f"{name}.json" for name in SHIPPED.files}


def test_every_record_kind_is_on_a_surface_that_the_routes_name() -> None:
    parts = {"content", "common", "tool", "server_tool"}
    families = {kind.split("/")[0] for kind in SHIPPED.kinds}
    assert families - parts == set(SHIPPED.routes.surfaces)


@pytest.mark.parametrize("name", SHIPPED.routes.surfaces)
def test_the_routes_name_only_kinds_that_there_are(name: str) -> None:
    surface = SHIPPED.routes.surfaces[name]
    assert bool(surface.by) != bool(surface.files)
    assert {kind for _, kind in surface.files} <= set(SHIPPED.kinds)
    for parent in surface.then:
        assert parent.split("/")[0] == name
        assert any(kind.startswith(f"{parent}/") for kind in SHIPPED.kinds), parent
    if surface.by:
        for kind in SHIPPED.kinds:
            if kind.startswith(f"{name}/"):
                assert len(kind.split("/")) == 2 or kind.rpartition("/")[0] in surface.then, kind


ROUTED = [kind for name, surface in SHIPPED.routes.surfaces.items() if surface.by for kind in SHIPPED.kinds
          if kind.startswith(f"{name}/")]  # fmt: skip


@pytest.mark.parametrize("kind", ROUTED)
def test_a_kind_takes_the_discriminator_that_leads_to_it(kind: str) -> None:
    surface = SHIPPED.routes.surfaces[kind.split("/")[0]]
    assert surface.by is not None
    schema = SHIPPED.at(None).schema(kind)
    steps: list[tuple[tuple[str, ...], str]] = [((surface.by,), kind.split("/")[1])]
    parent, _, name = kind.rpartition("/")
    if parent in surface.then:
        steps.append((surface.then[parent], name))
    for path, value in steps:
        holders = _at(schema, path[:-1])
        assert holders
        for holder in holders:
            said = holder["properties"][path[-1]]
            assert value in said.get("enum", [said.get("const")]) or said == {"type": "string"}


def test_the_evidence_is_a_range_of_versions_and_no_exact_bound_lies_beyond_it() -> None:
    assert SHIPPED.oldest < SHIPPED.newest
    beyond = [
        f"{file.name}.json#{pointer}/{keyword}"
        for file in SHIPPED.files.values()
        for pointer, node in nodes(file.schema)
        for keyword in BOUNDS
        if keyword in node and (by := Bound.parse(node[keyword]).by) is not None and by > SHIPPED.newest
    ]
    assert beyond == []


def test_aliases_lead_to_tools_that_there_are() -> None:
    assert SHIPPED.routes.aliases
    for _, name in SHIPPED.routes.aliases:
        assert f"tool/{name}/input" in SHIPPED.kinds


def test_the_published_report_schema_is_standard() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads((SHIPPED.folder / "report.json").read_text()))


def test_the_shipped_catalogue_would_be_accepted_as_anybody_elses() -> None:
    assert Catalogue.load(SHIPPED.folder).kinds == SHIPPED.kinds


def test_versions_of_one_era_have_one_projection() -> None:
    """What lets one compiled schema serve many versions."""
    fresh = Catalogue.load()
    everywhere = mentioned(fresh)
    for kind in fresh.kinds:
        seen: dict[int, tuple[Version, Schema | None]] = {}
        for version in _near(fresh, kind, everywhere):
            projected = Projection(fresh.files, version, fresh._timeless).kind(kind)
            era = fresh.era(kind, version)
            first, known = seen.setdefault(era, (version, projected))
            assert projected == known, f"{kind} differs between {first} and {version}"


def _near(catalogue: Catalogue, kind: str, everywhere: list[Version]) -> list[Version]:
    """All versions about this kind's own breaks, and some of those that the others mention."""
    own = {point[0] for point in breaks(catalogue.files, kind)}
    near = {Version(v.major, v.minor, max(0, v.patch + step)) for v in own for step in (-1, 0, 1)}
    return sorted(near | set(everywhere[::10]))
