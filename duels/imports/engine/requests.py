"""What a recorded request offers and what its response chose, by card instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duels.imports.engine import moves
from duels.imports.engine.recording import Batch
from duels.imports.engine.table import Impossible, Table, at

IDLE, BATTLE = "SELECT_IDLECMD", "SELECT_BATTLECMD"
DECISIONS = (IDLE, BATTLE)
ACTION_LISTS = {
    "summon": "summons",
    "special_summon": "special_summons",
    "pos_change": "pos_changes",
    "monster_set": "monster_sets",
    "spell_set": "spell_sets",
    "activate": "activates",
    "attack": "attacks",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A decision of the turn player: the recorded option lists, as sets of instances.
    `direct`: attackers that may attack the player; the flags say which phases are open."""

    player: int
    battle: bool
    summons: frozenset[int] = frozenset()
    monster_sets: frozenset[int] = frozenset()
    spell_sets: frozenset[int] = frozenset()
    pos_changes: frozenset[int] = frozenset()
    attacks: frozenset[int] = frozenset()
    direct: frozenset[int] = frozenset()
    to_battle: bool = False
    to_main2: bool = False
    to_end: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen at a decision: the action, its card, and what the requests after it
    asked for. `offered` are the cards of those requests, `chosen` the answer (None: taken
    back), both None when nothing was asked."""

    action: str
    card: int
    offered: frozenset[int] | None = None
    chosen: tuple[int, ...] | None = None
    least: int = 0

    @property
    def taken_back(self) -> bool:
        """Whether the player withdrew the choice."""
        return self.offered is not None and self.chosen is None


class Beyond(Exception):
    """The recording does something that this comparison cannot play; `why` in a few words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def instances(table: Table, cards: Iterable[Any]) -> tuple[int, ...]:
    """Return the instances that entries of a list name; raises `Beyond` for a damaged list."""
    try:
        return tuple(at(table, moves.place(card)) for card in cards)
    except (Impossible, moves.Unreadable, KeyError, TypeError) as fault:
        raise Beyond(f"a list that names no card: {fault}"[:120]) from fault


def request_of(batch: Batch) -> Mapping[str, Any] | None:
    """Return the request that a batch ends with, None when it awaits nothing."""
    if batch.response is None or not batch.messages:
        return None
    wanted = batch.response.get("to")
    return next((one for one in reversed(batch.messages) if one.get("msg") == wanted), None)


def offer_of(table: Table, request: Mapping[str, Any]) -> Offer:
    """Return the option lists of a decision; raises `Beyond` for a damaged request."""
    try:
        player = moves.SEATS[request["player"]]
        if request["msg"] == BATTLE:
            attacks = request["attacks"]
            return Offer(
                player,
                True,
                attacks=frozenset(instances(table, attacks)),
                direct=frozenset(instances(table, [one for one in attacks if one["can_direct"]])),
                to_main2=bool(request["to_m2"]),
                to_end=bool(request["to_ep"]),
            )
        return Offer(
            player,
            False,
            summons=frozenset(instances(table, request["summons"])),
            monster_sets=frozenset(instances(table, request["monster_sets"])),
            spell_sets=frozenset(instances(table, request["spell_sets"])),
            pos_changes=frozenset(instances(table, request["pos_changes"])),
            to_battle=bool(request["to_bp"]),
            to_end=bool(request["to_ep"]),
        )
    except (KeyError, TypeError, IndexError) as fault:
        raise Beyond(f"a damaged request: {fault!r}"[:120]) from fault


def choice_of(
    table: Table, request: Mapping[str, Any], later: Sequence[tuple[Batch, Table]]
) -> Choice:
    """Return what was chosen at a decision. `later` are the batches up to the next decision or
    turn, each with the table after it, whose requests belong to the choice. Raises `Beyond`."""
    response = later[0][0].response or {}
    action, index = response.get("action"), response.get("index")
    if not isinstance(action, str):
        raise Beyond("a response without an action")
    card = 0
    if action in ACTION_LISTS:
        listed = request.get(ACTION_LISTS[action])
        if not isinstance(listed, list) or type(index) is not int or not 0 <= index < len(listed):
            raise Beyond("a response that names no option")
        (card,) = instances(table, [listed[index]])
    if action in ("activate", "special_summon"):
        raise Beyond("the text of a card was used")
    return _with_answers(Choice(action, card), later[1:])


def _with_answers(choice: Choice, later: Sequence[tuple[Batch, Table]]) -> Choice:
    for batch, table in later:
        request = request_of(batch)
        if request is None:
            continue
        response, kind = batch.response or {}, str(request["msg"])
        if kind == "SELECT_PLACE":
            continue
        if kind == "SELECT_CHAIN":
            if response.get("index", -1) != -1:
                raise Beyond("a card was activated in a window")
            continue
        if kind in ("SELECT_CARD", "SELECT_TRIBUTE"):
            if choice.offered is not None:
                raise Beyond(f"a second request {kind}")
            choice = _chosen(choice, table, request, response)
        elif kind == "SELECT_UNSELECT_CARD":
            choice = _picked(choice, table, request, response)
        else:
            raise Beyond(f"a request {kind}")
    return choice


def _answered(choice: Choice, offered: Iterable[int], chosen: Any, least: int) -> Choice:
    return Choice(choice.action, choice.card, frozenset(offered), chosen, least)


def _listed(table: Table, request: Mapping[str, Any], name: str) -> tuple[tuple[int, ...], int]:
    """The cards of a list of a request, and how many must be chosen at least."""
    cards, least = request.get(name), request.get("min", 0)
    if not isinstance(cards, list) or type(least) is not int:
        raise Beyond(f"a damaged request: {name}")
    return instances(table, cards), least


def _chosen(
    choice: Choice, table: Table, request: Mapping[str, Any], response: Mapping[str, Any]
) -> Choice:
    offered, least = _listed(table, request, "cards")
    if response.get("cancel"):
        return _answered(choice, offered, None, least)
    indices = response.get("indices")
    if not isinstance(indices, list) or not all(
        type(one) is int and 0 <= one < len(offered) for one in indices
    ):
        raise Beyond("a response that names no card")
    return _answered(choice, offered, tuple(offered[one] for one in indices), least)


def _picked(
    choice: Choice, table: Table, request: Mapping[str, Any], response: Mapping[str, Any]
) -> Choice:
    """One card at a time: the cards already chosen are those that may be given back."""
    free, least = _listed(table, request, "select_cards")
    taken, _ = _listed(table, request, "unselect_cards")
    index = response.get("index")
    if type(index) is not int or not -1 <= index < len(free) + len(taken):
        raise Beyond("a response that names no card")
    chosen: tuple[int, ...] | None
    if index == -1:
        chosen = taken if request.get("can_finish") else None
    elif index < len(free):
        chosen = (*taken, free[index])
    else:
        chosen = tuple(card for card in taken if card != taken[index - len(free)])
    return _answered(choice, (*free, *taken), chosen, least)
