"""Words are made from codes for the reader; every code has one."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import pytest
from django.utils import translation

from duels.rules.texts import rule_text
from judging import rulebook, selectors, services, wording
from judging.domain import words
from judging.packs import packs
from tests.conftest import Member
from tests.judging.hall import Hall, raise_call, to_table
from tests.judging.material import house


@pytest.mark.parametrize(
    ("codes", "table"),
    [
        (set(words.Status) - {words.Status.NONE}, wording.STATES),
        (set(words.Kind), wording.KINDS),
        (set(words.Category), wording.CATEGORIES),
        (set(words.Remedy), wording.REMEDIES),
        (set(words.Penalty), wording.PENALTIES),
        (set(words.Target), wording.TARGETS),
        (set(words.Approval), wording.APPROVALS),
        (set(words.Outcome), wording.OUTCOMES),
    ],
)
def test_every_code_has_its_word(codes: set[StrEnum], table: dict[str, object]) -> None:
    assert {str(code) for code in codes} == set(table)


def test_every_infraction_of_every_pack_has_a_label() -> None:
    for versions in packs().values():
        for one in versions.values():
            for code in one.infractions:
                assert wording.infraction_label(one, code) != code


def test_labels_are_taken_in_the_readers_language() -> None:
    pack = house()
    known = pack.infractions["SP-MINOR"]
    taught = replace(known, label={"en": "Slow play", "hu": "Lassú játék"})
    pack = replace(pack, infractions={**pack.infractions, "SP-MINOR": taught})
    with translation.override("hu"):
        assert wording.infraction_label(pack, "SP-MINOR") == "Lassú játék"
    with translation.override("vi"):
        assert wording.infraction_label(pack, "SP-MINOR") == "Slow play"


@pytest.mark.django_db
def test_a_ruling_reads_as_sentences_and_as_one_line_of_the_slip(
    hall: Hall, alice: Member, jude: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        rule_id="YGO-16.1",
        infraction="DC-MAJOR",
        target_entrant=hall.ea,
        remedy="loss",
    )
    ruling = selectors.call_detail(jude.actor, call_id).rulings[0]
    cited = rule_text("YGO-16.1")
    assert cited is not None
    with translation.override("en"):
        text = wording.ruling_text(ruling, house())
        assert text.startswith(f"Rule YGO-16.1: {cited.title}. Alice: Extra card drawn")
        assert "Penalty: Game loss (the next game)." in text
        assert text.endswith("Not in force until the head judge approves.")
        line = wording.slip_line(ruling, house())
        assert line.startswith("Alice, DC-MAJOR")
        assert line.endswith("Game loss, judge Jude")


def test_rules_of_the_game_may_be_cited_and_those_of_no_known_game_not() -> None:
    assert {"YGO-3.1", "YGO-16.1", "YGO-17.9"} <= rulebook.rule_ids("yugioh")
    assert rulebook.rule_ids("../yugioh") == rulebook.rule_ids("") == frozenset()
