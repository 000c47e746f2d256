"""Words for the problems of the API that no rule of a room gives: what is wrong, and what to do.

A refusal of a room has its sentence in `portal.wording`; these are the faults of a request, of
the caller's rights, and of the server. The codes are stable; docs/api.md lists them.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

TITLES = {
    "not_found": _("There is nothing here, or it is not yours to know of."),
    "not_allowed": _("You may not do this."),
    "token_refused": _("The token is unknown, ended or expired. Make a new one on My access."),
    "not_signed_in": _("This needs a token or a session."),
    "csrf_failed": _("The request did not come from a page of this site. Reload the page."),
    "invalid": _("The request does not fit its description: see errors."),
    "bad_request": _("The request cannot be read."),
    "parse_error": _("The body is not valid JSON."),
    "idempotency_key": _("Idempotency-Key must be a UUID in lower case."),
    "not_canonical": _("A value has no form in which it can be stored."),
    "method_not_allowed": _("This address does not know the method: see allowed."),
    "not_acceptable": _("Answers are JSON only."),
    "unsupported_media_type": _("The body must be JSON."),
    "too_large": _("The body is too large."),
    "command_reused": _("This Idempotency-Key was used for another request. Take a new one."),
    "wrong_version": _("Somebody else was quicker. Read the state anew, then decide."),
    "throttled": _("Too many requests. Wait as long as Retry-After says."),
    "not_done": _("Nothing was done. It is safe to send the request again."),
    "outcome_unknown": _(
        "It is not known whether this was done. Send the same request again with the same "
        "Idempotency-Key: it then tells, and nothing happens twice."
    ),
    "unavailable": _("The database does not answer now. Try again soon."),
    "server_error": _("A fault of the server. It is in its log."),
}


def title(code: str) -> str:
    """Return the sentence of a problem in the active language, the code itself if unknown."""
    return str(TITLES.get(code, code))
