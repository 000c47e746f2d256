"""Deck rules: each code by an example, all at once, none twice."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.domain.banlist import Banlist
from cards.domain.catalogue import Catalogue
from cards.domain.read_cdb import read_cdb_file
from decks.domain.decklist import DeckList, Unresolved
from decks.domain.presets import ADVANCED, CLASSIC, GOAT, PRESETS, Preset
from decks.domain.read import read_deck
from decks.domain.report import Report
from decks.domain.validate import check, validate
from tests.decks.cardbox import (
    CATALOGUE,
    FUSION,
    LANCER,
    RITUAL,
    SPELL,
    SYNCHRO,
    TOKEN,
    TREATED,
    banlist,
    deck,
    filler,
)


def judge(held: DeckList, preset: Preset = CLASSIC, limits: Banlist | None = None) -> Report:
    return validate(held, CATALOGUE, limits, preset)


def told(report: Report) -> list[tuple[str, str | None, object, object]]:
    return [(one.code, one.rule, one.found, one.allowed) for one in report.errors]


LIST = banlist("1000 0 --Bronze Lancer\n6000 1\n100000 2")


@pytest.mark.parametrize(
    ("held", "preset", "expected"),
    [
        (deck(filler(39)), CLASSIC, [("main_too_small", "YGO-3.1", 39, 40)]),
        (deck(filler(85)), CLASSIC, []),
        (deck(filler(41)), CLASSIC, []),
        (deck(filler(61)), ADVANCED, [("main_too_large", "ADV-4", 61, 60)]),
        (deck(filler(39)), ADVANCED, [("main_too_small", "ADV-4", 39, 40)]),
        (deck(filler(85)), GOAT, []),
        (deck(filler(39)), GOAT, [("main_too_small", "GOAT-5", 39, 40)]),
        (deck(filler(40), (), filler(14)), CLASSIC, [("side_size", "YGO-3.3", 14, [0, 15])]),
        (deck(filler(40), (), filler(16)), CLASSIC, [("side_size", "YGO-3.3", 16, [0, 15])]),
        (deck(filler(40), (), filler(15)), CLASSIC, []),
        (deck(filler(40), (), filler(14)), GOAT, [("side_size", "GOAT-6", 14, [0, 15])]),
        (deck(filler(40), (), filler(14)), ADVANCED, []),
        (deck(filler(40), (), filler(16)), ADVANCED, [("side_size", "ADV-6", 16, 15)]),
        (
            deck((*filler(40), TOKEN)),
            CLASSIC,
            [("token_in_deck", "YGO-3.11", 1, [])],
        ),
        (
            deck((*filler(40), FUSION)),
            CLASSIC,
            [("extra_card_in_main", "YGO-3.12", 1, ["extra"])],
        ),
        (
            deck(filler(40), (RITUAL,)),
            CLASSIC,
            [("ritual_in_extra", "YGO-3.6", 1, ["main", "side"])],
        ),
        (
            deck(filler(40), (SPELL, SPELL)),
            CLASSIC,
            [("not_an_extra_card", "YGO-3.4", 2, ["main", "side"])],
        ),
        (
            deck(filler(40), (SYNCHRO,)),
            CLASSIC,
            [("kind_not_in_format", "YGO-8.4", 1, [])],
        ),
        (deck(filler(40), (SYNCHRO,)), GOAT, [("kind_not_in_format", "GOAT-2", 1, [])]),
        (deck(filler(40), (SYNCHRO, FUSION)), ADVANCED, []),
        (
            deck((*filler(40), SYNCHRO)),
            ADVANCED,
            [("extra_card_in_main", "ADV-3", 1, ["extra"])],
        ),
        (deck(filler(40), (FUSION,) * 3), CLASSIC, []),
        (
            deck((*filler(39), LANCER, LANCER), (), (LANCER, LANCER, *filler(13, 45))),
            CLASSIC,
            [("too_many_copies", "YGO-3.7", 4, 3)],
        ),
        (
            deck(filler(40), (FUSION,) * 3, (FUSION, *filler(14, 45))),
            CLASSIC,
            [("too_many_copies", "YGO-3.7", 4, 3)],
        ),
        (
            deck(filler(40), tuple(filler(16))),
            ADVANCED,
            [("not_an_extra_card", "ADV-2", 1, ["main", "side"])] * 16
            + [("extra_too_large", "ADV-5", 16, 15)],
        ),
    ],
)
def test_each_rule_by_an_example(
    held: DeckList, preset: Preset, expected: list[tuple[str, str, object, object]]
) -> None:
    report = judge(held, preset)
    assert told(report) == expected
    assert report.legal is (expected == [])
    assert report.counts == held.counts


@pytest.mark.parametrize(
    ("copies", "limits", "expected"),
    [
        (1, "1000 0", ("forbidden", "YGO-3.8", 1, 0)),
        (4, "1000 0", ("forbidden", "YGO-3.8", 4, 0)),
        (1, "1000 1", None),
        (2, "1000 1", ("limited", "YGO-3.9", 2, 1)),
        (4, "1000 1", ("limited", "YGO-3.9", 4, 1)),
        (2, "1000 2", None),
        (3, "1000 2", ("semi_limited", "YGO-3.10", 3, 2)),
        (3, "1000 3", None),
        (4, "1000 3", ("too_many_copies", "YGO-3.7", 4, 3)),
        (1, "1003 0", ("forbidden", "YGO-3.8", 1, 0)),
        (1, "1000 -1", ("forbidden", "YGO-3.8", 1, 0)),
    ],
)
def test_a_card_is_told_once_by_its_strictest_limit(
    copies: int, limits: str, expected: tuple[str, str, int, int] | None
) -> None:
    report = judge(deck((*filler(40), *[LANCER] * copies)), limits=banlist(limits))
    assert told(report) == ([expected] if expected else [])


def test_arts_of_one_card_count_together() -> None:
    report = judge(deck((*filler(40), LANCER, LANCER, "1003"), (), ("1003", *filler(14, 45))))
    (fault,) = report.errors
    assert (fault.code, fault.card, fault.name) == ("too_many_copies", LANCER, "Bronze Lancer")
    assert fault.where == {"main": 3, "side": 1}


def test_names_that_count_as_another_do_so_only_where_the_rules_say() -> None:
    held = deck((*filler(40), LANCER, LANCER, LANCER, TREATED))
    assert judge(held, CLASSIC).legal
    for preset in (ADVANCED, GOAT):
        (fault,) = judge(held, preset).errors
        assert (fault.code, fault.found, fault.allowed) == ("too_many_copies", 4, 3)
    limited = banlist("1000 1")
    (fault,) = judge(deck((*filler(40), TREATED, TREATED)), ADVANCED, limited).errors
    assert (fault.code, fault.card) == ("limited", TREATED)


def test_the_fusion_deck_can_be_left_out_of_the_count() -> None:
    held = deck(filler(40), (FUSION,) * 3, (FUSION, *filler(14, 45)))
    assert judge(held, replace(CLASSIC, count_extra=False)).legal
    forbidden = judge(
        deck(filler(40), (FUSION,)), replace(CLASSIC, count_extra=False), banlist("2000 0")
    )
    assert [one.code for one in forbidden.errors] == ["forbidden"]


def test_fusion_monsters_in_the_side_deck_are_an_option() -> None:
    held = deck(filler(40), (), (FUSION, *filler(14, 45)))
    assert judge(held).legal
    (fault,) = judge(held, replace(CLASSIC, side_extra=False)).errors
    assert (fault.code, fault.rule) == ("extra_card_in_side", "YGO-3.12")


def test_all_faults_come_at_once_in_the_order_of_the_rules() -> None:
    held = DeckList(
        (*filler(20), FUSION, LANCER, LANCER, *["8000"] * 4, *["100000"] * 3, SPELL, TOKEN),
        (RITUAL, LANCER, SPELL),
        filler(3, 45),
        (Unresolved("main", 9, "Nothing"),),
    )
    assert [(one.code, one.rule) for one in judge(held, CLASSIC, LIST).errors] == [
        ("unresolved_line", None),
        ("token_in_deck", "YGO-3.11"),
        ("ritual_in_extra", "YGO-3.6"),
        ("extra_card_in_main", "YGO-3.12"),
        ("not_an_extra_card", "YGO-3.4"),
        ("not_an_extra_card", "YGO-3.4"),
        ("main_too_small", "YGO-3.1"),
        ("side_size", "YGO-3.3"),
        ("forbidden", "YGO-3.8"),
        ("limited", "YGO-3.9"),
        ("semi_limited", "YGO-3.10"),
        ("too_many_copies", "YGO-3.7"),
    ]


def test_cards_that_do_not_belong_do_not_fill_the_deck() -> None:
    for stranger in (FUSION, TOKEN):
        codes = [one.code for one in judge(deck((*filler(39), stranger))).errors]
        assert "main_too_small" in codes


def test_an_unknown_id_is_a_warning_and_an_error_only_under_a_whitelist() -> None:
    held = deck((*filler(39), "999999"))
    report = judge(held)
    assert report.legal
    assert [(one.code, one.card, one.found) for one in report.warnings] == [
        ("unknown_card", "999999", 1)
    ]
    listed = "\n".join(f"{key} 3" for key in filler(39))
    strict = judge(held, CLASSIC, banlist(f"$whitelist\n{listed}"))
    assert told(strict) == [("unknown_card", "YGO-3.8", 1, 0)]
    assert strict.warnings == ()
    known = judge(held, CLASSIC, banlist(f"$whitelist\n{listed}\n999999 1"))
    assert known.legal
    assert [one.code for one in known.warnings] == ["unknown_card"]
    four = judge(deck((*filler(40), *["999999"] * 4)))
    assert [one.code for one in four.errors] == ["too_many_copies"]


def test_a_whitelist_refuses_what_it_does_not_hold() -> None:
    listed = "\n".join(f"{key} 3" for key in filler(40))
    report = judge(deck((*filler(40), LANCER)), GOAT, banlist(f"$whitelist\n{listed}"))
    assert told(report) == [("not_on_list", "GOAT-8", 1, 0)]
    listed_art = judge(deck((*filler(40), LANCER)), GOAT, banlist(f"$whitelist\n{listed}\n1003 3"))
    assert listed_art.legal


def test_an_assumed_art_is_told_with_both_ids() -> None:
    report = judge(deck((*filler(40), "6001")))
    assert [(one.code, one.found, one.allowed) for one in report.warnings] == [
        ("other_art_assumed", "6001", "6000")
    ]


def test_extra_cards_move_by_type_where_the_input_has_no_place_for_them() -> None:
    numbers = "\n".join((*filler(40), FUSION, FUSION))
    for preset in (CLASSIC, ADVANCED):
        read = read_deck(numbers, CATALOGUE)
        held, report = check(read, CATALOGUE, None, preset)
        assert report.legal
        assert held.extra == (FUSION, FUSION)
        assert [(one.code, one.card, one.found) for one in report.warnings] == [
            ("moved_to_extra", FUSION, 2)
        ]
    kept, report = check(read_deck(f"{numbers}\n#extra\n", CATALOGUE), CATALOGUE, None, CLASSIC)
    assert kept.extra == ()
    assert [one.code for one in report.errors] == ["extra_card_in_main"]


def test_an_unresolved_line_is_an_error_with_its_line_and_near_names() -> None:
    names = "\n".join(f"1 {CATALOGUE.name(key)}" for key in filler(40))
    _, report = check(read_deck(f"{names}\n1 Bronze Lencer\n", CATALOGUE), CATALOGUE, None, CLASSIC)
    (fault,) = report.errors
    assert (fault.code, fault.rule, fault.line) == ("unresolved_line", None, 41)
    assert (fault.found, fault.allowed) == ("1 Bronze Lencer", ["Bronze Lancer"])


def test_findings_of_the_reader_stand_in_the_report() -> None:
    _, report = check(read_deck("#main\n0\nxyz\n", CATALOGUE), CATALOGUE, None, CLASSIC)
    assert [(one.code, one.line) for one in report.errors] == [
        ("id_zero", 2),
        ("main_too_small", None),
    ]
    assert [(one.code, one.line) for one in report.warnings] == [("line_ignored", 3)]


def test_the_json_of_a_report_has_the_agreed_keys() -> None:
    report = judge(deck((*filler(39), LANCER), (), ("1003",)), CLASSIC, banlist("1000 1"))
    body = report.as_json()
    assert set(body) == {"legal", "counts", "errors", "warnings"}
    limited = body["errors"][-1]
    assert limited == {
        "code": "limited",
        "rule": "YGO-3.9",
        "card": {"id": "1000", "name": "Bronze Lancer"},
        "found": 2,
        "allowed": 1,
        "where": {"main": 1, "side": 1},
    }


def test_tokens_of_real_files_are_no_copies(shared: Path) -> None:
    catalogue = Catalogue(read_cdb_file(shared / "data/cards/cards-2017.cdb").cards)
    for name, tokens in (("094", 4), ("108", 125)):
        read = read_deck((shared / f"data/decks/{name}.ydk").read_bytes(), catalogue)
        _, report = check(read, catalogue, None, CLASSIC)
        found = [one for one in report.errors if one.code == "token_in_deck"]
        assert sum(int(str(one.found)) for one in found) == tokens
        assert report.errors[0].rule == "YGO-3.11"
        copied = [one.name or "" for one in report.errors if one.code == "too_many_copies"]
        assert not any("Token" in one for one in copied)
    read = read_deck((shared / "data/decks/037.ydk").read_bytes(), catalogue)
    _, report = check(read, catalogue, None, ADVANCED)
    assert [(one.name, one.found) for one in report.errors if one.code == "too_many_copies"] == [
        ("Polymerization", 4)
    ]


ANY_CARD = st.sampled_from([*CATALOGUE.cards, "999999", "1001", "4001"])
ANY_SECTION = st.lists(ANY_CARD, max_size=50).map(tuple)


@given(
    ANY_SECTION, ANY_SECTION, ANY_SECTION, st.sampled_from(list(PRESETS.values())), st.booleans()
)
def test_no_fault_twice_and_the_order_of_the_cards_does_not_matter(
    main: tuple[str, ...],
    extra: tuple[str, ...],
    side: tuple[str, ...],
    preset: Preset,
    whitelist: bool,
) -> None:
    limits = banlist(("$whitelist\n" if whitelist else "") + "1000 0\n6000 1\n100000 2\n2000 3")
    report = judge(deck(main, extra, side), preset, limits)
    assert max(Counter((one.code, one.card) for one in report.errors).values(), default=0) <= 1
    counted = {"forbidden", "limited", "semi_limited", "not_on_list", "unknown_card"} | {
        "too_many_copies"
    }
    cards = [one.card for one in report.errors if one.code in counted]
    assert len(cards) == len(set(cards))
    assert report.legal is (report.errors == ())
    # the rules of the other game know no lists of limits
    bare = set() if preset.game == CLASSIC.game else counted - {"too_many_copies"}
    assert all(one.rule for one in report.errors if one.code not in bare)
    turned = judge(deck(main[::-1], extra[::-1], side[::-1]), preset, limits)

    def key(one: Report) -> list[str]:
        return sorted(f"{fault.code} {fault.rule} {fault.found}" for fault in one.errors)

    assert key(turned) == key(report)


def test_every_code_and_rule_is_written_down() -> None:
    root = Path(__file__).resolve().parent.parent.parent
    # faults of deck lists stand in decks.md, those of cards and lists of limits in cards.md
    text = "".join((root / f"docs/{one}.md").read_text("utf-8") for one in ("decks", "cards"))
    listed = set(re.findall(r"`([A-Za-z_.]+)`", text))
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("decks", "cards")
        for path in sorted((root / folder).rglob("*.py"))
        if "/migrations/" not in str(path)
    )
    found = set(re.findall(r"(?:warning|error|Unreadable)\(\s*\"([a-z_]+)\"", source))
    found |= set(re.findall(r"Refusal\(\s*f?\"((?:decks|cards)\.[a-z_]+)\"", source))
    found |= {code for preset in PRESETS.values() for code in preset.rules}
    found |= set(re.findall(r"Fault\(\s*\"([a-z_]+)\"", source))
    assert len(found) > 50
    assert found <= listed, sorted(found - listed)
    rules = {rule for preset in PRESETS.values() for rule in preset.rules.values()}
    missing = [rule for rule in rules if not rule.startswith("YGO") and f"`{rule}`" not in text]
    assert missing == []


def test_rule_ids_of_the_classic_preset_stand_in_the_rules(shared: Path) -> None:
    text = (shared / "rules/yugioh-classic.md").read_text(encoding="utf-8")
    for rule in CLASSIC.rules.values():
        assert f"### {rule} " in text
