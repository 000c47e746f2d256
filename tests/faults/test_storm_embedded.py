"""One laptop: the server on SQLite is killed in the middle of a round, and started again."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.api.receiver import receiving
from tests.faults.round import Round
from tests.faults.site import embedded
from tests.sizes import SIZES

pytestmark = pytest.mark.xdist_group("faults")


def test_the_one_server_is_killed_in_the_middle_of_a_round(tmp_path: Path) -> None:
    """kill -9, once here, 20 times in the soak."""
    dice = random.Random(12)
    with receiving() as receiver, embedded(tmp_path) as site:
        told = site.stage("build", str(SIZES.storm_tables), receiver.url())
        site.add_server("web")
        site.await_doors()
        storm = Round(site, told, receiver)
        storm.watch()
        storm.begin(told["tables"])
        step = len(storm.items) // (SIZES.storm_kills + 1)
        for number in range(1, SIZES.storm_kills + 1):
            storm.release(step * number + 4)
            storm.await_kept(step * number)
            time.sleep(dice.random() * 0.05)
            site.programs["web"].kill()
            site.programs["web"].start()
            storm.back()
        storm.finish()
        storm.publish(2)
        storm.finish()
        report = storm.settle()
        assert all(one.opened > 1 for one in storm.watchers)
        assert {one.nonce for one in storm.items} <= set(report["committed"])
