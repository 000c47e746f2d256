"""What `compare_duel` says of recordings: counts, and the first differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duels.imports.engine.beyond import measure
from duels.imports.engine.folding import Step, fold
from duels.imports.engine.importing import import_recording
from duels.imports.engine.recording import PoolCard, Recording, read
from duels.imports.engine.refereed import DUEL, play
from eventstore.domain.refusal import Refusal

FIRST = 20
"""Differences told in full; the rest are counted."""
LONG = 400
COUNTS = (
    "files",
    "batches",
    "mismatches",
    "decisions",
    "unequal",
    "raw_unequal",
    "marks_unequal",
)


@dataclass(slots=True)
class Report:
    """Counts over recordings. `raw_unequal`: raw messages that contradict the readable ones;
    `marks_unequal`: batches whose tables differ only in owners, bearers or counters;
    `unknown`: kinds of messages without a meaning here; `errors`: files that cannot be read;
    `skipped`: recordings whose decisions could not all be played, with the reason; `explained`:
    differences of decisions that must stay, by rule id, list and card. `beyond`: decisions
    after such a stop, compared on the recorded table alone (see beyond.py): `decisions`,
    `equal`, and which lists differ."""

    files: int = 0
    batches: int = 0
    mismatches: int = 0
    decisions: int = 0
    unequal: int = 0
    raw_unequal: int = 0
    marks_unequal: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    beyond: Counter[str] = field(default_factory=Counter)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    first: list[dict[str, Any]] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether every file was read and nothing differs."""
        faults = self.mismatches + self.unequal + self.raw_unequal + self.marks_unequal
        return not (self.errors or faults)

    def note(self, **difference: Any) -> None:
        """Keep a difference among the first ones."""
        if len(self.first) < FIRST:
            self.first.append({key: _short(value) for key, value in difference.items()})

    def add(self, one: Report) -> None:
        """Add the report of further recordings."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(one, name))
        self.unknown.update(one.unknown)
        self.explained.update(one.explained)
        self.beyond.update(one.beyond)
        self.skipped += one.skipped
        self.errors += one.errors
        self.first = (self.first + one.first)[:FIRST]

    def plain(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            **{name: getattr(self, name) for name in COUNTS},
            "unknown": dict(sorted(self.unknown.items())),
            "explained": dict(sorted(self.explained.items())),
            "beyond": dict(sorted(self.beyond.items())),
            "skipped": self.skipped,
            "errors": self.errors,
            "first": self.first,
        }


def _short(value: Any) -> Any:
    """A value of a difference, cut when it is very long (a whole Deck)."""
    text = str(value)
    return value if len(text) <= LONG else text[:LONG] + "..."


def compare_file(report: Report, name: str, data: bytes) -> tuple[Recording, list[Step]] | None:
    """Fold one recording into the report, and return it with its fold. A damaged file becomes
    an error of the report, and None."""
    report.files += 1
    recording = read(data)
    if isinstance(recording, Refusal):
        fault(report, name, recording)
        return None
    steps: list[Step] = []
    for step in fold(recording):
        steps.append(step)
        report.batches += 1
        report.raw_unequal += step.raw_unequal
        report.unknown.update(step.unknown)
        if step.raw_unequal:
            report.note(file=name, batch=step.batch.i, what="raw", found=step.raw_unequal)
        if step.differences:
            report.mismatches += step.mismatch
            report.marks_unequal += not step.mismatch
            one = next((one for one in step.differences if not one.mark), step.differences[0])
            report.note(
                file=name,
                batch=step.batch.i,
                what=one.what,
                recorded=one.recorded,
                folded=one.folded,
            )
    return recording, steps


def compare_decisions(
    report: Report,
    name: str,
    recording: Recording,
    steps: Sequence[Step],
    pool: Mapping[int, PoolCard],
) -> None:
    """Play one recording again in refereed play, into the report; `steps` are its fold."""
    played = play(recording, pool, steps)
    report.decisions += played.decisions
    report.unequal += played.unequal_decisions
    for one in played.explained:
        report.explained[f"{one.rule} {one.what} {one.ours}"] += 1
    for one in played.unequal:
        report.note(
            file=name,
            batch=one.batch,
            what=one.what,
            recorded=one.recorded,
            ours=one.ours,
            rule=one.rule,
        )
    if played.stopped is not None:
        report.skipped.append(
            {"file": name, "decisions": played.decisions, "reason": played.stopped}
        )
        imported = import_recording(recording, pool, DUEL, steps)
        if not isinstance(imported, Refusal):
            measured = measure(steps, imported, played.stopped_at)
            report.beyond.update(
                measured.differing + Counter(decisions=measured.decisions, equal=measured.equal)
            )


def fault(report: Report, name: str, refusal: Refusal) -> None:
    """Note a file that cannot be used."""
    report.errors.append({"file": name, "code": refusal.code, "params": dict(refusal.params)})
