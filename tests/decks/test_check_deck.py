"""The command `check_deck`: no database, one JSON list, coded errors for what cannot be read."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from cards import shipped
from cards.domain.findings import Unreadable
from cards.domain.games import DUEL_MASTERS, KINDS
from decks.cli import load_banlist, load_sources

DECKS = sorted(str(path) for path in (shipped.FOLDER / "decks").glob("*/*.ydk"))


def run(*args: str) -> tuple[Any, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("check_deck", *args, "--json", stdout=out, stderr=err)
    return json.loads(out.getvalue()), err.getvalue()


def test_starter_decks_are_legal_without_any_argument_and_without_a_database() -> None:
    answers, err = run(*DECKS)
    assert [one["file"] for one in answers] == DECKS
    assert all(one["legal"] for one in answers)
    assert all(set(one) == {"file", "legal", "counts", "errors", "warnings"} for one in answers)
    assert err.strip() == "2 checked, 2 legal, 0 not read"


def test_only_a_minority_of_the_files_of_the_field_is_legal_today(shared: Path) -> None:
    files = sorted(str(path) for path in (shared / "data/decks").glob("*.ydk"))
    answers, _ = run(
        *files,
        "--cards",
        str(shared / "data/cards/cards.csv.gz"),
        "--banlist",
        str(shared / "data/lflist/0TCG.lflist.conf"),
        "--rules",
        "advanced",
    )
    assert [one["file"] for one in answers] == files
    legal = sum(one["legal"] for one in answers)
    assert 0 < legal < len(files) / 2
    codes = Counter(error["code"] for one in answers for error in one["errors"])
    assert codes["forbidden"] > codes["main_too_small"] == 9
    assert codes["extra_too_large"] == 2
    assert codes["main_too_large"] == 1
    assert codes["side_size"] == 1
    by_name = {Path(one["file"]).stem: one for one in answers}
    tokens = [one for one in by_name["094"]["errors"] if one["code"] == "token_in_deck"]
    assert [(one["card"]["name"], one["found"]) for one in tokens] == [("Sheep Token", 4)]
    assert {error["rule"][:4] for one in answers for error in one["errors"]} == {"ADV-"}


def test_a_file_that_cannot_be_read_is_a_coded_error(tmp_path: Path) -> None:
    large = tmp_path / "large.ydk"
    large.write_bytes(b"1" * 300_000)
    for path, code in (
        (tmp_path / "none.ydk", "no_file"),
        (tmp_path, "no_file"),
        (large, "too_large"),
    ):
        out = io.StringIO()
        with pytest.raises(CommandError, match="1 of 2 files"):
            call_command(
                "check_deck", DECKS[0], str(path), "--json", stdout=out, stderr=io.StringIO()
            )
        good, bad = json.loads(out.getvalue())
        assert good["legal"]
        assert not bad["legal"]
        assert [one["code"] for one in bad["errors"]] == [code]


def test_an_illegal_file_is_an_answer_and_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "short.ydk"
    path.write_text("#main\n89631139\n")
    (answer,), _ = run(str(path))
    assert answer["errors"] == [
        {"code": "main_too_small", "rule": "YGO-3.1", "card": None, "found": 1, "allowed": 40}
    ]
    out = io.StringIO()
    call_command("check_deck", str(path), stdout=out, stderr=io.StringIO())
    assert "illegal (1 / 0 / 0)" in out.getvalue()
    assert "error main_too_small YGO-3.1" in out.getvalue()


def test_a_list_is_named_by_file_and_title(shared: Path, tmp_path: Path) -> None:
    multi = shared / "data/lflist/ygopro-2017-01-multi.lflist.conf"
    named = load_banlist(f"{multi}:2017.1 OCG")
    assert named is not None
    assert named.title == "2017.1 OCG"
    odd = tmp_path / "a:b.conf"
    odd.write_text("!2020.01 x:y\n5 1\n")
    for argument in (str(odd), f"{odd}:2020.01 x:y"):
        found = load_banlist(argument)
        assert found is not None
        assert found.title == "2020.01 x:y"
    assert load_banlist(None) is None
    for argument, code in (
        (str(multi), "banlist_title_needed"),
        (f"{multi}:nothing", "banlist_title_unknown"),
        (str(tmp_path / "none.conf"), "no_file"),
        ("\x00", "no_file"),
    ):
        with pytest.raises(Unreadable) as fault:
            load_banlist(argument)
        assert fault.value.finding.code == code


def test_sources_lie_over_the_shipped_cards(shared: Path) -> None:
    sources = load_sources(str(shared / "data/cards/cards.csv.gz"), None, "goat")
    assert sources.cards_read == 14_276
    assert sources.preset.id == "goat"
    tokens = {key for key, card in shipped.catalogue().cards.items() if card.is_token}
    creatures = KINDS[DUEL_MASTERS]
    others = [one for one in shipped.catalogue().cards.values() if one.kind in creatures]
    assert len(sources.catalogue) == 14_276 + len(tokens) + len(others)
    with pytest.raises(Unreadable):
        load_sources(None, None, "nothing")


def test_a_source_that_cannot_be_read_ends_the_command_with_its_code(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("name\nx\n")
    for argument, code in (("--cards", "csv_columns_missing"), ("--banlist", "no_list")):
        with pytest.raises(CommandError, match=code):
            call_command("check_deck", DECKS[0], argument, str(bad), stderr=io.StringIO())
