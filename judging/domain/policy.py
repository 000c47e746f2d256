"""A policy pack: the numbers and lists by which an event is judged, checked when read.

No penalty and no second stands in code. `parse` takes the plain values of a pack file and
returns either the pack or every fault found, each with its path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from judging.domain.words import RESULT_CHANGING, TARGETS, Moment, Penalty, Remedy, Target

CODE = re.compile(r"[A-Z]{1,4}(-[A-Z]+)+")
STARTS = ("claimed", "at_table")
HEAD_JUDGE = "head_judge"
PRESETS = 10
FORGOTTEN_AFTER_S = 600


@dataclass(frozen=True, slots=True)
class Infraction:
    """One infraction of a pack: its base penalty and the kinds that count as a repeat."""

    code: str
    label: Mapping[str, str]
    base: Penalty
    kinds: tuple[str, ...]
    remedies: tuple[Remedy, ...]


@dataclass(frozen=True, slots=True)
class TimePolicy:
    """How the length of a call becomes a time extension. All values are whole seconds.

    Source: design of the extension, J2. `from_event` is `claimed` or `at_table`; `round_up_s`
    is the step to which the extension is rounded up. A call that is open longer than
    `forgotten_after_s` states its real length before it gives one (10 minutes where a pack does
    not say).
    """

    grace_s: int
    from_event: str
    slow_play_min_s: int
    deck_check_bonus_s: int
    round_up_s: int
    in_eom: bool
    with_game_loss: bool
    forgotten_after_s: int = FORGOTTEN_AFTER_S


@dataclass(frozen=True, slots=True)
class Pack:
    """A policy pack in one version. `confirm` lists the paths that the organiser must check;
    `presets` what a judge needs most (`CODE/kind`), in the order in which a page offers it;
    `photos` whether staff may take photos at tables (a pack that says nothing allows them)."""

    pack: str
    version: str
    title: Mapping[str, str]
    confirmed_by: str | None
    confirm: tuple[str, ...]
    ladder: tuple[Penalty, ...]
    infractions: Mapping[str, Infraction]
    never_upgraded: frozenset[str]
    downgrade_reasons: tuple[str, ...]
    approval: frozenset[Penalty]
    approval_except: frozenset[str]
    time: TimePolicy
    staff_only: frozenset[Penalty]
    game_loss_targets: Mapping[Moment, Target]
    presets: tuple[str, ...] = ()
    photos: bool = True

    @property
    def ref(self) -> str:
        """Id and version in one word, as an event keeps it: `house-rules@1`."""
        return f"{self.pack}@{self.version}"

    def needs_approval(self, penalty: Penalty, infraction: str | None) -> bool:
        """Say whether a penalty waits for the head judge before it comes into force."""
        return penalty in self.approval and infraction not in self.approval_except

    def usual_target(self, penalty: Penalty, moment: Moment) -> Target:
        """Return the target of a penalty when the judge names none."""
        if penalty is Penalty.GAME_LOSS:
            return self.game_loss_targets[moment]
        return TARGETS[penalty][0]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a pack file: where it stands, what was found, what is allowed."""

    path: str
    found: Any
    allowed: Any


class _Reader:
    """Takes typed values out of plain ones and collects the faults."""

    def __init__(self, values: Mapping[str, Any], path: str, faults: list[Fault]) -> None:
        self.values, self.path, self.faults = values, path, faults

    def _fault(self, key: str, found: Any, allowed: Any) -> None:
        self.faults.append(Fault(f"{self.path}{key}", found, allowed))

    def only(self, *keys: str) -> None:
        """Refuse keys that mean nothing: a misspelt switch must not pass unseen."""
        for key in self.values:
            if key not in keys:
                self._fault(key, key, list(keys))

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if isinstance(value, str) and value.strip():
            return value
        self._fault(key, value, "text")
        return ""

    def seconds(self, key: str) -> int:
        value = self.values.get(key)
        if type(value) is int and 0 <= value <= 86_400:
            return value
        self._fault(key, value, "whole seconds, 0 to 86400")
        return 0

    def flag(self, key: str) -> bool:
        value = self.values.get(key)
        if isinstance(value, bool):
            return value
        self._fault(key, value, [True, False])
        return False

    def one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.values.get(key)
        if isinstance(value, str) and value in allowed:
            return value
        self._fault(key, value, list(allowed))
        return allowed[0]

    def many_of(self, key: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
        value = self.values.get(key)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            strange = [one for one in value if one not in allowed]
            if not strange and len(set(value)) == len(value):
                return tuple(value)
            self._fault(key, strange or value, list(allowed))
            return ()
        self._fault(key, value, list(allowed))
        return ()

    def names(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key)
        if isinstance(value, list) and all(isinstance(one, str) and one for one in value):
            return tuple(value)
        self._fault(key, value, "list of names")
        return ()

    def words(self, key: str) -> Mapping[str, str]:
        value = self.values.get(key)
        if (
            isinstance(value, dict)
            and value.get("en")
            and all(isinstance(one, str) for one in value.values())
        ):
            return dict(value)
        self._fault(key, value, "words by language, English at least")
        return {"en": ""}

    def part(self, key: str) -> _Reader:
        value = self.values.get(key)
        if isinstance(value, dict):
            return _Reader(value, f"{self.path}{key}.", self.faults)
        self._fault(key, value, "table")
        return _Reader({}, f"{self.path}{key}.", self.faults)


def _infractions(reader: _Reader, ladder: tuple[str, ...]) -> dict[str, Infraction]:
    found: dict[str, Infraction] = {}
    for code in reader.values:
        if not CODE.fullmatch(code):
            reader.faults.append(Fault(f"{reader.path}{code}", code, CODE.pattern))
            continue
        part = reader.part(code)
        part.only("label", "base", "kinds", "remedies")
        found[code] = Infraction(
            code=code,
            label=part.words("label"),
            base=Penalty(part.one_of("base", ladder)),
            kinds=part.names("kinds"),
            remedies=tuple(Remedy(one) for one in part.many_of("remedies", tuple(Remedy))),
        )
    return found


def parse(values: Mapping[str, Any]) -> Pack | list[Fault]:
    """Read the plain values of a pack file; return the pack, or every fault in it."""
    faults: list[Fault] = []
    top = _Reader(values, "", faults)
    top.only(
        "pack", "version", "title", "source", "confirmed_by", "confirm", "ladder", "infractions",
        "upgrade", "downgrade", "approval", "time", "recorded", "targets",
        "presets", "photos",
    )  # fmt: skip
    ladder = top.many_of("ladder", tuple(Penalty))
    if list(ladder) != [rung for rung in Penalty if rung in ladder] or not ladder:
        faults.append(Fault("ladder", list(ladder), list(Penalty)))
        ladder = tuple(Penalty)
    infractions = _infractions(top.part("infractions"), ladder)
    codes = tuple(infractions)
    upgrade, downgrade = top.part("upgrade"), top.part("downgrade")
    upgrade.only("by", "scope", "key", "steps", "never")
    upgrade.one_of("by", (HEAD_JUDGE,))
    upgrade.one_of("scope", ("event",))
    upgrade.one_of("key", ("kind", "infraction"))
    upgrade.one_of("steps", ("next_rung",))
    downgrade.only("by", "reasons")
    downgrade.one_of("by", (HEAD_JUDGE,))
    approval = top.part("approval")
    approval.only("penalties", "by", "except")
    approval.one_of("by", (HEAD_JUDGE,))
    time = top.part("time")
    time.only(
        "grace_s", "extension_from", "slow_play_min_s", "deck_check_bonus_s", "round_up_s",
        "in_eom", "with_game_loss", "forgotten_after_s",
    )  # fmt: skip
    recorded, targets = top.part("recorded"), top.part("targets")
    recorded.only("staff_only")
    targets.only(*Moment)
    game_loss = tuple(TARGETS[Penalty.GAME_LOSS])
    confirmed_by = values.get("confirmed_by")
    if confirmed_by is not None and not isinstance(confirmed_by, str):
        faults.append(Fault("confirmed_by", confirmed_by, "text"))
    source = top.part("source")
    source.only("title")
    source.text("title")
    pack = Pack(
        pack=top.text("pack"),
        version=top.text("version"),
        title=top.words("title"),
        confirmed_by=confirmed_by if isinstance(confirmed_by, str) else None,
        confirm=top.names("confirm"),
        ladder=tuple(Penalty(rung) for rung in ladder),
        infractions=infractions,
        never_upgraded=frozenset(upgrade.many_of("never", codes)),
        downgrade_reasons=downgrade.names("reasons"),
        approval=frozenset(
            Penalty(one)
            for one in approval.many_of(
                "penalties", tuple(rung for rung in ladder if Penalty(rung) in RESULT_CHANGING)
            )
        ),
        approval_except=frozenset(approval.many_of("except", codes)),
        time=TimePolicy(
            grace_s=time.seconds("grace_s"),
            from_event=time.one_of("extension_from", STARTS),
            slow_play_min_s=time.seconds("slow_play_min_s"),
            deck_check_bonus_s=time.seconds("deck_check_bonus_s"),
            round_up_s=max(1, time.seconds("round_up_s")),
            in_eom=time.flag("in_eom"),
            with_game_loss=time.flag("with_game_loss"),
            forgotten_after_s=(
                time.seconds("forgotten_after_s")
                if "forgotten_after_s" in time.values
                else FORGOTTEN_AFTER_S
            ),
        ),
        staff_only=frozenset(Penalty(one) for one in recorded.many_of("staff_only", ladder)),
        game_loss_targets={moment: Target(targets.one_of(moment, game_loss)) for moment in Moment},
        photos=top.flag("photos") if "photos" in values else True,
    )
    presets = values.get("presets", [])
    every = [f"{code}/{kind}" for code, one in infractions.items() for kind in one.kinds]
    if not isinstance(presets, list) or [one for one in presets if one not in every]:
        faults.append(Fault("presets", presets, every))
        presets = []
    pack = replace(pack, presets=tuple(presets) or tuple(every[:PRESETS]))
    for path in pack.confirm:
        if not _holds(values, path):
            faults.append(Fault("confirm", path, "path of a value in this pack"))
    return faults or pack


def _holds(values: Mapping[str, Any], path: str) -> bool:
    here: Any = values
    for key in path.split("."):
        if not isinstance(here, dict) or key not in here:
            return False
        here = here[key]
    return True
