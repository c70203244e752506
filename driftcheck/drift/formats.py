"""What the formats of the catalogue mean, for the reference engine: the same on every machine."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_UUID = re.compile(r"[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}", re.ASCII | re.IGNORECASE)
_DATE_TIME = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"[Tt](?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\.\d+)?"
    r"(?:[Zz]|(?P<sign>[+-])(?P<hours>[01]\d|2[0-3]):(?P<minutes>[0-5]\d))",
    re.ASCII,
)
_LEAP_YEAR = 2000
_LEAP_SECOND = 60


def is_uuid(value: object) -> bool:
    return not isinstance(value, str) or _UUID.fullmatch(value) is not None


def is_date_time(value: object) -> bool:
    """Whether a text is a date and time as RFC 3339 has it; a leap second ends a day of UTC."""
    if not isinstance(value, str):
        return True
    match = _DATE_TIME.fullmatch(value)
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    try:
        # Python has no year 0, which RFC 3339 has, and which is a leap year.
        moment = datetime(year or _LEAP_YEAR, month, day, hour, minute, min(second, 59))
    except ValueError:
        return False
    return second < _LEAP_SECOND or (second == _LEAP_SECOND and _ends_day(moment, match))


def _ends_day(moment: datetime, match: re.Match[str]) -> bool:
    offset = timedelta(hours=int(match["hours"] or 0), minutes=int(match["minutes"] or 0))
    on_any_day = moment.replace(year=_LEAP_YEAR, month=6, day=15)
    utc = on_any_day + offset if match["sign"] == "-" else on_any_day - offset
    return (utc.hour, utc.minute) == (23, 59)
