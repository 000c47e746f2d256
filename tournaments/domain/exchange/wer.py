"""`.wer` files of the older Wizards reporter, read only.

Rounds are read from `matches` alone: `pods` repeats their elements. Standings are not inside.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from tournaments.domain.exchange.sheet import (
    CUT_STAGE,
    DROP,
    MOST_MATCHES,
    MOST_PLAYERS,
    MOST_ROUNDS,
    SINGLE,
    SWISS_STAGE,
    TEAM,
    WER,
    Finding,
    Sheet,
    SheetBye,
    SheetMatch,
    SheetPlayer,
    Unreadable,
)
from tournaments.domain.exchange.xml import clean, parse, whole

SYSTEM = "owm-gw-ogw@1"
WON, DRAWN, BYE = "1", "2", "3"
DROPPED = "3"


def read(data: bytes) -> Sheet:
    """Read a `.wer` file. Raises Unreadable."""
    root = parse(data, "event")
    findings: list[Finding] = []
    names: dict[str, str] = {}
    for one in root.findall("participation/person"):
        person = clean(one.get("id"))
        if person:
            name = " ".join(clean(one.get(part)) for part in ("first", "middle", "last"))
            names[person] = " ".join(name.split()) or person
    if len(names) > MOST_PLAYERS:
        raise Unreadable(
            "tournaments.file_too_many", found=len(names), allowed=MOST_PLAYERS, place="players"
        )
    cut_from = whole(root.get("playoffstartround") or "0", "playoffstartround", 0, MOST_ROUNDS)
    matches, byes, teams = _matches(root, cut_from, findings)
    playing: dict[str, None] = {}
    for match in matches:
        playing |= {match.p1: None, match.p2: None}
    playing |= {bye.player: None for bye in byes}
    left = _left(root)
    unlisted = [one for one in playing if one not in names]
    findings += [
        Finding("player_not_listed", {"place": "matches", "player": one}) for one in unlisted
    ]
    idle = sum(one not in playing for one in names)
    if idle and playing:
        findings.append(Finding("persons_not_playing", {"found": idle}))
    listed = [one for one in names if one in playing or not playing] + unlisted
    players = tuple(
        SheetPlayer(
            one,
            names.get(one, one),
            dropped_after=left.get(one),
            reason=DROP if one in left else "",
        )
        for one in listed
    )
    return Sheet(
        WER,
        SYSTEM,
        clean(root.get("title")),
        players,
        tuple(matches),
        tuple(byes),
        clean(root.get("sanctionnumber")),
        clean(root.get("startdate"))[:10],
        max([one.round for one in matches] + [one.round for one in byes], default=0),
        cut_from,
        kind=TEAM if teams else SINGLE,
        findings=tuple(findings),
    )


def _matches(
    root: Element, cut_from: int, findings: list[Finding]
) -> tuple[list[SheetMatch], list[SheetBye], bool]:
    matches: list[SheetMatch] = []
    byes: list[SheetBye] = []
    teams = False
    for made in root.findall("matches/round"):
        number = whole(made.get("number"), "round number", 1, MOST_ROUNDS)
        teams = teams or made.get("teamformat") == "true"
        for table, one in enumerate(made.findall("match"), 1):
            place = f"round {number} match {table}"
            if len(matches) >= MOST_MATCHES:
                raise Unreadable(
                    "tournaments.file_too_many",
                    found=len(matches),
                    allowed=MOST_MATCHES,
                    place="matches",
                )
            person, opponent = clean(one.get("person")), clean(one.get("opponent"))
            outcome = one.get("outcome")
            score = tuple(
                whole(one.get(name) or "0", f"{place} {name}", 0, 99)
                for name in ("win", "loss", "draw")
            )
            if not person or person == opponent:
                findings.append(Finding("match_of_nobody", {"place": place}))
                continue
            if outcome == BYE or not opponent:
                byes.append(SheetBye(number, person, True, table))
                continue
            winner = {WON: "P1", DRAWN: "draw"}.get(outcome or "")
            if winner is None:
                findings.append(Finding("status_unknown", {"place": place, "found": outcome or ""}))
            cut = bool(cut_from) and number >= cut_from
            matches.append(
                SheetMatch(
                    number,
                    table,
                    person,
                    opponent,
                    winner,
                    (score[0], score[1], score[2]),
                    CUT_STAGE if cut else SWISS_STAGE,
                )
            )
    return matches, byes, teams


def _left(root: Element) -> dict[str, int]:
    """Return the last round of everybody who dropped."""
    left: dict[str, int] = {}
    for team in root.findall("participation/team"):
        if team.get("status") == DROPPED:
            after = whole(team.get("eliminationround") or "0", "eliminationround", 0, MOST_ROUNDS)
            for member in team.findall("member"):
                left[clean(member.get("person"))] = after
    return left
