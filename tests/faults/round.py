"""A simulated round: who sends what, and what must be true afterwards."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.api.receiver import Receiver
from tests.faults import clients
from tests.faults.clients import Item, Listener, Sender, call, form, until
from tests.faults.site import Site

BACK_SECONDS = 15.0
"""How soon after a fault is over every server must answer again, without a restart."""


@dataclass
class Round:
    """The round on its way. A phone per player, a judge, a desk; `watchers` follow the board."""

    site: Site
    told: dict[str, Any]
    receiver: Receiver
    senders: list[Sender] = field(default_factory=list)
    watchers: list[Listener] = field(default_factory=list)
    gate: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    released: int = 0

    @property
    def event(self) -> str:
        """The event."""
        return str(self.told["event"])

    @property
    def items(self) -> list[Item]:
        """Every command of the round."""
        return [item for sender in self.senders for item in sender.items]

    @property
    def done(self) -> int:
        """How many are known to be kept."""
        return sum(item.kept for item in self.items)

    def begin(self, tables: Sequence[dict[str, Any]]) -> None:
        """Make the commands of these tables ready, which go out as they are released: of four
        tables one calls a judge first, one has its slip entered at the desk, two report from
        both phones."""
        desk: list[Item] = []
        judge: list[Item] = []
        threads: list[Sender] = []
        for at, table in enumerate(tables):
            mine = f"/my/{self.event}/"
            if at % 4 == 3:
                slip = {"score": [2, 1, 0]}
                desk.append(call(self.told["desk"], f"matches/{table['match']}/result", slip))
                continue
            claims = [
                form(phone, mine, act="claim", match_id=table["match"], score="2-0-0")
                for phone in table["phones"]
            ]
            first: list[Item] = []
            if at % 4 == 1:
                raised = form(
                    table["phones"][0], f"{mine}judge/", act="raise", match_id=table["match"],
                    call_id=(call_id := clients.new_id()), category="rules",
                )  # fmt: skip
                first = [raised]
                judge += self._ruling(raised, call_id)
                claims[0].after = claims[1].after = judge[-1]
            threads.append(Sender(self.site.doors, [*first, claims[0]], self.gate))
            threads.append(Sender(self.site.doors, [claims[1]], self.gate))
        threads.append(Sender(self.site.doors, judge, self.gate))
        threads.append(Sender(self.site.doors, desk, self.gate))
        self.senders += threads
        for one in threads:
            one.start()

    def _ruling(self, raised: Item, call_id: str) -> list[Item]:
        path, token = f"calls/{call_id}", self.told["judge"]
        steps = [call(token, f"{path}/claim"), call(token, f"{path}/arrive"),
                 call(token, f"{path}/rule", {"rule_id": "YGO-3.1"}),
                 call(token, f"{path}/close")]  # fmt: skip
        steps[0].after = raised
        return steps

    def release(self, upto: int) -> None:
        """Let commands out until so many have been let out in all."""
        if upto > self.released:
            self.gate.release(upto - self.released)
            self.released = upto

    def send(self, *items: Item) -> None:
        """Send some commands in order, now."""
        self.senders.append(Sender(self.site.doors, items))
        self.senders[-1].start()

    def publish(self, number: int) -> None:
        """Pair and publish the next round from the desk."""
        token = self.told["organiser"]
        self.send(
            call(token, f"events/{self.event}/rounds/pair", {"seed": 5}),
            call(token, f"events/{self.event}/rounds/{number}/publish"),
        )

    def watch(self) -> None:
        """Open a page at each server that follows the board."""
        for door in self.site.doors:
            self.watchers.append(Listener(door, self.event))
            self.watchers[-1].start()
        until(lambda: all(one.opened for one in self.watchers), 30, "the pages are open")

    def await_kept(self, count: int, seconds: float = 60) -> None:
        """Wait until so many commands are known to be kept."""
        until(lambda: self.done >= count, seconds, lambda: f"{count} kept\n{self.told_of()}")

    def told_of(self) -> str:
        """What is known of the commands that were sent and not kept, and what the programs say."""
        left = [(one.path, one.answers[-12:], one.refused) for one in self.items
                if one.sent and not one.kept]  # fmt: skip
        return "\n".join([f"{self.done} kept of {self.released}", *map(str, left),
                          self.site.logs()])  # fmt: skip

    def finish(self, seconds: float = 90) -> None:
        """Let out what is left, and wait until everybody knows what became of everything: all of
        it was kept."""
        self.release(len(self.items))
        for sender in self.senders:
            sender.join(seconds)
            left = [item.path for item in sender.items if not item.known.is_set()]
            assert not left, f"still under way: {left}\n{self.told_of()}"
        refused = [(item.path, item.refused) for item in self.items if item.refused]
        assert not refused, refused
        wrong = [one for sender in self.senders for one in sender.wrong]
        assert not wrong, "\n".join(wrong) + self.site.logs()[-6000:]
        assert all(item.kept for item in self.items)

    def back(self) -> None:
        """After a fault: every server shows the event within seconds, without a restart."""
        self.site.await_doors(BACK_SECONDS, f"/events/{self.event}/")

    def settle(self) -> dict[str, Any]:
        """Wait for the background work, then hold everything to the log. Returns its figures."""
        given = {
            "event": self.event,
            "kept": [one.nonce for one in self.items if one.kept],
        }
        report: dict[str, Any] = self.site.stage("check", given=given)
        assert not report["faults"], report["faults"]
        got = [headers["webhook-id"] for _, headers, _ in self.receiver.got]
        assert set(got) == set(report["messages"]), f"{len(set(got))} of {len(report['messages'])}"
        bodies = {}
        for _, headers, body in self.receiver.got:
            assert bodies.setdefault(headers["webhook-id"], body) == body
        newest = report["board"]
        for one in self.watchers:
            until(lambda one=one: one.moves == newest, 15, "a page knows the newest state")
            one.over.set()
        return report
