"""Events of judging: streams `call-<id>`. People by id, free text sealed under its author's key.

Every event says by whom and when (`at`, UTC text): the time extension is computed from these.
"""

from __future__ import annotations

from typing import Any

from eventstore.domain.registry import DomainEvent, event, upcaster


@event("judging.call_raised")
class CallRaised(DomainEvent, frozen=True):
    """A judge was called to a table. `seats` are the person ids of P1 and P2, `entrants` their
    entrant ids; pack and version are those frozen for the event."""

    call: str
    tournament: str
    match: str
    table: int | None
    round: int
    kind: str
    category: str
    by: str
    at: str
    languages: tuple[str, ...]
    seats: tuple[tuple[str, ...], tuple[str, ...]]
    entrants: tuple[str, str]
    pack: str
    pack_version: str
    head_judge_wanted: bool = False


@event("judging.call_merged")
class CallMerged(DomainEvent, frozen=True):
    """This call joined the one that was already open at the table."""

    call: str
    into: str
    by: str
    at: str


@event("judging.call_joined")
class CallJoined(DomainEvent, frozen=True):
    """Another call of the same table was merged into this one."""

    call: str
    joined: str
    kind: str
    category: str
    by: str
    at: str


@event("judging.call_claimed")
class CallClaimed(DomainEvent, frozen=True):
    """A judge takes the call; `head_judge` says whether the one who claims is the head judge."""

    call: str
    by: str
    at: str
    head_judge: bool


@event("judging.judge_arrived")
class JudgeArrived(DomainEvent, frozen=True):
    """The judge stands at the table. `table_end`: when its time ends, None without a clock."""

    call: str
    by: str
    at: str
    table_end: str | None


@event("judging.call_given_back")
class CallGivenBack(DomainEvent, frozen=True):
    """The judge gave the call back to the queue it came from."""

    call: str
    by: str
    at: str


@event("judging.call_escalated")
class CallEscalated(DomainEvent, frozen=True):
    """A judge handed the call to the head judge."""

    call: str
    by: str
    at: str
    note: str = ""


@event("judging.call_withdrawn")
class CallWithdrawn(DomainEvent, frozen=True):
    """The caller took the call back before a ruling."""

    call: str
    by: str
    at: str


@event("judging.ruling_made")
class RulingMade(DomainEvent, frozen=True):
    """A ruling: codes and parameters, words are made for each reader.

    `rule_id` is a rule of the game or an infraction of the pack. `approval` is not_needed,
    pending or approved (a head judge's own ruling). `replaces` names the ruling it takes the
    place of. `note`, `facts_agreed`, `facts_disputed` are sealed texts of `by`.
    """

    call: str
    ruling: str
    by: str
    at: str
    final: bool
    rule_id: str | None
    infraction: str | None
    infraction_kind: str | None
    remedy: str
    penalty: str | None
    target: str | None
    target_entrant: str | None
    duel: str | None
    rewind_to: int | None
    approval: str
    approved_by: str | None
    pack: str
    pack_version: str
    cites: tuple[str, ...] = ()
    self_reported: bool = False
    replaces: str | None = None
    languages: tuple[str, ...] = ()
    note: str = ""
    facts_agreed: str = ""
    facts_disputed: str = ""


@event("judging.penalty_approved")
class PenaltyApproved(DomainEvent, frozen=True):
    """The head judge approved a pending penalty. `extension_s` is the extension of the call
    from now on, None when the call is not closed yet."""

    call: str
    ruling: str
    by: str
    at: str
    extension_s: int | None


@event("judging.penalty_declined")
class PenaltyDeclined(DomainEvent, frozen=True):
    """The head judge declined a pending penalty: it never comes into force."""

    call: str
    ruling: str
    by: str
    at: str
    reason: str = ""


@event("judging.penalty_enforced")
class PenaltyEnforced(DomainEvent, frozen=True):
    """A penalty came into force; one that changes a result was handed to the match with it."""

    call: str
    ruling: str
    at: str


@event("judging.ruling_accepted")
class RulingAccepted(DomainEvent, frozen=True):
    """A side accepted the ruling: that side can no longer appeal."""

    call: str
    by: str
    seat: str
    at: str


@event("judging.call_appealed")
class CallAppealed(DomainEvent, frozen=True):
    """A side appealed to the head judge; `reason` is sealed text of `by`."""

    call: str
    ruling: str
    by: str
    seat: str
    at: str
    reason: str = ""


@event("judging.appeal_ruled", schema=2)
class AppealRuled(DomainEvent, frozen=True):
    """The head judge decided an appeal: upheld, modified or overturned (then a ruling follows
    that replaces this one). The decision is final. `cites` are earlier rulings that an appeal
    which is upheld rests on."""

    call: str
    ruling: str
    outcome: str
    by: str
    at: str
    note: str = ""
    cites: tuple[str, ...] = ()


@upcaster("judging.appeal_ruled", 1)
def _without_cites(values: dict[str, Any]) -> dict[str, Any]:
    """Events of version 1 cited nothing."""
    return {**values, "cites": []}


@event("judging.call_closed")
class CallClosed(DomainEvent, frozen=True):
    """The call is over. `how`: accepted (both sides) or play_resumed. `computed_s` is what the
    pack gives, `extension_s` what the table gets; they differ only with a reason (sealed)."""

    call: str
    by: str
    at: str
    how: str
    took_s: int
    computed_s: int
    extension_s: int
    why: str
    override_reason: str = ""


@event("judging.length_stated")
class LengthStated(DomainEvent, frozen=True):
    """Whoever closes a call says how long it really took: `real_s` of the `open_s` seconds that
    it was open. The extension is computed from it."""

    call: str
    by: str
    at: str
    open_s: int
    real_s: int


@event("judging.table_assigned")
class TableAssigned(DomainEvent, frozen=True):
    """A judge looks after a table until its match is over; empty: nobody does. Stream
    `floor-<event>`."""

    tournament: str
    match: str
    judge: str
    by: str
    at: str


@event("judging.tables_picked")
class TablesPicked(DomainEvent, frozen=True):
    """Tables were picked for a deck check. Stream `deckchecks-<event>`. `drawn` follow from
    `seed` over `eligible` match ids in order; `targeted` were named by the picker."""

    tournament: str
    round: int
    seed: str
    eligible: tuple[str, ...]
    drawn: tuple[str, ...]
    targeted: tuple[str, ...]
    by: str
    at: str


@event("judging.deck_counted")
class DeckCounted(DomainEvent, frozen=True):
    """A part of a deck was counted at a check. Stream `deckchecks-<event>`. `number` is the
    version of the list; `missing` and `surplus` are keys of its cards, one per copy; `others`
    counts cards that are on no line of it, `wrong_language` and `marked` cards so found."""

    tournament: str
    match: str
    entrant: str
    section: str
    number: int
    missing: tuple[str, ...]
    surplus: tuple[str, ...]
    others: int
    wrong_language: int
    marked: int
    by: str
    at: str


@event("judging.decks_taken")
class DecksTaken(DomainEvent, frozen=True):
    """Both decks of a table are in the hands of staff. Stream `deckchecks-<event>`, as below."""

    tournament: str
    match: str
    entrants: tuple[str, ...]
    by: str
    at: str


@event("judging.deck_returned")
class DeckReturned(DomainEvent, frozen=True):
    """A deck is back with its player. `confirmed_by` is the person who says so: a player of the
    entrant, or the one of staff who left it at the table."""

    tournament: str
    match: str
    entrant: str
    confirmed_by: str
    by: str
    at: str


@event("judging.deck_photographed")
class DeckPhotographed(DomainEvent, frozen=True):
    """A photo of a deck laid out is kept outside the log (decks.models.Photo); `sha256` is the
    hash of the picture, `width` and `height` are pixels."""

    tournament: str
    match: str
    entrant: str
    photo: str
    sha256: str
    width: int
    height: int
    by: str
    at: str


@event("judging.deck_photo_erased")
class DeckPhotoErased(DomainEvent, frozen=True):
    """A photo of a deck was erased; its hash stays."""

    tournament: str
    match: str
    photo: str
    by: str
    at: str


@event("judging.sleeves_marked")
class SleevesMarked(DomainEvent, frozen=True):
    """Which places of the face-down main deck had a marked sleeve, from the top, 1 to `total`;
    `keys` are the cards found there, place by place, empty where nobody looked yet. `group` are
    the cards that matter together, in the eyes of the judge; `pattern` yes, no or unsure: whether
    the marked ones are such a group. `number` is the version of the list."""

    tournament: str
    match: str
    entrant: str
    number: int
    total: int
    places: tuple[int, ...]
    keys: tuple[str, ...]
    group: tuple[str, ...]
    pattern: str
    by: str
    at: str
