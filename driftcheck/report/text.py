"""The report as text for people: the findings grouped by kind, then what they were found in."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from driftcheck.drift.codes import Code
from driftcheck.drift.report import Finding, Report, Skipped, Versions

_COLOURS = {
    Code.UNKNOWN_TYPE: "magenta",
    Code.NEW_FIELD: "cyan",
    Code.TYPE_MISMATCH: "red",
    Code.MISSING_FIELD: "yellow",
    Code.NEW_VALUE: "blue",
    Code.MALFORMED: "bright_black",
}
_MOST_SKIPPED = 20
_MOST_VALUES = 8
_ENDLESS = 1 << 16
_INDENT = 16


@dataclass(frozen=True)
class Look:
    """How text may look where it goes."""

    width: int | None = None
    """The columns of a terminal; None where there is none, and lines are as long as they are."""
    colour: bool = False


def write(report: Report, look: Look) -> str:
    out = io.StringIO()
    console = Console(
        file=out,
        width=look.width or _ENDLESS,
        force_terminal=look.colour,
        no_color=not look.colour,
        color_system="standard" if look.colour else None,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    for kind, group in groupby(report.findings, key=lambda finding: finding.kind):
        console.print(Text(kind, style="bold"))
        for finding in group:
            _print_finding(console, finding, report)
        console.print()
    for line in _closing(report):
        console.print(line, soft_wrap=look.width is None)
    return out.getvalue()


def _print_finding(console: Console, finding: Finding, report: Report) -> None:
    head = Text("  ")
    head.append(f"{finding.code.value:13}", style=_COLOURS[finding.code])
    head.append(f" {finding.path or '(the whole)'}", style="bold")
    console.print(head)
    for line in _about(finding, report):
        wrapped = Text(line).wrap(console, console.width - _INDENT)
        for part in wrapped:
            console.print(Text(" " * _INDENT) + part)


def _about(finding: Finding, report: Report) -> Iterator[str]:
    if finding.code is Code.NEW_FIELD:
        yield f"a field the schema does not have, {_list(finding.observed)}"
    elif finding.code is Code.UNKNOWN_TYPE:
        yield f"unknown: {_list(finding.observed)}"
    elif finding.code is Code.MALFORMED:
        yield _list(finding.observed)
    else:
        yield f"expected {_list(finding.expected)}, observed {_list(finding.observed)}"
    if finding.where != finding.path:
        yield f"at {finding.where}" + (f" and {len(finding.also_at)} more places" if finding.also_at else "")
    yield f"in {finding.count:,} of {finding.of:,}{_at_versions(finding.versions)}"
    other = next((f for f in report.findings if f.fingerprint == finding.related), None)
    if other:
        yield f"looks like a rename {'of' if finding.code is Code.NEW_FIELD else 'to'} {other.path}"
    yield "see " + ", ".join(clean(example) for example in finding.examples)


def _list(words: Iterable[str]) -> str:
    words = list(words)
    shown = [*words[:_MOST_VALUES], f"{len(words) - _MOST_VALUES} more"] if len(words) > _MOST_VALUES else words
    return " or ".join(shown) if len(shown) < 3 else ", ".join(shown)


def _at_versions(versions: Versions | None) -> str:
    if versions is None:
        return ""
    if versions.count == 1:
        return f", version {versions.first}"
    return f", {versions.count} versions, {versions.first} to {versions.last}"


def _closing(report: Report) -> Iterator[str]:
    summary = report.summary
    yield from map(escape, _skipped_lines(report.skipped))
    for reason, count in summary.unjudged.items():
        yield f"note: {count:,} not judged, for lack of a schema or a call: {escape(reason)}"
    if summary.beyond:
        newest = report.evidence[1]
        yield f"note: {_list(summary.beyond)} is newer than all evidence ({newest}): judged by the newest schemas"
    if summary.unversioned:
        yield f"note: {_count(summary.unversioned, 'record')} of no stated version: judged by the whole history at once"
    if summary.passed_over and report.is_checked:
        yield f"note: {_count(summary.passed_over, 'file')} of other kinds passed over"
    if summary.misfires:
        yield f"note: set aside: {_count(summary.misfires, 'tool call')} that the model itself got wrong"
    if summary.malformed:
        yield f"note: {_count(summary.malformed, 'malformed line')}"
    if summary.not_kept:
        yield f"note: {summary.not_kept:,} more drifts were counted, not kept: there are too many distinct ones"
    if summary.interrupted:
        yield "note: interrupted; this is what was checked until then"
    yield _totals(report)


def _skipped_lines(skipped: tuple[Skipped, ...]) -> Iterator[str]:
    for item in skipped[:_MOST_SKIPPED]:
        yield f"{'error' if item.is_failure else 'note'}: {clean(item.name)}: {clean(item.reason)}"
    if len(skipped) > _MOST_SKIPPED:
        yield f"note: {len(skipped) - _MOST_SKIPPED:,} more files were not checked"


def _totals(report: Report) -> str:
    summary = report.summary
    codes = ", ".join(f"{count} {code}" for code, count in summary.by_code.items() if count)
    verdict = codes or ("clean" if report.is_checked else "nothing was checked")
    return (
        f"[bold]{verdict}[/bold] · {_count(summary.records, 'record')} in {_count(summary.files, 'file')}, "
        f"{summary.bytes / 1e6:,.1f} MB, {_versions_of(summary.versions)}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _versions_of(versions: dict[str, int]) -> str:
    if not versions:
        return "no version stated"
    first, *rest = versions
    return f"{_count(len(versions), 'version')}, {first} to {rest[-1]}" if rest else f"version {first}"


def clean(text: str) -> str:
    """Text with every character that a terminal might act on shown as its code."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
