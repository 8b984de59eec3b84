"""File names from titles (SM-30, spec §12.1)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.slug import file_slug, memory_slug


@pytest.mark.parametrize(
    ("topic", "title", "slug"),
    [
        ("neovim/plugins/telescope", "Telescope custom picker creation pattern", "telescope-telescope-custom-picker"),
        ("python/libs/requests", "HTTP request retry patterns", "requests-http-request-retry"),
        ("", "Use pcall() in Lua for safe calls", "use-pcall"),
        ("neovim/plugins/", "Trailing slash topic", "trailing-slash-topic"),
        ("Python/HTTP Client", "Upper Case Topic", "http-client-upper-case-topic"),
        ("project/utils", "Проблемы с производительностью базы", "utils-h1e05b1ef"),
        ("", "Проблемы с производительностью", "h10b3507d"),
        ("tools", "数据库迁移方案", "tools-hfb5ff06c"),
        ("c++/std", "C++ move semantics", "std-c"),
        ("general", "--- dashes first", "general"),
        (
            "a/very-long-topic-segment-name-that-goes-on-and-on",
            "Another extremely long title here",
            "very-long-topic-segment-name-that-goes-on-and-on-a",
        ),
        ("x", "v2.1.88 release notes", "x-v2-1-88"),
        ("dup", "One two three", "dup-one-two-three"),
    ],
)
def test_vectors(topic: str, title: str, slug: str) -> None:
    assert memory_slug(topic, title) == slug


def test_collisions_are_numbered() -> None:
    taken = {"dup-one-two-three", "dup-one-two-three-2"}
    assert memory_slug("dup", "One two three", taken) == "dup-one-two-three-3"


@given(st.text(), st.text())
def test_memory_slugs_are_safe(topic: str, title: str) -> None:
    slug = memory_slug(topic, title)
    assert 0 < len(slug) <= 50
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert slug == slug.strip("-")
    assert "--" not in slug
    assert slug == memory_slug(unicodedata.normalize("NFD", topic), unicodedata.normalize("NFD", title))


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Max prefers uv over pip.", "max-prefers-uv-over-pip"),
        ("Jānis/太郎", "jānis-太郎"),
        ("  ../../etc/passwd\0", "etc-passwd"),
        (".hidden", "hidden"),
        ("CON", "con_"),
        ("com¹", "com¹_"),
        ("...", "fact"),
        ("हिन्दी", "हिन्दी"),
        ("e\u0301", "é"),
        ("\u0301x", "x"),
    ],
)
def test_file_slug(text: str, slug: str) -> None:
    """F109: names of every script, and nothing that a file system chokes on."""
    assert file_slug(text, "fact") == slug


@given(st.text(), st.text(max_size=3))
def test_file_slugs_are_safe(text: str, fallback: str) -> None:
    slug = file_slug(text, fallback)
    assert 0 < len(slug) <= 51
    assert slug == unicodedata.normalize("NFC", slug)
    assert not set(slug) & set('./\\:*?"<>|\0 ')
    assert slug.split(".")[0] not in {"con", "nul", "prn", "aux"}
