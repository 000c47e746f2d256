"""Words for the refusals of the door: seats, windows, fees, who is who."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from eventstore import clock

Params = dict[str, Any]


def moment(text: Any, zone: Any) -> str:
    """Write a stored time in the zone of an event, the zone named; a dash for none."""
    try:
        held = clock.from_text(str(text))
    except ValueError:
        return "–"
    try:
        local = timezone.localtime(held, ZoneInfo(str(zone)))
    except (ZoneInfoNotFoundError, ValueError):
        local = held.astimezone(UTC)
    return f"{date_format(local, 'DATE_FORMAT')} {date_format(local, 'H:i')} {local.tzname()}"


def _at(text: Promise) -> Callable[[Params], str]:
    """Make a sentence that names a moment in the event's zone."""

    def sentence(params: Params) -> str:
        when = moment(params.get("allowed"), params.get("zone"))
        return str(text) % {"moment": when.replace("%", "%%")}

    return sentence


def _duplicate(params: Params) -> str:
    found = params.get("found")
    return ngettext(
        "%(found)s person who is known could be this one: choose that person, or say that it is "
        "another.",
        "%(found)s persons who are known could be this one: choose one, or say that it is another.",
        found if isinstance(found, int) else 2,
    )


DOOR: dict[str, Promise | Callable[[Params], str]] = {
    # people
    "people.merge_same": _("These are one and the same already: choose two."),
    "people.merge_chain": _(
        "One of the two is merged already: undo that first, or keep the other."
    ),
    "people.merge_login": _("The one to go has a log-in or a role: keep that one instead."),
    "people.merge_ids_differ": _(
        "Two Card Game IDs are two people: %(found)s and %(allowed)s. Correct the wrong one first."
    ),
    "people.not_merged": _("This person is not merged with another."),
    # seats
    "tournaments.event_full": _("All %(allowed)s seats are taken."),
    "tournaments.registration_early": _at(_("The registration opens on %(moment)s.")),
    "tournaments.registration_over": _at(_("The registration closed on %(moment)s.")),
    "tournaments.check_in_early": _at(_("The check-in opens on %(moment)s.")),
    "tournaments.check_in_over": _at(
        _("The check-in closed on %(moment)s. Go to the desk: it can still check you in.")
    ),
    "tournaments.already_waiting": _(
        "This player is on the waiting list already, place %(found)s."
    ),
    "tournaments.not_waiting": _("This player is not on the waiting list any more."),
    "tournaments.no_offer": _("No seat is kept for this player yet: place %(found)s in the line."),
    "tournaments.capacity_below": _(
        "%(allowed)s seats are held: drop players first, then lower it."
    ),
    "tournaments.door_invalid": _(
        "The value of %(field)s does not fit: %(found)s. It can be: %(allowed)s."
    ),
    # money and what staff have seen
    "tournaments.fee_none": _("This event costs nothing."),
    "tournaments.fee_settled": _("Nothing is to be paid any more."),
    "tournaments.fee_unpaid": _("Nothing was paid: there is nothing to give back."),
    "tournaments.fee_amount": _(
        "The amount lies between these, in the smallest coin: %(allowed)s."
    ),
    "tournaments.amount_unreadable": _("That is no amount: %(found)s. Write it like %(allowed)s."),
    "tournaments.fees_taken": _("Money was taken in %(allowed)s: the currency stays."),
    "tournaments.method_unknown": _("There is no such way to pay. There are: %(allowed)s."),
    "tournaments.eligibility_unknown": _(
        "Only this is kept: %(allowed)s. No date of birth, no document."
    ),
    "tournaments.eligibility_open": _("Staff have to see first that this player may play."),
    "tournaments.notice_missing": _("Read the privacy notice and accept it, version %(allowed)s."),
    "tournaments.notice_other": _("The notice in force is version %(allowed)s: read that one."),
    # who is who
    "tournaments.duplicate_person": _duplicate,
    "tournaments.not_both_here": _("Both have to take part in this event."),
    "tournaments.both_played": _(
        "Both have played here, as numbers %(found)s: two people who sat at tables are not one."
    ),
    "tournaments.both_lists": _(
        "Both have a deck list here, as numbers %(found)s. Choose whose list counts; the other one"
        " is kept apart and comes back when the merge is undone."
    ),
    "tournaments.list_played": _(
        "Number %(found)s has played with the own list: that list counts, and the other is kept"
        " apart."
    ),
    "tournaments.entrant_merged": _("This entrant was merged into another: undo the merge first."),
    "tournaments.suspended": _("The Card Game ID %(found)s is suspended until %(allowed)s."),
    "tournaments.see_desk": _("Please go to the desk: they will look at your registration."),
    "tournaments.suspension_invalid": _(
        "Line %(line)s does not fit: %(found)s. Right would be: %(allowed)s."
    ),
}
"""One sentence per code; the parameters are those of the refusal."""
