"""The proof that the log of an event was not altered: signed checkpoints, and the bundle."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from eventstore import checkpoints, signing
from judging.case import log_withheld
from people.access import may
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import send
from people.web import actor_of
from portal import work
from portal.wording import refusal_text
from tournaments.pages.common import frame

VERIFIER = "verify_bundle.py"
PLAIN = "text/plain; charset=utf-8"


@guarded("tournaments.event_read")
@require_GET
def event_log(request: HttpRequest, event_id: str) -> HttpResponse:
    """The checkpoints made for an event, the public key, and how to check a bundle."""
    viewer = actor_of(request)
    _home, context = frame(request, viewer, event_id)
    context |= {
        "checkpoints": list(reversed(checkpoints.checkpoints_for(event_id))),
        "key": signing.signing_key().verifier.as_text(),
        "may_export": may(viewer, "tournaments.log_export", Subject(event_id)),
        "withheld": log_withheld(viewer, event_id),
    }
    return render(request, "portal/log.html", context)


@guarded("tournaments.event_read")
@require_GET
def checkpoint(request: HttpRequest, size: int) -> HttpResponse:
    """A signed checkpoint as the text that was signed (C2SP tlog-checkpoint). It says how many
    events the log had and their hash, nothing of what they are."""
    kept = next((one for one in checkpoints.checkpoints() if one.checkpoint.size == size), None)
    if kept is None:
        raise Http404
    answer = HttpResponse(kept.note, content_type=PLAIN)
    answer["Content-Disposition"] = f'attachment; filename="checkpoint-{size}.txt"'
    return answer


@guarded("tournaments.event_read")
@require_GET
def verifier(request: HttpRequest) -> HttpResponse:
    """The program that checks a bundle: one file of Python, the same for every event."""
    content = (settings.BASE_DIR / "tools" / VERIFIER).read_bytes()
    answer = HttpResponse(content, content_type=PLAIN)
    answer["Content-Disposition"] = f'attachment; filename="{VERIFIER}"'
    return answer


@guarded("tournaments.log_export")
@never_cache
@require_POST
def bundle(request: HttpRequest, event_id: str) -> HttpResponse:
    """Ask for the whole log of an event with its proofs. It holds every hidden thing of the event,
    so only those who run it get it; who judges there, not while duels go on whose hidden cards a
    judge has to reveal with a reason."""
    frame(request, actor_of(request), event_id)
    sent = send(request, "organiser", work.file_ask, topic=work.BUNDLE, event_id=event_id)
    if sent.refusal is not None:
        messages.error(request, refusal_text(sent.refusal))
        return redirect("portal:log", event_id)
    return redirect("portal:job", sent.result)
