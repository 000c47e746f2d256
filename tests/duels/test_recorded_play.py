"""Recorded duels played again in refereed play: every choice accepted, every list the same."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import call_command

from duels.imports.engine.beyond import measure
from duels.imports.engine.folding import fold as fold_recording
from duels.imports.engine.importing import import_recording
from duels.imports.engine.presets import ENGINE_2005, _tables, options
from duels.imports.engine.recording import PoolCard, Recording, read, read_pool
from duels.imports.engine.refereed import Played
from duels.imports.engine.refereed import play as play_steps
from duels.imports.engine.report import Report, compare_decisions, compare_file
from duels.rules.yugioh import options as opts
from duels.rules.yugioh.duel import fold
from duels.rules.yugioh.status import status
from eventstore.domain.refusal import Refusal
from tests.duels.test_recorded import files, plain
from tests.sizes import SIZES


@pytest.fixture(scope="module")
def pool(shared: Path) -> dict[int, PoolCard]:
    found = read_pool((shared / "data" / "duels" / "pool.json").read_bytes())
    assert not isinstance(found, Refusal)
    return found


def recording(value: dict[str, Any]) -> Recording:
    made = read(json.dumps(value).encode())
    assert not isinstance(made, Refusal), made
    return made


def play(made: Recording, pool: dict[int, PoolCard]) -> Played:
    return play_steps(made, pool, list(fold_recording(made)))


def requests(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The batches that await an answer to a kind of request."""
    return [batch for batch in value["batches"] if (batch.get("response") or {}).get("to") == name]


def asked(batch: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = batch["messages"][-1]
    return found


def test_vanilla_duels_are_played_as_they_were_recorded(
    shared: Path, pool: dict[int, PoolCard]
) -> None:
    ends = set()
    for path in files(shared, "vanilla"):
        value = plain(path)
        played = play(recording(value), pool)
        assert (played.unequal, played.stopped, played.explained) == ([], None, []), path.name
        wanted = len(requests(value, "SELECT_IDLECMD")) + len(requests(value, "SELECT_BATTLECMD"))
        assert played.decisions == wanted
        result = played.duel.table.result
        assert result is not None
        assert result.winner == {0: "P1", 1: "P2", 2: "draw"}[value["result"]["winner"]]
        assert fold(played.events).table == played.duel.table
        assert not status(played.duel)
        ends.add(result.how)
    assert ends <= {"life_points", "deck_out"}


def test_classic_duels_stop_where_a_text_is_needed_and_say_so(
    shared: Path, pool: dict[int, PoolCard]
) -> None:
    for path in files(shared, "classic"):
        played = play(recording(plain(path)), pool)
        assert played.unequal == []
        assert played.stopped is not None
        assert "card" in played.stopped


@pytest.mark.parametrize("name", ["vanilla", "classic"])
def test_lists_are_compared_on_the_table_of_the_imported_log(
    shared: Path, pool: dict[int, PoolCard], name: str
) -> None:
    """Vanilla: the imported log says all that the lists rest on. Classic: our rules refuse
    nothing that was offered, but for texts and for YGO-11.14."""
    for path in files(shared, name):
        made = recording(plain(path))
        steps = list(fold_recording(made))
        imported = import_recording(made, pool, "d", steps)
        assert not isinstance(imported, Refusal)
        measured = measure(steps, imported, 0)
        wanted = sum(
            len(requests(plain(path), kind)) for kind in ("SELECT_IDLECMD", "SELECT_BATTLECMD")
        )
        assert measured.decisions == wanted
        if name == "vanilla":
            assert (measured.equal, measured.differing) == (wanted, {})
        else:
            missing = {what for what in measured.differing if what.endswith("-")}
            assert missing <= {"YGO-0.1 direct -", "YGO-0.1 attacks -", "YGO-11.14 pos_changes -"}


@pytest.fixture
def value(shared: Path) -> dict[str, Any]:
    return plain(files(shared, "vanilla")[0])


def found(value: dict[str, Any], pool: dict[int, PoolCard]) -> set[str]:
    """The names of what differs, once the raw messages are out of the way."""
    for batch in value["batches"]:
        batch["raw"] = []
    played: Played = play(recording(value), pool)
    return {one.what for one in played.unequal}


@pytest.mark.parametrize("name", ["summons", "monster_sets", "pos_changes"])
def test_an_option_left_out_of_a_list_is_found(
    value: dict[str, Any], pool: dict[int, PoolCard], name: str
) -> None:
    batch = next(
        one
        for one in requests(value, "SELECT_IDLECMD")
        if asked(one)[name] and one["response"]["action"] == "to_ep"
    )
    asked(batch)[name].pop()
    assert found(value, pool) == {name}


@pytest.mark.parametrize(
    ("request_name", "flag", "ours"),
    [
        ("SELECT_IDLECMD", "to_bp", "to_battle"),
        ("SELECT_IDLECMD", "to_ep", "to_end"),
        ("SELECT_BATTLECMD", "to_m2", "to_main2"),
        ("SELECT_BATTLECMD", "to_ep", "to_end"),
    ],
)
def test_a_phase_that_is_said_to_be_closed_or_open_is_found(
    value: dict[str, Any], pool: dict[int, PoolCard], request_name: str, flag: str, ours: str
) -> None:
    batch = requests(value, request_name)[0]
    asked(batch)[flag] = not asked(batch)[flag]
    assert found(value, pool) == {ours}


def test_attackers_targets_and_direct_attacks_are_compared(
    value: dict[str, Any], pool: dict[int, PoolCard]
) -> None:
    battle = [one for one in requests(value, "SELECT_BATTLECMD") if asked(one)["attacks"]]
    ended = next(one for one in battle if one["response"]["action"] != "attack")
    attacks = asked(ended)["attacks"]
    attacks[0]["can_direct"] = not attacks[0]["can_direct"]
    targets = next(
        batch
        for batch in requests(value, "SELECT_CARD")
        if batch["phase"] == 8 and len(asked(batch)["cards"]) > 1
    )
    kept = targets["response"]["indices"][0]
    asked(targets)["cards"] = [asked(targets)["cards"][kept]]
    targets["response"]["indices"] = [0]
    assert found(value, pool) == {"direct", "targets"}
    attacks.pop()
    assert "attacks" in found(value, pool)


def test_tribute_candidates_are_compared(shared: Path, pool: dict[int, PoolCard]) -> None:
    for path in files(shared, "vanilla"):
        value = plain(path)
        wide = [
            batch
            for batch in requests(value, "SELECT_TRIBUTE")
            if len(asked(batch)["cards"]) > asked(batch)["min"] and "indices" in batch["response"]
        ]
        if not wide:
            continue
        chosen = wide[0]["response"]["indices"]
        asked(wide[0])["cards"] = [asked(wide[0])["cards"][one] for one in chosen]
        wide[0]["response"]["indices"] = list(range(len(chosen)))
        assert found(value, pool) == {"tributes"}
        return
    pytest.fail("no wide tribute in these recordings")


def test_a_difference_under_the_text_of_a_card_is_named_and_ends_the_play(
    value: dict[str, Any], pool: dict[int, PoolCard]
) -> None:
    """The same duel with the same fault: with effect monsters in play it may be their text."""
    batch = [one for one in requests(value, "SELECT_IDLECMD") if asked(one)["pos_changes"]][-1]
    asked(batch)["pos_changes"].pop()
    batch["raw"] = []
    assert {one.what for one in play(recording(value), pool).unequal} == {"pos_changes"}
    texts = {code: msgspec.structs.replace(row, type=0x21) for code, row in pool.items()}
    played = play(recording(value), texts)
    assert played.unequal == []
    assert played.stopped == "the text of a card in play may be at work"
    assert {(one.rule, one.what, one.batch) for one in played.explained} == {
        ("YGO-0.1", "pos_changes", batch["i"])
    }


def test_a_shuffled_deck_takes_the_recorded_order(
    value: dict[str, Any], pool: dict[int, PoolCard]
) -> None:
    """A shuffle told before the first draw: the deck list alone says another order."""
    for deck in value["decks"]:
        deck["main"] = sorted(deck["main"])
    first = value["batches"][0]
    draw = first["messages"][0]
    kept = first["state"]["players"]
    full = [half["deck"] + half["hand"][::-1] for half in kept]
    before = json.loads(json.dumps(first["state"]))
    for half, deck in zip(before["players"], full, strict=True):
        half.update(deck=deck, hand=[], counts={**half["counts"], "deck": 40, "hand": 0})
    shuffles = [{"msg": "SHUFFLE_DECK", "player": player} for player in (0, 1)]
    value["batches"].insert(0, {**first, "i": -1, "messages": shuffles, "state": before})
    assert draw["msg"] == "DRAW"
    assert found(value, pool) == set()


def test_a_choice_that_the_rules_refuse_stops_the_play(
    value: dict[str, Any], pool: dict[int, PoolCard]
) -> None:
    """Set by hand: an attack in turn 1 cannot be accepted whatever the lists say."""
    batch = requests(value, "SELECT_IDLECMD")[0]
    asked(batch)["to_bp"] = True
    batch["response"] = {"player": 0, "to": "SELECT_IDLECMD", "action": "to_bp", "index": None}
    played = play(recording(value), pool)
    assert played.stopped is not None
    assert [one.rule for one in played.unequal if one.what == "refused"] == ["YGO-10.6"]


def test_damaged_requests_stop_the_play_with_a_reason(
    value: dict[str, Any], pool: dict[int, PoolCard]
) -> None:
    batch = requests(value, "SELECT_IDLECMD")[3]
    kept = json.dumps(batch)
    for damage in (
        {"messages": [{**asked(batch), "summons": None}]},
        {"messages": [{**asked(batch), "summons": [{"code": 1}]}]},
        {"messages": [{**asked(batch), "player": 7}]},
        {"response": {"to": "SELECT_IDLECMD", "action": "summon", "index": 99}},
        {"response": {"to": "SELECT_IDLECMD", "action": 5}},
        {"response": {"to": "SELECT_IDLECMD", "action": "dance"}},
        {"response": {"to": "SELECT_IDLECMD"}},
    ):
        batch.update(damage, raw=[])
        played = play(recording(value), pool)
        assert played.stopped, damage
        batch.clear()
        batch.update(json.loads(kept))


@pytest.mark.parametrize("name", ["vanilla", "classic"])
def test_no_change_of_requests_and_responses_crashes_the_comparison(
    shared: Path, pool: dict[int, PoolCard], name: str
) -> None:
    """Any value of a message, a request or a response, replaced by something else."""
    rng = random.Random(name)
    value = plain(files(shared, name)[0])
    value["batches"] = value["batches"][:160]
    for batch in value["batches"]:
        batch["raw"] = []
    told = set()
    for _ in range(SIZES.examples):
        batch = rng.choice([one for one in value["batches"] if one.get("response")])
        kept = json.dumps(batch)
        spoil(batch[rng.choice(["messages", "response"])], rng)
        report = Report()
        folded = compare_file(report, "x", json.dumps(value).encode())
        if folded is not None:
            compare_decisions(report, "x", *folded, pool)
        told.add((bool(report.errors), bool(report.skipped)))
        batch.clear()
        batch.update(json.loads(kept))
    assert (False, True) in told


def spoil(part: Any, rng: random.Random) -> None:
    """Replace one value somewhere in a part of a recording."""
    odd: list[Any] = [None, -1, 2**40, "x", [], {}, True, 9, [1, 2], {"a": 1}, 2.5]
    while True:
        key = rng.choice(list(part) if isinstance(part, dict) else list(range(len(part))))
        if isinstance(part[key], list | dict) and part[key] and rng.random() < 0.8:
            part = part[key]
            continue
        part[key] = rng.choice(odd)
        return


def test_the_preset_names_known_options_with_a_reason_each() -> None:
    complete = opts.complete(options(ENGINE_2005))
    assert not isinstance(complete, Refusal)
    assert complete["field_spell.replace_own"] == "replaces"
    for row in _tables()[ENGINE_2005]["options"].values():
        assert set(row) == {"value", "finding", "reason"}
        assert 1 <= int(row["finding"]) <= 24
        assert str(row["reason"]).endswith(".")


def test_the_command_plays_and_finds_the_pool(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files(shared, "vanilla")[0]
    call_command("compare_duel", str(path), "--decisions", "--json")
    told = json.loads(capsys.readouterr().out)
    value = plain(path)
    wanted = len(requests(value, "SELECT_IDLECMD")) + len(requests(value, "SELECT_BATTLECMD"))
    assert (told["decisions"], told["unequal"], told["skipped"]) == (wanted, 0, [])
    away = tmp_path / "set" / "one.json.gz"
    away.parent.mkdir()
    away.write_bytes(path.read_bytes())
    with pytest.raises(SystemExit):
        call_command("compare_duel", str(away), "--decisions", "--json")
    told = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in told["errors"]] == ["duels.pool_unreadable"]
    pool = shared / "data" / "duels" / "pool.json"
    call_command("compare_duel", str(away), "--decisions", "--pool", str(pool))
    assert "decisions" in capsys.readouterr().out
    cut = tmp_path / "pool.json"
    cut.write_bytes(msgspec.json.encode(json.loads(pool.read_text())[:3]))
    call_command("compare_duel", str(away), "--decisions", "--json")
    told = json.loads(capsys.readouterr().out)
    assert "is not in the pool" in told["skipped"][0]["reason"]
    classic = files(shared, "classic")[0]
    call_command("compare_duel", str(classic), "--decisions")
    said = capsys.readouterr()
    assert "skipped after" in said.err
    assert "beyond" in said.out
    assert gzip.decompress(path.read_bytes())[:1] == b"{"
