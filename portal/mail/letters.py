"""The words of a mail, made when it is sent, in the language in which its address was given."""

from __future__ import annotations

from email.message import EmailMessage
from email.utils import format_datetime

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from eventstore import clock
from people import joinlinks
from people.domain.actor import Actor
from people.joinlinks import JoinLink
from people.models import Account
from portal.mail import links
from portal.mail.services import CONFIRM, address_of
from portal.models import MailDelivery
from portal.notices.words import notice

BY_LINK = ("enrolled", "seat")
"""Mails whose link opens the player's pages on any phone: whoever has no log-in needs one."""


def _address(path: str) -> str:
    return f"{settings.SITE_URL}{path}"


def _link(act: str, held: MailDelivery) -> str:
    row = held.address
    return _address(reverse("portal:mail_link", args=[links.make(act, row.pk, row.digest)]))


def _asking(held: MailDelivery) -> tuple[str, list[str]]:
    told = {"site": settings.SITE_URL}
    return _("Is this your address?"), [
        _("Somebody gave this address at %(site)s, to be told of events there.") % told,
        _("If that was you, open this link within two days:"),
        _link(links.CONFIRM, held),
        _("If it was not, do nothing: nothing else is sent."),
    ]


def _telling(held: MailDelivery) -> tuple[str, list[str]] | None:
    person_id = held.address.pk
    told = notice(
        Actor(person_id=person_id),
        kind=held.kind,
        event_id=held.event_id,
        subject=held.subject,
        number=held.number,
        language=held.address.language,
    )
    if told is None:
        return None
    lines, path = [told.title, told.body], told.path
    known = Account.objects.filter(person_id=person_id, is_active=True).exists()
    if held.kind in BY_LINK and not known:
        token = joinlinks.make(JoinLink(held.event_id, person_id))
        path = reverse("tournaments:join", args=[token])
        lines.append(
            _("This link opens your pages on any phone. It is yours alone: give it to nobody.")
        )
    lines += [_address(path), _("No more mail to this address:"), _link(links.STOP, held)]
    return told.title, [one for one in lines if one]


def letter(held: MailDelivery) -> EmailMessage | None:
    """Make a mail; None when there is nothing to be told any more, or the address cannot be read
    here. Its Message-ID is the same in every try, so that one that came twice is seen as one."""
    to = address_of(held.address)
    with override(held.address.language):
        made = _asking(held) if held.kind == CONFIRM else _telling(held)
    if to is None or made is None:
        return None
    subject, lines = made
    mail = EmailMessage()
    mail["Subject"] = " ".join(subject.split())
    mail["From"], mail["To"] = settings.MAIL_FROM, to
    mail["Date"] = format_datetime(clock.now())
    mail["Message-ID"] = f"<{held.pk}@{settings.MAIL_FROM.rpartition('@')[2].rstrip('>')}>"
    mail["Auto-Submitted"] = "auto-generated"
    if held.kind != CONFIRM:
        mail["List-Unsubscribe"] = f"<{_link(links.STOP, held)}>"
    mail.set_content("\n\n".join(lines) + "\n")
    return mail
