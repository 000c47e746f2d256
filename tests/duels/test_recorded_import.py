"""Recordings as duel logs of this house: the same tables, views that hide, rewinds that hold."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from django.core.management import call_command

from duels.domain import text
from duels.domain.events import DuelOpened, Rewound
from duels.imports.engine.folding import fold as fold_recording
from duels.imports.engine.importing import Imported, differences, import_recording
from duels.imports.engine.recording import PoolCard, read
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import evolve as evolving
from duels.rules.yugioh import knowledge as knowing
from duels.rules.yugioh.duel import NEW, Duel, evolve, fold
from duels.rules.yugioh.instruments.draws import draws
from duels.rules.yugioh.instruments.walk import walk
from duels.rules.yugioh.lines import lines
from duels.rules.yugioh.soundness import states
from duels.rules.yugioh.state import EMPTY
from duels.rules.yugioh.status import misplaced
from duels.rules.yugioh.view import KNOWER, view
from eventstore.domain import canonical, registry
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tests.duels.test_recorded import files
from tests.duels.test_recorded_play import pool  # noqa: F401 - a fixture
from tests.sizes import SIZES

SETS = ("vanilla", "classic")
HIDING = ("public", "p1", "p2")
FEW = max(1, SIZES.recordings // 3)


def imported(path: Path, cards: dict[int, PoolCard]) -> Imported:
    recording = read(path.read_bytes())
    assert not isinstance(recording, Refusal)
    made = import_recording(recording, cards, "d")
    assert not isinstance(made, Refusal), (path.name, made)
    return made


@pytest.mark.parametrize("name", SETS)
def test_the_table_of_the_log_is_the_recorded_one_after_every_batch(
    shared: Path,
    pool: dict[int, PoolCard],  # noqa: F811
    name: str,
) -> None:
    for path in files(shared, name):
        recording = read(path.read_bytes())
        assert not isinstance(recording, Refusal)
        made = imported(path, pool)
        table, done = EMPTY, 0
        for one, number in zip(fold_recording(recording), made.after, strict=True):
            if number == done and one.batch.state is None:
                continue
            for event in made.events[done:number]:
                table = evolving.step(table, event)
            done = number
            found = list(differences(one.table, table, made.ours))
            assert not found, (path.name, one.batch.i, found)
        assert done == len(made.events)
        assert misplaced(table) == []
        assert table.result is not None
        assert table.attack is None or table.result.how == "life_points"


@pytest.mark.parametrize("name", SETS)
def test_the_log_is_stored_and_written_like_any_other(
    shared: Path,
    pool: dict[int, PoolCard],  # noqa: F811
    name: str,
) -> None:
    for path in files(shared, name)[:FEW]:
        log = imported(path, pool).events
        opened = log[0]
        assert isinstance(opened, DuelOpened)
        assert (opened.fidelity, opened.mode) == ("imported", "recorded")
        again = []
        for event in log:
            kind, schema = registry.name_of(event)
            again.append(
                registry.decode(kind, schema, canonical.encode(msgspec.to_builtins(event)))
            )
        assert again == log
        written = text.write([text.Entry(event, source="import") for event in log])
        entries = text.read_any(written)
        assert not isinstance(entries, Refusal), entries
        assert [one.event for one in entries] == log
        assert not isinstance(states(log), Refusal)


def all_states(log: Sequence[DomainEvent]) -> list[Duel]:
    duel, made = NEW, []
    for event in log:
        duel = evolve(duel, event)
        made.append(duel)
    return made


@pytest.mark.parametrize("name", SETS)
def test_a_rewind_gives_the_table_of_the_prefix(
    shared: Path,
    pool: dict[int, PoolCard],  # noqa: F811
    name: str,
) -> None:
    rng = random.Random(name)
    for path in files(shared, name)[:FEW]:
        log = imported(path, pool).events
        whole = fold(log)
        for to in rng.sample(range(1, len(log)), 20):
            back = Rewound(to, [], "judge", None, None, 0, "", "", "", {"P1": 0, "P2": 0}, False)
            rewound = evolve(whole, back)
            assert rewound.table == fold(log[:to]).table
            undone = evolve(rewound, msgspec.structs.replace(back, to=len(log)))
            assert undone.table == whole.table


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("viewer", HIDING)
def test_duels_that_differ_only_in_hidden_cards_give_equal_views(
    shared: Path,
    pool: dict[int, PoolCard],  # noqa: F811
    name: str,
    viewer: str,
) -> None:
    """Cards that a viewer never sees are exchanged, across all Decks: every view and every
    line is the same, byte for byte."""
    rng = random.Random(viewer)
    exchanged = told_apart = 0
    for path in files(shared, name)[:FEW]:
        log = imported(path, pool).events
        made = all_states(log)
        hidden = set(range(1, len(made[0].table.owners)))
        for duel in made:
            seen = {
                card
                for card in hidden
                if knowing.sees(duel.table, duel.knowledge, KNOWER[viewer], card)
            }
            hidden -= seen
        order = sorted(hidden)
        keys = [made[0].table.identities[card] for card in order]
        if len(set(keys)) < 2:
            continue  # a duel in which this viewer came to see nearly every card
        exchanged += 1
        # turned by one among the different cards, so that at least two change
        keys = keys[1:] + keys[:1]
        other = [renamed(log[0], dict(zip(order, keys, strict=True))), *log[1:]]
        assert other[0] != log[0]
        for at in [*sorted(rng.sample(range(len(log)), 25)), len(log) - 1]:
            twin = fold(other[: at + 1])
            assert twin.table.identities != made[at].table.identities
            assert json.dumps(view(twin, viewer)) == json.dumps(view(made[at], viewer))
        assert lines(other, viewer) == lines(log, viewer)
        # the judge's table tells the two apart, unless all of these cards stayed in the Decks
        judge = json.dumps(view(fold(other), "judge"))
        told_apart += judge != json.dumps(view(made[-1], "judge"))
    assert exchanged
    assert told_apart


def renamed(event: DomainEvent, keys: dict[int, str | None]) -> DuelOpened:
    """The opening with other identities for some instances."""
    assert isinstance(event, DuelOpened)
    card = 0
    lists: dict[str, dict[str, list[str | None]]] = {"main": {}, "fusion": {}}
    for player in ("P1", "P2"):
        for name in ("main", "fusion"):
            lists[name][player] = []
            for key in getattr(event, name)[player]:
                card += 1
                lists[name][player].append(keys.get(card, key))
    return msgspec.structs.replace(event, **lists)


def test_what_a_log_cannot_tell_is_refused(shared: Path, pool: dict[int, PoolCard]) -> None:  # noqa: F811
    from tests.duels.test_recorded import plain

    value = plain(files(shared, "vanilla")[0])
    life = next(
        message
        for batch in value["batches"]
        for message in batch["messages"]
        if message["msg"] == "DAMAGE"
    )
    life["amount"] += 1
    recording = read(json.dumps(value).encode())
    assert not isinstance(recording, Refusal)
    refused = import_recording(recording, pool, "d")
    assert isinstance(refused, Refusal)
    assert refused.code == "duels.recording_malformed"
    assert "life_points" in refused.params["found"]


def test_the_converted_file_is_read_by_replay(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("convert_duel", str(files(shared, "vanilla")[0]))
    written = capsys.readouterr().out
    assert written.startswith("headjudge-duel 1")
    log = tmp_path / "one.duel"
    log.write_text(written)
    call_command("replay_duel", str(log), "--viewer", "p1", "--json")
    shown = json.loads(capsys.readouterr().out)
    assert shown["table"]["fidelity"] == "imported"
    assert shown["table"]["result"]["winner"] in ("P1", "P2", "draw")
    assert len(shown["table"]["P2"]["hand"]) == shown["table"]["P2"]["counts"]["hand"]
    with pytest.raises(SystemExit):
        call_command("convert_duel", str(tmp_path / "none.json"))
    assert "duels.recording_unreadable" in capsys.readouterr().err


def drawn_wrongly(log: Sequence[DomainEvent]) -> dict[int, tuple[str, ...]]:
    """The events that the draw ledger flags."""
    return {row.seq: row.flags for row in draws(walk(log)) if row.flags}


@pytest.mark.parametrize("name", SETS)
def test_the_draw_ledger_finds_an_added_draw_and_nothing_else(
    shared: Path,
    pool: dict[int, PoolCard],  # noqa: F811
    name: str,
) -> None:
    rng = random.Random(name)
    for path in files(shared, name)[:FEW]:
        log = imported(path, pool).events
        assert drawn_wrongly(log) == {}
        made = all_states(log)
        places = [
            number
            for number, duel in enumerate(made, 1)
            if duel.table.turn > 1 and duel.table.phase == "main1" and duel.table.p1.deck
        ]
        at = rng.choice(places)
        top = made[at - 1].table.p1.deck[0]
        extra = ev.CardsDrawn("P1", [top], rng.choice(["normal", "effect"]))
        # from here on the added card is missing from the Deck, so that only this draw is asked
        assert list(drawn_wrongly([*log[:at], extra])) == [at + 1]
