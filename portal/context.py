"""What every page of the shell needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from eventstore.backups import keeper
from eventstore.ids import new_id
from people.domain.actor import ANONYMOUS, Actor
from people.domain.permissions import DESK, HEAD_JUDGE, JUDGES

THEME_COOKIE = "headjudge_theme"
THEMES = ("auto", "light", "dark")


@dataclass(frozen=True, slots=True)
class NavItem:
    """One entry of the navigation: word, address, symbol, and whether the page is below it."""

    label: str
    url: str
    icon: str
    current: bool


def theme_of(request: HttpRequest) -> str:
    """Return the theme chosen on this device, empty when none was."""
    chosen = request.COOKIES.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else ""


def navigation(request: HttpRequest, actor: Actor) -> list[NavItem]:
    """Return the main navigation of an actor: at most five entries, by role."""
    items = [(_("Events"), reverse("portal:home"), "trophy")]
    held = {role.value for roles in actor.event_roles.values() for role in roles}
    if actor.person_id and not actor.site_organiser:
        items.append((_("My match"), reverse("my:home"), "swords"))
    if held & {role.value for role in JUDGES}:
        items.append((_("Calls"), reverse("calls:home"), "hand"))
    if held or actor.site_organiser:
        items.append((_("Desk"), reverse("staff:home"), "desk"))
    items.append((_("Check a deck"), reverse("decks:check"), "deck"))
    if actor.site_organiser:
        items.append((_("Data"), reverse("admin:index"), "gear"))
    here = request.path
    match = request.resolver_match
    if match is not None and match.namespace == "calls":
        # The queue of an event lies below the address of its desk, and is still a page of calls.
        here = reverse("calls:home")
    best = max(
        (url for _label, url, _icon in items if here.startswith(url) and url != "/"),
        key=len,
        default="/" if here == "/" or here.startswith("/events/") else "",
    )
    return [NavItem(label, url, icon, url == best) for label, url, icon in items]


def outbox_owner(actor: Actor) -> str:
    """Return the mark under which a browser keeps what this person has not sent yet: another
    person on the same phone neither sees nor sends it. Empty for somebody unknown."""
    if actor.person_id is None:
        return ""
    return salted_hmac("headjudge.outbox", actor.person_id).hexdigest()[:20]


def backup_warning(actor: Actor) -> dict[str, Any] | None:
    """Return what is wrong with the backups, for the people who run events or the site."""
    held = {role.value for roles in actor.event_roles.values() for role in roles}
    if actor.site_organiser or held & {role.value for role in DESK | {HEAD_JUDGE}}:
        return keeper.warning()
    return None


def admin_mark(request: HttpRequest) -> list[str] | None:
    """Return the mark in the head of /admin: that the backups are old, or nothing."""
    found = backup_warning(getattr(request, "actor", None) or ANONYMOUS)
    if found is None:
        return None
    if found["minutes"] is None:
        return [_("No backup yet"), "danger"]
    return [
        ngettext("Last copy %(minutes)s minute ago", "Last copy %(minutes)s minutes ago",
                 found["minutes"]) % found,
        "danger",
    ]  # fmt: skip


def shell(request: HttpRequest) -> dict[str, Any]:
    """Template context of every page: the actor, navigation, theme, and nonces for forms."""
    actor = getattr(request, "actor", None) or ANONYMOUS
    owner = request.shown_to = outbox_owner(actor)  # type: ignore[attr-defined]
    return {
        "actor": actor,
        "nonce": new_id,
        "outbox_owner": owner,
        "navigation": lambda: navigation(request, actor),
        "backup_warning": lambda: backup_warning(actor),
        "theme": theme_of(request),
        "themes": THEMES,
        "site_languages": settings.LANGUAGES,
    }
