"""The end of a match as a page asks it: what is next, what was answered, what it led to."""

from __future__ import annotations

from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments import holds, rulesets
from tournaments.domain.end_of_match import Ended, Question, step
from tournaments.domain.ruleset import Ruleset
from tournaments.domain.scores import Format
from tournaments.holds import Hold
from tournaments.selectors.clocks import ClockView, table_clock
from tournaments.selectors.matches import MatchDetail, match_detail


@dataclass(frozen=True, slots=True)
class EndView:
    """The end of one match. `answered` are (question, answer) in order; `question` or `ended` is
    what they lead to, both None before it began. `hold`: a call is open at the table. `may_act`:
    the viewer may see it through."""

    detail: MatchDetail
    clock: ClockView | None
    rules: Ruleset
    started: bool
    answered: tuple[tuple[Question, str], ...]
    question: Question | None
    ended: Ended | None
    hold: Hold | None
    may_act: bool

    @property
    def early(self) -> bool:
        """Whether the table still has time."""
        return self.clock is not None and not self.clock.over


def end_of(viewer: Actor, match_id: str) -> EndView:
    """Return the end of a match for who may see it through: seven queries. Raises NotAllowed."""
    detail = match_detail(viewer, match_id)
    row, event = detail.row, detail.event
    subject = Subject(
        row.event_id, frozenset(one for side in row.persons for one in side), public=False
    )
    require(viewer, "tournaments.end_of_match", subject)
    held = row.end or {}
    if held:
        rules = rulesets.ruleset(f"{held['ruleset']}@{held['version']}")
    elif event.ruleset:
        rules = rulesets.ruleset(event.ruleset)
    else:
        rules = rulesets.usual(event.game, event.match_rules)
    answered: list[tuple[Question, str]] = []
    found: Question | Ended | Refusal | None = None
    if held:
        given = [answer for _, answer in held["answers"]]
        form = Format(row.rules, row.play_on)
        for count in range(len(given) + 1):
            found = step(rules, form, cut=held["cut"], played=held["played"], answers=given[:count])
            if count < len(given) and isinstance(found, Question):
                answered.append((found, given[count]))
    return EndView(
        detail,
        table_clock(row),
        rules,
        bool(held),
        tuple(answered),
        found if isinstance(found, Question) else None,
        found if isinstance(found, Ended) else None,
        None if row.winner else holds.holds([row.pk]).get(row.pk),
        detail.seat is None and not row.winner and may(viewer, "tournaments.end_of_match", subject),
    )
