"""What a recorder shows: the acts that are open, each with the questions that lead to it.

A game's package makes the offers (docs/duels.md, *A second game*); `choose` walks them by what
was tapped so far. Nothing here knows a game: groups, questions and words are codes, whose texts
stand in duels.wording_recorder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from eventstore.domain.refusal import Refusal

ENOUGH = "."
"""The answer that ends a question which may take more cards."""
NTH = "="
"""The beginning of an answer that names one of several acts by its number."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a question. `token` is what the address carries. A card stands by its `name`
    (None while the player may not know it) and its `place` ("P1.hand.2"); anything else is a
    `word` of the game."""

    token: str
    name: str | None = None
    place: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """One question (`ask`) on the way to an act, with the answers that this act takes: the order
    of several cards does not matter."""

    ask: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """One act in plain form without its player, the group it is shown in, and its questions.
    `unknown`: the reference of a card that has to be named first; then the act is a promise, and
    `choose` stops at that card. `refusal`: why the act is not lawful, None for one that is."""

    group: str
    act: Mapping[str, Any] = field(hash=False)
    picks: tuple[Pick, ...] = ()
    unknown: str = ""
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One button: what it says, where it leads (the trail), and the act that it carries out at
    once when no further question is open. `rest`: what that act takes besides."""

    answer: Answer
    trail: tuple[str, ...]
    sole: Offer | None = None
    rest: tuple[Pick, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """Where a trail leads: the question that is open and its options, or the act it ends at.
    `lost`: nothing on offer begins like this any more."""

    ask: str = ""
    taken: tuple[Answer, ...] = ()
    options: tuple[Option, ...] = ()
    offer: Offer | None = None
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """A kind of effect that a player can declare by naming a card: its code, and what it asks
    for besides: `amount` (a number), `card` (a card on the table), `whose` (a seat), `space` (of
    the monster that comes; may be left open)."""

    code: str
    asks: tuple[str, ...] = ()


class Recorder(Protocol):
    """What the package of a game supplies in its module `recorder`. `duel` is the folded duel of
    that game; `player` is P1 or P2. Nothing that `player` may not know is in what is returned."""

    GROUPS: Sequence[str]
    """Groups of acts in the order in which a page shows them."""
    EFFECTS: Sequence[Effect]
    """Effects that can be declared with one form."""
    CARD_PAGE: str
    """Address of the page of a card at its publisher, with `{name}` for its English name, encoded;
    empty for none."""

    CHOOSES_SPACE: bool
    """Whether zones of this game have spaces that a player may choose from."""

    def offers(self, duel: Any, player: str, *, spaces: bool = False) -> list[Offer]:
        """Return exactly the lawful acts, and those that wait for the name of a card. `spaces`: an
        act that lays a card asks last which space it takes; otherwise it takes the first free."""

    def free_spaces(self, duel: Any, player: str) -> tuple[int, ...]:
        """Return the spaces, from 1, that a monster brought by a declared effect may take."""

    def beyond(self, duel: Any, player: str) -> list[Offer]:
        """Return acts that a player may mean and that are not lawful, each with its refusal."""

    def unnamed(self, duel: Any) -> list[Answer]:
        """Return the cards that everybody sees and that nobody has named yet."""

    def sources(self, duel: Any, player: str) -> list[Answer]:
        """Return the cards whose text a declared effect of this player may rest on."""

    def reached(self, duel: Any, player: str) -> list[Answer]:
        """Return the cards that a declared effect of this player may be about."""

    def declare(
        self,
        effect: str,
        *,
        player: str,
        by: str,
        amount: int | None,
        card: str,
        whose: str,
        space: int | None = None,
    ) -> dict[str, Any]:
        """Return the plain act, without its player, by which `player` declares an effect by the
        card `by`: `amount`, `card`, `whose` (a seat) and `space` as its kind asks for them. Raises
        KeyError for an effect that is not in EFFECTS."""

    def identify(self, card: str, key: str) -> dict[str, Any]:
        """Return the plain act, without its player, that says what a card is."""

    def waits_for(self, duel: Any) -> str:
        """Return the seat that has to act or answer now, empty when the duel is over."""


@dataclass(frozen=True, slots=True)
class _Place:
    """How far a trail has come in the questions of an offer."""

    at: int
    taken: tuple[str, ...] = ()


def _walk(offer: Offer, trail: Sequence[str]) -> _Place | None:
    """Return where a trail (without its group) stands in an offer, None for another way."""
    left = list(trail)
    for at, pick in enumerate(offer.picks):
        wanted = [one.token for one in pick.answers]
        taken: list[str] = []
        while left and len(taken) < len(wanted):
            if left[0] == ENOUGH or left[0] not in wanted or left[0] in taken:
                return None
            taken.append(left.pop(0))
        if len(taken) < len(wanted):
            return _Place(at, tuple(taken))
        if left and left[0] == ENOUGH:
            left.pop(0)
    return None if left else _Place(len(offer.picks))


def choose(offers: Sequence[Offer], trail: Sequence[str]) -> Step:
    """Return what a trail of tokens leads to; its first token is the group.

    >>> ash = Answer("1", "Ash")
    >>> call = Offer("call", {"act": "call", "card": 1}, (Pick("card", (ash,)),))
    >>> choose([call], ["call"]).options[0].sole == call
    True
    """
    if not trail:
        return Step(lost=True)
    group, rest = trail[0], list(trail[1:])
    named = ""
    if rest and rest[-1].startswith(NTH):
        named = rest.pop()[len(NTH) :]
    placed = [
        (one, place)
        for one in offers
        if one.group == group and (place := _walk(one, rest)) is not None
    ]
    if not placed:
        return Step(lost=True)
    if named:
        number = int(named) if named.isascii() and named.isdigit() and len(named) < 6 else -1
        if not 0 <= number < len(placed):
            return Step(lost=True)
        return Step(offer=placed[number][0], taken=_answers(placed[number][0]))
    return _step(placed, (group, *rest))


def meant(offers: Sequence[Offer], trail: Sequence[str]) -> Offer | None:
    """Return the one act that a trail of tokens means, None when it means none or several."""
    step = choose(offers, trail)
    if step.offer is not None or step.lost or len(trail) < 1:
        return step.offer
    left = [one for one in offers if one.group == trail[0] and _walk(one, trail[1:]) is not None]
    return left[0] if len(left) == 1 else None


def _answers(offer: Offer) -> tuple[Answer, ...]:
    return tuple(answer for pick in offer.picks for answer in pick.answers)


def _step(placed: list[tuple[Offer, _Place]], trail: tuple[str, ...]) -> Step:
    first = min(place.at for _, place in placed)
    asking = [(one, place) for one, place in placed if place.at == first < len(one.picks)]
    if not asking:
        if len(placed) == 1:
            return Step(offer=placed[0][0], taken=_answers(placed[0][0]))
        options = [
            Option(Answer(f"{NTH}{at}", word="this"), (*trail, f"{NTH}{at}"), one, one.picks)
            for at, (one, _) in enumerate(placed)
        ]
        return Step("which", (), tuple(options))
    pick = asking[0][0].picks[first]
    taken = asking[0][1].taken
    found: dict[str, Answer] = {}
    for one, place in asking:
        for answer in one.picks[first].answers:
            if answer.token not in place.taken:
                found.setdefault(answer.token, answer)
    options = [_option(placed, trail, answer) for answer in found.values()]
    if len(asking) < len(placed):
        options.append(_option(placed, trail, Answer(ENOUGH, word="enough")))
    known = {answer.token: answer for answer in pick.answers}
    return Step(pick.ask, tuple(known[token] for token in taken), tuple(options))


def _option(placed: list[tuple[Offer, _Place]], trail: tuple[str, ...], answer: Answer) -> Option:
    """Make one button; when a single act is left behind it, it carries that act out."""
    further = (*trail, answer.token)
    left = [one for one, _ in placed if _walk(one, further[1:]) is not None]
    sole = left[0] if len(left) == 1 and not left[0].unknown else None
    rest: tuple[Pick, ...] = ()
    if sole is not None:
        place = _walk(sole, further[1:])
        rest = sole.picks[place.at :] if place is not None else ()
    return Option(answer, further, sole, rest)
