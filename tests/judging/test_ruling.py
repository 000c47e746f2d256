"""What a ruling may be under a pack: each refusal says what was found and what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from eventstore.domain.refusal import Refusal
from judging.domain.ruling import RulingAsk, Settled, Table, settle
from judging.domain.words import Approval, Moment, Penalty, Target
from tests.judging.material import RULES, house


def settled(
    *, head_judge: bool = False, moment: Moment = Moment.IN_GAME, **ask: Any
) -> Settled | Refusal:
    return settle(
        RulingAsk(**ask),
        pack=house(),
        table=Table(("ea", "eb"), moment),
        head_judge=head_judge,
        rules=RULES,
    )


def test_an_answer_needs_neither_infraction_nor_penalty() -> None:
    made = settled(rule_id="YGO-3.1")
    assert isinstance(made, Settled)
    assert (made.penalty, made.target, made.approval) == (None, None, Approval.NOT_NEEDED)


def test_the_base_penalty_is_taken_and_the_infraction_is_cited() -> None:
    made = settled(infraction="DC-MINOR", target_entrant="ea", remedy="resolve_now")
    assert isinstance(made, Settled)
    assert (made.rule_id, made.penalty) == ("DC-MINOR", Penalty.WARNING)
    assert (made.target, made.target_entrant) == (Target.PERSON_NOTE, "ea")


@pytest.mark.parametrize(
    ("moment", "target"),
    [
        (Moment.IN_GAME, Target.THIS_GAME),
        (Moment.BETWEEN_GAMES, Target.NEXT_GAME),
        (Moment.BEFORE_MATCH, Target.NEXT_GAME),
    ],
)
def test_a_game_loss_falls_on_the_running_game_else_on_the_next(
    moment: Moment, target: Target
) -> None:
    made = settled(infraction="DC-MAJOR", target_entrant="ea", remedy="loss", moment=moment)
    assert isinstance(made, Settled)
    assert (made.target, made.approval) == (target, Approval.PENDING)


LOSS = {"infraction": "DC-MAJOR", "target_entrant": "ea", "remedy": "loss"}
WARN = {"infraction": "DC-MINOR", "target_entrant": "ea", "remedy": "resolve_now"}
LATE = {"infraction": "T-MAJOR", "target_entrant": "ea", "remedy": "loss"}


@pytest.mark.parametrize(
    ("code", "head_judge", "ask"),
    [
        ("judging.unknown_rule", False, {"rule_id": "YGO-99.9"}),
        ("judging.unknown_rule", False, {"rule_id": "\x00"}),
        ("judging.unknown_remedy", False, {"remedy": "undo"}),
        ("judging.remedy_not_in_pack", False, WARN | {"remedy": "play_on"}),
        ("judging.head_judge_only", False, {"remedy": "rewind", "duel_id": "d", "rewind_to": 4}),
        ("judging.rewind_incomplete", True, {"remedy": "rewind", "duel_id": "d"}),
        ("judging.rewind_incomplete", True, {"remedy": "rewind", "duel_id": "d", "rewind_to": 0}),
        ("judging.reason_missing", True, {"remedy": "rewind", "duel_id": "d", "rewind_to": 4}),
        ("judging.infraction_missing", True, {"penalty": "game_loss"}),
        ("judging.unknown_infraction", True, {"infraction": "XX-YY", "rule_id": "YGO-3.1"}),
        ("judging.unknown_infraction_kind", False, WARN | {"infraction_kind": "bad_hair"}),
        ("judging.unknown_penalty", True, WARN | {"penalty": "flogging"}),
        ("judging.not_base_penalty", False, WARN | {"penalty": "game_loss"}),
        ("judging.never_upgraded", True, LATE | {"penalty": "match_loss", "reasoned": True}),
        ("judging.reason_missing", True, WARN | {"penalty": "game_loss"}),
        ("judging.remedy_needs_penalty", True, WARN | {"remedy": "loss"}),
        ("judging.unknown_target", False, LOSS | {"target": "event"}),
        ("judging.target_out_of_reach", False, LOSS | {"target": "next_game"}),
        ("judging.unknown_entrant", False, LOSS | {"target_entrant": "stranger"}),
        ("judging.unknown_entrant", False, LOSS | {"target_entrant": None}),
    ],
)
def test_refusals(code: str, head_judge: bool, ask: dict[str, Any]) -> None:
    made = settled(head_judge=head_judge, **ask)
    assert isinstance(made, Refusal), made
    assert made.code == code


def test_the_head_judge_upgrades_with_a_reason_and_needs_no_approval() -> None:
    made = settled(head_judge=True, **WARN | {"penalty": "game_loss", "reasoned": True})
    assert isinstance(made, Settled)
    assert (made.penalty, made.approval) == (Penalty.GAME_LOSS, Approval.APPROVED)
