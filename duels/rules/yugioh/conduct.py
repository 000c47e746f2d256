"""Conduct that a person at the table must see, claims, and concession (YGO-6, 4.3, 5, 17.2)."""

from __future__ import annotations

from collections.abc import Iterator

from duels.domain.events import InfractionRecorded, seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import refs, victory
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.state import Table
from eventstore.domain.refusal import Refusal

CONDUCT: dict[str, str] = {
    "refused_greeting": "YGO-5.1",
    "no_shuffle_offer": "YGO-5.2",
    "unannounced_play": "YGO-6.1",
    "hid_public_card": "YGO-6.3",
    "touched_without_leave": "YGO-6.4",
    "mixed_layout": "YGO-6.5",
    "looked_at_deck": "YGO-7.8",
    "skipped_recount": "YGO-4.3",
    "went_on_without_asking": "YGO-17.2",
}
CLAIMS: dict[str, str] = {
    "win": "YGO-2.6",
    "battle_bonus": "YGO-0.3",
    "keep_face_up": "YGO-13.3",
    "send_away": "YGO-13.5",
    "own_graveyard": "YGO-14.3",
    "damage": "YGO-16.4",
}


def check_claim(table: Table, act: a.Claim) -> Iterator[Refusal]:
    """The rule that denies the claim; for a Ritual Spell kept face-up YGO-13.16."""
    rule = CLAIMS[act.about]
    params: dict[str, object] = {"found": act.about}
    if act.card is not None:
        card = refs.cards(table, [act.card])[0]
        params["card"] = card
        facts = table.facts_of(card)
        if act.about == "keep_face_up" and facts is not None and facts.kind == "ritual":
            rule = "YGO-13.16"
    yield Refusal(rule, params)


def carry_observe(draft: Draft, act: a.Observe) -> None:
    """Record the breach; play goes on. It may be noted after the duel's end as well.

    A skipped question (YGO-17.2) is noted while a chain is open: the chain then resolves as it
    was played at the table, and no pass of the other player is written.
    """
    draft.events.append(
        InfractionRecorded(
            seat(act.player), CONDUCT[act.conduct], [], {"found": act.conduct}, a.plain(act)
        )
    )
    table = draft.table
    if act.conduct == "went_on_without_asking" and table.chain and not table.resolving:
        draft.add(ev.WindowClosed("chain"))


def carry_concede(draft: Draft, act: a.Concede) -> None:
    """Give the duel up."""
    for event in victory.concession(act.player):
        draft.add(event)


SIDE_DECK = 15


def side_deck_count(count: int) -> Refusal | None:
    """Return the breach that a count of the Side Deck before the match shows (YGO-4.4): it
    may then not be used. None for exactly 15."""
    if count == SIDE_DECK:
        return None
    return Refusal("YGO-4.4", {"found": count, "allowed": SIDE_DECK})


def false_count(duel: Duel, player: str) -> bool:
    """Say whether the player's last word on the own hand was false when given (YGO-6.2)."""
    count = duel.counts.get((player, player, "hand"))
    return count is not None and count.declared != count.held
