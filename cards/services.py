"""Commands on cards and lists of limits: the only code that changes the reference tables."""

from __future__ import annotations

import hashlib

import msgspec

from cards.domain.banlist import Banlist as BanlistValue
from cards.domain.banlist import read_banlists
from cards.domain.catalogue import Catalogue, merge
from cards.domain.facts import CardFacts
from cards.domain.findings import Finding, Unreadable
from cards.domain.load import read_cards
from cards.events import BanlistImported, CatalogueImported
from cards.models import Banlist, BanlistCost, BanlistEntry, CardName, CatalogueState
from cards.rows import all_facts, all_names, banlist_id, banlist_value, names_hash, write_cards
from eventstore.commands import Unit, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import ANY
from people.access import require

CATALOGUE_STREAM = "catalogue-cards"
BANLIST_STREAM = "catalogue-banlists"
BATCH = 900
KEPT_FINDINGS = 50


class FindingRow(msgspec.Struct, frozen=True):
    """A finding as plain data: code, severity, line (or null) and what it says."""

    code: str
    severity: str
    line: int | None
    params: dict[str, object]


class CatalogueOutcome(msgspec.Struct, frozen=True):
    """What an import of card facts did, or with `dry_run` would have done."""

    source: str
    read: int
    added: int
    changed: int
    unchanged: int
    total: int
    catalogue_hash: str
    dry_run: bool
    findings: int
    first_findings: list[FindingRow]
    names_changed: int = 0


class BanlistOutcome(msgspec.Struct, frozen=True):
    """What the import of one list did, compared with the earlier list of its title."""

    banlist_id: str
    title: str
    date: str
    whitelist: bool
    entries: int
    client_hash: str
    banlist_hash: str
    new: bool
    added: int
    changed: int
    removed: int
    unchanged: int
    findings: int
    first_findings: list[FindingRow]


class BanlistsOutcome(msgspec.Struct, frozen=True):
    """What the import of a file of lists did."""

    source: str
    dry_run: bool
    lists: list[BanlistOutcome]
    findings: int
    first_findings: list[FindingRow]


def _plain(findings: tuple[Finding, ...]) -> list[FindingRow]:
    return [
        FindingRow(one.code, str(one.severity), one.line, dict(one.params))
        for one in findings[:KEPT_FINDINGS]
    ]


def _unreadable(fault: Unreadable) -> Refused:
    return Refused(Refusal(f"cards.{fault.finding.code}", dict(fault.finding.params)))


def _source(name: str) -> str:
    return canonical.text(" ".join(name.replace("\x00", "").split()))[:200] or "unnamed"


@command("cards.catalogue_import")
def catalogue_import(
    unit: Unit, *, source: str, content: bytes, dry_run: bool = False
) -> CatalogueOutcome:
    """Take in card facts from any source that `cards.domain.load` reads.

    Cards and their names in other languages are added or brought up to date by key; none is
    removed, and what the source does not say stays. The same content again changes nothing and
    writes no event. Raises NotAllowed; Refused `cards.<code of the reader>` (`cards.too_large`,
    `cards.bad_cdb`, ...).
    """
    require(unit.actor, "cards.catalogue_import")
    source = _source(source)
    try:
        read = read_cards(content)
    except Unreadable as fault:
        raise _unreadable(fault) from None
    held = {card.key: card for card in all_facts()}
    added: list[CardFacts] = []
    changed: list[CardFacts] = []
    for card in read.cards:
        known = held.get(card.key)
        card = merge(known, card) if known else card
        if known is None:
            added.append(card)
        elif known != card:
            changed.append(card)
        held[card.key] = card
    known_names = {(one.key, one.language): one.name for one in all_names()}
    fresh = [one for one in read.names if known_names.get((one.key, one.language)) != one.name]
    catalogue = Catalogue(held.values())
    outcome = CatalogueOutcome(
        source=source,
        read=len(read.cards),
        added=len(added),
        changed=len(changed),
        unchanged=len(read.cards) - len(added) - len(changed),
        total=len(catalogue),
        catalogue_hash=catalogue.hash,
        dry_run=dry_run,
        findings=len(read.findings),
        first_findings=_plain(read.findings),
        names_changed=len(fresh),
    )
    if dry_run or not (added or changed or fresh):
        return outcome
    write_cards((*added, *changed))
    CardName.objects.bulk_create(
        [CardName(card_key=one.key, language=one.language, name=one.name) for one in fresh],
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["card_key", "language"],
        update_fields=["name"],
    )
    CatalogueState.objects.update_or_create(
        id=1,
        defaults={
            "hash": catalogue.hash,
            "names_hash": names_hash(all_names()),
            "cards": len(catalogue),
            "source": source,
            "imported_at": unit.now,
        },
    )
    unit.append(
        CATALOGUE_STREAM,
        ANY,
        [
            CatalogueImported(
                source=source,
                source_hash=hashlib.sha256(content).hexdigest(),
                catalogue_hash=catalogue.hash,
                added=outcome.added,
                changed=outcome.changed,
                unchanged=outcome.unchanged,
                total=outcome.total,
                findings=outcome.findings,
            )
        ],
    )
    return outcome


def _entries(value: BanlistValue) -> dict[int, tuple[int | None, int | None]]:
    """Return per id the copies and the points that a list gives it."""
    counts = {one.passcode: one.count for one in value.limits}
    costs = {one.passcode: one.points for one in value.points.costs} if value.points else {}
    return {one: (counts.get(one), costs.get(one)) for one in counts.keys() | costs.keys()}


def _compared(value: BanlistValue, new: bool) -> BanlistOutcome:
    earlier = Banlist.objects.filter(title=value.title).order_by("-imported_at", "-id").first()
    before = _entries(banlist_value(earlier)) if earlier else {}
    after = _entries(value)
    if not new:
        before = after
    return BanlistOutcome(
        banlist_id=banlist_id(value),
        title=value.title,
        date=value.date,
        whitelist=value.whitelist,
        entries=len(after),
        client_hash=f"{value.client_hash:08x}",
        banlist_hash=value.content_hash,
        new=new,
        added=len(after.keys() - before.keys()),
        changed=sum(before[one] != after[one] for one in after.keys() & before.keys()),
        removed=len(before.keys() - after.keys()),
        unchanged=sum(before[one] == after[one] for one in after.keys() & before.keys()),
        findings=len(value.findings),
        first_findings=_plain(value.findings),
    )


@command("cards.banlist_import")
def banlist_import(
    unit: Unit, *, source: str, content: bytes, dry_run: bool = False
) -> BanlistsOutcome:
    """Take in every list of a `*.lflist.conf`.

    A list with the content of one that is there changes nothing and writes no event. Raises
    NotAllowed; Refused `cards.no_list`, `cards.too_large`, `cards.too_many_lines`,
    `cards.too_many_lists`, `cards.untitled_list`.
    """
    require(unit.actor, "cards.banlist_import")
    source = _source(source)
    try:
        read = read_banlists(content)
    except Unreadable as fault:
        raise _unreadable(fault) from None
    if not read.lists:
        params = {"findings": sorted({one.code for one in read.findings})}
        raise Refused(Refusal("cards.no_list", params))
    if any(not value.title for value in read.lists):
        raise Refused(Refusal("cards.untitled_list", {"found": source}))
    outcomes: list[BanlistOutcome] = []
    for value in read.lists:
        new = not Banlist.objects.filter(pk=banlist_id(value)).exists()
        outcome = _compared(value, new)
        outcomes.append(outcome)
        if dry_run or not new:
            continue
        row = Banlist.objects.create(
            id=outcome.banlist_id,
            title=value.title,
            date=value.date,
            whitelist=value.whitelist,
            content_hash=value.content_hash,
            client_hash=outcome.client_hash,
            points_name=value.points.name if value.points else "",
            budget=value.points.budget if value.points else None,
            counted_decks=" ".join(value.points.decks) if value.points else "",
            source=source,
            imported_at=unit.now,
        )
        BanlistEntry.objects.bulk_create(
            [
                BanlistEntry(banlist=row, passcode=one.passcode, count=one.count, remark=one.remark)
                for one in value.limits
            ],
            batch_size=BATCH,
        )
        BanlistCost.objects.bulk_create(
            [
                BanlistCost(
                    banlist=row, passcode=one.passcode, points=one.points, remark=one.remark
                )
                for one in (value.points.costs if value.points else ())
            ],
            batch_size=BATCH,
        )
        unit.append(
            BANLIST_STREAM,
            ANY,
            [
                BanlistImported(
                    source=source,
                    source_hash=hashlib.sha256(content).hexdigest(),
                    banlist_id=outcome.banlist_id,
                    banlist_hash=outcome.banlist_hash,
                    client_hash=outcome.client_hash,
                    title=value.title,
                    whitelist=value.whitelist,
                    added=outcome.added,
                    changed=outcome.changed,
                    removed=outcome.removed,
                    unchanged=outcome.unchanged,
                    findings=outcome.findings,
                )
            ],
        )
    return BanlistsOutcome(source, dry_run, outcomes, len(read.findings), _plain(read.findings))
