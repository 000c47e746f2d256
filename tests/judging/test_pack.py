"""Policy packs are data that is checked: the shipped one passes, a spoiled one says where."""

from __future__ import annotations

import copy
import tomllib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.pack_file import parse
from judging.domain.policy import Pack
from judging.domain.ruling import RulingAsk, Table, settle
from judging.domain.words import Moment, Penalty, Target
from judging.packs import DATA, UnknownPack, newest, pack, packs
from portal.words import WORDS
from tests.judging.material import house
from tournaments import rulesets


def values() -> dict[str, Any]:
    return tomllib.loads((DATA / "house-rules-1.toml").read_text(encoding="utf-8"))


def test_every_shipped_pack_is_valid_and_found_by_id_and_version() -> None:
    for name, versions in packs().items():
        for version, one in versions.items():
            assert pack(name, version) is one
    assert newest("house-rules").ref == "house-rules@1"
    with pytest.raises(UnknownPack):
        pack("house-rules", "0")
    with pytest.raises(UnknownPack):
        newest("no-such-pack")


def test_game_losses_wait_except_for_lateness_and_lists() -> None:
    one = house()
    for code, infraction in one.infractions.items():
        high = infraction.base in (
            Penalty.GAME_LOSS,
            Penalty.MATCH_LOSS,
            Penalty.DISQUALIFICATION,
        )
        exempt = code in {"T-MAJOR", "T-STRICT", "DE-MAJOR"}
        assert one.needs_approval(infraction.base, code) == (high and not exempt), code


def test_the_numbers_to_confirm_are_named() -> None:
    assert "time.deck_check_bonus_s" in house().confirm
    assert house().confirmed_by is None


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("time.grace_s", -1, "time.grace_s"),
        ("time.grace_s", True, "time.grace_s"),
        ("time.grace_s", 1.5, "time.grace_s"),
        ("time.extension_from", "raised", "time.extension_from"),
        ("time.grase_s", 60, "time.grase_s"),
        ("ladder", ["game_loss", "warning"], "ladder"),
        ("ladder", "warning", "ladder"),
        ("photos", "yes", "photos"),
        ("photos.allowed", "yes", "photos.allowed"),
        ("disputes.window_hours", 9000, "disputes.window_hours"),
        ("statements.required_for", ["UC-NONE"], "statements.required_for"),
        ("slip.kind", "told_apart", "slip.kind"),
        ("targets.match_loss", {"in_game": "this_game"}, "targets.match_loss.in_game"),
        ("upgrade.steps", {"warning": ["game_loss"]}, "upgrade.steps.warning"),
        ("upgrade.steps", {"slap": ["warning"]}, "upgrade.steps.slap"),
        ("effective", "soon", "effective"),
        ("infractions", {}, "infractions"),
        ("approval.except", ["NO-SUCH"], "approval.except"),
        ("infractions.DC-MINOR.base", "slap", "infractions.DC-MINOR.base"),
        ("infractions.DC-MINOR.label", {"hu": "x"}, "infractions.DC-MINOR.label"),
        ("infractions.lower", {}, "infractions.lower"),
        ("confirm", ["time.no_such"], "confirm"),
        ("targets.in_game", "event", "targets.in_game"),
        ("upgrade", 7, "upgrade"),
    ],
)
def test_a_fault_is_named_by_its_path(path: str, value: Any, fault: str) -> None:
    spoiled = values()
    here = spoiled
    *way, last = path.split(".")
    for key in way:
        here = here[key]
    here[last] = value
    found = parse(spoiled)
    assert isinstance(found, list)
    assert fault in {one.path for one in found}


@given(st.data())
def test_a_pack_with_a_part_missing_or_strange_never_crashes_the_reader(
    data: st.DataObject,
) -> None:
    spoiled = copy.deepcopy(values())
    key = data.draw(st.sampled_from(sorted(spoiled)))
    junk = st.one_of(
        st.none(), st.integers(), st.text(max_size=5), st.lists(st.text(max_size=3), max_size=2),
        st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    )  # fmt: skip
    spoiled[key] = data.draw(junk)
    found = parse(spoiled)
    assert isinstance(found, Pack) or found


@pytest.mark.parametrize("language", ["en", "hu", "hr", "vi", "pl"])
def test_every_label_of_a_shipped_pack_speaks_every_language(language: str) -> None:
    """A ruling is read by both players, each in the own language."""
    for versions in packs().values():
        for one in versions.values():
            labels = {code: known.label.get(language) for code, known in one.infractions.items()}
            assert all(labels.values()), labels
            assert len(set(labels.values())) == len(labels), "two infractions of one name"
            assert one.title.get(language)


def test_the_packs_hold_the_values_of_their_sources() -> None:
    """design of judging, section 10, the four packs."""
    tcg, ocg, dm = newest("konami-tcg"), newest("konami-ocg"), newest("duel-masters")
    assert (tcg.time.from_event, tcg.time.grace_s, tcg.time.slow_play_min_s) == (
        "at_table",
        60,
        180,
    )
    assert (tcg.tardiness.game_loss_after_s, tcg.tardiness.match_loss_after_s) == (180, 600)
    assert (tcg.devices.lp_record, tcg.devices.lp_pad, tcg.photos_allowed) == (
        "paper_both", False, False,
    )  # fmt: skip
    assert (tcg.rewind.info_gain, ocg.rewind.info_gain) == ("ignore", "advise_against")
    assert ocg.devices.lp_record == "each_change_both"
    assert dm.devices.lp_record == "none"
    assert [rung.value for rung in dm.ladder] == [
        "none", "warning", "game_loss", "disqualification",
    ]  # fmt: skip
    assert [one for one in (tcg, ocg, dm, house()) if "self_reported" in one.downgrade_reasons] == [
        dm, house(),
    ]  # fmt: skip
    for one in (tcg, ocg, dm):
        assert one.confirmed_by is None
        assert {"tardiness.game_loss_after_s", "time.deck_check_bonus_s"} <= set(one.confirm)


def test_a_repeat_follows_the_steps_of_the_pack() -> None:
    tcg, idn = newest("konami-tcg"), newest("konami-ocg-idn")
    assert [tcg.suggested("DC-MINOR", n) for n in range(3)] == [
        None, Penalty.GAME_LOSS, Penalty.MATCH_LOSS,
    ]  # fmt: skip
    assert (tcg.repeats_by_kind, idn.repeats_by_kind) == (True, False)
    assert [idn.suggested("PE-MINOR", n) for n in range(4)] == [
        None, None, Penalty.GAME_LOSS, Penalty.GAME_LOSS,
    ]  # fmt: skip
    assert tcg.suggested("T-MAJOR", 3) is None
    assert tcg.suggested("DC-MINOR", 3) is Penalty.DQ_WITH_PRIZE
    assert tcg.suggested("UC-MINOR", 3) is Penalty.DISQUALIFICATION, "never keeps a prize"
    assert newest("duel-masters").suggested("PE-RESTORED", 1) is Penalty.WARNING


@pytest.mark.parametrize(
    ("pack_id", "penalty", "moment", "kind", "target"),
    [
        ("konami-ocg", "game_loss", Moment.BETWEEN_GAMES, None, Target.NEXT_GAME),
        ("konami-ocg", "match_loss", Moment.BETWEEN_GAMES, None, Target.NEXT_MATCH),
        ("konami-ocg", "match_loss", Moment.IN_GAME, None, Target.THIS_MATCH),
        ("konami-tcg", "match_loss", Moment.BETWEEN_GAMES, None, Target.THIS_MATCH),
        ("konami-tcg", "game_loss", Moment.AFTER_MATCH, None, Target.NEXT_MATCH_FIRST_GAME),
        ("konami-tcg", "match_loss", Moment.AFTER_MATCH, None, Target.NEXT_MATCH),
        ("konami-tcg", "game_loss", Moment.IN_GAME, "late_slip", Target.NEXT_MATCH_FIRST_GAME),
        ("house-rules", "game_loss", Moment.BEFORE_MATCH, None, Target.NEXT_GAME),
    ],
)
def test_a_loss_falls_where_the_pack_says(
    pack_id: str, penalty: str, moment: Moment, kind: str | None, target: Target
) -> None:
    ask = RulingAsk(
        infraction="PE-MAJOR",
        infraction_kind=kind,
        penalty=penalty,
        target_entrant="ea",
        remedy="loss",
        reasoned=True,
    )
    settled = settle(
        ask, pack=newest(pack_id), table=Table(("ea", "eb"), moment), head_judge=True, rules=()
    )
    assert settled.target is target, settled  # type: ignore[union-attr]


def test_a_prize_is_never_kept_after_conduct() -> None:
    ask = RulingAsk(
        infraction="UC-SEVERE",
        penalty="dq_with_prize",
        target_entrant="ea",
        remedy="loss",
        reasoned=True,
    )
    refused = settle(
        ask,
        pack=newest("konami-tcg"),
        table=Table(("ea", "eb"), Moment.IN_GAME),
        head_judge=True,
        rules=(),
    )
    assert getattr(refused, "code", "") == "judging.keeps_no_prize"


def test_every_kind_of_a_shipped_pack_has_its_word() -> None:
    known = WORDS["infraction_kind"]
    for versions in packs().values():
        for one in versions.values():
            kinds = {kind for infraction in one.infractions.values() for kind in infraction.kinds}
            assert kinds <= set(known), kinds - set(known)


def test_a_late_slip_of_every_ruleset_is_an_infraction_of_every_pack() -> None:
    """The rules of the end of match give the loss of a late slip; its words are the pack's."""
    for versions in packs().values():
        for one in versions.values():
            for rules in rulesets.rulesets().values():
                known = one.infractions[rules.slip.infraction]
                assert rules.slip.infraction_kind in known.kinds, one.ref


def test_what_lowers_a_penalty_and_who_orders_a_rewind_is_the_packs() -> None:
    lower: dict[str, Any] = {
        "infraction": "PE-MAJOR", "penalty": "warning", "target_entrant": "ea",
        "remedy": "resolve_now", "reasoned": True,
    }  # fmt: skip
    back: dict[str, Any] = {
        "rule_id": "YGO-1.1", "remedy": "rewind", "duel_id": "d", "rewind_to": 3, "reasoned": True,
    }  # fmt: skip

    def code(pack: Pack, **ask: Any) -> str:
        table = Table(("ea", "eb"), Moment.IN_GAME)
        made = settle(RulingAsk(**ask), pack=pack, table=table, head_judge=True, rules={"YGO-1.1"})
        return getattr(made, "code", "")

    tcg = newest("konami-tcg")
    assert code(house(), **lower, self_reported=True) == ""
    assert code(tcg, **lower, self_reported=True) == "judging.downgrade_reason"
    assert code(tcg, **lower) == ""
    none = replace(house(), downgrade_reasons=())
    assert code(none, **lower) == "judging.downgrade_none"
    assert code(none, **{**lower, "penalty": "match_loss", "remedy": "loss"}) == ""
    assert code(house(), **back) == ""
    nobody = replace(house(), rewind=replace(house().rewind, by=()))
    assert code(nobody, **back) == "judging.rewind_not_by"
