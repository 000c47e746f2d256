"""Events of the reference tables: who changed them, from what, and how much.

Streams `catalogue-cards` and `catalogue-banlists`.
"""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("cards.catalogue_imported")
class CatalogueImported(DomainEvent, frozen=True):
    """Card facts were taken in. `source` is a file name, `source_hash` the hex SHA-256 of its
    bytes, `catalogue_hash` that of the whole table afterwards; `total` counts its cards."""

    source: str
    source_hash: str
    catalogue_hash: str
    added: int
    changed: int
    unchanged: int
    total: int
    findings: int


@event("cards.banlist_imported")
class BanlistImported(DomainEvent, frozen=True):
    """A list of limits was taken in. Counts compare it with the newest earlier list of the
    same title: entries added, changed, removed, unchanged."""

    source: str
    source_hash: str
    banlist_id: str
    banlist_hash: str
    client_hash: str
    title: str
    whitelist: bool
    added: int
    changed: int
    removed: int
    unchanged: int
    findings: int
