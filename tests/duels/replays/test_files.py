"""The replays of the field: read to the last byte, played through, held to their own words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from duels.domain import text
from duels.imports.engine import moves as mv
from duels.imports.engine.importing import differences
from duels.imports.replay import container, packets
from duels.imports.replay.audit import opening_hands
from duels.imports.replay.cursor import U16, U32, Cursor
from duels.imports.replay.importing import Imported, import_replay
from duels.imports.replay.reading import Replay, read
from duels.imports.replay.summary import examine, summary
from duels.rules.yugioh import evolve as evolving
from duels.rules.yugioh.soundness import states
from duels.rules.yugioh.state import EMPTY, materials
from duels.rules.yugioh.status import misplaced
from eventstore.domain.refusal import Refusal

HAND_TEST = "006.yrpX"
ZONES = {1: "deck", 2: "hand", 4: "monsters", 8: "spells_traps", 64: "fusion_deck"}


def files(shared: Path, ending: str = "*") -> list[Path]:
    return sorted((shared / "data" / "replays").glob(f"*.{ending}"))


def opened(path: Path) -> Replay:
    made = read(path.read_bytes())
    assert not isinstance(made, Refusal), (path.name, made)
    return made


@pytest.fixture(scope="module")
def imports(shared: Path) -> dict[str, tuple[Replay, Imported]]:
    """Every .yrpX, read and imported once."""
    found = {}
    for path in files(shared, "yrpX"):
        replay = opened(path)
        made = import_replay(replay, "d")
        assert not isinstance(made, Refusal), (path.name, made)
        found[path.name] = (replay, made)
    return found


def test_every_file_is_read_to_the_last_byte(shared: Path) -> None:
    kinds = []
    for path in files(shared):
        replay = opened(path)
        assert (replay.damage, replay.rest) == ((), 0), path.name
        assert replay.script is not None, path.name
        assert replay.script.rest == 0, path.name
        assert all(name for team in replay.players for name in team)
        kinds.append(replay.head.kind)
    assert (len(kinds), kinds.count("yrp")) == (31, 2)


def test_embedded_and_outer_data_agree(imports: dict[str, tuple[Replay, Imported]]) -> None:
    agreed = 0
    for name, (replay, made) in imports.items():
        held = replay.script
        assert held is not None, name
        assert held.players == replay.players, name
        if name == HAND_TEST:
            continue
        sizes = tuple((len(one.main), len(one.extra)) for one in held.decks)
        assert sizes == made.start.decks, name
        assert made.start.life_points == (held.life_points,) * 2
        assert held.flags == replay.flags
        agreed += 1
    assert (len(imports), agreed) == (29, 28)


def test_opening_hands_are_the_tops_of_the_decks(
    imports: dict[str, tuple[Replay, Imported]],
) -> None:
    equal = 0
    for name, (replay, made) in imports.items():
        if name == HAND_TEST:
            continue
        for player, hand in enumerate(opening_hands(made)):
            assert len(hand) == 5
            assert hand == replay.decks[player].main[::-1][:5], (name, player)
            equal += 1
    assert equal == 56


def test_life_points_bear_out_every_win_by_them(
    imports: dict[str, tuple[Replay, Imported]],
) -> None:
    """Folded from messages 4, 91, 92, 94 and 100 alone, not by the importer's table."""
    held = 0
    for name, (replay, made) in imports.items():
        total, end = [0, 0], None
        for one in replay.packets:
            cursor = Cursor(one.data, 1)
            if one.number == packets.START:
                total = [cursor.number(U32), cursor.number(U32)]
            elif one.number in (91, 92, 94, 100):
                player, value = one.data[0], cursor.number(U32)
                if one.number == 94:
                    total[player] = value
                else:
                    total[player] += value if one.number == 92 else -value
            elif one.number == 5 and end is None:
                end = (one.data[0], one.data[1])
        if name != HAND_TEST:
            assert [half.life_points for half in made.table.halves] == total, name
        if end is not None and end[1] == 1:
            assert total[1 - end[0]] <= 0, name
            held += 1
    assert held == 18


def test_no_message_is_unknown_and_the_log_is_sound(
    imports: dict[str, tuple[Replay, Imported]],
) -> None:
    for name, (_, made) in imports.items():
        assert (made.damage, made.unknown) == (None, ()), name
        folded = states(made.events)
        assert not isinstance(folded, Refusal), name
        assert misplaced(folded[-1].table) == [], name
        entries = [text.Entry(event, source="import") for event in made.events]
        again = text.read(text.write(entries))
        assert not isinstance(again, Refusal)
        assert [one.event for one in again] == made.events


def test_the_log_has_the_table_of_the_messages_after_each_of_them(
    imports: dict[str, tuple[Replay, Imported]],
) -> None:
    attached = 0
    for name, (_, made) in imports.items():
        table, done = EMPTY, 0
        for step in made.steps:
            for event in made.events[done : step.events]:
                table = evolving.step(table, event)
            done = step.events
            unequal = list(differences(step.table, table, made.ours))
            assert unequal == [], (name, step.packet.at, unequal)
            for bearer, held in step.table.under.items():
                wanted = [made.ours[card] for card in held]
                assert materials(table, made.ours[bearer]) == wanted, (name, step.packet.at)
                attached += len(held)
    assert attached > 100


def refreshed(path: Path) -> Iterator[tuple[int, int, str, list[int]]]:
    """Every refresh of a whole zone: byte, player, zone, passcodes. A second reader: the
    importer passes nearly all of them over."""
    data = path.read_bytes()
    head = container.header(data)
    body = container.body(data, head).data
    at = (44 * 2) + (8 if head.flags & container.WIDE_FLAGS else 4)
    while at < len(body):
        number, size = packets.PACKET.unpack_from(body, at)
        if number == packets.UPDATE_DATA:
            cursor = Cursor(body[at + 5 : at + 5 + size], 6)
            codes: list[int] = []
            while cursor.left:
                code = 0
                while True:
                    chunk = cursor.number(U16)
                    if not chunk:
                        break
                    flag, value = cursor.number(U32), cursor.take(chunk - 4)
                    if flag == 0x80000000:
                        break
                    if flag == 1:
                        code = int.from_bytes(value, "little")
                codes.append(code)
            yield at, body[at + 5], ZONES.get(body[at + 6], ""), codes
        at += 5 + size


def test_the_table_is_the_one_that_hosts_refreshed(
    shared: Path, imports: dict[str, tuple[Replay, Imported]]
) -> None:
    """What lies in hands and on the field, whenever the host said it: an oracle beside the
    messages. A refresh of a Deck is also held against the order told by later draws."""
    compared = 0
    for path in files(shared, "yrpX"):
        if path.name == HAND_TEST:
            continue
        _, made = imports[path.name]
        steps = iter(made.steps)
        ahead = next(steps, None)
        table = None
        for at, player, zone, codes in refreshed(path):
            while ahead is not None and ahead.packet.at < at:
                table, ahead = ahead.table, next(steps, None)
            if table is None or not zone or not any(table.halves[player].hand):
                continue
            row = getattr(table.halves[player], zone)
            held = [table.cards[card].code if card else 0 for card in row]
            if zone in ("monsters", "spells_traps"):
                held += [0] * (len(codes) - len(held))
            assert held == codes, (path.name, at, player, zone)
            compared += 1
    assert compared > 40_000


def test_phases_turns_and_ends(imports: dict[str, tuple[Replay, Imported]]) -> None:
    for name, (_, made) in imports.items():
        turns = [
            move.player
            for step in made.steps
            for move in step.moves
            if isinstance(move, mv.TurnStarted)
        ]
        assert turns[0] == 0, name  # the first one begins, whoever hosts
        assert turns == [at % 2 for at in range(len(turns))], name


def test_the_command_without_a_database(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [shared / "data" / "replays" / one for one in ("014.yrpX", "047.yrp", "058.yrp")]
    call_command("import_replay", *map(str, names), "--json")
    told: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    whole, modern, classic = told
    assert (whole["format"], whole["client"]) == ("yrpX", "EDOPro 40.1 (core 10.0)")
    assert (whole["winner"], whole["reason"], whole["turns"]) == (0, "lp", 3)
    assert whole["lp"] == [8000, -2500]
    assert whole["events"] > 200
    assert [len(deck["main"]) for deck in whole["decks"]] == [40, 40]
    assert (whole["unknown_messages"], whole["findings"]) == ([], [])
    for one in (modern, classic):
        assert (one["format"], one["events"], one["winner"], one["reason"]) == (
            "yrp",
            0,
            None,
            "none",
        )
        assert len(one["decks"]) == 2
        assert all(deck["main"] for deck in one["decks"])
    assert classic["client"] == "YGOPro 1.035.2"


def test_findings_of_real_duels_are_few(shared: Path) -> None:
    """The clients play by their rules: all that is flagged is an end that never came and a
    battle in which a text lets damage through a Defence Position."""
    codes = []
    for path in files(shared, "yrpX"):
        found = examine(path.read_bytes(), "d")
        assert not isinstance(found, Refusal)
        codes += [one["code"] for one in summary(found, path.name)["findings"]]
    assert sorted(codes) == ["BATTLE_DAMAGE_DIFFERS", "UNFINISHED"]
