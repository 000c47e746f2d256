"""The file of a policy pack: read, and checked with every fault at once.

`FIELDS` describes every single value of a pack by its path; pages edit a pack by the same list.
Lists that hang together (the ladder, infractions, presets, steps of an upgrade) are read apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from judging.domain.policy import (
    FORGOTTEN_AFTER_S,
    Devices,
    Infraction,
    Pack,
    Packet,
    RewindPolicy,
    Slip,
    Tardiness,
    TimePolicy,
    Upgrade,
)
from judging.domain.words import RESULT_CHANGING, TARGETS, Moment, Penalty, Remedy, Target

CODE = re.compile(r"[A-Z]{1,4}(-[A-Z]+)+")
KIND = re.compile(r"[a-z][a-z0-9_]{0,39}")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]{2,8})?")
NAME = re.compile(r"[a-z0-9-]{1,30}")
VERSION = re.compile(r"[a-z0-9.-]{1,9}")
HEAD_JUDGE = "head_judge"
PRESETS = 10
MOST_S, MOST_H, MOST_DAYS = 86_400, 8_760, 366
MOST_INFRACTIONS, MOST_KINDS, MOST_WORDS, MOST_MARKS = 80, 40, 200, 100
FACTS = (
    "lp", "shields", "hand_count", "deck_count", "extra_deck_count", "mana", "graveyard",
    "banished_face_up", "notes", "acts_this_turn",
)  # fmt: skip
"""Facts that a pack may oblige a player to tell."""
PARTIAL_FIXES = (
    "missed_draw", "missed_lp_change", "wrong_zone", "wrong_position", "order_of_zone",
    "missed_mandatory_effect",
)  # fmt: skip
"""The closed list of partial repairs that a pack may allow."""
WHO = ("head_judge", "assistant_head_judge", "organiser")


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a pack: its path, its kind (seconds, hours, days, flag, choice, choices, names)
    and, for choices, what is allowed. `usual` is taken where a pack does not say."""

    path: str
    kind: str
    allowed: tuple[str, ...] = ()
    usual: Any = None


FIELDS: tuple[Field, ...] = (
    Field("upgrade.by", "choice", (HEAD_JUDGE,)),
    Field("upgrade.scope", "choice", ("event",)),
    Field("upgrade.key", "choice", ("kind", "infraction")),
    Field("upgrade.with_others", "flag", usual=False),
    Field("downgrade.by", "choice", (HEAD_JUDGE,)),
    Field("downgrade.reasons", "choices", ("beyond_control", "no_effect_left", "self_reported")),
    Field("approval.by", "choice", (HEAD_JUDGE,)),
    Field("time.grace_s", "seconds"),
    Field("time.extension_from", "choice", ("claimed", "at_table")),
    Field("time.slow_play_min_s", "seconds"),
    Field("time.deck_check_bonus_s", "seconds"),
    Field("time.round_up_s", "seconds"),
    Field("time.in_eom", "flag"),
    Field("time.with_game_loss", "flag"),
    Field("time.forgotten_after_s", "seconds", usual=FORGOTTEN_AFTER_S),
    Field("time.side_decking_s", "seconds"),
    Field("tardiness.game_loss_after_s", "seconds"),
    Field("tardiness.match_loss_after_s", "seconds"),
    Field("tardiness.drops_out", "flag"),
    Field("slip.late_after_s", "seconds"),
    Field("appeal.after", "choice", ("ruled",)),
    Field("appeal.until", "choice", ("accepted",)),
    Field("appeal.final_by", "choices", WHO[:2]),
    Field("rewind.by", "choices", WHO[:2]),
    Field("rewind.info_gain", "choice", ("ignore", "advise_against", "forbid")),
    Field("rewind.partial_fixes", "choices", PARTIAL_FIXES),
    Field("devices.in_match", "choice", ("allowed", "calculator", "forbidden")),
    Field("devices.lp_pad", "flag"),
    Field("devices.lp_record", "choice", ("free", "paper_both", "each_change_both", "none")),
    Field("devices.recording", "flag"),
    Field("photos.allowed", "flag"),
    Field("reveal.shown_to_players", "flag"),
    Field("disputes.window_hours", "hours"),
    Field("packet.deadline_days", "days"),
    Field("packet.statements", "choice", ("all_involved", "both_players", "none")),
    Field("packet.collected_by", "choice", WHO),
    Field("packet.sent_by", "choice", WHO),
    Field("knowledge.must_answer", "choices", FACTS),
    Field("staff.may_play", "flag"),
    Field("start.after_penalty", "choice", ("as_usual", "penalised", "opponent", "random")),
)
"""Every value of a pack that stands by itself."""
OF_THE_PACK: Mapping[str, str] = {
    "approval.penalties": "result changing rungs",
    "approval.except": "infractions",
    "upgrade.never": "infractions",
    "upgrade.prize_never": "infractions",
    "statements.required_for": "infractions",
    "recorded.staff_only": "rungs",
}
"""Lists whose words are those of the pack itself: rungs of its ladder, or its infractions."""
SECTIONS: Mapping[str, tuple[str, ...]] = {
    section: tuple(
        dict.fromkeys(
            [
                *(one.path for one in FIELDS if one.path.startswith(f"{section}.")),
                *(path for path in OF_THE_PACK if path.startswith(f"{section}.")),
            ]
        )
    )
    for section in dict.fromkeys(
        path.partition(".")[0] for path in [*(one.path for one in FIELDS), *OF_THE_PACK]
    )
}
"""The paths of each section, in order."""
_APART = {
    "upgrade": ("steps",),
    "slip": ("infraction", "kind", "target"),
    "targets": (*Moment, "match_loss"),
    "source": ("title", "url"),
}
TOP = (
    "pack", "version", "title", "source", "effective", "confirmed_by", "confirm", "ladder",
    "infractions", "presets", "targets", *SECTIONS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a pack file: where it stands, what was found, what is allowed."""

    path: str
    found: Any
    allowed: Any


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path of plain values, None where there is none."""
    here: Any = values
    for key in path.split("."):
        if not isinstance(here, dict) or key not in here:
            return None
        here = here[key]
    return here


class _Reader:
    """Takes typed values out of plain ones by path, and collects the faults."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.faults: list[Fault] = []

    def fault(self, path: str, found: Any, allowed: Any) -> None:
        self.faults.append(Fault(path, found, allowed))

    def only(self, path: str, keys: Sequence[str]) -> None:
        """Refuse keys that mean nothing: a misspelt switch must not pass unseen."""
        here = value_at(self.values, path) if path else self.values
        if not isinstance(here, dict):
            self.fault(path, here, "table")
            return
        for key in here:
            if key not in keys:
                self.fault(f"{path}.{key}".lstrip("."), key, list(keys))

    def text(self, path: str, pattern: re.Pattern[str] | None = None) -> str:
        value = value_at(self.values, path)
        right = isinstance(value, str) and value.strip() and len(value) <= MOST_WORDS
        if right and (pattern is None or pattern.fullmatch(value)):
            return str(value)
        self.fault(path, value, pattern.pattern if pattern else "text")
        return ""

    def day(self, path: str) -> str:
        value = value_at(self.values, path)
        if value is None or value == "":
            return ""
        try:
            return date.fromisoformat(value).isoformat()
        except (TypeError, ValueError):
            self.fault(path, value, "date, YYYY-MM-DD")
            return ""

    def whole(self, path: str, most: int, unit: str) -> int:
        value = value_at(self.values, path)
        if type(value) is int and 0 <= value <= most:
            return value
        self.fault(path, value, f"whole {unit}, 0 to {most}")
        return 0

    def flag(self, path: str) -> bool:
        value = value_at(self.values, path)
        if isinstance(value, bool):
            return value
        self.fault(path, value, [True, False])
        return False

    def one_of(self, path: str, allowed: Sequence[str]) -> str:
        value = value_at(self.values, path)
        if isinstance(value, str) and value in allowed:
            return value
        self.fault(path, value, list(allowed))
        return allowed[0] if allowed else ""

    def many_of(self, path: str, allowed: Sequence[str]) -> tuple[str, ...]:
        value = value_at(self.values, path)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            strange = [one for one in value if one not in allowed]
            if not strange and len(set(value)) == len(value):
                return tuple(value)
            self.fault(path, strange or value, list(allowed))
            return ()
        self.fault(path, value, list(allowed))
        return ()

    def names(
        self, path: str, pattern: re.Pattern[str] | None = None, most: int = MOST_KINDS
    ) -> tuple[str, ...]:
        value = value_at(self.values, path)
        if (
            isinstance(value, list)
            and len(value) <= most
            and all(isinstance(one, str) and one for one in value)
            and all(pattern is None or pattern.fullmatch(one) for one in value)
            and len(set(value)) == len(value)
        ):
            return tuple(value)
        self.fault(path, value, f"list of different names {pattern.pattern if pattern else ''}")
        return ()

    def words(self, path: str) -> Mapping[str, str]:
        value = value_at(self.values, path)
        if (
            isinstance(value, dict)
            and value.get("en")
            and all(isinstance(one, str) and len(one) <= MOST_WORDS for one in value.values())
            and all(LANGUAGE.fullmatch(key) for key in value)
        ):
            return dict(value)
        self.fault(path, value, "words by language, English at least")
        return {"en": ""}


def _field(reader: _Reader, one: Field) -> Any:
    if one.usual is not None and value_at(reader.values, one.path) is None:
        return one.usual
    read: dict[str, Callable[[], Any]] = {
        "seconds": lambda: reader.whole(one.path, MOST_S, "seconds"),
        "hours": lambda: reader.whole(one.path, MOST_H, "hours"),
        "days": lambda: reader.whole(one.path, MOST_DAYS, "days"),
        "flag": lambda: reader.flag(one.path),
        "choice": lambda: reader.one_of(one.path, one.allowed),
        "choices": lambda: reader.many_of(one.path, one.allowed),
    }
    return read[one.kind]()


def _infractions(reader: _Reader, ladder: tuple[Penalty, ...]) -> dict[str, Infraction]:
    found: dict[str, Infraction] = {}
    held = value_at(reader.values, "infractions")
    if not isinstance(held, dict) or not 0 < len(held) <= MOST_INFRACTIONS:
        reader.fault("infractions", held, f"table of 1 to {MOST_INFRACTIONS} infractions")
        return found
    for code in held:
        at = f"infractions.{code}"
        if not isinstance(code, str) or not CODE.fullmatch(code) or len(code) > 40:
            reader.fault(at, code, CODE.pattern)
            continue
        reader.only(at, ("label", "base", "kinds", "remedies", "game_state"))
        if not isinstance(held[code], dict):
            continue
        state = held[code].get("game_state")
        found[code] = Infraction(
            code=code,
            label=reader.words(f"{at}.label"),
            base=Penalty(reader.one_of(f"{at}.base", ladder)),
            kinds=reader.names(f"{at}.kinds", KIND),
            remedies=tuple(Remedy(one) for one in reader.many_of(f"{at}.remedies", tuple(Remedy))),
            game_state=""
            if state is None
            else reader.one_of(f"{at}.game_state", ("repairable", "irreparable")),
        )
    return found


def _ladder(reader: _Reader) -> tuple[Penalty, ...]:
    found = reader.many_of("ladder", tuple(Penalty))
    ladder = tuple(Penalty(rung) for rung in found)
    if list(ladder) != [rung for rung in Penalty if rung in ladder] or not ladder:
        reader.fault("ladder", list(found), list(Penalty))
        return tuple(Penalty)
    return ladder


def _steps(reader: _Reader, ladder: tuple[Penalty, ...]) -> Mapping[Penalty, tuple[Penalty, ...]]:
    """Read `upgrade.steps`: `next_rung`, or a table of rows such as
    `warning = ["warning", "warning", "game_loss"]`: first, second, third and every later time."""
    held = value_at(reader.values, "upgrade.steps")
    if held == "next_rung":
        return {}
    if not isinstance(held, dict) or not held:
        reader.fault("upgrade.steps", held, ["next_rung", "table of rows per base penalty"])
        return {}
    table: dict[Penalty, tuple[Penalty, ...]] = {}
    for base, row in held.items():
        at = f"upgrade.steps.{base}"
        right = isinstance(row, list) and 0 < len(row) <= 10 and base in ladder
        if not right or any(one not in ladder for one in row):
            reader.fault(at, row, [*ladder])
            continue
        rungs = tuple(Penalty(one) for one in row)
        order = [ladder.index(one) for one in rungs]
        if rungs[0] != base or order != sorted(order):
            reader.fault(at, row, f"begins with {base} and never falls")
            continue
        table[Penalty(base)] = rungs
    return table


def _slip(reader: _Reader, infractions: Mapping[str, Infraction], late_after_s: int) -> Slip:
    code = reader.one_of("slip.infraction", tuple(infractions))
    known = infractions.get(code)
    return Slip(
        late_after_s=late_after_s,
        infraction=code,
        kind=reader.one_of("slip.kind", known.kinds if known else ()),
        target=Target(
            reader.one_of("slip.target", TARGETS[known.base] if known else tuple(Target))
        ),
    )


def _targets(
    reader: _Reader, path: str, penalty: Penalty, usual: Mapping[Moment, Target]
) -> dict[Moment, Target]:
    """Read the usual targets of a loss per moment; `usual` are those a pack need not name."""
    return {
        moment: usual[moment]
        if moment in usual and value_at(reader.values, f"{path}.{moment}") is None
        else Target(reader.one_of(f"{path}.{moment}", TARGETS[penalty]))
        for moment in Moment
    }


GAME_USUAL = {Moment.AFTER_MATCH: Target.NEXT_MATCH_FIRST_GAME}
MATCH_USUAL = {
    Moment.BEFORE_MATCH: Target.THIS_MATCH,
    Moment.IN_GAME: Target.THIS_MATCH,
    Moment.BETWEEN_GAMES: Target.THIS_MATCH,
    Moment.AFTER_MATCH: Target.NEXT_MATCH,
}


def _presets(reader: _Reader, infractions: Mapping[str, Infraction]) -> tuple[str, ...]:
    every = [f"{code}/{kind}" for code, one in infractions.items() for kind in one.kinds]
    held = value_at(reader.values, "presets")
    if held is None:
        return tuple(every[:PRESETS])
    if not isinstance(held, list) or [one for one in held if one not in every]:
        reader.fault("presets", held, every)
        return ()
    return tuple(held) or tuple(every[:PRESETS])


def parse(values: Mapping[str, Any]) -> Pack | list[Fault]:
    """Read the plain values of a pack file; return the pack, or every fault in it."""
    reader = _Reader(values)
    reader.only("", TOP)
    for section in dict.fromkeys([*SECTIONS, *_APART]):
        known = [path.partition(".")[2] for path in SECTIONS.get(section, ())]
        reader.only(section, [*known, *_APART.get(section, ())])
    ladder = _ladder(reader)
    infractions = _infractions(reader, ladder)
    codes = tuple(infractions)
    value = {one.path: _field(reader, one) for one in FIELDS}
    confirmed_by = values.get("confirmed_by")
    if confirmed_by is not None and not isinstance(confirmed_by, str):
        reader.fault("confirmed_by", confirmed_by, "text")
    if isinstance(value_at(values, "targets.match_loss"), dict):
        reader.only("targets.match_loss", tuple(Moment))
    elif value_at(values, "targets.match_loss") is not None:
        reader.fault("targets.match_loss", value_at(values, "targets.match_loss"), "table")
    heavy = tuple(rung for rung in ladder if rung in RESULT_CHANGING)
    pack = Pack(
        pack=reader.text("pack", NAME),
        version=reader.text("version", VERSION),
        title=reader.words("title"),
        source=reader.text("source.title"),
        effective=reader.day("effective"),
        confirmed_by=confirmed_by if isinstance(confirmed_by, str) else None,
        confirm=_confirm(reader),
        ladder=ladder,
        infractions=infractions,
        upgrade=Upgrade(
            key=value["upgrade.key"],
            never=frozenset(reader.many_of("upgrade.never", codes)),
            table=_steps(reader, ladder),
            with_others=value["upgrade.with_others"],
            prize_never=frozenset(_if_there(reader, "upgrade.prize_never", codes)),
        ),
        downgrade_reasons=value["downgrade.reasons"],
        approval=frozenset(Penalty(one) for one in reader.many_of("approval.penalties", heavy)),
        approval_except=frozenset(reader.many_of("approval.except", codes)),
        time=TimePolicy(
            grace_s=value["time.grace_s"],
            from_event=value["time.extension_from"],
            slow_play_min_s=value["time.slow_play_min_s"],
            deck_check_bonus_s=value["time.deck_check_bonus_s"],
            round_up_s=max(1, value["time.round_up_s"]),
            in_eom=value["time.in_eom"],
            with_game_loss=value["time.with_game_loss"],
            forgotten_after_s=value["time.forgotten_after_s"],
            side_decking_s=value["time.side_decking_s"],
        ),
        tardiness=Tardiness(
            value["tardiness.game_loss_after_s"],
            value["tardiness.match_loss_after_s"],
            value["tardiness.drops_out"],
        ),
        slip=_slip(reader, infractions, value["slip.late_after_s"]) if infractions else _NO_SLIP,
        staff_only=frozenset(Penalty(one) for one in reader.many_of("recorded.staff_only", ladder)),
        targets=_targets(reader, "targets", Penalty.GAME_LOSS, GAME_USUAL),
        match_targets=_targets(reader, "targets.match_loss", Penalty.MATCH_LOSS, MATCH_USUAL),
        devices=Devices(
            value["devices.in_match"],
            value["devices.lp_pad"],
            value["devices.lp_record"],
            value["devices.recording"],
        ),
        rewind=RewindPolicy(
            value["rewind.by"], value["rewind.info_gain"], value["rewind.partial_fixes"]
        ),
        packet=Packet(
            value["packet.deadline_days"],
            value["packet.statements"],
            value["packet.collected_by"],
            value["packet.sent_by"],
        ),
        appeal_final_by=value["appeal.final_by"],
        must_answer=value["knowledge.must_answer"],
        photos_allowed=value["photos.allowed"],
        reveal_shown=value["reveal.shown_to_players"],
        dispute_window_h=value["disputes.window_hours"],
        statements_required=frozenset(reader.many_of("statements.required_for", codes)),
        staff_may_play=value["staff.may_play"],
        start_after_penalty=value["start.after_penalty"],
        presets=_presets(reader, infractions),
    )
    return reader.faults or pack


_NO_SLIP = Slip(0, "", "", Target.PERSON_NOTE)


def _if_there(reader: _Reader, path: str, allowed: Sequence[str]) -> tuple[str, ...]:
    """Read a list that a pack may leave out."""
    return () if value_at(reader.values, path) is None else reader.many_of(path, allowed)


def with_variants(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the plain values of every pack in one file: the pack itself, then each of its
    `variants`, which is the same pack with some values put in the place of others and the id
    `<pack>-<name of the variant>`. To be parsed each."""
    own = {key: one for key, one in values.items() if key != "variants"}
    held = values.get("variants")
    packs = [own]
    for name, other in held.items() if isinstance(held, dict) else ():
        laid = _laid_over(own, other if isinstance(other, dict) else {})
        packs.append({**laid, "pack": f"{own.get('pack')}-{name}"})
    return packs


def _laid_over(values: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    laid = dict(values)
    for key, one in others.items():
        both = isinstance(one, dict) and isinstance(laid.get(key), dict)
        laid[key] = _laid_over(laid[key], one) if both else one
    return laid


def _confirm(reader: _Reader) -> tuple[str, ...]:
    """Read the paths to be confirmed: each must be that of a value in this pack."""
    paths = reader.names("confirm", most=MOST_MARKS)
    for path in paths:
        if value_at(reader.values, path) is None:
            reader.fault("confirm", path, "path of a value in this pack")
    return paths
