"""The state of the server in words, for the site's organiser: what /readyz and /metrics tell
programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from eventstore import health
from eventstore.health import Check, Lag, Queue
from people.access import require
from people.domain.actor import Actor
from portal import state, words

USE = "portal.server_read"


@dataclass(frozen=True, slots=True)
class Line:
    """One check in words. `state` is ok, degraded, down or off."""

    name: str
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class Follower:
    """How far something that follows the log is behind it, in words."""

    lag: Lag
    state: str
    text: str


LATE_SECONDS = 30.0


def _follower(lag: Lag) -> Follower:
    behind = ngettext("%(number)d event behind", "%(number)d events behind", lag.events)
    told = {"behind": behind % {"number": lag.events}, "time": duration(lag.seconds)}
    if lag.failing:
        text = _("It stands before an event that it cannot take: %(behind)s, for %(time)s.")
        return Follower(lag, health.DOWN, text % told)
    if not lag.events:
        return Follower(lag, health.OK, _("It is up to date."))
    late = health.DEGRADED if lag.seconds > LATE_SECONDS else health.OK
    return Follower(lag, late, _("It is %(behind)s, for %(time)s.") % told)


@dataclass(frozen=True, slots=True)
class Server:
    """How the server stands. The last three are None while it is not ready: they are read from
    the database."""

    state: str
    lines: tuple[Line, ...]
    listeners: int
    lags: list[Lag] | None
    queue: Queue | None
    messages: dict[str, int] | None

    @property
    def waited(self) -> str:
        """How long the oldest work that is due has waited, empty when that is nothing."""
        seconds = self.queue.oldest_seconds if self.queue else 0.0
        return duration(seconds) if seconds >= 1 else ""

    @property
    def followers(self) -> list[Follower]:
        """What follows the log, each in words."""
        return [_follower(one) for one in self.lags or ()]


def _size(figures: dict[str, Any], name: str) -> str:
    return str(filesizeformat(figures.get(name, 0)))


def duration(seconds: float) -> str:
    """Return a length of time as people say it, in its largest unit."""
    whole = int(seconds)
    if whole < 120:
        return ngettext("%(number)d second", "%(number)d seconds", whole) % {"number": whole}
    if whole < 7200:
        minutes = whole // 60
        return ngettext("%(number)d minute", "%(number)d minutes", minutes) % {"number": minutes}
    hours = whole // 3600
    return ngettext("%(number)d hour", "%(number)d hours", hours) % {"number": hours}


def sentence(check: Check) -> str:
    """Say what a check found, and what to do where it is not content."""
    figures = check.figures
    if check.name == "backup" and check.state == health.DEGRADED and check.code != "failed":
        why = words.word("backup_fault", check.code)
        if "seconds" not in figures:
            return why
        last = _("The newest copy was up to date %(time)s ago.")
        return f"{why} {last % {'time': duration(figures['seconds'])}}"
    told = {
        ("database", ""): lambda: _("It answers in %(ms)s ms.") % {"ms": figures["ms"]},
        ("migrations", ""): lambda: _("They fit these programs."),
        ("migrations", "unapplied"): lambda: _(
            "They are of an older version. Stop the server and run manage.py migrate."
        ),
        ("triggers", ""): lambda: _("The database refuses every change to what was recorded."),
        ("triggers", "missing"): lambda: _(
            "What was recorded could be changed. Stop the server and run manage.py doctor."
        ),
        ("log", ""): lambda: (
            ngettext("%(number)d event.", "%(number)d events.", figures["position"])
            % {"number": figures["position"]}
        ),
        ("disk", ""): lambda: (
            _("%(free)s of %(total)s are free.")
            % {"free": _size(figures, "free"), "total": _size(figures, "total")}
        ),
        ("disk", "short"): lambda: (
            _("Only %(free)s are free. Make room before the next round.")
            % {"free": _size(figures, "free")}
        ),
        ("disk", "full"): lambda: _("The disk is full: nothing more can be written. Make room."),
        ("background", ""): lambda: (
            _("None is done by this server.")
            if figures.get("kind") == "none"
            else _("It was last seen %(time)s ago.") % {"time": duration(figures["seconds"])}
        ),
        ("background", "never"): lambda: _("It has not been seen yet."),
        ("background", "silent"): lambda: (
            _("It was last seen %(time)s ago. Start the server or its worker again.")
            % {"time": duration(figures["seconds"])}
        ),
        ("backup", "none"): lambda: _("None are made: no second path is set."),
        ("backup", ""): lambda: (
            _("The newest was up to date %(time)s ago.") % {"time": duration(figures["seconds"])}
        ),
        ("redis", ""): lambda: _("It answers."),
        ("redis", "silent"): lambda: _(
            "It does not answer. The event goes on; open pages follow with a short delay."
        ),
    }.get((check.name, check.code))
    return told() if told else _("It does not answer. The log of the server tells more.")


def _shown(check: Check) -> str:
    """Return the code of a check's badge: what is not set up is not called in order."""
    return "off" if check.name == "backup" and check.code == "none" else check.state


def server(viewer: Actor) -> Server:
    """Return how the server stands now. Raises NotAllowed."""
    require(viewer, USE)
    found = health.look()
    lines = tuple(Line(one.name, _shown(one), sentence(one)) for one in found.checks)
    if not found.ready:
        return Server(found.state, lines, state.listeners(), None, None, None)
    return Server(
        found.state,
        lines,
        state.listeners(),
        health.lags(),
        health.queue(),
        state.webhook_messages(),
    )
