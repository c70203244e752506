"""The validators that accept or reject: jsonschema-rs for speed, jsonschema as the reference."""

from __future__ import annotations

from collections.abc import Callable

import jsonschema_rs

from driftcheck.catalogue.files import Schema
from driftcheck.drift.formats import is_date_time, is_uuid
from driftcheck.jsontype import Json

Accept = Callable[[Json], bool]
"""Whether a value is accepted by one schema."""


def fast(schema: Schema) -> Accept:
    """Compile a projected schema with jsonschema-rs."""
    accept: Accept = jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid
    return accept


def reference(schema: Schema) -> Accept:
    """The same verdict from jsonschema, slowly: what the fast engine is held to."""
    import jsonschema

    # jsonschema's own checks depend on what else is installed, and take a uuid with an underscore in it.
    formats = jsonschema.FormatChecker(())
    formats.checks("uuid")(is_uuid)
    formats.checks("date-time")(is_date_time)
    validator = jsonschema.Draft202012Validator(schema, format_checker=formats)
    return lambda value: bool(validator.is_valid(value))
