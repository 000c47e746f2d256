"""The messages of the engine: number, name and payload layout, as data.

A layout is a list of (field name, kind). Kinds: `u8 u16 u32 u64` (little-endian), `flag` (u8
as bool), `hex` (u32 length, bytes), a nested layout, `Maybe(layout)` (None when its location is
0), `Many(count, item)` (a count, then that many items). An item of `Many` is a kind or a layout.
Field names are those of the recordings; of the messages marked UNSEEN no recording is at hand,
their names are ours and their layouts those of the packet stream (formats.md, section 10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Maybe:
    """A nested place that is None when its location is 0."""

    layout: Layout


@dataclass(frozen=True, slots=True)
class Many:
    """A count of kind `count`, then items: a kind, or a layout whose fields make a mapping."""

    count: str
    item: str | Layout


Kind: TypeAlias = "str | Layout | Maybe | Many"
Layout: TypeAlias = "tuple[tuple[str, Kind], ...]"

PLACE: Layout = (("controller", "u8"), ("location", "u8"), ("sequence", "u32"))
LOC: Layout = (*PLACE, ("position", "u32"))
CODE_LOC: Layout = (("code", "u32"), *LOC)
CODE_PLACE: Layout = (("code", "u32"), *PLACE)
SMALL_PLACE: Layout = (("controller", "u8"), ("location", "u8"), ("sequence", "u8"))
EFFECT: Layout = (("description", "u64"), ("client_mode", "u8"))
FIGHTER: Layout = (*LOC, ("atk", "u32"), ("def", "u32"), ("destroyed", "flag"))
PLAYER: Layout = (("player", "u8"),)
LINK: Layout = (("chain_link", "u8"),)
AMOUNT: Layout = (*PLAYER, ("amount", "u32"))
CODES: Layout = (*PLAYER, ("codes", Many("u32", "u32")))
CARDS: Layout = (*PLAYER, ("cards", Many("u32", CODE_PLACE)))
PAIR: Layout = (("card", LOC), ("target", LOC))
SORTED: Layout = (("code", "u32"), ("controller", "u8"), ("location", "u32"), ("sequence", "u32"))
COUNTERS: Layout = (("counter_type", "u16"), *SMALL_PLACE, ("count", "u16"))
SUMMAND: Layout = (*CODE_LOC, ("amount", "u32"))
CHOICE: Layout = (*PLAYER, ("can_cancel", "flag"), ("min", "u32"), ("max", "u32"))
SPACES: Layout = (*PLAYER, ("count", "u8"), ("field_mask", "u32"))

MESSAGES: dict[int, tuple[str, Layout]] = {
    5: ("WIN", (*PLAYER, ("reason", "u8"))),
    2: ("HINT", (("hint_type", "u8"), *PLAYER, ("value", "u64"))),
    10: (
        "SELECT_BATTLECMD",
        (
            *PLAYER,
            ("activates", Many("u32", (*CODE_PLACE, *EFFECT))),
            ("attacks", Many("u32", (("code", "u32"), *SMALL_PLACE, ("can_direct", "flag")))),
            ("to_m2", "flag"),
            ("to_ep", "flag"),
        ),
    ),
    11: (
        "SELECT_IDLECMD",
        (
            *PLAYER,
            ("summons", Many("u32", CODE_PLACE)),
            ("special_summons", Many("u32", CODE_PLACE)),
            ("pos_changes", Many("u32", (("code", "u32"), *SMALL_PLACE))),
            ("monster_sets", Many("u32", CODE_PLACE)),
            ("spell_sets", Many("u32", CODE_PLACE)),
            ("activates", Many("u32", (*CODE_PLACE, *EFFECT))),
            ("to_bp", "flag"),
            ("to_ep", "flag"),
            ("shuffle", "flag"),
        ),
    ),
    12: ("SELECT_EFFECTYN", (*PLAYER, *CODE_LOC, ("description", "u64"))),
    13: ("SELECT_YESNO", (*PLAYER, ("description", "u64"))),
    14: ("SELECT_OPTION", (*PLAYER, ("options", Many("u8", "u64")))),
    15: ("SELECT_CARD", (*CHOICE, ("cards", Many("u32", CODE_LOC)))),
    16: (
        "SELECT_CHAIN",
        (
            *PLAYER,
            ("spe_count", "u8"),
            ("forced", "flag"),
            ("hint_timing", "u32"),
            ("hint_timing_other", "u32"),
            ("chains", Many("u32", (*CODE_LOC, *EFFECT))),
        ),
    ),
    18: ("SELECT_PLACE", SPACES),
    19: ("SELECT_POSITION", (*PLAYER, ("code", "u32"), ("positions", "u8"))),
    20: (
        "SELECT_TRIBUTE",
        (*CHOICE, ("cards", Many("u32", (*CODE_PLACE, ("release_param", "u8"))))),
    ),
    23: (
        "SELECT_SUM",
        (
            *PLAYER,
            ("select_max", "u8"),
            ("sum", "u32"),
            ("min", "u32"),
            ("max", "u32"),
            ("must", Many("u32", SUMMAND)),
            ("cards", Many("u32", SUMMAND)),
        ),
    ),
    25: ("SORT_CARD", (*PLAYER, ("cards", Many("u32", SORTED)))),
    26: (
        "SELECT_UNSELECT_CARD",
        (
            *PLAYER,
            ("can_finish", "flag"),
            ("can_cancel", "flag"),
            ("min", "u32"),
            ("max", "u32"),
            ("select_cards", Many("u32", CODE_LOC)),
            ("unselect_cards", Many("u32", CODE_LOC)),
        ),
    ),
    30: ("CONFIRM_DECKTOP", CARDS),
    31: ("CONFIRM_CARDS", CARDS),
    32: ("SHUFFLE_DECK", PLAYER),
    33: ("SHUFFLE_HAND", CODES),
    35: ("SWAP_GRAVE_DECK", (*PLAYER, ("deck_size", "u32"), ("bitmap", "hex"))),
    36: (
        "SHUFFLE_SET_CARD",
        # one count for two lists: see `decode`
        (("location", "u8"), ("from", Many("u8", LOC)), ("to", Many("same", LOC))),
    ),
    37: ("REVERSE_DECK", ()),
    38: ("DECK_TOP", (*PLAYER, ("index", "u32"), ("code", "u32"), ("position", "u32"))),
    40: ("NEW_TURN", PLAYER),
    41: ("NEW_PHASE", (("phase", "u16"),)),
    50: ("MOVE", (("code", "u32"), ("from", LOC), ("to", LOC), ("reason", "u32"))),
    53: (
        "POS_CHANGE",
        (("code", "u32"), *SMALL_PLACE, ("prev_position", "u8"), ("position", "u8")),
    ),
    54: ("SET", CODE_LOC),
    55: ("SWAP", (("card1", CODE_LOC), ("card2", CODE_LOC))),
    56: ("FIELD_DISABLED", (("field_mask", "u32"),)),
    60: ("SUMMONING", CODE_LOC),
    61: ("SUMMONED", ()),
    62: ("SPSUMMONING", CODE_LOC),
    63: ("SPSUMMONED", ()),
    64: ("FLIPSUMMONING", CODE_LOC),
    65: ("FLIPSUMMONED", ()),
    70: (
        "CHAINING",
        (
            *CODE_LOC,
            ("triggering_controller", "u8"),
            ("triggering_location", "u8"),
            ("triggering_sequence", "u32"),
            ("description", "u64"),
            ("chain_link", "u32"),
        ),
    ),
    71: ("CHAINED", LINK),
    72: ("CHAIN_SOLVING", LINK),
    73: ("CHAIN_SOLVED", LINK),
    74: ("CHAIN_END", ()),
    75: ("CHAIN_NEGATED", LINK),
    76: ("CHAIN_DISABLED", LINK),
    80: ("CARD_SELECTED", (("cards", Many("u32", LOC)),)),
    81: ("RANDOM_SELECTED", (*PLAYER, ("cards", Many("u32", LOC)))),
    83: ("BECOME_TARGET", (("cards", Many("u32", LOC)),)),
    90: ("DRAW", (*PLAYER, ("cards", Many("u32", (("code", "u32"), ("position", "u32")))))),
    91: ("DAMAGE", AMOUNT),
    92: ("RECOVER", AMOUNT),
    93: ("EQUIP", PAIR),
    94: ("LPUPDATE", (*PLAYER, ("lp", "u32"))),
    96: ("CARD_TARGET", PAIR),
    97: ("CANCEL_TARGET", PAIR),
    100: ("PAY_LPCOST", AMOUNT),
    101: ("ADD_COUNTER", COUNTERS),
    102: ("REMOVE_COUNTER", COUNTERS),
    110: ("ATTACK", (("card", LOC), ("target", Maybe(LOC)))),
    111: ("BATTLE", (("card", FIGHTER), ("target", Maybe(FIGHTER)))),
    112: ("ATTACK_DISABLED", ()),
    113: ("DAMAGE_STEP_START", ()),
    114: ("DAMAGE_STEP_END", ()),
    120: ("MISSED_EFFECT", (*LOC, ("code", "u32"))),
    130: ("TOSS_COIN", (*PLAYER, ("results", Many("u8", "u8")))),
    131: ("TOSS_DICE", (*PLAYER, ("results", Many("u8", "u8")))),
    140: ("ANNOUNCE_RACE", (*PLAYER, ("count", "u8"), ("available", "u64"))),
    141: ("ANNOUNCE_ATTRIB", (*PLAYER, ("count", "u8"), ("available", "u32"))),
    142: ("ANNOUNCE_CARD", (*PLAYER, ("opcodes", Many("u8", "u64")))),
    143: ("ANNOUNCE_NUMBER", (*PLAYER, ("options", Many("u8", "u64")))),
    160: ("CARD_HINT", (*LOC, ("card_hint", "u8"), ("value", "u64"))),
    165: ("PLAYER_HINT", (*PLAYER, ("player_hint", "u8"), ("value", "u64"))),
}
UNSEEN: dict[int, tuple[str, Layout]] = {
    1: ("RETRY", ()),
    3: ("WAITING", ()),
    21: ("SORT_CHAIN", (*PLAYER, ("cards", Many("u32", SORTED)))),
    22: (
        "SELECT_COUNTER",
        (
            *PLAYER,
            ("counter_type", "u16"),
            ("count", "u16"),
            ("cards", Many("u32", (("code", "u32"), *SMALL_PLACE, ("count", "u16")))),
        ),
    ),
    24: ("SELECT_DISFIELD", SPACES),
    34: ("REFRESH_DECK", PLAYER),
    39: ("SHUFFLE_EXTRA", CODES),
    42: ("CONFIRM_EXTRATOP", CARDS),
    95: ("UNEQUIP", LOC),
    132: ("ROCK_PAPER_SCISSORS", PLAYER),
    133: ("HAND_RES", (("result", "u8"),)),
    161: (
        "TAG_SWAP",
        (
            *PLAYER,
            ("deck", "u32"),
            ("extra", "u32"),
            ("extra_face_up", "u32"),
            ("hand", "u32"),
            ("top", "u32"),
        ),
    ),
    170: ("MATCH_KILL", (("code", "u32"),)),
    190: ("REMOVE_CARDS", (("cards", Many("u32", LOC)),)),
}
NAMES: dict[int, str] = {number: name for number, (name, _) in (MESSAGES | UNSEEN).items()}
LENGTH_OPEN = frozenset({"TAG_SWAP"})
"""Messages whose payload goes on after the fields read here."""
