"""What the logs look like, and that nothing secret is in them.

LOG_FORMAT=plain writes lines for people, json one JSON object a line for programs; both name the
correlation id of the request or job (eventstore.correlation) and its route or topic. What is
written goes through a filter that takes secrets out.

Names of fields that hold secrets, bearer tokens, join links, one-time codes, cookies and keys of
authenticator apps are blotted out in the finished text, arguments and tracebacks included. The
SQL of the database is never logged: its parameters are people's data. The rule for our own code
is not to log any of this in the first place; this is the net below.
"""

from __future__ import annotations

import copy
import json
import logging
import re
from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime
from typing import Any

import structlog

from eventstore import correlation

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


FIELDS_OF = "fields"
"""Attribute of a log record that holds the fields of a line of structlog."""
DEPTH = 6
_HIDDEN_KEY = re.compile("(?i)" + "|".join(map(re.escape, FIELDS)))


def _context(record: logging.LogRecord) -> dict[str, Any]:
    """Return what is known beside the message: the correlation id, what was bound for the
    request or job, the fields of the line."""
    found: dict[str, Any] = {}
    # Django tells of refused requests when the layers that know the id are left already
    one = correlation.current() or getattr(getattr(record, "request", None), "correlation", None)
    if one is not None:
        found["correlation"] = one
    found |= structlog.contextvars.get_contextvars()
    fields = getattr(record, FIELDS_OF, None)
    if isinstance(fields, Mapping):
        found |= {str(name): value for name, value in fields.items()}
    return found


def _in_one_line(text: str) -> str:
    """Return a text with line breaks and other signs that a terminal obeys written out."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def _without_refusal(record: logging.LogRecord) -> logging.LogRecord:
    """Return what is told of a request that was refused: one line, no traceback. That is no fault
    of the server, and anybody could fill the log with it."""
    if not record.exc_info or getattr(record, "status_code", 500) >= 500:
        return record
    told = copy.copy(record)
    told.exc_info = told.exc_text = None
    return told


class Blotting(logging.Formatter):
    """A line for people: the message, then name=value for each field. Blots the finished line,
    traceback and all: nothing is added to it afterwards."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Write the message and its fields on one line, whatever is in them."""
        text = _in_one_line(record.message)
        fields = [f" {name}={value!r}" for name, value in _plain(_context(record)).items()]
        record.message = text + "".join(fields)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        """Write a traceback moved in: what its exception says, which may be somebody's words, does
        not begin a line that nobody wrote."""
        lines = super().formatException(ei).split("\n")
        return "\n".join(f"  {_in_one_line(one)}" for one in lines)

    def format(self, record: logging.LogRecord) -> str:
        """Write the line, then take the secrets out."""
        return blotted(super().format(_without_refusal(record)))


def _plain(value: Any, depth: int = DEPTH) -> Any:
    """Return a value as JSON has it, without secrets: text is blotted, and so is whatever stands
    under the name of a field that holds secrets."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, Mapping) and depth:
        return {
            blotted(str(name)): BLOT if _HIDDEN_KEY.fullmatch(str(name)) else _plain(one, depth - 1)
            for name, one in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset) and depth:
        return [_plain(one, depth - 1) for one in value]
    return blotted(str(value))


class JsonLines(logging.Formatter):
    """One JSON object a line. Each text is blotted before it is quoted, so that what the filter
    knows in a plain line it finds here too."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the line: time (UTC), level, logger, message, then context and fields."""
        record = _without_refusal(record)
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, value in _context(record).items():
            line[f"{name}_" if name in line else name] = value
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = self.formatStack(record.stack_info)
        return json.dumps(_plain(line), ensure_ascii=False)


FORMATS = ("plain", "json")


def settings(level: str, form: str = "plain", *, access: bool = False) -> dict[str, Any]:
    """Return LOGGING: everything through one blotting handler to standard error; `access`: a
    line for each request (config.requests)."""
    silent = {"handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "plain": {
                "()": "config.logs.Blotting",
                "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
            },
            "json": {"()": "config.logs.JsonLines"},
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": form}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # Django, uvicorn and Celery bring handlers of their own, which would write past ours
            "django": {**silent, "level": "NOTSET"},
            "django.server": {**silent, "level": "NOTSET"},
            "uvicorn": {**silent, "level": "NOTSET"},
            "uvicorn.error": {**silent, "level": "NOTSET"},
            # its lines hold whole addresses; ours name the route
            "uvicorn.access": {**silent, "level": "WARNING"},
            # at INFO it tells of each tick; what a job did is told by eventstore.outbox
            "celery": {**silent, "level": "WARNING"},
            "access": {"level": "INFO" if access else "WARNING"},
            # at DEBUG it logs every statement with its parameters
            "django.db.backends": {"level": "INFO"},
            "django.template": {"level": "INFO"},
        },
    }


def _handed_over(
    logger: Any, method: str, fields: MutableMapping[str, Any]
) -> tuple[tuple[str], dict[str, Any]]:
    """Hand a line of structlog to logging: its event as the message, the rest as fields."""
    # a bare percent sign is no place for an argument: there are none
    event = str(fields.pop("event", ""))
    return (event,), {"extra": {FIELDS_OF: dict(fields)}}


def through_logging(form: str = "plain") -> None:
    """Let the lines of structlog take the same way as all others, and where programs read the
    log, Python's warnings too."""
    logging.captureWarnings(form == "json")
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.processors.format_exc_info,
            _handed_over,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
