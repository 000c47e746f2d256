"""Side-decking: moments, sizes, places, and that nothing is lost."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decks.domain.decklist import DeckList
from decks.domain.presets import ADVANCED, CLASSIC
from decks.domain.siding import Moment, Swap, exchange
from eventstore.domain.refusal import Refusal
from tests.decks.cardbox import CATALOGUE, FUSION, LANCER, SPELL, deck, filler

BETWEEN = Moment.BETWEEN_DUELS
REGISTERED = deck((*filler(39), LANCER), (FUSION, FUSION), (SPELL, FUSION, *filler(13, 45)))


def go(swap: Swap, current: DeckList = REGISTERED, moment: Moment = BETWEEN) -> DeckList | Refusal:
    return exchange(REGISTERED, current, swap, moment, catalogue=CATALOGUE)


def test_one_for_one_between_duels() -> None:
    result = go(Swap(into_main=(SPELL,), out_of_main=(LANCER,)))
    assert isinstance(result, DeckList)
    assert SPELL in result.main
    assert LANCER in result.side
    assert result.counts == REGISTERED.counts
    back = go(Swap(into_main=(LANCER,), out_of_main=(SPELL,)), result)
    assert isinstance(back, DeckList)
    assert Counter(back.main) == Counter(REGISTERED.main)


def test_a_fusion_monster_changes_with_the_fusion_deck_only() -> None:
    assert isinstance(go(Swap(into_extra=(FUSION,), out_of_extra=(FUSION,))), DeckList)
    refused = go(Swap(into_main=(FUSION,), out_of_main=(LANCER,)))
    assert isinstance(refused, Refusal)
    assert refused.code == "YGO-3.12"
    assert refused.params["card"] == FUSION
    refused = go(Swap(into_extra=(SPELL,), out_of_extra=(FUSION,)))
    assert isinstance(refused, Refusal)
    assert refused.code == "YGO-3.4"


@pytest.mark.parametrize("moment", [Moment.BEFORE_MATCH, Moment.DURING_DUEL])
def test_only_between_duels(moment: Moment) -> None:
    refused = go(Swap(into_main=(SPELL,), out_of_main=(LANCER,)), moment=moment)
    assert isinstance(refused, Refusal)
    assert refused.code == "YGO-4.1"
    assert refused.params["found"] == moment.value


def test_without_a_side_deck_there_is_no_exchange() -> None:
    bare = deck(filler(40))
    refused = exchange(bare, bare, Swap(), BETWEEN)
    assert isinstance(refused, Refusal)
    assert refused.code == "YGO-4.1"


def test_unequal_numbers_and_a_deck_that_grew_are_refused() -> None:
    refused = go(Swap(into_main=(SPELL,), out_of_main=()))
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.params) == ("YGO-4.2", {"deck": "main", "found": 1, "allowed": 0})
    grown = deck((*REGISTERED.main, SPELL), REGISTERED.extra, REGISTERED.side)
    refused = go(Swap(), grown)
    assert isinstance(refused, Refusal)
    assert refused.code == "YGO-4.2"


@pytest.mark.parametrize(
    ("swap", "where", "found"),
    [
        (Swap(into_main=(LANCER,), out_of_main=(LANCER,)), "side", [LANCER]),
        (Swap(into_main=(SPELL, SPELL), out_of_main=filler(2)), "side", [SPELL]),
        (Swap(into_main=(SPELL,), out_of_main=("999999",)), "main", ["999999"]),
    ],
)
def test_a_card_must_be_where_it_is_taken_from(swap: Swap, where: str, found: list[str]) -> None:
    refused = go(swap)
    assert isinstance(refused, Refusal)
    assert refused.code == "decks.card_not_there"
    assert refused.params == {"deck": where, "found": found}


def test_the_modern_preset_allows_any_side_size() -> None:
    small = deck(filler(40), (), (SPELL,))
    swap = Swap(into_main=(SPELL,), out_of_main=filler(1))
    result = exchange(small, small, swap, BETWEEN, catalogue=CATALOGUE, preset=ADVANCED)
    assert isinstance(result, DeckList)
    assert result.counts == small.counts


@given(st.data())
def test_nothing_is_lost_or_made(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 14))
    coming = data.draw(st.permutations([key for key in REGISTERED.side if key != FUSION]))[:count]
    going = data.draw(st.permutations(REGISTERED.main))[:count]
    result = exchange(
        REGISTERED,
        REGISTERED,
        Swap(into_main=tuple(coming), out_of_main=tuple(going)),
        BETWEEN,
        catalogue=CATALOGUE,
        preset=CLASSIC,
    )
    assert isinstance(result, DeckList)
    assert result.counts == REGISTERED.counts
    together = Counter(result.main) + Counter(result.extra) + Counter(result.side)
    before = Counter(REGISTERED.main) + Counter(REGISTERED.extra) + Counter(REGISTERED.side)
    assert together == before
