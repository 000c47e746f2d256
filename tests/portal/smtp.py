"""A real mail server on this machine, of the few lines that RFC 5321 asks for: it keeps what it
took and answers as it is told."""

from __future__ import annotations

import base64
import email
import email.policy
import socketserver
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage

from config.variables import MailServer
from tests.serving import LOOPBACK, Quiet, serving


@dataclass
class Post:
    """What it took: (from, to, mail). `replies` by verb instead of the usual ones, one a use;
    `close`: hang up. `users` {name: password} who may send, empty: everybody."""

    port: int = 0
    taken: list[tuple[str, str, EmailMessage]] = field(default_factory=list)
    tries: int = 0
    replies: dict[str, list[str]] = field(default_factory=dict)
    users: dict[str, str] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    signed_in: list[str] = field(default_factory=list)

    def server(self, tls: str = "none", user: str = "", password: str = "") -> MailServer:
        """The setting that leads to it."""
        return MailServer("localhost", self.port, user, password, tls)


def _handler(held: Post) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            held.tries += 1
            sender = to = who = ""
            self.say("", "220 here")
            while line := self.rfile.readline().decode().rstrip("\r\n"):
                verb, _, rest = line.partition(" ")
                verb = verb.upper()
                if verb == "EHLO":
                    offers = ["250-here"] + ["250-STARTTLS"] * (held.tls is not None)
                    offers += ["250-AUTH PLAIN"] * bool(held.users)
                    self.say(verb, "\r\n".join([*offers, "250 8BITMIME"]))
                elif verb == "STARTTLS" and held.tls is not None:
                    self.say(verb, "220 go on")
                    self.connection = held.tls.wrap_socket(self.connection, server_side=True)
                    self.rfile = self.connection.makefile("rb")
                    self.wfile = self.connection.makefile("wb", 0)
                elif verb == "AUTH":
                    _, name, password = base64.b64decode(rest.split()[1]).decode().split("\0")
                    who = name if held.users.get(name) == password else ""
                    held.signed_in += [who] if who else []
                    self.say(verb, "235 welcome" if who else "535 5.7.8 no")
                elif verb == "MAIL":
                    sender = rest
                    closed = bool(held.users) and not who
                    self.say(verb, "530 5.7.0 who are you" if closed else "250 ok")
                elif verb == "RCPT":
                    to = rest
                    self.say(verb, "250 ok")
                elif verb == "DATA":
                    self.say(verb, "354 go on")
                    lines = []
                    while (one := self.rfile.readline().rstrip(b"\r\n")) != b".":
                        lines.append(one[1:] if one.startswith(b".") else one)
                    raw, policy = b"\n".join([*lines, b""]), email.policy.default
                    mail = email.message_from_bytes(raw, policy=policy)
                    assert isinstance(mail, EmailMessage)
                    if self.say("TAKEN", "250 kept").startswith("250"):
                        held.taken.append((sender, to, mail))
                elif verb == "QUIT":
                    self.say(verb, "221 bye")
                    return
                else:
                    self.say(verb, "250 ok")

        def say(self, verb: str, usual: str) -> str:
            told = held.replies.get(verb)
            reply = told.pop(0) if told else usual
            if reply == "close":
                raise ConnectionAbortedError
            self.wfile.write(f"{reply}\r\n".encode())
            self.wfile.flush()
            return reply

    return Handler


class Server(Quiet, socketserver.TCPServer):
    """The mail server itself."""


@contextmanager
def posting(tls: ssl.SSLContext | None = None, *, from_the_start: bool = False) -> Iterator[Post]:
    """Run a mail server on a free port; with `tls` it offers STARTTLS, or speaks it at once."""
    held = Post(tls=None if from_the_start else tls)
    server = Server(LOOPBACK, _handler(held))
    with serving(server, tls if from_the_start else None) as held.port:
        yield held
