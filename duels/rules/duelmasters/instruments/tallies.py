"""The audits of the shields and of the mana: every event that laid, broke, charged or tapped, and
what is wrong with it. A lawful duel has no flag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from duels.domain.instruments.ledgers import Tally, TallyRow
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import Card, breaks
from duels.rules.duelmasters.instruments.walk import Step
from duels.rules.duelmasters.mana import is_of, makes
from duels.rules.duelmasters.shields import MOST_BROKEN
from duels.rules.duelmasters.state import SHIELDS, Table
from duels.rules.duelmasters.values import may_have, overridden

WRONG_NUMBER = "WRONG_NUMBER_OF_SHIELDS"
NOT_TOP = "NOT_FROM_THE_TOP"
NO_ATTACK = "SHIELD_BROKEN_WITHOUT_ATTACK"
TOO_MANY, TOO_FEW = "TOO_MANY_SHIELDS_BROKEN", "TOO_FEW_SHIELDS_BROKEN"
SECOND = "SECOND_CHARGE"
MOMENT = "CHARGE_AT_A_WRONG_MOMENT"
TOO_LITTLE, TOO_MUCH = "PAID_TOO_LITTLE", "PAID_TOO_MUCH"
CIVILIZATION = "NO_MANA_OF_THE_CIVILIZATION"
SPENT = "MANA_TAPPED_TWICE"
FLAGS = (
    WRONG_NUMBER,
    NOT_TOP,
    NO_ATTACK,
    TOO_MANY,
    TOO_FEW,
    SECOND,
    MOMENT,
    TOO_LITTLE,
    TOO_MUCH,
    CIVILIZATION,
    SPENT,
)
Found = tuple[str, str, Sequence[int], tuple[str, ...]]
"""What befell which cards of a player, and the flags."""


def tallies(steps: Sequence[Step]) -> list[Tally]:
    """Return the audits of a walked log; struck lines are in them and marked."""
    return [
        Tally("shields", tuple(_rows(steps, "shields"))),
        Tally("mana", tuple(_rows(steps, "mana"))),
    ]


def _rows(steps: Sequence[Step], zone: str) -> Iterator[TallyRow]:
    look = _shields if zone == "shields" else _mana
    for step in steps:
        if not step.plays:
            continue
        table = step.after.table
        for player, what, cards, flags in look(step):
            yield TallyRow(
                step.seq,
                table.turn,
                table.phase,
                player,
                what,
                tuple(step.card(table, one) for one in cards),
                {seat: len(getattr(table.side(seat), zone)) for seat in table.seats},
                flags,
                step.struck,
            )


def _shields(step: Step) -> Iterator[Found]:
    event, table = step.event, step.before.table
    match event:
        case ev.ShieldsLaid():
            flags: list[str] = []
            side = table.side(event.player)
            if not table.turn and (len(event.cards) != SHIELDS or side.shields):
                flags.append(WRONG_NUMBER)
            if tuple(event.cards) != side.deck[: len(event.cards)]:
                flags.append(NOT_TOP)
            # what they are is nobody's to know
            yield event.player, "laid", (), tuple(flags)
        case ev.ShieldsBroken():
            yield event.player, "broken", event.cards, _breaking(table, event)
        case ev.CardsSent():
            for player in table.seats:
                gone = [
                    one.card for one in event.sendings if one.card in table.side(player).shields
                ]
                if gone:
                    yield player, "moved", gone, ()


def _breaking(table: Table, event: ev.ShieldsBroken) -> tuple[str, ...]:
    attack = table.attack
    if attack is None or attack.stage != "unblocked" or attack.target:
        return (NO_ATTACK,)
    wanted = min(breaks(table.facts_of(attack.attacker)), len(table.side(event.player).shields))
    if may_have(table, attack.attacker) and len(event.cards) <= MOST_BROKEN:
        return ()
    if len(event.cards) > wanted:
        return (TOO_MANY,)
    return (TOO_FEW,) if len(event.cards) < wanted else ()


def _mana(step: Step) -> Iterator[Found]:
    event, table = step.event, step.before.table
    match event:
        case ev.ManaCharged():
            flags: list[str] = []
            aside = overridden(table, event.player, event.card)
            if table.side(event.player).charged and "DM-3.5" not in aside:
                flags.append(SECOND)
            if table.active != event.player or table.step != "charge":
                flags.append(MOMENT)
            yield event.player, "charged", [event.card], tuple(flags)
        case ev.SpellCast() if event.how == "cast":
            yield event.player, "paid", event.mana, _payment(table, event.card, event.mana)
        case ev.CreatureSummoned() | ev.CreatureEvolved() if event.how == "summoned":
            yield event.player, "paid", event.mana, _payment(table, event.card, event.mana)
        case ev.CardsUntapped():
            lying = table.side(event.player).mana
            yield event.player, "untapped", [one for one in event.cards if one in lying], ()
        case ev.CardsSent():
            for player in table.seats:
                here = [
                    one.card
                    for one in event.sendings
                    if one.to == "mana" and table.owners[one.card] == player
                ]
                gone = [one.card for one in event.sendings if one.card in table.side(player).mana]
                if here:
                    yield player, "put", here, ()
                if gone:
                    yield player, "moved", gone, ()


def _payment(table: Table, card: int, mana: Sequence[int]) -> tuple[str, ...]:
    """Compare what was tapped with the cost; of an unknown card nothing can be said."""
    facts: Card | None = table.facts_of(card)
    flags: list[str] = []
    if any(one in table.lying and table.lying[one].tapped for one in mana):
        flags.append(SPENT)
    if facts is None:
        return tuple(flags)
    made = makes(table, mana)
    if made < facts.cost:
        flags.append(TOO_LITTLE)
    if any(made - makes(table, [one]) >= facts.cost for one in mana):
        flags.append(TOO_MUCH)
    if facts.cost and not any(is_of(table, one, facts.civilization) for one in mana):
        flags.append(CIVILIZATION)
    return tuple(flags)
