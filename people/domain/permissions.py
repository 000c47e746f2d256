"""The one permission table: `can(actor, action, subject)` decides everything.

A row names the relations that may do an action and those that may know that its subject
exists. Who may not know gets 404, who knows and may not gets 403.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from people.domain.actor import Actor
from people.domain.roles import Relation
from people.domain.scopes import Scope, within

ANYONE, SIGNED_IN, OWN = Relation.ANYONE, Relation.SIGNED_IN, Relation.OWN
SITE, ORGANISER = Relation.SITE_ORGANISER, Relation.ORGANISER
SCOREKEEPER, HEAD_JUDGE = Relation.SCOREKEEPER, Relation.HEAD_JUDGE
JUDGE, DECK_CHECKER = Relation.JUDGE, Relation.DECK_CHECKER
RECORDER = Relation.RECORDER

JUDGES = frozenset({JUDGE, HEAD_JUDGE})
DESK = frozenset({ORGANISER, SCOREKEEPER})
STAFF = JUDGES | DESK | {DECK_CHECKER}
"""Who may know of what happens at the tables; a recorder is none of them."""
ALL = frozenset({ANYONE})


class Verdict(StrEnum):
    """Answer of the table: allowed, known but forbidden (403), not yours to know (404)."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Subject:
    """What an action is about: its event, whose it is (person ids), whether it is public."""

    event_id: str | None = None
    owners: frozenset[str] = frozenset()
    public: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. A subject that is not public is known only to `knows`. `apart`:
    whose it is, is a player there, whatever role the same person has besides."""

    may: frozenset[Relation]
    knows: frozenset[Relation] = ALL
    apart: bool = False


def _row(
    *may: Relation | frozenset[Relation], knows: frozenset[Relation] = ALL, apart: bool = False
) -> Row:
    held: set[Relation] = set()
    for item in may:
        held |= item if isinstance(item, frozenset) else {item}
    return Row(frozenset(held), frozenset(held) | knows, apart)


PRIVATE = frozenset({OWN}) | STAFF
"""Those who may know of a thing that concerns one player or one table."""

TABLE: dict[str, Row] = {
    # the shell
    "portal.page_read": _row(ANYONE),
    "portal.sign_in": _row(ANYONE),
    "portal.preference_set": _row(ANYONE),
    "portal.account_use": _row(SIGNED_IN, knows=ALL),
    "portal.admin_use": _row(SITE, knows=ALL),
    # what one is told outside the pages: a player's phone has it too
    "portal.notice_use": _row(OWN, knows=ALL),
    # the signed link of a mail is the right to confirm that address, or to end mail to it
    "portal.mail_link_use": _row(ANYONE),
    # the topic decides: portal.live.topics
    "portal.live_follow": _row(ANYONE),
    "portal.api_schema_read": _row(ANYONE),
    "portal.backup_use": _row(SITE),
    "portal.webhook_read": _row(ORGANISER, SITE),
    "portal.webhook_manage": _row(ORGANISER, SITE),
    # background work: one's own, that of one's event, all of it
    "portal.job_read": _row(OWN, ORGANISER, SITE),
    "portal.event_jobs_read": _row(ORGANISER, SITE),
    "portal.jobs_read": _row(SITE),
    "portal.job_start_again": _row(SITE, knows=frozenset({OWN, ORGANISER})),
    "portal.server_read": _row(SITE),
    # people
    "people.person_read": _row(OWN, DESK, SITE, knows=STAFF),
    "people.person_register": _row(DESK, SITE),
    "people.person_edit": _row(OWN, SITE, knows=STAFF),
    "people.person_merge": _row(DESK, SITE),
    "people.public_name_set": _row(OWN, SITE, knows=STAFF),
    "people.token_make": _row(OWN),
    "people.password_change": _row(OWN, SITE),
    "people.sessions_end": _row(OWN, SITE),
    "people.factor_enrol": _row(OWN),
    "people.factor_remove": _row(OWN, SITE),
    "people.recovery_use": _row(OWN),
    "people.person_erase": _row(SITE),
    "people.legal_hold_set": _row(HEAD_JUDGE, ORGANISER, SITE),
    "people.role_grant": _row(ORGANISER, SITE),
    "people.join_link_make": _row(DESK, SITE),
    "people.join_link_use": _row(ANYONE),
    # cards
    "cards.catalogue_read": _row(ANYONE),
    "cards.catalogue_import": _row(SITE),
    "cards.banlist_read": _row(ANYONE),
    "cards.banlist_import": _row(SITE),
    # decks
    "decks.list_check": _row(ANYONE),
    "decks.preset_read": _row(ANYONE),
    "decks.preset_publish": _row(SITE),
    "decks.list_read": _row(OWN, STAFF, knows=PRIVATE),
    "decks.list_submit": _row(OWN, DESK, knows=PRIVATE),
    "decks.list_lock": _row(ORGANISER, HEAD_JUDGE, knows=PRIVATE),
    "decks.lists_recheck": _row(ORGANISER, HEAD_JUDGE, knows=PRIVATE),
    # a list on paper: received, photographed, typed in, checked
    "decks.paper_handle": _row(STAFF, knows=PRIVATE),
    "decks.list_repair": _row(JUDGES, knows=PRIVATE),
    # photos are for staff: whose list it is does not see them
    "decks.photo_read": _row(STAFF, knows=STAFF),
    "decks.photo_erase": _row(ORGANISER, HEAD_JUDGE, knows=STAFF),
    # duels: the public view of a duel is open; what each player and judge may see is not; a judge
    # who plays is no judge of the own duel
    "duels.duel_read": _row(ANYONE),
    "duels.duel_read_as_player": _row(OWN, JUDGES, knows=PRIVATE),
    "duels.duel_read_as_judge": _row(JUDGES, knows=PRIVATE, apart=True),
    "duels.instruments_read": _row(JUDGES, knows=PRIVATE, apart=True),
    "duels.lot_draw": _row(JUDGES, knows=PRIVATE, apart=True),
    # notes on lines: of judges for judges, of staff for everybody, a player's flag; who plays a
    # duel moderates nothing there
    "duels.note_read": _row(JUDGES, knows=PRIVATE, apart=True),
    "duels.note_make": _row(JUDGES, knows=PRIVATE, apart=True),
    "duels.comment_make": _row(JUDGES, ORGANISER, apart=True),
    "duels.flag_read": _row(OWN, knows=PRIVATE),
    "duels.flag_make": _row(OWN, knows=PRIVATE),
    "duels.note_withdraw": _row(OWN, knows=PRIVATE),
    "duels.note_withdraw_of_others": _row(HEAD_JUDGE, knows=PRIVATE, apart=True),
    "duels.comment_withdraw": _row(OWN),
    "duels.comment_withdraw_of_others": _row(HEAD_JUDGE, ORGANISER, apart=True),
    # hidden cards of a running duel: opened to one judge, in a case, with a reason, on record
    "duels.hidden_reveal": _row(JUDGES, knows=PRIVATE, apart=True),
    "duels.reveals_read": _row(JUDGES, knows=STAFF),
    "duels.reveals_read_all": _row(HEAD_JUDGE, knows=STAFF),
    # a replay file: handed in by a player of the match, its bytes for judges alone
    "duels.replay_import": _row(OWN, JUDGES, knows=PRIVATE),
    "duels.replay_original_read": _row(JUDGES, knows=PRIVATE, apart=True),
    "duels.duel_open": _row(OWN, DESK, JUDGES, RECORDER, knows=PRIVATE),
    "duels.duel_act": _row(OWN, knows=PRIVATE),
    # which duels are written down, and their results
    "duels.duel_record": _row(DESK, JUDGES, RECORDER, knows=PRIVATE, apart=True),
    # what happened at a table of paper, written down for both seats, and so with the hidden cards
    # of both: by who was named recorder and does not play there; a judge needs a reveal
    "duels.duel_write_down": _row(RECORDER, knows=PRIVATE, apart=True),
    "duels.watch_delay_set": _row(ORGANISER),
    "duels.statement_make": _row(OWN, knows=PRIVATE),
    "duels.duel_rewind": _row(HEAD_JUDGE, knows=PRIVATE, apart=True),
    # tournaments
    "tournaments.event_create": _row(SITE),
    "tournaments.event_read": _row(ANYONE),
    "tournaments.event_read_draft": _row(STAFF, SITE, knows=STAFF),
    "tournaments.event_run": _row(ORGANISER),
    "tournaments.entrant_enrol": _row(DESK),
    "tournaments.entrant_enrol_self": _row(ANYONE),
    "tournaments.door_use": _row(DESK),
    "tournaments.offer_take": _row(OWN, DESK, knows=PRIVATE),
    "tournaments.fee_take": _row(DESK),
    "tournaments.notice_accept": _row(OWN, DESK, knows=PRIVATE),
    "tournaments.suspensions_manage": _row(SITE),
    "tournaments.entrant_check_in": _row(OWN, DESK, knows=PRIVATE),
    "tournaments.entrant_drop": _row(OWN, DESK, HEAD_JUDGE, knows=PRIVATE),
    "tournaments.round_pair": _row(DESK),
    "tournaments.clock_run": _row(DESK, HEAD_JUDGE),
    "tournaments.pairings_read": _row(ANYONE),
    # which lists are everybody's, and when: tournaments.domain.openlists
    "tournaments.open_list_read": _row(ANYONE),
    "tournaments.standings_read": _row(ANYONE),
    "tournaments.match_read": _row(OWN, STAFF, knows=PRIVATE),
    "tournaments.match_play": _row(OWN, DESK, JUDGES, knows=PRIVATE),
    "tournaments.replay_hand_in": _row(OWN, JUDGES, knows=PRIVATE),
    "tournaments.result_claim": _row(OWN, knows=PRIVATE),
    "tournaments.result_enter": _row(DESK, HEAD_JUDGE, knows=PRIVATE),
    "tournaments.tardiness_mark": _row(DESK, JUDGES, knows=PRIVATE),
    "tournaments.time_extend": _row(DESK, JUDGES, knows=PRIVATE),
    "tournaments.end_of_match": _row(DESK, JUDGES, knows=PRIVATE),
    "tournaments.loss_read": _row(OWN, STAFF, knows=PRIVATE),
    "tournaments.sides_exchange": _row(OWN, knows=PRIVATE),
    "tournaments.penalty_apply": _row(HEAD_JUDGE, ORGANISER, knows=PRIVATE),
    "tournaments.desk_use": _row(DESK, HEAD_JUDGE),
    "tournaments.message_post": _row(DESK, HEAD_JUDGE),
    "tournaments.paper_choose": _row(DESK, HEAD_JUDGE),
    # the log as a whole holds what is hidden: its checkpoints are for everyone, it is not
    "tournaments.log_export": _row(ORGANISER, HEAD_JUDGE),
    # judging: nothing of it is public
    "judging.call_raise": _row(OWN, STAFF, knows=PRIVATE),
    "judging.call_read": _row(OWN, STAFF, knows=PRIVATE),
    "judging.queue_read": _row(JUDGES, ORGANISER, knows=STAFF),
    "judging.call_take": _row(JUDGES, knows=PRIVATE),
    "judging.ruling_make": _row(JUDGES, knows=PRIVATE),
    "judging.penalty_approve": _row(HEAD_JUDGE, knows=PRIVATE),
    "judging.floor_read": _row(STAFF, knows=STAFF),
    "judging.table_take": _row(JUDGES, knows=PRIVATE),
    "judging.table_assign": _row(DESK, HEAD_JUDGE, knows=PRIVATE),
    "judging.deck_check": _row(JUDGES, DECK_CHECKER, knows=STAFF, apart=True),
    "judging.rewind_order": _row(HEAD_JUDGE, knows=PRIVATE),
    # the planner shows hidden cards of the duel
    "judging.rewind_plan": _row(JUDGES, knows=PRIVATE, apart=True),
    # the policy pack of an event: read by its staff, chosen, copied and confirmed by who runs it
    "judging.pack_read": _row(STAFF),
    "judging.pack_manage": _row(ORGANISER, knows=STAFF),
    # the case of a call: log, ledgers, lists, notes; a judge who plays there reads none of it
    "judging.case_read": _row(JUDGES, knows=PRIVATE, apart=True),
    # sealed statements: who was asked writes the own; the head judge may open them early
    "judging.statements_ask": _row(JUDGES, knows=PRIVATE, apart=True),
    "judging.statement_give": _row(OWN, knows=PRIVATE),
    "judging.statements_open": _row(HEAD_JUDGE, knows=PRIVATE, apart=True),
    # that a table waits, not for what
    "judging.floor_watch": _row(STAFF),
    # a dispute about a duel that is over: raised at the own table, reviewed by another judge
    "judging.dispute_raise": _row(OWN, knows=PRIVATE),
    "judging.dispute_read": _row(OWN, JUDGES, DESK, knows=PRIVATE),
    "judging.dispute_review": _row(JUDGES, knows=PRIVATE, apart=True),
    # the packet of a disqualification; who was disqualified has no part in keeping it
    "judging.packet_keep": _row(HEAD_JUDGE, ORGANISER, knows=STAFF, apart=True),
    "tournaments.disqualification_undo": _row(HEAD_JUDGE, knows=STAFF, apart=True),
    "judging.packet_sign": _row(HEAD_JUDGE, knows=STAFF, apart=True),
    "judging.packet_send": _row(ORGANISER, knows=STAFF, apart=True),
    "judging.dispute_window_set": _row(ORGANISER, knows=STAFF),
    "judging.precedents_read": _row(JUDGES, ORGANISER, knows=STAFF),
    "judging.record_read": _row(JUDGES, ORGANISER, knows=STAFF),
    # what somebody did in other events: an upgrade never rests on it
    "judging.record_read_all": _row(HEAD_JUDGE, ORGANISER, knows=STAFF),
    "judging.audit_read": _row(HEAD_JUDGE, ORGANISER, knows=STAFF),
}


class UnknownAction(LookupError):
    """An action that has no row: nobody may do it, and the code that asks is wrong."""


def relations(actor: Actor, subject: Subject) -> frozenset[Relation]:
    """Return every relation that holds between the actor and the subject."""
    held = {ANYONE}
    if actor.signed_in:
        held.add(SIGNED_IN)
    if actor.person_id in subject.owners and actor.acts_in(subject.event_id):
        held.add(OWN)
    if actor.site_organiser:
        held.add(SITE)
    for role in actor.roles_in(subject.event_id):
        held.add(Relation(role.value))
    return frozenset(held)


def can(actor: Actor, action: str, subject: Subject | None = None) -> Verdict:
    """Decide whether `actor` may do `action` to `subject`; raises UnknownAction."""
    subject = subject or Subject()
    try:
        row = TABLE[action]
    except KeyError:
        raise UnknownAction(action) from None
    if actor.system:
        return Verdict.ALLOWED
    held = relations(actor, subject)
    if row.apart and actor.person_id in subject.owners:
        held = (held - STAFF - {RECORDER}) | {OWN}
    if actor.scopes is not None:
        held = within(held, actor.scopes, action)
    knows = row.knows if subject.public else row.knows - {ANYONE, SIGNED_IN}
    if held & row.may and (subject.public or held & (knows | row.may - {ANYONE, SIGNED_IN})):
        return Verdict.ALLOWED
    return Verdict.FORBIDDEN if held & knows else Verdict.HIDDEN


def open_to_all(action: str) -> bool:
    """Say whether somebody unknown can be allowed an action; raises KeyError."""
    return ANYONE in TABLE[action].may


def scopes_for(action: str) -> list[str]:
    """Return the scopes each of which alone can open an action to a token, in their order.

    Raises KeyError for an action without a row.
    """
    may = TABLE[action].may
    return [one.value for one in Scope if may & within(may, [one.value], action)]


def owners(person_ids: Iterable[str | None]) -> frozenset[str]:
    """Return the owners of a subject, without the unknown ones."""
    return frozenset(person for person in person_ids if person)
