"""One duel of a rehearsal, played act by act through the real commands."""

from __future__ import annotations

from typing import Any

from duels import services as duels
from duels.domain.seats import PLAYERS
from duels.rules.games import NEW, AnyDuel, evolve, rules_for
from eventstore import store
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import services as judging
from portal.demo.hall import Hall

DISPUTE_AFTER = 30
"""Events after which a planned dispute breaks out."""
TAKEN_BACK = 6
MOST_ACTS = 1500
LEAST_EVENTS = 20


class Stuck(RuntimeError):
    """A duel of the rehearsal did not come to an end: a fault of the rules or of the bot."""


class Duelling:
    """The duel between two persons; `persons` gives the person on each seat."""

    def __init__(self, hall: Hall, duel_id: str, persons: dict[str, str]) -> None:
        self.hall = hall
        self.duel_id = duel_id
        self.persons = persons
        self.duel: AnyDuel = NEW
        self.pads = dict.fromkeys(PLAYERS, 0)
        self._follow()
        self.rules = rules_for(self.duel)
        self.told = self._life_points()

    def _follow(self) -> None:
        for one in store.read_stream(duels.stream_of(self.duel_id), after=self.duel.seq):
            self.duel = evolve(self.duel, one.data)

    def _life_points(self) -> dict[str, int]:
        return self.rules.points(self.duel.table)

    def play(self, *, dispute: str | None = None) -> None:
        """Play to the end. `dispute` is the match in which a judge is called on the way."""
        for _ in range(MOST_ACTS):
            if self.duel.table.result is not None:
                break
            if dispute is not None and self.duel.seq >= DISPUTE_AFTER:
                self._dispute(dispute)
                dispute = None
            self._act()
            self._tell_pads()
        else:
            raise Stuck(self.duel_id)
        ended = self.duel.table.result
        if ended is not None:
            self.hall.endings[ended.by] += 1
        self.hall.duels += 1
        events = self.duel.seq
        self.hall.shortest = min(self.hall.shortest or events, events)

    def some(self, acts: int) -> None:
        """Play so many acts, or to the end, and leave the duel there."""
        for _ in range(acts):
            if self.duel.table.result is not None:
                return
            self._act()
            self._tell_pads()

    def _act(self) -> None:
        player = self.rules.BOT.to_act(self.duel)
        if player is None:
            raise Stuck(f"{self.duel_id}: nobody is to act")
        plain = self._choice(player)
        plain.pop("player")
        try:
            duels.act(
                self.hall.player(self.persons[player]),
                duel_id=self.duel_id,
                player=player,
                act=plain,
                expected=self.duel.seq,
            )
        except Refused as refused:
            raise Stuck(f"{self.duel_id}: {plain} refused: {refused}") from refused
        self._follow()

    def _choice(self, player: str) -> dict[str, Any]:
        bot, gives_up = self.rules.BOT, self.rules.plain(self.rules.concede(player))
        act = self.rules.plain(bot.choose(self.duel, player, self.hall.rng))
        while act == gives_up and self.duel.seq < LEAST_EVENTS:
            # Nobody gives up before there is something to see.
            act = self.rules.plain(bot.choose(self.duel, player, self.hall.rng))
        return act

    def _tell_pads(self) -> None:
        now = self._life_points()
        for about in PLAYERS:
            delta = now[about] - self.told[about]
            if not delta:
                continue
            for player in PLAYERS:
                self.pads[player] += 1
                self._state(
                    player,
                    {
                        "statement": "lp_declared",
                        "about": about,
                        "value": now[about],
                        "delta": delta,
                        "pad_seq": self.pads[player],
                    },
                )
        if now != self.told:
            self._state("P1", {"statement": "lp_agreed", "p1": now["P1"], "p2": now["P2"]})
            self.told = now
            self._follow()

    def _state(self, player: str, statement: dict[str, Any]) -> None:
        duels.statement_make(
            self.hall.player(self.persons[player]),
            duel_id=self.duel_id,
            player=player,
            statement=statement,
        )

    def _dispute(self, match_id: str) -> None:
        """A player calls, the floor judge hands over, the head judge takes play back."""
        hall = self.hall
        call = new_id()
        judging.call_raise(
            hall.player(self.persons[self.duel.table.active]), call_id=call, match_id=match_id
        )
        judging.call_claim(hall.judge(), call_id=call)
        judging.call_arrive(hall.judge(), call_id=call, time_left_s=1800)
        judging.call_escalate(hall.judge(), call_id=call, note="Both want the attack again.")
        judging.call_claim(hall.head_judge(), call_id=call)
        judging.call_arrive(hall.head_judge(), call_id=call, time_left_s=1740)
        judging.ruling_make(
            hall.head_judge(),
            call_id=call,
            rule_id=self.rules.SKIPPED,
            remedy="rewind",
            duel_id=self.duel_id,
            rewind_to=self._before(),
            note="The chance to answer was skipped.",
        )
        judging.call_close(hall.head_judge(), call_id=call)
        hall.rewinds += 1
        self._follow()
        self.rules = rules_for(self.duel)
        self.told = self._life_points()

    def _before(self) -> int:
        effective = self.duel.trail.effective()
        return effective[-1 - TAKEN_BACK]
