"""One laptop: the server on SQLite is killed in the middle of a round and started again; then its
disk fills up: people are told, pages are still there, nothing is kept by halves, and everything
goes on when there is room again."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from tests.api.receiver import receiving
from tests.faults import clients
from tests.faults.clients import call, until
from tests.faults.disk import Disk, is_full, small_disk
from tests.faults.round import Round
from tests.faults.site import embedded
from tests.sizes import SIZES

pytestmark = pytest.mark.xdist_group("faults")


def test_the_one_server_is_killed_and_its_disk_fills_up(tmp_path: Path) -> None:
    """kill -9, once here, 20 times in the soak."""
    with (
        receiving() as receiver,
        small_disk(tmp_path / "disk") as disk,
        embedded(tmp_path, disk.folder) as site,
    ):
        told = site.stage("build", str(SIZES.storm_tables // 2), receiver.url())
        site.add_server("web")
        site.await_doors()
        storm = Round(site, told, receiver)
        storm.watch()
        *tables, late = told["tables"]
        storm.begin(tables)
        step = len(storm.items) // 2 // SIZES.storm_kills
        dice = random.Random(12)
        for number in range(1, SIZES.storm_kills + 1):
            storm.release(step * number)
            storm.await_kept(step * number - 2)
            time.sleep(dice.random() * 0.05)
            site.programs["web"].kill()
            site.programs["web"].start()
            site.await_doors()
            storm.back()
            print(f"{number} killed: {storm.done} kept", flush=True)
        _fills_up(storm, disk, late)
        storm.send(call(told["desk"], f"matches/{late['match']}/result", {"score": [2, 0, 0]}))
        storm.finish()
        storm.publish(2)
        storm.finish()
        report = storm.settle()
        assert storm.watchers[0].opened > 1
        print(f"{site.programs['web'].starts} starts, {report['events']} events")


def _fills_up(storm: Round, disk: Disk, late: dict[str, Any]) -> None:
    """Fill the disk while commands are under way, and clear it. Nothing is known of `late`."""
    server = storm.site.programs["web"].process
    assert server is not None
    storm.await_kept(storm.released)
    # what was given back in the write-ahead log could be written to once more
    line = sqlite3.connect(disk.folder / "headjudge.sqlite3", timeout=20)
    line.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    line.close()
    disk.fill(server.pid)
    assert is_full(disk.folder) == disk.own
    kept = storm.done
    storm.release(storm.released + 4)
    until(lambda: any(503 in one.answers for one in storm.items), 20, storm.told_of)
    _says_why(storm, late, full=disk.own)
    assert storm.done == kept
    disk.clear(server.pid)
    storm.await_kept(kept + 4)


def _says_why(storm: Round, table: dict[str, Any], *, full: bool) -> None:
    """Forms and API name the full disk; what is only shown is shown."""
    door = storm.site.doors[0]
    sent = clients.form(
        table["phones"][0], f"/my/{storm.event}/judge/", act="raise", match_id=table["match"]
    )
    by_hand = {name: text for name, text in sent.headers.items() if name != "Headjudge-Queue"}
    status, text, headers = clients.ask(door, sent.path, sent.body, by_hand)
    assert status == 503, text
    assert headers["retry-after"]
    slip = clients.call(
        storm.told["desk"], f"matches/{table['match']}/result", {"score": [2, 0, 0]}
    )
    status, problem, _ = clients.ask(door, slip.path, slip.body, slip.headers)
    assert status == 503, problem
    if full:
        assert "The disk of the server is full" in text
        assert '"reason":"full"' in problem
    desk = {"Authorization": f"Bearer {storm.told['desk']}"}
    for path in (f"/events/{storm.event}/", f"/api/v1/events/{storm.event}/desk"):
        status, text, _ = clients.ask(door, path, None, desk)
        assert status == 200, text
