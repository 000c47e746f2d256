"""Lists with points: read from the field's two spellings, counted over decks, put right."""

from __future__ import annotations

import pytest

from cards.domain.banlist import Banlist, read_banlists
from cards.domain.catalogue import Catalogue
from decks.domain.draft import POINTS, apply, counters, fixes
from decks.domain.presets import ADVANCED, CLASSIC
from decks.domain.validate import validate
from tests.decks.cardbox import CATALOGUE, FUSION, LANCER, TREATED, deck, facts, filler

HEAD = "!2026.03 Genesys\n$genesys 100{}\n"


def listed(lines: str, decks: str = "") -> Banlist:
    return read_banlists((HEAD.format(decks) + lines).encode()).lists[0]


def test_both_spellings_give_points() -> None:
    one = listed("1000 $genesys 20 --Bronze Lancer\n2000 3 15 --Twin Drake\n3000 0\n")
    assert one.points is not None
    assert (one.points.name, one.points.budget) == ("genesys", 100)
    assert [(cost.passcode, cost.points, cost.remark) for cost in one.points.costs] == [
        (1000, 20, "Bronze Lancer"),
        (2000, 15, "Twin Drake"),
    ]
    assert [(limit.passcode, limit.count, limit.remark) for limit in one.limits] == [
        (2000, 3, "Twin Drake"),
        (3000, 0, ""),
    ]
    assert one.findings == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("!A\n1000 3 15 --Twin\n", "points_without_budget"),
        ("!A\n1000 $genesys 15\n", "points_without_budget"),
        ("!A\n$genesys 9\n1000 $other 15\n", "second_budget"),
        ("!A\n$genesys 9\n$other 15\n", "second_budget"),
        ("!A\n$genesys 9\n1000 $genesys\n", "points_missing"),
        ("!A\n$genesys 9\n1000 $genesys 100001\n", "points_out_of_range"),
        ("!A\n$genesys 9\n1000 3 100001\n", "points_out_of_range"),
        ("!A\n$genesys 100001\n", "points_out_of_range"),
        ("!A\n$genesys 9\n0 $genesys 1\n", "id_out_of_range"),
        ("!A\n$genesys 9\n7 $genesys 1\n7 $genesys 2\n", "repeated_id"),
        ("!A\n$genesys\n", "unknown_directive"),
        ("!A\n$genesys 9 hand\n", "unknown_directive"),
    ],
)
def test_traps_are_told(text: str, code: str) -> None:
    (one,) = read_banlists(text.encode()).lists
    assert [finding.code for finding in one.findings] == [code]


def test_points_change_the_hash_and_their_absence_does_not() -> None:
    plain = read_banlists(b"!A\n1000 1\n").lists[0]
    assert plain.content_hash == read_banlists(b"!A\n1000 1 --x\n").lists[0].content_hash
    texts = ("$p 9\n", "$p 8\n", "$q 9\n", "$p 9 main\n", "$p 9\n1000 $p 1\n", "$p 9\n1000 $p 2\n")
    hashes = {read_banlists(f"!A\n1000 1\n{one}".encode()).lists[0].content_hash for one in texts}
    assert len(hashes | {plain.content_hash}) == len(texts) + 1


def test_a_deck_within_its_budget_is_legal_and_one_point_more_is_not() -> None:
    limits = listed("1000 $genesys 40\n2000 $genesys 19\n6000 $genesys 1\n")
    held = deck((*filler(38), LANCER, LANCER), (FUSION,))
    report = validate(held, CATALOGUE, limits, ADVANCED)
    assert (report.legal, report.points) == (True, (99, 100))
    more = deck((*filler(36), LANCER, LANCER, "6000", "6000"), (FUSION,))
    report = validate(more, CATALOGUE, limits, ADVANCED)
    (fault,) = report.errors
    assert (fault.code, fault.found, fault.allowed) == ("points_over_budget", 101, 100)
    assert fault.where == {"Bronze Lancer": 80, "Twin Drake": 19, "Moon Rite": 2}
    assert report.as_json()["points"] == {"found": 101, "allowed": 100}
    assert "points" not in validate(more, CATALOGUE, None, ADVANCED).as_json()


def test_only_the_named_decks_are_counted() -> None:
    held = deck((*filler(38), LANCER, LANCER), (FUSION,), (*filler(14, 40), LANCER))
    costs = "1000 $genesys 10\n2000 $genesys 5\n"
    for decks, total in (("", 35), (" main", 20), (" main side", 30), (" extra", 5)):
        assert validate(held, CATALOGUE, listed(costs, decks), ADVANCED).points == (total, 100)


def test_other_arts_cost_the_dearest_and_names_treated_as_another_cost_like_it() -> None:
    limits = listed("1000 $genesys 10\n1003 $genesys 30\n")
    held = deck((*filler(38), "1003", TREATED))
    assert validate(held, CATALOGUE, limits, ADVANCED).points == (60, 100)
    assert validate(held, CATALOGUE, limits, CLASSIC).points == (30, 100)


def test_an_unknown_card_costs_what_its_id_does() -> None:
    held = deck((*filler(39), "987654"))
    assert validate(held, CATALOGUE, listed("987654 $genesys 7\n"), ADVANCED).points == (7, 100)


def test_two_cards_of_one_name_are_both_named() -> None:
    twins = Catalogue([facts("11", "Twin"), facts("900", "Twin")])
    limits = listed("11 $genesys 60\n900 $genesys 50\n")
    report = validate(deck(("11", "900")), twins, limits, ADVANCED)
    found = next(one for one in report.errors if one.code == "points_over_budget")
    assert found.where == {"Twin": 60, "Twin (900)": 50}


def test_the_counter_follows_and_the_buttons_take_the_dearest_out() -> None:
    limits = listed("1000 $genesys 60\n2000 $genesys 30\n")
    held = deck((*filler(40), LANCER), (FUSION,), (LANCER,))
    report = validate(held, CATALOGUE, limits, ADVANCED)
    counter = next(one for one in counters(report, ADVANCED) if one.section == POINTS)
    assert (counter.count, counter.most, counter.right) == (150, 100, False)
    made = fixes(report.errors[0], held, CATALOGUE)
    assert [(one.kind, one.card, one.edit.section) for one in made] == [
        ("take_card", "Bronze Lancer", "side"),
        ("take_card", "Twin Drake", "extra"),
    ]
    after = apply(held, made[0].edit, CATALOGUE)
    report = validate(after, CATALOGUE, limits, ADVANCED)
    assert (report.legal, report.points) == (True, (90, 100))
    assert all(one.right for one in counters(report, ADVANCED))


def test_ten_thousand_decks_share_what_is_worked_out_once() -> None:
    limits = listed("".join(f"{100_000 + 100 * at} $genesys {at % 3}\n" for at in range(80)))
    totals = {
        validate(deck(filler(40, at)), CATALOGUE, limits, ADVANCED).points for at in range(80)
    }
    assert len(totals) > 1
    assert all(found is not None and 30 <= found[0] <= 50 for found in totals)
