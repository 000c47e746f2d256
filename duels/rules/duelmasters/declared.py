"""What players declare: the text of cards without a script, and what an unknown card is."""

from __future__ import annotations

from collections.abc import Iterator

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import effects, refs
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.seats import seat
from duels.rules.duelmasters.selectors import Use
from duels.rules.duelmasters.state import Table
from eventstore.domain.refusal import Refusal


def source(table: Table, by: a.Ref) -> tuple[int, str | None] | None:
    """Return (instance or 0, key) of the card whose text is declared; None when it is no card
    of this duel."""
    if isinstance(by, str) and by in table.facts:
        lying = [
            card
            for card, key in enumerate(table.identities)
            if key == by and table.where(card)[1] == "battle"
        ]
        return (lying[0] if len(lying) == 1 else 0), by
    card = refs.find(table, by)
    return (card, table.identities[card]) if card is not None else None


def check_effect(table: Table, act: a.ResolveEffect) -> Iterator[Refusal]:
    """DM-0.2: a card of this duel whose text it is; then what the operations break."""
    found = source(table, act.by)
    if found is None:
        yield Refusal("DM-0.2", {"found": str(act.by)[:40]})
        return
    if table.where(found[0])[1] == "mana" if found[0] else False:
        yield Refusal("DM-3.6", {"card": found[0], "found": "mana"})
    refused = effects.unplayable(act.ops) or effects.breach(
        table, act.ops, Use(act.player, found[0])
    )
    if refused is not None:
        yield refused


def carry_effect(draft: Draft, act: a.ResolveEffect) -> None:
    """Carry the declared text out, and mark it for the judge."""
    by, key = source(draft.table, act.by) or (0, None)
    draft.add(ev.EffectDeclared(seat(act.player), by, key, act.ops))
    effects.carry_ops(draft, act.ops, Use(act.player, by))


def check_identify(table: Table, act: a.Identify) -> Iterator[Refusal]:
    """`duels.card_already_identified`, or `duels.card_unknown` for a key without facts."""
    card = refs.cards(table, [act.card])[0]
    if table.identities[card] is not None:
        found = table.identities[card]
        yield Refusal("duels.card_already_identified", {"found": found})
    if act.facts is None and act.key not in table.facts:
        yield Refusal("duels.card_unknown", {"found": act.key[:60]})


def carry_identify(draft: Draft, act: a.Identify) -> None:
    """Note what the card is, and its facts when the log had none."""
    card = refs.cards(draft.table, [act.card])[0]
    if act.facts is not None and act.key not in draft.table.facts:
        draft.add(ev.CardsDescribed([act.facts]))
    draft.add(ev.CardIdentified(card, act.key, None))
