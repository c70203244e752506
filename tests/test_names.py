"""Which strings are names that a report may show, and which could be somebody's data."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftcheck import names

MODEST = settings(deadline=None, max_examples=100)

DATA = [
    "0b8a8c1e-1111-4222-8333-123456789abc",
    "deadbeef0",
    "0123456789abcdef",
    "toolu_01AbCdEfGhIjKlMn",
    "msg_01AbCdEfGhIjKl",
    "run20260102",
    "a" * 65,
    "",
    "two words",
    "/home/someone/secret.txt",
    "naïve",
    "name\n",
    "me@example.org",
]


@pytest.mark.parametrize(
    "key", ["type", "parentUuid", "cache_read_input_tokens", "$schema", "x-kind", "_a", "A1", "feedface", "a" * 64]
)
def test_a_key_that_reads_like_a_name_is_shown(key: str) -> None:
    assert names.field(key) == key


@pytest.mark.parametrize("key", [*DATA, "1st", "src/main.py", "file.txt", "a:b"])
def test_a_key_that_could_be_data_is_not_shown(key: str) -> None:
    assert names.field(key) == names.ANY_KEY


@pytest.mark.parametrize(
    "value", ["end_turn", "mcp__server__tool", "hook:start", "a.b", "PreToolUse", "queue-operation"]
)
def test_a_value_that_reads_like_a_name_is_a_word(value: str) -> None:
    assert names.word(value) == value


@pytest.mark.parametrize("value", [*DATA, "$x", "2.1.42", "a/b"])
def test_a_value_that_could_be_data_is_no_word(value: str) -> None:
    assert names.word(value) is None


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("transcript/user", "transcript/user"),
        ("tool/my secret tool/input", "tool/{}/input"),
        ("tool/0b8a8c1e-1111-4222-8333-123456789abc/input", "tool/{}/input"),
        ("transcript/", "transcript/{}"),
    ],
)
def test_a_kind_is_shown_without_the_steps_that_could_be_data(kind: str, shown: str) -> None:
    assert names.show_kind(kind) == shown


@pytest.mark.parametrize(
    ("parent", "name", "path"),
    [
        ("", "", ""),
        ("", "a", "a"),
        ("a", "", "a"),
        ("a", "b", "a.b"),
        ("a", "[]", "a[]"),
        ("a[]", "b", "a[].b"),
        ("", "[]", "[]"),
        ("a", "{}", "a.{}"),
        ("a", "[].b", "a[].b"),
        ("", "{}", "{}"),
    ],
)
def test_a_path_joins_fields_with_dots_and_items_without(parent: str, name: str, path: str) -> None:
    assert names.under(parent, name) == path


@MODEST
@given(st.text(max_size=80))
def test_whatever_the_key_only_a_short_plain_name_is_ever_shown(key: str) -> None:
    shown = names.field(key)
    assert shown == names.ANY_KEY or (shown == key and key.isascii() and len(key) <= 64 and not key[0].isdigit())
    assert set(shown) <= set("{}$_-") | set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
