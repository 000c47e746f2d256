"""Rules of the turn, of summons, battle, Spells and Traps, beyond the shared cases."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.domain.events import DuelEnded
from duels.rules.yugioh import battle, cards, engine, options, values
from duels.rules.yugioh.acts import plain, read
from eventstore.domain.refusal import Refusal
from tests.duels.made import Board


@given(st.integers(0, 5000), st.integers(0, 5000), st.booleans())
def test_damage_table(attack: int, target: int, defending: bool) -> None:
    """The table of group YGO-16, written out once more as arithmetic."""
    out = battle.calculate(attack, target, defending=defending)
    assert out.attacker_loses == max(0, target - attack)
    assert out.defender_loses == (0 if defending else max(0, attack - target))
    assert out.target_destroyed == (attack > target or (attack == target and not defending))
    assert out.attacker_destroyed == (not defending and attack <= target)


def test_direct_attack_and_zero_tie() -> None:
    assert battle.calculate(1900, None, defending=False).defender_loses == 1900
    tie = battle.calculate(0, 0, defending=False, zero_tie=False)
    assert not (tie.attacker_destroyed)
    assert not (tie.target_destroyed)
    assert tie.rule == "YGO-16.2"


def test_zero_atk_tie_option_on_the_table() -> None:
    for option, left in (("both_destroyed", 0), ("none", 1)):
        board = Board(
            {"battle.zero_atk_tie": option},
            phase="battle",
            P1={"monsters": ["Gnat"]},
            P2={"monsters": ["Gnat"]},
        )
        board.do("declare_attack", card="Gnat#1", target="Gnat#2")
        assert len(board.duel.table.controlled("P1")) == left
        assert len(board.duel.table.controlled("P2")) == left


def test_first_turn_without_a_draw_by_option() -> None:
    board = Board({"first_turn.draw": False}, turn=1, phase="draw")
    assert board.refused("draw") == "YGO-10.2"
    board.do("enter_phase", phase="standby")
    assert board.duel.table.phase == "standby"


def test_phases_cannot_be_skipped_or_repeated() -> None:
    board = Board(phase="draw")
    assert board.refused("enter_phase", phase="standby") == "YGO-10.2"
    assert board.refused("end_turn") == "YGO-10.2"
    board.do("draw")
    assert board.refused("draw") == "YGO-10.2"
    assert board.refused("enter_phase", phase="main1") == "YGO-10.1"
    board.do("enter_phase", phase="standby")
    assert board.refused("end_turn") == "YGO-10.1"
    board.do("enter_phase", phase="main1")
    assert board.refused("enter_phase", phase="main1") == "YGO-10.1"
    assert board.refused("enter_phase", phase="main2") == "YGO-10.5"
    assert board.refused("enter_step", step="end") == "YGO-15.1"
    assert board.refused("enter_phase", player="P2", phase="battle") == "YGO-10.10"


def test_the_turn_player_wins_no_battle_phase_on_turn_one() -> None:
    board = Board(turn=1, P1={"monsters": ["Heron"]})
    assert board.refused("enter_phase", phase="battle") == "YGO-10.6"
    assert board.refused("declare_attack", card="Heron", direct=True) == "YGO-10.6"


def test_end_turn_from_the_battle_phase_passes_the_end_step() -> None:
    board = Board(phase="battle")
    events = board.do("end_turn")
    assert isinstance(events, list)
    assert [type(event).__name__ for event in events] == [
        "BattleEndAnnounced",
        "StepEntered",
        "PhaseEntered",
        "TurnEndAnnounced",
        "TurnBegun",
    ]
    table = board.duel.table
    assert (table.turn, table.active, table.phase) == (4, "P2", "draw")


@pytest.mark.parametrize("cards_", [["Heron", "Heron"], ["Heron"], [], ["Otter", "Bison"]])
def test_hand_limit_takes_exactly_what_is_owed(cards_: list[str]) -> None:
    board = Board(P1={"hand": {"known": ["Heron", "Otter"], "unknown": 6}, "monsters": ["Bison"]})
    board.do("end_turn")
    assert board.refused("discard", cards=cards_) == "YGO-10.9"
    board.do("discard", cards=["Heron", "Otter"])
    assert board.duel.table.turn == 4
    assert board.duel.table.causes[board.id("Heron")] == "discard"


def test_discard_at_another_time_is_refused() -> None:
    assert Board(P1={"hand": ["Heron"]}).refused("discard", cards=["Heron"]) == "YGO-10.9"


@pytest.mark.parametrize(
    ("act", "rule"),
    [
        ({"act": "normal_summon", "card": "Regent"}, "YGO-12.9"),
        ({"act": "set_monster", "card": "Regent"}, "YGO-12.9"),
        ({"act": "normal_summon", "card": "Chimera"}, "YGO-11.2"),
        ({"act": "normal_summon", "card": "Spark"}, "YGO-8.4"),
        ({"act": "set_monster", "card": "Spark"}, "YGO-8.4"),
        ({"act": "set_spell_trap", "card": "Heron"}, "YGO-8.4"),
        ({"act": "normal_summon", "card": "Heron", "position": "set"}, "YGO-11.2"),
        ({"act": "set_monster", "card": "Heron", "position": "defence"}, "YGO-11.4"),
        ({"act": "normal_summon", "card": "Heron", "tributes": ["Otter"]}, "YGO-11.2"),
        ({"act": "set_monster", "card": "Heron", "tributes": ["Otter"]}, "YGO-11.3"),
        ({"act": "normal_summon", "card": "Bison", "tributes": ["Gnat"]}, "YGO-11.5"),
        ({"act": "normal_summon", "card": "Bison", "tributes": ["Heron"]}, "YGO-11.5"),
        ({"act": "normal_summon", "card": "Whale", "tributes": ["Otter", "Otter"]}, "YGO-11.6"),
        ({"act": "set_monster", "card": "Whale"}, "YGO-11.7"),
        ({"act": "flip_summon", "card": "Otter"}, "YGO-11.9"),
        ({"act": "flip_summon", "card": "Gnat"}, "YGO-11.9"),
        ({"act": "change_position", "card": "Otter", "to": "attack"}, "YGO-11.13"),
        ({"act": "change_position", "card": "Gnat", "to": "defence"}, "YGO-11.13"),
        ({"act": "set_spell_trap", "card": "Meadow", "zone": "spells_traps"}, "YGO-7.1"),
        ({"act": "activate", "card": "Axe"}, "YGO-13.6"),
        ({"act": "activate", "card": "Heron"}, "YGO-0.3"),
        ({"act": "claim", "about": "win"}, "YGO-2.6"),
    ],
)
def test_refusals(act: dict[str, Any], rule: str) -> None:
    hand = ["Regent", "Chimera", "Spark", "Heron", "Bison", "Whale", "Meadow", "Axe"]
    board = Board(P1={"hand": hand, "monsters": ["Otter"]}, P2={"monsters": ["Gnat"]})
    params = {key: value for key, value in act.items() if key != "act"}
    assert board.refused(act["act"], **params) == rule


def test_a_summon_names_further_rules_after_the_primary_one() -> None:
    board = Board(phase="battle", P1={"hand": ["Bison"], "flags": {"normal_summon_used": True}})
    decided = board.do("normal_summon", card="Bison")
    assert isinstance(decided, Refusal)
    assert decided.code == "YGO-11.2"
    assert decided.also == ("YGO-11.1", "YGO-11.5")
    assert [
        one.code for one in engine.explain(board.duel, board.read("normal_summon", card="Bison"))
    ] == [
        "YGO-11.2",
        "YGO-11.1",
        "YGO-11.5",
    ]


def test_space_is_checked_before_costs_by_option() -> None:
    row = ["Heron", "Otter", "Gnat", "Heron", "Otter"]
    board = Board({"zone_check.after_costs": False}, P1={"hand": ["Bison"], "monsters": row})
    assert board.refused("normal_summon", card="Bison", tributes=["Gnat"]) == "YGO-7.2"
    free = Board(P1={"hand": ["Bison"], "monsters": row})
    free.do("normal_summon", card="Bison", tributes=["Gnat"])
    assert free.duel.table.placed[free.id("Bison")].place == 2


def test_one_position_change_in_a_turn_by_option() -> None:
    board = Board({"position_change.limit": "one_monster"}, P1={"monsters": ["Heron", "Otter"]})
    board.do("change_position", card="Heron", to="defence")
    assert board.refused("change_position", card="Otter", to="defence") == "YGO-11.13"


def test_only_monsters_of_the_last_own_turn_change_by_option() -> None:
    board = Board(
        {"position_change.eligible": "previous_turn_only"},
        turn=5,
        P1={"monsters": [{"card": "Heron", "arrived_turn": 3}, "Otter"]},
    )
    assert board.refused("change_position", card="Otter", to="defence") == "YGO-11.13"
    assert isinstance(board.do("change_position", card="Heron", to="defence"), list)


def test_traps_and_quick_plays_by_their_options() -> None:
    locked = Board(P1={"hand": ["Dash"], "spells_traps": [{"card": "Snare", "set_turn": 3}]})
    assert locked.refused("activate", card="Snare") == "YGO-13.18"
    free = Board(
        {"trap.set_turn_lock": False},
        P1={"spells_traps": [{"card": "Snare", "set_turn": 3}]},
    )
    free.do("activate", card="Snare")
    assert free.duel.table.p2.life_points == 7700
    narrow = Board({"quickplay.phases": "main_and_battle"}, phase="standby", P1={"hand": ["Dash"]})
    assert narrow.refused("activate", card="Dash") == "YGO-13.13"
    wide = Board({"quickplay.opponent_turn_from_hand": True}, P2={"hand": ["Dash"]})
    assert isinstance(wide.do("activate", player="P2", card="Dash"), list)
    waiting = Board({"spell.set_turn_lock": True}, P1={"hand": ["Spark"]})
    waiting.do("set_spell_trap", card="Spark")
    assert waiting.refused("activate", card="Spark") == "YGO-13.3"


def test_a_field_spell_replaces_the_own_one_by_option() -> None:
    board = Board(
        {"field_spell.replace_own": "replaces"}, P1={"hand": ["Meadow"], "field": "Meadow"}
    )
    board.do("activate", card="Meadow#1")
    assert board.duel.table.p1.field == board.id("Meadow#1")
    assert board.duel.table.causes[board.id("Meadow#2")] == "rule"


def test_an_equip_spell_adds_to_atk_and_goes_with_its_monster() -> None:
    board = Board(P1={"hand": ["Axe"]}, P2={"monsters": ["Heron"]})
    board.do("activate", card="Axe", targets=["Heron"])
    assert values.attack(board.duel.table, board.id("Heron")) == 2100
    ops = [{"op": "destroy", "target": "Heron"}]
    board.do("resolve_effect", player="P2", by="Spark", ops=ops)
    assert board.duel.table.causes[board.id("Axe")] == "rule"
    assert board.duel.table.p1.graveyard == (board.id("Axe"),)


def test_values_changed_until_the_end_of_the_turn() -> None:
    board = Board(P1={"monsters": ["Heron"]})
    ops = [{"op": "modify_atk", "target": "Heron", "amount": 700, "until": "end_of_turn"}]
    board.do("resolve_effect", by="Spark", ops=ops)
    assert values.attack(board.duel.table, board.id("Heron")) == 2300
    board.do("end_turn")
    assert values.attack(board.duel.table, board.id("Heron")) == 1600


def test_life_points_stop_at_zero_and_costs_are_limited() -> None:
    board = Board(P1={"lp": 300, "hand": ["Spark"]})
    change = {"about": "P1", "by": "Spark"}
    assert board.refused("lp_change", delta=-400, cause="cost", **change) == "YGO-2.2"
    assert board.refused("lp_change", delta=100, cause="cost", **change) == "YGO-2.2"
    assert board.refused("lp_change", about="P1", delta=-100, by="Nobody") == "YGO-0.1"
    assert board.refused("lp_change", delta=0, **change) == "duels.act_malformed"
    strict = Board({"pay_lp.to_zero": "forbidden"}, P1={"lp": 300, "hand": ["Spark"]})
    assert strict.refused("lp_change", delta=-300, cause="cost", **change) == "YGO-2.2"
    events = board.do("lp_change", delta=-500, **change)
    assert isinstance(events, list)
    assert board.duel.table.p1.life_points == 0
    assert isinstance(events[-1], DuelEnded)
    assert (events[-1].winner, events[-1].by) == ("P2", "YGO-2.3")


def test_simultaneous_deck_out_by_option() -> None:
    for option, winner in (("draw", "draw"), ("turn_player_loses", "P2")):
        board = Board({"duel.simultaneous_endings": option}, P1={"deck": 0}, P2={"deck": 0})
        ops = [{"op": "draw", "player": "both", "n": 1}]
        board.do("resolve_effect", by="Well", ops=ops)
        result = board.duel.table.result
        assert result is not None
        assert (result.winner, result.by) == (winner, "YGO-2.8")


def test_a_concession_ends_the_duel_for_either_player() -> None:
    board = Board()
    board.do("concede", player="P2")
    result = board.duel.table.result
    assert result is not None
    assert (result.winner, result.how) == ("P1", "concession")
    assert board.refused("draw") == "YGO-2.7"
    assert board.refused("concede") == "YGO-2.7"


def test_a_fusion_monster_never_goes_to_a_hand() -> None:
    board = Board(P1={"monsters": ["Chimera"]})
    ops = [{"op": "return_to_hand", "target": "Chimera"}]
    board.do("resolve_effect", player="P2", by="Spark", ops=ops)
    assert board.duel.table.p1.fusion_deck == (board.id("Chimera"),)
    assert board.duel.table.p1.hand == ()


@pytest.mark.parametrize(
    "ops",
    [
        [{"op": "no_such"}],
        [{"op": ["draw"]}],
        [{"op": "draw", "n": -1}],
        [{"op": "draw", "n": 10**9}],
        [{"op": "draw", "player": "everybody"}],
        [{"op": "damage", "amount": "lots"}],
        [{"op": "damage", "amount": 1.5}],
        [{"op": "destroy", "target": {"a": 1}}],
        [{"op": "destroy", "target": "P1.monsters.99"}],
        [{"op": "destroy", "target": "chosen", "n": "x"}],
        [{"op": "draw", "remark": "a text that somebody wrote"}],
        [{"op": "draw", "zone": "a text that is much longer than any word of an operation is"}],
        [{"op": "destroy", "target": "all_monsters", "filter": {"race": "Somebody"}}],
        [{"op": "special_summon", "target": "Spark", "from": "hand"}],
        [{"op": "draw"}] * 21,
        [],
    ],
)
def test_hostile_operations_are_refused(ops: list[dict[str, Any]]) -> None:
    board = Board(P1={"hand": ["Spark"], "monsters": ["Heron"]})
    code = board.refused("resolve_effect", by="Spark", ops=ops)
    assert code.startswith("duels.") or code in ("YGO-8.4", "YGO-9.3")


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "draw",
        {},
        {"act": "fly", "player": "P1"},
        {"act": "draw"},
        {"act": "draw", "player": "P3"},
        {"act": "draw", "player": "P1", "extra": 1},
        {"act": "normal_summon", "player": "P1", "card": None},
        {"act": "normal_summon", "player": "P1", "card": [1]},
        {"act": "discard", "player": "P1", "cards": "all"},
    ],
)
def test_malformed_acts_are_refused(raw: object) -> None:
    refused = read(raw)
    assert isinstance(refused, Refusal)
    assert refused.code == "duels.act_malformed"


@given(st.one_of(st.integers(), st.text(max_size=30), st.from_regex(r"P[12]\.[a-z_]+(\.\d{1,3})?")))
def test_any_reference_to_a_card_is_answered(ref: int | str) -> None:
    board = Board(P1={"hand": ["Heron"], "monsters": ["Otter"]})
    act = read({"act": "normal_summon", "player": "P1", "card": ref})
    assert not isinstance(act, Refusal)
    decided = engine.decide(board.duel, act)
    assert isinstance(decided, Refusal) or ref in (1, "P1.hand.1")


def test_acts_have_a_plain_form_that_reads_back() -> None:
    board = Board(P1={"hand": ["Heron"]})
    act = board.read("normal_summon", card="Heron", **{"from": "hand"})
    assert plain(act)["from"] == "hand"
    assert read(plain(act)) == act


def test_options_are_complete_and_hostile_ones_refused() -> None:
    assert len(options.TABLE) == 41
    assert options.complete({}) == options.DEFAULTS
    for chosen, code in (
        ({"no.such": 1}, "duels.option_unknown"),
        ({"trap.set_turn_lock": "true"}, "duels.option_value"),
        ({"trap.set_turn_lock": 0}, "duels.option_value"),
        ({"battle.zero_atk_tie": ["none"]}, "duels.option_value"),
        ({"chain.enabled": "no"}, "duels.option_value"),
    ):
        refused = options.complete(chosen)
        assert isinstance(refused, Refusal)
        assert refused.code == code
    late = options.change(options.DEFAULTS, "first_turn.draw", False, match_begun=True)
    assert isinstance(late, Refusal)
    assert late.code == "YGO-0.2"


def test_records_of_cards_are_checked() -> None:
    good = {"name": "Heron", "type": "monster", "kind": "normal", "level": 4, "atk": 1, "def": 1}
    loaded = cards.load_card(good)
    assert not isinstance(loaded, Refusal)
    for change, code in (
        ({"kind": "link"}, "YGO-8.4"),
        ({"level": -1}, "duels.card_malformed"),
        ({"atk": "?"}, "duels.card_malformed"),
        ({"name": ""}, "duels.card_malformed"),
        ({"effects": {}}, "duels.card_malformed"),
        ({"effects": [1]}, "duels.card_malformed"),
    ):
        refused = cards.load_card({**good, **change})
        assert isinstance(refused, Refusal)
        assert refused.code == code
