"""The end of a match after time was called, ruleset by ruleset: questions, answers, results."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain.refusal import Refusal
from tournaments import rulesets
from tournaments.domain import results, scores
from tournaments.domain.end_of_match import POINTS, Ended, Question, step
from tournaments.domain.ruleset import Ruleset, parse
from tournaments.domain.scores import Format

P1, P2 = scores.P1, scores.P2
CLASSIC, MODERN = scores.MATCH_RULES[:2]
SHIPPED = sorted(rulesets.rulesets())


def run(
    ref: str, *answers: str, cut: bool = False, played: tuple[str, ...] = (), rules: str = MODERN
) -> Question | Ended | Refusal:
    return step(
        rulesets.ruleset(ref),
        Format(rules, play_on=True),
        cut=cut,
        played=played,
        answers=answers,
    )


def ended(found: Question | Ended | Refusal) -> tuple[str, tuple[int, int, int], str]:
    assert isinstance(found, Ended), found
    return found.result.winner, found.result.score, found.result.reason


def asked(found: Question | Ended | Refusal) -> str:
    assert isinstance(found, Question), found
    return found.id


def test_turns_2010_finishes_the_turn_then_five_then_life_points() -> None:
    ref = "eom.turns_2010@1"
    assert asked(run(ref)) == "score"
    assert asked(run(ref, "1-0-0")) == "moment"
    assert asked(run(ref, "1-0-0", "in_duel")) == "stop"
    turns = ["done"]
    for number in range(1, 6):
        assert asked(run(ref, "1-0-0", "in_duel", *turns)) == f"turn-{number}"
        turns.append("done")
    assert asked(run(ref, "1-0-0", "in_duel", *turns)) == "points"
    lower = run(ref, "1-0-0", "in_duel", *turns, "2000-3000")
    assert ended(lower) == ("draw", (1, 1, 0), "time")
    assert isinstance(lower, Ended)
    assert lower.why == ("points_higher", "equal_wins", "match_drawn")
    assert ended(run(ref, "1-0-0", "in_duel", *turns, "3000-2000")) == (P1, (2, 0, 0), "time")
    equal = run(ref, "0-1-0", "in_duel", *turns, "2000-2000")
    assert ended(equal) == (P2, (0, 1, 1), "time")
    ocg = [*turns[:4]]
    assert asked(run("eom.turns_2010_ocg@1", "0-0-0", "in_duel", *ocg)) == "points"


def test_a_win_during_the_procedure_wins_that_duel() -> None:
    found = run("eom.turns_2010@1", "0-1-0", "in_duel", "done", "done", "P1")
    assert ended(found) == ("draw", (1, 1, 0), "time")
    assert ended(run("eom.phase_2018@1", "0-1-0", "in_duel", "P2")) == (P2, (0, 2, 0), "time")


def test_phase_2018_stops_after_the_phase() -> None:
    ref = "eom.phase_2018@1"
    assert asked(run(ref, "1-1-0", "in_duel", "done")) == "points"
    assert ended(run(ref, "1-1-0", "in_duel", "done", "1-8000")) == (P2, (1, 2, 0), "time")
    assert ended(run(ref, "1-0-0", "between")) == (P1, (1, 0, 0), "time")
    assert ended(run(ref, "0-0-0", "between")) == ("draw", (0, 0, 0), "time")
    assert ended(run(ref, "1-0-0", "in_duel", "done", "50-50")) == (P1, (1, 0, 1), "time")


def test_phase_2018_in_the_cut_plays_on_turn_by_turn_and_an_extra_duel_of_four_turns() -> None:
    ref = "eom.phase_2018@1"
    level = run(ref, "1-1-0", "in_duel", "done", "50-50", cut=True)
    assert asked(level) == "more-1"
    still = run(ref, "1-1-0", "in_duel", "done", "50-50", "done", "40-40", cut=True)
    assert asked(still) == "more-2"
    over = run(ref, "1-1-0", "in_duel", "done", "50-50", "done", "40-30", cut=True)
    assert ended(over) == (P1, (2, 1, 0), "time")
    extra = ("1-1-0", "between", "P2", "no")
    assert asked(run(ref, *extra, cut=True)) == "extra-1-turn-1"
    played = run(ref, *extra, "done", "done", "done", "done", "100-200", cut=True)
    assert ended(played) == (P2, (1, 2, 0), "time")
    drawn = run(ref, *extra, "done", "draw", cut=True)
    assert asked(drawn) == "extra-2-chooser"


def test_turns_2010_in_the_cut_plays_an_extra_duel_to_its_end() -> None:
    found = run("eom.turns_2010@1", "1-1-0", "between", "P1", "no", cut=True)
    assert asked(found) == "extra-1-won"
    won = run("eom.turns_2010@1", "1-1-0", "between", "P1", "no", "P1", cut=True)
    assert ended(won) == (P1, (2, 1, 0), "time")


def test_double_loss_2025_stops_at_once_and_only_two_wins_count() -> None:
    ref = "eom.double_loss_2025@1"
    assert ended(run(ref, "1-0-0", "in_duel")) == ("double_loss", (1, 0, 0), "double_loss")
    assert ended(run(ref, "1-1-0", "between")) == ("double_loss", (1, 1, 0), "double_loss")
    untimed = run(ref, "1-1-0", cut=True)
    assert asked(untimed) == "untimed"
    assert ended(run(ref, "1-1-0", "P2", cut=True)) == (P2, (1, 2, 0), "time")


def test_duel_masters_both_lose_or_draw_after_the_turn() -> None:
    lose = run("eom.dm_both_lose@1", "0-0-0", "in_duel", "done")
    assert ended(lose) == ("double_loss", (0, 0, 0), "double_loss")
    assert ended(run("eom.dm_both_lose@1", "0-0-0", "in_duel", "P2"))[0] == P2
    assert ended(run("eom.dm_draw@1", "0-0-0", "in_duel", "done"))[0] == "draw"


def test_duels_of_a_log_are_not_asked_for() -> None:
    assert asked(run("eom.phase_2018@1", played=(P1,))) == "moment"
    assert ended(run("eom.phase_2018@1", "between", played=(P1,))) == (P1, (1, 0, 0), "time")


def test_wrong_answers_are_refused_with_those_that_exist() -> None:
    for answers in (("7-0-0",), ("0-0-0", "later"), ("0-0-0", "in_duel", "done", "8000")):
        found = run("eom.phase_2018@1", *answers)
        assert isinstance(found, Refusal), answers
        assert found.code == "tournaments.answer_unknown"
    beyond = run("eom.phase_2018@1", "1-0-0", "between", "done")
    assert isinstance(beyond, Refusal)
    assert beyond.code == "tournaments.end_over"


@st.composite
def procedures(draw: st.DrawFn) -> tuple[str, str, bool, tuple[str, ...]]:
    """A ruleset, match rules, stage, and answers drawn at each question that comes up."""
    ref, rules = draw(st.sampled_from(SHIPPED)), draw(st.sampled_from([CLASSIC, MODERN]))
    cut = draw(st.booleans())
    answers: list[str] = []
    for _ in range(60):
        found = run(ref, *answers, cut=cut, rules=rules)
        if not isinstance(found, Question):
            break
        if found.kind == POINTS:
            low = st.integers(0, 3)
            answers.append(f"{draw(low)}-{draw(low)}")
        else:
            answers.append(draw(st.sampled_from(found.options)))
    return ref, rules, cut, tuple(answers)


@given(procedures())
def test_every_way_through_gives_a_result_that_the_match_can_have(
    drawn: tuple[str, str, bool, tuple[str, ...]],
) -> None:
    ref, rules, cut, answers = drawn
    found = run(ref, *answers, cut=cut, rules=rules)
    assert not isinstance(found, Refusal)
    if isinstance(found, Question):
        assert cut, "only a match that needs a winner is played on"
        return
    result = found.result
    assert found.why
    assert not (cut and result.winner == "draw")
    if result.reason == "double_loss":
        assert result.winner == "double_loss"
        return
    made = results.judge(
        Format(rules, play_on=True),
        cut=cut,
        played=(),
        score=result.score,
        reason=result.reason,
        winner=None,
    )
    assert made == result, (answers, made)


def test_shipped_rulesets_name_what_is_to_be_confirmed() -> None:
    assert {one.partition("@")[0] for one in SHIPPED} >= {
        "eom.turns_2010",
        "eom.phase_2018",
        "eom.double_loss_2025",
    }
    assert rulesets.usual("yugioh", CLASSIC).id == "eom.turns_2010"
    assert rulesets.usual("yugioh", MODERN).id == "eom.phase_2018"
    assert rulesets.usual("duel-masters", "dm-bo3").id == "eom.dm_draw"
    assert rulesets.usual("duel-masters", "dm-bo1").id == "eom.dm_both_lose"
    assert rulesets.usual("duel-masters", MODERN).id == "eom.dm_draw", "of older events"
    with pytest.raises(rulesets.UnknownRuleset):
        rulesets.ruleset("eom.phase_2018@9")


def faulty() -> Iterator[tuple[str, object, str]]:
    yield "stop", "later", "stop"
    yield "turns", -1, "turns"
    yield "duel", None, "duel"
    yield "tie", "coin", "tie"
    yield "confirm", ["nothing"], "confirm"
    yield "surprise", 1, "surprise"
    yield "slip", {"late_after_s": 300}, "slip.infraction"


@pytest.mark.parametrize(("key", "value", "path"), list(faulty()))
def test_a_faulty_ruleset_is_refused_with_the_path(key: str, value: object, path: str) -> None:
    file = rulesets.DATA / "eom.phase_2018-1.toml"
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    assert isinstance(parse(values), Ruleset)
    found = parse(values | {key: value})
    assert isinstance(found, list)
    assert path in {one.path for one in found}
