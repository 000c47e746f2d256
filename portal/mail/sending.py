"""One try to hand a mail over to the mail server (SMTP), bounded in time."""

from __future__ import annotations

import contextlib
import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Protocol

SECONDS = 10.0
"""How long one answer of the mail server is waited for."""


class Server(Protocol):
    """Where mail is handed over (the setting MAIL_SERVER)."""

    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def user(self) -> str: ...
    @property
    def password(self) -> str: ...
    @property
    def tls(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a try: taken, or a fault (a code, or the number of the answer). `for_good`:
    this mail would be refused again; `recipient`: because of the address it goes to."""

    taken: bool = False
    fault: str = ""
    for_good: bool = False
    recipient: bool = False


def trust() -> ssl.SSLContext:
    """Return whose certificates are believed: those the system believes."""
    return ssl.create_default_context()


def _connected(server: Server, name: str) -> smtplib.SMTP:
    if server.tls == "smtps":
        return smtplib.SMTP_SSL(
            server.host, server.port, local_hostname=name, timeout=SECONDS, context=trust()
        )
    link = smtplib.SMTP(server.host, server.port, local_hostname=name, timeout=SECONDS)
    if server.tls == "starttls":
        try:
            link.starttls(context=trust())
        except BaseException:
            link.close()
            raise
    return link


Act = Callable[[smtplib.SMTP], object]


def _tried(server: Server, act: Act, name: str) -> Outcome:
    """Connect, sign in where a user is given, act; whatever comes, as an outcome."""
    try:
        link = _connected(server, name)
    except ssl.SSLError:
        return Outcome(fault="tls")
    except TimeoutError:
        return Outcome(fault="time")
    except (OSError, UnicodeError, smtplib.SMTPException):
        return Outcome(fault="connect")
    try:
        if server.user:
            link.login(server.user, server.password)
        act(link)
    except smtplib.SMTPRecipientsRefused as fault:
        status = max(code for code, _text in fault.recipients.values())
        # 421 is said of the whole server, whatever was asked
        return Outcome(fault=str(status), for_good=status >= 500, recipient=status != 421)
    except smtplib.SMTPAuthenticationError as fault:
        # a password that is wrong is put right by the keeper: nothing is lost until then
        return Outcome(fault=str(fault.smtp_code))
    except smtplib.SMTPResponseException as fault:
        return Outcome(fault=str(fault.smtp_code), for_good=fault.smtp_code >= 500)
    except smtplib.SMTPNotSupportedError:
        return Outcome(fault="login")
    except TimeoutError:
        return Outcome(fault="time")
    except (OSError, smtplib.SMTPException):
        return Outcome(fault="answer")
    finally:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            link.quit()
        link.close()
    return Outcome(taken=True)


def send(server: Server, mail: EmailMessage, *, name: str) -> Outcome:
    """Hand a mail over once; `name` is what this side calls itself. Never raises for what the
    other side does. A mail that was taken stays so, however the connection ends."""
    return _tried(server, lambda link: link.send_message(mail), name)


def probe(server: Server, name: str = "localhost") -> Outcome:
    """Say whether a mail server lets this side in, without sending anything."""
    return _tried(server, lambda link: link.noop(), name)
