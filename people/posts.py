"""A form's way to a command and back: one call, and a refusal kept for the page to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest

from eventstore import ids
from eventstore.commands import CommandReused
from eventstore.domain.canonical import NotCanonical
from eventstore.domain.refusal import Refusal, Refused
from eventstore.faults import FULL, NotDone, OutcomeUnknown
from eventstore.store import WrongExpectedVersion
from people.web import command_context

DATABASE_FAILED = frozenset({"people.not_done", "people.no_room", "people.outcome_unknown"})
"""Refusals that are no fault of the sender: the same form may be sent again."""


@dataclass(frozen=True, slots=True)
class Sent:
    """How a command ended: its result, or why it was refused."""

    result: Any = None
    refusal: Refusal | None = None


def send(request: HttpRequest, source: str, service: Callable[..., Any], /, **values: Any) -> Sent:
    """Run a service for a posted form.

    A refusal comes back as a value, so that the page can show it beside the form with the
    input kept; so do a form that was used for something else, one that is out of date, text
    that has no canonical form, and a database that failed: then the form keeps its nonce, so
    that sending it again is safe whatever became of it. NotAllowed goes on to the middleware.
    """
    try:
        return Sent(result=service(command_context(request, source), **values))
    except Refused as fault:
        return Sent(refusal=fault.refusal)
    except CommandReused:
        return Sent(refusal=Refusal("people.form_reused"))
    except WrongExpectedVersion:
        return Sent(refusal=Refusal("people.moved_on"))
    except NotCanonical as fault:
        return Sent(refusal=Refusal("people.text_unreadable", {"found": fault.why}))
    except NotDone as fault:
        request.nonce_kept = request.surely_not_done = True  # type: ignore[attr-defined]
        return Sent(
            refusal=Refusal("people.no_room" if fault.reason == FULL else "people.not_done")
        )
    except OutcomeUnknown:
        request.nonce_kept = True  # type: ignore[attr-defined]
        return Sent(refusal=Refusal("people.outcome_unknown"))


def form_id(request: HttpRequest, name: str) -> str:
    """Return the id a form carries for the thing it makes, so that sending it twice makes one.

    A missing or damaged value gives a new id.
    """
    given = request.POST.get(name, "")
    return given if ids.is_id(given) else ids.new_id()


def text_of(request: HttpRequest, name: str, limit: int = 200) -> str:
    """Return a posted line of text: no NUL, outer blanks gone, at most `limit` signs."""
    return request.POST.get(name, "").replace("\x00", "").strip()[:limit]


def number_of(request: HttpRequest, name: str) -> int | None:
    """Return a posted whole number of at most nine digits, None for anything else."""
    given = request.POST.get(name, "").strip()
    return int(given) if given.isascii() and given.isdigit() and len(given) <= 9 else None


Done = Mapping[str, Any]
"""What to say after each act: a text, or a function of the command's result that makes one."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a page knows after a post that was refused: which act, and why."""

    act: str = ""
    refusal: Refusal | None = None

    @property
    def status(self) -> int:
        """The HTTP status of the page that shows it."""
        if self.refusal is None:
            return 200
        return 503 if self.refusal.code in DATABASE_FAILED else 409


def perform(
    request: HttpRequest, acts: Mapping[str, Callable[[], Sent]], done: Done
) -> Form | None:
    """Run the act that the form names in its hidden field `act`.

    Returns None when it went well: the message of `done` waits for the next page, and the view
    redirects. Returns the Form with its refusal otherwise. Raises BadRequest for an act that
    the page does not have.
    """
    act = request.POST.get("act", "")
    run = acts.get(act)
    if run is None:
        raise BadRequest(f"no act {act[:40]!r}")
    sent = run()
    if sent.refusal is not None:
        return Form(act, sent.refusal)
    said = done.get(act, "")
    request.command_kept = True  # type: ignore[attr-defined]
    text = said(sent.result) if callable(said) else said
    if text:
        messages.success(request, str(text))
    return None
