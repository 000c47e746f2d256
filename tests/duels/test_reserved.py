"""The reserved operations (search, shuffle, reveal, skip, win): no engine plays them, whatever
the mode and the game; a log that names one is read, shown and folded, and moves nothing."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from duels.domain import text
from duels.domain.text import Entry
from duels.rules.duelmasters import acts as da
from duels.rules.duelmasters import engine as creatures_engine
from duels.rules.duelmasters.duel import fold as fold_creatures
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.duel import evolve, fold
from duels.rules.yugioh.effects import check
from duels.rules.yugioh.lines import lines
from duels.rules.yugioh.selectors import Use
from duels.wording import line_text
from eventstore.domain.refusal import Refusal
from tests.duels import creatures, made

RESERVED = ("search", "shuffle", "reveal", "skip", "win")
reserved = pytest.mark.parametrize("word", RESERVED)
PLAYERS = {"P1": "Alice", "P2": "Bob"}


def codes(found: Any) -> tuple[str, Any]:
    assert isinstance(found, Refusal), found
    return found.code, found.params["found"]


@reserved
@pytest.mark.parametrize("mode", ["refereed", "recorded"])
def test_a_player_cannot_declare_it_in_the_classic_game(word: str, mode: str) -> None:
    log = made.played(1, 60)
    duel = fold([replace(log[0], mode=mode), *log[1:]])
    assert duel.table.result is None
    player = duel.table.active
    for ops in ([{"op": word}], [{"op": "draw", "n": 1}, {"op": word, "target": "self"}]):
        act = a.read(
            {
                "act": "resolve_effect",
                "player": player,
                "by": next(iter(duel.table.facts)),
                "ops": ops,
            }
        )
        assert not isinstance(act, Refusal)
        assert codes(engine.decide(duel, act)) == ("duels.effect_not_played", word)


@reserved
@pytest.mark.parametrize("mode", ["refereed", "recorded"])
def test_a_player_cannot_declare_it_in_the_second_game(word: str, mode: str) -> None:
    log = creatures.played(1, 40)
    duel = fold_creatures([replace(log[0], mode=mode), *log[1:]])
    assert duel.table.result is None
    given = {"act": "resolve_effect", "player": duel.table.active, "by": "Mole"}
    act = da.read({**given, "ops": [{"op": word}]})
    assert not isinstance(act, Refusal)
    assert codes(creatures_engine.decide(duel, act)) == ("duels.effect_not_played", word)


@reserved
def test_a_script_that_holds_it_is_not_played(word: str) -> None:
    duel = fold(made.played(1, 60))
    (found, *_) = check(duel.table, [{"op": word}], Use("P1", 1))
    assert codes(found) == ("duels.effect_not_played", word)


@reserved
def test_a_log_that_names_it_is_read_and_shown_and_moves_nothing(word: str) -> None:
    log = made.played(1, 60)
    before = fold(log)
    key = next(iter(before.table.facts))
    told = [*log, ev.EffectDeclared("P1", 0, key, [{"op": word}])]
    entries = text.read(text.write([Entry(one) for one in told]))
    assert not isinstance(entries, Refusal)
    assert [one.event for one in entries] == told
    after = evolve(before, told[-1])
    for seat in ("P1", "P2"):
        assert after.table.side(seat) == before.table.side(seat)
    assert after.table.result is None
    for viewer in ("public", "p1", "p2", "judge"):
        shown = lines(told, viewer)[-1]
        assert shown.code == "duels.effect_declared"
        sentence = line_text(shown.code, shown.params, PLAYERS)
        assert sentence.startswith("Alice declares the effect of ")
