"""Between the pure values and the rows of the reference tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import orjson
from django.db import connection

from cards.domain.banlist import Banlist as BanlistValue
from cards.domain.banlist import Cost, Limit, Points
from cards.domain.catalogue import FACT_FIELDS, fold
from cards.domain.facts import CardFacts, LocalName
from cards.models import Banlist, Card, CardName

BANLIST_ID_SIGNS = 32
_facts = attrgetter(*FACT_FIELDS)
_TRAITS = FACT_FIELDS.index("traits")


def write_cards(cards: Iterable[CardFacts]) -> None:
    """Add cards, or bring those of the same key up to date: one prepared statement, since an
    import of the whole catalogue is mostly the price of its rows."""
    quote = connection.ops.quote_name
    columns = [quote(name) for name in (*FACT_FIELDS, "folded")]
    fresh = ", ".join(f"{name} = excluded.{name}" for name in columns if name != quote("key"))
    statement = (
        f"INSERT INTO {quote(Card._meta.db_table)} ({', '.join(columns)})"  # noqa: S608 - names of ours
        f" VALUES ({', '.join(['%s'] * len(columns))})"
        f" ON CONFLICT ({quote('key')}) DO UPDATE SET {fresh}"
    )
    with connection.cursor() as cursor:
        cursor.executemany(statement, [_values(card) for card in cards])


def _values(card: CardFacts) -> tuple[Any, ...]:
    values = list(_facts(card))
    values[_TRAITS] = orjson.dumps(card.traits).decode()
    return (*values, fold(card.name)[:400])


def card_facts(row: dict[str, Any]) -> CardFacts:
    """Make the facts of a row's values (FACT_FIELDS)."""
    return CardFacts(**{**row, "traits": tuple(row["traits"])})


def all_facts() -> list[CardFacts]:
    """Read every card: one query."""
    return [card_facts(row) for row in Card.objects.order_by().values(*FACT_FIELDS)]


def all_names() -> list[LocalName]:
    """Read the names in other languages, by card and language: one query."""
    rows = CardName.objects.order_by("card_key", "language")
    return [LocalName(*row) for row in rows.values_list("card_key", "language", "name")]


def names_hash(names: Iterable[LocalName]) -> str:
    """Return the hex SHA-256 of names in order of card and language; empty for none."""
    machine = hashlib.sha256()
    lines = sorted((one.key, one.language, one.name) for one in names)
    for one in lines:
        machine.update("\x1f".join(one).encode() + b"\n")
    return machine.hexdigest() if lines else ""


def banlist_id(value: BanlistValue) -> str:
    """Return the id of a list: the head of its content hash."""
    return value.content_hash[:BANLIST_ID_SIGNS]


def banlist_value(row: Banlist) -> BanlistValue:
    """Read a list with its entries and costs: one query more than the row, two with points."""
    points = None
    if row.budget is not None:
        costs = row.costs.order_by("passcode").values_list("passcode", "points", "remark")
        points = Points(
            row.points_name,
            row.budget,
            tuple(Cost(*one) for one in costs),
            tuple(row.counted_decks.split()),
        )
    return BanlistValue(
        title=row.title,
        whitelist=row.whitelist,
        limits=tuple(
            Limit(passcode, count, remark)
            for passcode, count, remark in row.entries.order_by("passcode").values_list(
                "passcode", "count", "remark"
            )
        ),
        client_hash=int(row.client_hash, 16),
        points=points,
    )
