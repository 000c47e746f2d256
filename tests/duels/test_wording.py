"""Words: every event type has its sentence, every code of the room its refusal."""

from __future__ import annotations

import ast
import random
import re

import pytest
from django.utils import translation

from duels import events, wording
from duels.domain.events import (
    HandShuffled,
    InfractionRecorded,
    LineDisputed,
    LotDrawn,
    LpAgreed,
    LpDeclared,
    SeedRevealed,
    TurnMarked,
)
from duels.rules.yugioh import bot
from duels.rules.yugioh.duel import fold
from duels.rules.yugioh.lines import lines
from duels.rules.yugioh.view import VIEWERS
from eventstore.domain import registry
from eventstore.domain.refusal import Refusal
from tests.conftest import ROOT
from tests.duels.made import opening
from tests.duels.test_properties import rewound

PLAYERS = {"P1": "Alice", "P2": "Bob"}


def test_every_event_type_has_a_sentence() -> None:
    assert events.__all__
    types = {name for name in registry.registered() if name.startswith("duels.")}
    types -= {"duels.note_made", "duels.note_withdrawn"}  # notes stand beside the log
    types -= {"duels.hidden_revealed"}  # and so do looks of judges
    assert set(wording.LINES) == types


REPLAY_FAULTS = ("Fault", "Damage")


def codes_in_the_room() -> set[str]:
    """The first argument of every Refusal(...) written in the room, and of every fault of a
    replay file, which becomes one."""
    found: set[str] = set()
    for path in (ROOT / "duels").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refusal":
                first = node.args[0]
                if isinstance(first, ast.Constant) and str(first.value).startswith("duels."):
                    found.add(str(first.value))
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in REPLAY_FAULTS:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    found.add(f"duels.replay_{first.value}")
    return found


def test_every_refusal_has_a_sentence() -> None:
    assert codes_in_the_room() == set(wording.SENTENCES)


def test_a_refusal_in_words() -> None:
    said = wording.refusal_text(Refusal("duels.no_such_line", {"found": 9}))
    assert said == "The log has no line 9."
    assert wording.refusal_text(Refusal("duels.option_value", {"found": "x"})) == (
        "The option – cannot be x. Allowed: –."
    )
    rule = wording.refusal_text(Refusal("YGO-7.6", {"found": 5, "allowed": 5}))
    assert rule == "5 of 5 Spell and Trap spaces are filled; there is no free one."
    assert wording.refusal_text(Refusal("other.code", {})) is None


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_whole_log_in_words(viewer: str) -> None:
    log = opening(2)
    _, more = bot.play(fold(log), random.Random(2))
    log = [
        *log,
        *more,
        InfractionRecorded("P1", "YGO-6.1", [], {}, {}),
        LpDeclared("P1", "P2", 7000, -1000, 1, None),
        LpAgreed({"P1": 1, "P2": 2}),
        TurnMarked("P2", 4, "P1"),
        HandShuffled("P2"),
        LotDrawn("P2", 6, [2, 4], "seed", "judge", None),
        SeedRevealed("s"),
        LineDisputed("P1", 3, None),
        rewound(5),
    ]
    with translation.override("en"):
        for line in lines(log, viewer):
            text = wording.line_text(line.code, line.params, PLAYERS)
            assert text
            assert not re.search(r"duels\.|%\(|None|\{|P1|P2", text), text
    texts = [wording.line_text(line.code, line.params, PLAYERS) for line in lines(log, viewer)]
    assert "Alice concedes." in texts or any("wins the duel" in text for text in texts)


def test_a_card_that_is_named_stays_hidden_from_who_does_not_see_it() -> None:
    code = "duels.card_identified"
    known = {"card": 9, "name": "Axe Raider", "key": "Axe Raider", "owner": "P1"}
    seen = wording.line_text(code, {"card": known}, PLAYERS)
    masked = {"card": None, "name": None, "key": None, "owner": "P1"}
    hidden = wording.line_text(code, {"card": masked}, PLAYERS)
    assert (seen, hidden) == ("A card is seen to be Axe Raider.", "A hidden card is named.")


def test_unknown_codes_and_odd_params_do_not_break_a_log() -> None:
    assert wording.line_text("duels.unheard_of", {}, PLAYERS) == "duels.unheard_of"
    for code in wording.LINES:
        assert wording.line_text(code, {}, {}) or code == "duels.cards_moved"
