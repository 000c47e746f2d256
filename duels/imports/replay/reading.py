"""Read a replay file: bytes in, a `Replay` or a refusal out. Nothing in it is opened or run."""

from __future__ import annotations

from dataclasses import dataclass

from duels.imports.replay import container
from duels.imports.replay.container import WIDE_FLAGS, Header
from duels.imports.replay.cursor import U32, U64, Cursor
from duels.imports.replay.faults import BODY, EMBEDDED, FILE, Damage, Fault
from duels.imports.replay.names import names
from duels.imports.replay.packets import Packet, Stream, stream
from duels.imports.replay.script import Deck, Script, embedded, script
from eventstore.domain.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay file as it was read. `players`: names of both teams, the first one begins.
    `script`: the .yrp (of a .yrpX the one embedded in it, None without one); `stream`: the
    packets (none in a .yrp); `damage`: where reading had to stop, the first one first;
    `rest`: bytes after the end of a packed body."""

    head: Header
    players: tuple[tuple[str, ...], tuple[str, ...]]
    flags: int
    script: Script | None
    stream: Stream
    damage: tuple[Damage, ...] = ()
    rest: int = 0

    @property
    def decks(self) -> tuple[Deck, ...]:
        """The decks, one for each person."""
        return self.script.decks if self.script is not None else ()

    @property
    def teams(self) -> bool:
        """Whether more than one person plays on a side."""
        return any(len(team) != 1 for team in self.players)

    @property
    def packets(self) -> tuple[Packet, ...]:
        """The packets that matter."""
        return self.stream.kept


def read(data: bytes) -> Replay | Refusal:
    """Return what a replay file holds; damage after the players' names gives what came before
    it, and its place.

    Refused, each with the byte (`at`, in the file or its inflated `part`): `replay_too_large`,
    `replay_short`, `replay_not_a_replay`, `replay_version`, `replay_ratio`, `replay_packing`,
    `replay_count`.
    """
    if len(data) > container.MOST_FILE:
        return Fault("too_large", container.MOST_FILE, len(data), container.MOST_FILE).refusal()
    try:
        head = container.header(data)
        body = container.body(data, head)
    except Fault as fault:
        return fault.refusal(FILE)
    try:
        if head.kind == "yrpX":
            return _packets(head, body)
        held = script(body.data, head, body.fault, FILE if body.fault is not None else BODY)
    except Fault as fault:
        if body.fault is not None:  # the body ends early because the packing does
            return body.fault.refusal(FILE)
        return fault.refusal(BODY)
    damage = (held.damage,) if held.damage is not None else ()
    return Replay(head, held.players, held.flags, held, Stream(), damage, body.rest)


def _packets(head: Header, body: container.Body) -> Replay:
    cursor = Cursor(body.data)
    players = names(cursor, head)
    flags = cursor.number(U64 if head.flags & WIDE_FLAGS else U32)
    cut = stream(body.data, cursor.at, body.fault)
    damage = [cut.damage] if cut.damage is not None else []
    held = None
    if cut.embedded is not None:
        try:
            held = embedded(cut.embedded.data)
        except Fault as fault:
            damage.append(fault.damage(EMBEDDED))
        if held is not None and held.damage is not None:
            damage.append(held.damage)
    return Replay(head, players, flags, held, cut, tuple(damage), body.rest)
