"""What the import commands share: a file within its limit, messages, the one JSON value."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from django.core.management.base import BaseCommand, CommandError

from eventstore.domain.refusal import Refused


def read_file(name: str, limit: int) -> bytes:
    """Read a file of at most `limit` bytes; raises CommandError with a code."""
    try:
        with Path(name).open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as fault:
        raise CommandError(f"no_file {name}: {getattr(fault, 'strerror', fault)}") from None
    if len(data) > limit:
        raise CommandError(f"too_large {name}: more than {limit} bytes")
    return data


def refused(fault: Refused) -> CommandError:
    """Say a refusal as the end of a command."""
    return CommandError(f"{fault.refusal.code} {json.dumps(fault.refusal.params)}")


def put_json(command: BaseCommand, value: msgspec.Struct | dict[str, object]) -> None:
    """Print one JSON value on standard output."""
    command.stdout.write(msgspec.json.encode(value).decode())
