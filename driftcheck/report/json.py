"""The report as JSON, in the form that `schemas/report.json` publishes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson

import driftcheck
from driftcheck.drift.report import Finding, Report

FORMAT = 1


def to_json(report: Report) -> dict[str, Any]:
    """A report as plain data."""
    return {
        "driftcheck": driftcheck.__version__,
        "format": FORMAT,
        "at": report.at,
        "evidence": {"first": report.evidence[0], "last": report.evidence[1]},
        "summary": asdict(report.summary),
        "findings": [_finding(finding) for finding in report.findings],
        "skipped": [asdict(skipped) for skipped in report.skipped],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {**asdict(finding), "code": finding.code.value}


def write(report: Report) -> str:
    return orjson.dumps(to_json(report), option=orjson.OPT_INDENT_2).decode() + "\n"
