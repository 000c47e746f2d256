"""A list put together by single changes: no line is lost, every button does what it says."""

from __future__ import annotations

import pytest

from decks.domain.decklist import EXTRA, MAIN, SIDE, DeckList
from decks.domain.draft import (
    ADD,
    DROP,
    MOVE,
    NAME,
    TAKE,
    Edit,
    apply,
    counters,
    draft,
    edit_of,
    fixes,
    write_draft,
)
from decks.domain.presets import ADVANCED, CLASSIC
from decks.domain.read import read_deck
from decks.domain.report import Report
from decks.domain.validate import check
from tests.decks.cardbox import CATALOGUE, FUSION, LANCER, RITUAL, TOKEN, banlist, deck, filler


def _looked(content: str, limits: str | None = None) -> tuple[DeckList, Report]:
    read = read_deck(content, CATALOGUE)
    made, report = check(read, CATALOGUE, banlist(limits) if limits else None, ADVANCED)
    return draft(read, made, content), report


def _after(content: str, edit: Edit) -> str:
    return write_draft(apply(_looked(content)[0], edit, CATALOGUE), CATALOGUE)


def test_a_button_says_its_change_and_nothing_else_is_one() -> None:
    edit = Edit(MOVE, LANCER, MAIN, SIDE, 2, 0)
    assert edit_of(edit.as_text()) == edit
    for text in ("", "add", "add:1:main:side:1", "burn:1:main::1:0", "take:1:hand::1:0",
                 "take:1:main::0:0", "take:1:main::100:0", "take:1:main::-1:0"):  # fmt: skip
        assert edit_of(text) is None, text


def test_what_is_written_is_read_back_with_its_unread_lines() -> None:
    content = (
        "Main Deck:\n3 Bronze Lancer\n2 Bronse Lanzer\n200 Heron\nSide Deck:\n1 No Such Card\n"
    )
    held, _ = _looked(content)
    assert [one.text for one in held.unresolved] == [
        "2 Bronse Lanzer",
        "1 No Such Card",
        "200 Heron",
    ]
    again, _ = _looked(write_draft(held, CATALOGUE))
    assert again.main == held.main
    assert sorted(one.text for one in again.unresolved) == sorted(
        one.text for one in held.unresolved
    )
    assert {one.section for one in again.unresolved} == {MAIN, SIDE}


def test_every_fault_of_copies_has_a_button_per_section_that_takes_one_out() -> None:
    content = write_draft(deck((LANCER,) * 3 + filler(38), (), ("1003",)), CATALOGUE)
    held, report = _looked(content)
    fault = next(one for one in report.errors if one.code == "too_many_copies")
    made = fixes(fault, held, CATALOGUE)
    assert [(one.kind, one.edit.section) for one in made] == [
        ("take_one", SIDE),
        ("take_one", MAIN),
    ]
    for one in made:
        _, after = _looked(_after(content, one.edit))
        assert "too_many_copies" not in {fault.code for fault in after.errors}


def test_a_forbidden_card_leaves_by_one_button_and_a_misplaced_one_moves() -> None:
    content = write_draft(deck((*filler(38), LANCER, FUSION), (RITUAL,)), CATALOGUE)
    held, report = _looked(content, "1000 0 --Bronze Lancer")
    by_code = {one.code: fixes(one, held, CATALOGUE) for one in report.errors}
    assert by_code["forbidden"][0].edit == Edit(TAKE, LANCER, MAIN)
    assert by_code["extra_card_in_main"][0].edit == Edit(MOVE, FUSION, MAIN, EXTRA)
    assert by_code["ritual_in_extra"][0].edit == Edit(MOVE, RITUAL, EXTRA, MAIN)
    for code in ("forbidden", "extra_card_in_main", "ritual_in_extra"):
        content = _after(content, by_code[code][0].edit)
    _, report = _looked(content, "1000 0 --Bronze Lancer")
    assert {one.code for one in report.errors} == {"main_too_small"}
    assert fixes(report.errors[0], held, CATALOGUE) == []


def test_a_token_is_taken_out_of_each_section() -> None:
    held, report = _looked(write_draft(deck((*filler(40), TOKEN, TOKEN)), CATALOGUE))
    made = fixes(report.errors[0], held, CATALOGUE)
    assert [(one.kind, one.edit.copies) for one in made] == [("take_all", 2)]


def test_a_misspelt_name_is_put_right_with_its_copies_or_left_out() -> None:
    content = "Main Deck:\n2 Bronse Lancer\n"
    held, report = _looked(content)
    fault = next(one for one in report.errors if one.code == "unresolved_line")
    made = fixes(fault, held, CATALOGUE, 2)
    assert (made[0].kind, made[0].card, made[-1].kind) == ("use_name", "Bronze Lancer", "drop_line")
    assert _looked(_after(content, made[0].edit))[0].main == (LANCER, LANCER)
    assert _looked(_after(content, made[-1].edit))[0] == DeckList()


@pytest.mark.parametrize(
    "edit",
    [
        Edit(ADD, "424242", to=MAIN),
        Edit(ADD, LANCER),
        Edit(MOVE, LANCER, MAIN),
        Edit(NAME, LANCER, line=7),
        Edit(NAME, "424242", line=1),
        Edit(DROP, line=9),
        Edit(TAKE, LANCER, SIDE),
    ],
)
def test_a_change_that_fits_nothing_changes_nothing(edit: Edit) -> None:
    held = deck((LANCER,) * 2)
    assert apply(held, edit, CATALOGUE) == held


def test_a_draft_never_grows_past_what_is_read() -> None:
    held = deck(filler(960))
    assert apply(held, Edit(ADD, LANCER, to=MAIN, copies=99), CATALOGUE) == held


def test_counters_say_the_sizes_of_the_preset() -> None:
    _, report = check(read_deck("Main Deck:\n3 Bronze Lancer", CATALOGUE), CATALOGUE, None, CLASSIC)
    main, extra, side = counters(report, CLASSIC)
    assert (main.count, main.least, main.most, main.right) == (3, 40, None, False)
    assert (extra.most, extra.right, side.sizes, side.right) == (None, True, (0, 15), True)
