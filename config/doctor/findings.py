"""What a look found, and how looks are run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

from config.logs import blotted

GOOD, WARNING, BAD = "good", "warning", "bad"
CODES = {GOOD: 0, WARNING: 1, BAD: 2}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: its subject, its state, what is so, and what to do."""

    subject: str
    state: str
    said: str
    todo: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the finding as plain values."""
        return asdict(self)


Look = Callable[[], Iterable[Finding]]


def good(subject: str, said: str) -> Finding:
    """All is well."""
    return Finding(subject, GOOD, said)


def warning(subject: str, said: str, todo: str) -> Finding:
    """It works, and will hurt one day."""
    return Finding(subject, WARNING, said, todo)


def bad(subject: str, said: str, todo: str) -> Finding:
    """It does not work, or data is at risk."""
    return Finding(subject, BAD, said, todo)


def looked(looks: Iterable[tuple[str, Look]]) -> Iterator[Finding]:
    """Run looks one after the other; one that fails is a finding, not the end."""
    for subject, look in looks:
        try:
            for one in look():
                yield Finding(one.subject, one.state, blotted(one.said), blotted(one.todo))
        except Exception as fault:
            said = blotted(f"this could not be looked at: {type(fault).__name__}: {fault}")
            yield bad(subject, said.strip().replace("\n", " "), "Mend what is told above first.")


def exit_code(findings: Iterable[Finding]) -> int:
    """0: all good, 1: something to watch, 2: something is broken."""
    return max((CODES[one.state] for one in findings), default=0)
