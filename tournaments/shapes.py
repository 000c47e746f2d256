"""How the API writes what the selectors return: plain JSON, scores as [P1, P2, draws]."""

from __future__ import annotations

from typing import Any, cast

from decks.api import deck_json
from tournaments import answers as to
from tournaments.models import EventRow, RoundRow
from tournaments.selectors import (
    Bracket,
    Desk,
    EventHome,
    HandIn,
    MatchDetail,
    OpenList,
    PairingLine,
    RosterLine,
    RoundView,
    Side,
    StandingsView,
)


def some(one: Side) -> to.EntrantSide:
    """An entrant: ids, number, name, state."""
    return {
        "entrant_id": one.entrant_id,
        "number": one.number,
        "name": one.name,
        "status": one.status,
        "late": one.late,
        "seed": one.seed,
        "place": one.place,
        "points": one.points,
    }


def side(one: Side | None) -> to.EntrantSide | None:
    """An entrant, or nobody."""
    return None if one is None else some(one)


def event(row: EventRow) -> to.EventLine:
    """An event: its settings and state."""
    names = (
        "id name zone game preset match_rules standings pack decks_required deck_deadline rounds"
        " cut play_on banlist_id banlist_hash catalogue_hash preset_hash devices decklists"
        " decklists_at status round stage players created_at started_at ended_at"
    )
    return cast(to.EventLine, {name: getattr(row, name) for name in names.split()})


def home(one: EventHome) -> to.EventFull:
    """An event with its counts and what the viewer may do."""
    return {
        **event(one.row),
        "enrolled": one.enrolled,
        "checked_in": one.checked_in,
        "decks": one.decks,
        "open_tables": one.open_tables,
        "entrant_id": one.entrant_id,
        "may_run": one.may_run,
        "may_desk": one.may_desk,
    }


def roster_line(one: RosterLine) -> to.EntrantLine:
    """One line of the list of entrants."""
    return {
        **some(one.side),
        "dropped_after": one.dropped_after,
        "reason": one.reason,
        "deck_id": one.deck_id,
    }


def hand_in(one: HandIn) -> to.HandInLine:
    """An entrant and its list at the desk."""
    deck = one.deck
    return {
        **some(one.side),
        "deck_id": deck.deck_id if deck else None,
        "state": one.state,
        "version": deck.number if deck else 0,
        "source": deck.source if deck else None,
        "illegal": one.illegal,
        "late": one.late,
        "locked": deck.locked if deck else False,
        "photos": deck.photos if deck else 0,
        "handed_in_at": deck.handed_in_at if deck else None,
    }


def open_list(one: OpenList) -> to.OpenListFull:
    """A list that the caller may see."""
    return {
        **some(one.side),
        "version": one.number,
        "hash": one.deck_hash,
        "deck": cast(to.DeckCards, deck_json(one.deck)),
    }


def table(one: PairingLine) -> to.TableLine:
    """One table of a round."""
    return {
        "match_id": one.match_id,
        "table": one.table,
        "p1": some(one.p1),
        "p2": some(one.p2),
        "state": one.state,
        "winner": one.winner or None,
        "score": list(one.score),
        "reason": one.reason or None,
        "corrected": one.corrected,
        "extension_s": one.extension_s,
        "ends_at": one.ends_at,
    }


def round_line(row: RoundRow) -> to.RoundLine:
    """A round of the list."""
    return {
        "number": row.number,
        "stage": row.stage,
        "published": row.published,
        "revision": row.revision,
        "proven": row.proven,
    }


def round_view(one: RoundView) -> to.RoundFull:
    """A round with its tables and the proof of its pairing."""
    row = one.row
    proof: to.PairingProof | None = None
    if row.method:
        proof = {
            "rematches": row.rematches,
            "bye_count": row.bye_count,
            "bye_level": row.bye_level,
            "cost": row.cost,
            "lower_bound": row.lower_bound,
            "excess": row.excess,
            "method": row.method,
            "proven": row.proven,
        }
    return {
        "event_id": row.event_id,
        "number": row.number,
        "stage": row.stage,
        "published": row.published,
        "published_at": row.published_at or None,
        "seed": row.seed,
        "proof": proof,
        "reasons": dict(one.reasons),
        "tables": [table(line) for line in one.tables],
        "byes": [some(bye) for bye in one.byes],
        "late": [some(late) for late in one.late],
    }


def match(one: MatchDetail) -> to.MatchFull:
    """One match as its viewer may see it."""
    row = one.row
    return {
        "match_id": row.pk,
        "event_id": row.event_id,
        "round": row.round,
        "stage": row.stage,
        "table": row.table,
        "p1": some(one.p1),
        "p2": some(one.p2),
        "seat": one.seat,
        "state": one.state,
        "score": list(one.score),
        "winner": row.winner or None,
        "reason": row.reason or None,
        "decided_by": row.decided_by or None,
        "corrections": row.corrections,
        "claims": {seat: cast(to.Report, dict(claim)) for seat, claim in one.claims.items()},
        "opponent_claimed": one.opponent_claimed,
        "duels": [cast(to.MatchDuel, dict(duel)) for duel in one.duels],
        "toss": row.toss or None,
        "starter": row.starter or None,
        "toss_due": one.toss_due,
        "chooser": one.chooser,
        "next_duel": one.next_duel,
        "possible": [list(score) for score in one.possible],
        "extension_s": row.extension_s,
        "end": _end(row.end),
    }


def _end(held: dict[str, Any]) -> to.MatchEnd | None:
    if not held:
        return None
    return {
        "ruleset": f"{held['ruleset']}@{held['version']}",
        "started_at": held["at"],
        "done_at": held["done_at"],
        "answers": held["answers"],
        "why": held["why"],
    }


def standings(one: StandingsView) -> to.StandingsHead:
    """The head of the standings, without their lines."""
    return {
        "event_id": one.event_id,
        "system": one.system,
        "round": one.round,
        "frozen": one.frozen,
        "revision": one.revision,
        "revisions": one.revisions,
    }


def standing_lines(one: StandingsView) -> list[to.StandingLineFull]:
    """The lines of the standings, best first."""
    return [
        {
            "rank": line.rank,
            "entrant": some(line.side),
            "points": line.points,
            "code": line.code,
            "opponents_permille": line.figure("opponents_permille"),
            "opponents_opponents_permille": line.figure("opponents_opponents_permille"),
            "lost_squares": line.figure("lost_squares"),
            "tiebreaks": dict(line.tiebreaks),
            "wins": line.wins,
            "losses": line.losses,
            "draws": line.draws,
            "byes": line.byes,
            "detail": dict(line.detail),
        }
        for line in one.lines
    ]


def bracket(one: Bracket) -> to.BracketFull:
    """The cut."""
    return {
        "event_id": one.event_id,
        "seeds": [some(seed) for seed in one.seeds],
        "rounds": [
            {
                "number": made.number,
                "slots": [side(slot) for slot in made.slots],
                "matches": [None if line is None else table(line) for line in made.lines],
            }
            for made in one.rounds
        ],
        "champion": side(one.champion),
    }


def desk(one: Desk) -> to.DeskFull:
    """The desk of an event."""
    return {
        "event": event(one.event),
        "next_action": one.next_action,
        "open_tables": [
            {
                **table(held.line),
                "claims": {seat: cast(to.Report, dict(one)) for seat, one in held.claims.items()},
            }
            for held in one.open_tables
        ],
        "not_checked_in": [some(held) for held in one.not_checked_in],
        "checked_in": one.checked_in,
        "draft": one.draft.number if one.draft is not None else None,
        "recommended": {
            "rounds": one.recommended[0],
            "cut": one.recommended[1],
            "table": one.table,
        },
    }
