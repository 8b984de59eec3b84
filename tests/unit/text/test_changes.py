"""What a decision adopts, what it leaves behind, and what for."""

from __future__ import annotations

import pytest

from scrubjay.text.changes import adopted, left_behind, purpose


@pytest.mark.parametrize(
    ("statement", "old"),
    [
        ("We decided to switch from MySQL to PostgreSQL for orders.", "MySQL"),
        ("We moved from Jenkins to GitHub Actions.", "Jenkins"),
        ("We agreed to replace Redis with Valkey.", "Redis"),
        ("Мы решили перейти с MySQL на PostgreSQL для базы заказов.", "MySQL"),
        ("Решили заменить Redis на Valkey.", "Redis"),
        ("我们决定把缓存从 Redis 换成 Valkey。", "Redis"),
        ("我们决定把 Redis 换成 Valkey。", "Redis"),
        ("We decided to use MySQL for the orders database.", None),
        ("我们决定用 Redis 做缓存。", None),
        ("", None),
    ],
)
def test_what_is_left_behind(statement: str, old: str | None) -> None:
    assert left_behind(statement) == old


@pytest.mark.parametrize(
    ("statement", "thing", "reason"),
    [
        ("We decided to use MySQL for the orders database.", "MySQL", "the orders database"),
        ("Agreed: use PostgreSQL 16 for the orders.", "PostgreSQL 16", "the orders"),
        ("We're going with GitHub Actions.", "GitHub Actions", ""),
        ("Мы решили использовать MySQL для заказов.", "MySQL", "заказов"),
        ("我们决定用 Redis 做缓存。", "Redis", "缓存"),
        ("The sky is blue.", None, ""),
    ],
)
def test_what_is_adopted_and_what_for(statement: str, thing: str | None, reason: str) -> None:
    assert (adopted(statement), purpose(statement)) == (thing, reason)
