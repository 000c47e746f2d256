"""Nothing secret in the logs: what is written goes through a filter that takes it out.

Names of fields that hold secrets, bearer tokens, join links, one-time codes, cookies and keys of
authenticator apps are blotted out in the finished text, arguments and tracebacks included. The
SQL of the database is never logged: its parameters are people's data. The rule for our own code
is not to log any of this in the first place; this is the net below.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import structlog

BLOT = "[hidden]"
FIELDS = (
    "password", "passwd", "secret", "token", "otp", "csrfmiddlewaretoken", "headjudge_session",
    "headjudge_device", "csrftoken", "authorization", "cookie", "set-cookie", "x-csrftoken",
    "api_key", "apikey", "note", "facts_agreed", "facts_disputed",
)  # fmt: skip
"""Fields of forms, bodies, headers and cookies that hold secrets or people's own words."""

_FIELD = re.compile(
    r"""(?ix)
    (?P<name>["']?\b(?:FIELDS)["']?\s*(?:=|:)\s*)
    (?:\[\s*)?
    (?: "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | (?:(?:bearer|basic)\s+)?[^\s,;&"'}\)\]]+ )
    """.replace("FIELDS", "|".join(map(re.escape, FIELDS)))
)
_OTHERS = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), r"\1 " + BLOT),
    (re.compile(r"(/join/)[^/\s?\"'<>]+"), r"\1" + BLOT),
    (re.compile(r"(?i)otpauth://\S+"), BLOT),
    (
        re.compile(r"\b(code[\"']?\s*[=:]\s*[\"']?)(?:\d{6}|[a-z2-7]{4}(?:-[a-z2-7]{4}){3})\b"),
        r"\1" + BLOT,
    ),
    (re.compile(r"(\w+://[^\s:/@]*:)[^\s@/]+@"), r"\1" + BLOT + "@"),
    (re.compile(r"\b(?:argon2\w*|pbkdf2_\w+)\$\S+"), BLOT),
)


def blotted(text: str) -> str:
    """Return a line of a log without secrets."""
    text = _FIELD.sub(lambda found: f"{found['name']}{BLOT}", text)
    for pattern, instead in _OTHERS:
        text = pattern.sub(instead, text)
    return text


class Blotting(logging.Formatter):
    """Blots the finished line, traceback and all: nothing is added to it afterwards."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the line, then take the secrets out."""
        return blotted(super().format(record))


def settings(level: str) -> dict[str, Any]:
    """Return LOGGING: everything through one blotting handler to standard error."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "plain": {
                "()": "config.logs.Blotting",
                "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # Django brings handlers of its own for these, which would write past ours
            "django": {"handlers": [], "level": "NOTSET", "propagate": True},
            "django.server": {"handlers": [], "level": "NOTSET", "propagate": True},
            # at DEBUG it logs every statement with its parameters
            "django.db.backends": {"level": "INFO"},
            "django.template": {"level": "INFO"},
        },
    }


def through_logging() -> None:
    """Let the lines of structlog take the same way as all others."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["event"]),
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
