"""Every code that the source can refuse with has a sentence, and every finding its words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from duels import wording as duels
from eventstore.domain.refusal import Refusal
from portal import findings, words
from portal.wording import SENTENCES, is_rule_id, refusal_text, rule_title

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("eventstore", "people", "cards", "decks", "duels", "tournaments", "judging", "portal")
CODE = re.compile(r"^(?:people|cards|decks|duels|tournaments|judging|portal)\.[a-z_]+$")


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _sources() -> Iterator[tuple[Path, ast.AST]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path, ast.parse(path.read_text(encoding="utf-8"))


def refused_codes() -> set[str]:
    """Every dotted code that stands where a refusal is made."""
    found: set[str] = set()
    for _path, tree in _sources():
        for call in _calls(tree):
            if _name(call) in ("Refusal", "Unreadable", "_one_of") and call.args:
                for node in ast.walk(call.args[0]):
                    if isinstance(node, ast.Constant) and CODE.match(str(node.value)):
                        found.add(node.value)
    return found


def finding_codes(*rooms: str) -> set[str]:
    """Every code that a reader or the check of a list can find."""
    found: set[str] = set()
    for path, tree in _sources():
        if path.relative_to(ROOT).parts[:2] not in {(room, "domain") for room in rooms}:
            continue
        for call in _calls(tree):
            named = _name(call) in ("error", "warning", "Unreadable", "Fault")
            if named and call.args and isinstance(call.args[0], ast.Constant):
                found.add(str(call.args[0].value))
    return found


def test_every_code_has_a_sentence() -> None:
    used = refused_codes()
    assert len(used) > 100, "the search for codes finds what is there"
    assert sorted(used - set(SENTENCES) - set(duels.SENTENCES)) == []


def test_every_reader_of_cards_has_sentences_for_its_refusals() -> None:
    unreadable = {
        str(call.args[0].value)
        for path, tree in _sources()
        if path.relative_to(ROOT).parts[:2] == ("cards", "domain")
        for call in _calls(tree)
        if _name(call) == "Unreadable" and call.args and isinstance(call.args[0], ast.Constant)
    }
    assert unreadable
    assert sorted(f"cards.{code}" for code in unreadable if f"cards.{code}" not in SENTENCES) == []


def test_no_sentence_is_left_over() -> None:
    dynamic = {code for code in SENTENCES if code.startswith("cards.")}
    assert sorted(set(SENTENCES) - refused_codes() - dynamic) == []


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_a_sentence_stands_with_and_without_parameters(code: str) -> None:
    bare = refusal_text(Refusal(code))
    hostile = {"found": "100 % <b>", "allowed": ["%s", "%(x)s"], "field": "%d", "tables": [1]}
    told = refusal_text(Refusal(code, hostile))
    for text in (bare, told):
        assert text
        assert text != code
        assert "%(" not in text.replace("%(x)s", "")


def test_rule_ids_take_their_words_from_the_rule_book() -> None:
    refusal = Refusal("YGO-1.1", {"found": 4, "allowed": 3})
    assert is_rule_id(refusal.code)
    assert "three duels" in refusal_text(refusal)
    assert rule_title("YGO-1.1")
    assert rule_title("tournaments.too_late") == ""


def test_scores_and_states_are_written_for_people() -> None:
    impossible = Refusal(
        "tournaments.score_impossible", {"found": [3, 0, 0], "allowed": [[2, 0, 0], [1, 1, 1]]}
    )
    assert refusal_text(impossible) == "A match cannot end 3-0. It can end: 2-0, 1-1-1."
    state = Refusal("tournaments.wrong_state", {"found": "draft", "allowed": ["open", "closed"]})
    assert "Not published" in refusal_text(state)
    assert "Registration open, Registration closed" in refusal_text(state)


def test_every_finding_of_a_list_has_words() -> None:
    from decks.domain.presets import PRESETS

    by_rule = {code for preset in PRESETS.values() for code in preset.rules}
    readers = finding_codes("decks") | {"empty_input", "too_large", "encoding_assumed"}
    assert sorted((by_rule | readers) - set(findings.FINDINGS)) == []


def test_a_finding_says_what_is_wrong_and_what_is_right() -> None:
    told = findings.finding_words(
        {
            "code": "limited",
            "rule": "YGO-3.9",
            "card": {"id": "1", "name": "Pot of Greed"},
            "found": 2,
            "allowed": 1,
            "where": {"main": 1, "side": 1},
        }
    )
    assert told.rule == "YGO-3.9"
    assert "Pot of Greed: 2 copies (Main deck 1, Side deck 1), 1 allowed" in told.text


def test_an_unknown_code_stands_as_plain_words_and_never_breaks() -> None:
    assert words.word("role", "chief_cook") == "chief cook"
    assert words.tint("event", "odd") == "off"
    assert findings.finding_words({"code": "odd"}).title == "odd"
    assert refusal_text(Refusal("odd.code")) == "odd.code"


@pytest.mark.parametrize("language", ["en", "hu", "hr", "vi", "pl"])
def test_sentences_hold_in_every_language(language: str) -> None:
    with translation.override(language):
        for code in SENTENCES:
            assert "%(" not in refusal_text(Refusal(code, {"found": 2, "allowed": 3}))


def test_a_remedy_that_does_not_fit_names_both_as_the_form_calls_them() -> None:
    facts = {"found": "play_on", "allowed": ["loss"], "infraction": "DE-MAJOR"}
    said = refusal_text(Refusal("judging.remedy_not_in_pack", facts))
    assert said.startswith("DE-MAJOR does not go with \u201cPlay on.\u201d")
    assert said.endswith("Choose: \u201cThe loss decides.\u201d")
    assert refusal_text(Refusal("judging.remedy_not_in_pack"))
