"""Template parts of the hall: the messages that are for the reader of a page."""

from __future__ import annotations

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from people.web import actor_of
from tournaments import selectors

register = template.Library()


@register.simple_tag(takes_context=True)
def messages(context: template.Context, event_id: str) -> SafeString:
    """The messages in force that are for the reader, in the frame of every page of an event."""
    shown = context.get("messages_read")  # by the page, already
    if shown is None:
        home = context.get("home")
        plays = None if home is None else home.entrant_id is not None
        shown = selectors.messages_shown(actor_of(context["request"]), event_id, plays)
    if not shown:
        return SafeString()
    values = {"messages": shown, "event": context.get("event")}
    return render_to_string("tournaments/parts/messages.html", values)
