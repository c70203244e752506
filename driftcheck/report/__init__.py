"""Turns a report into something to read: one module for each format."""

from __future__ import annotations

from collections.abc import Callable

from driftcheck.drift.report import Report
from driftcheck.report import json, text

Writer = Callable[[Report, text.Look], str]

FORMATS: dict[str, Writer] = {"text": text.write, "json": lambda report, _: json.write(report)}
