"""Can play go back? The four questions for a table without a full log, and what a pack forbids.

Where there is a full log its instruments answer (duels.rules.<game>.instruments.repair). On paper
a judge answers four questions; each *no* is a reason. The words of the answer are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eventstore.domain.refusal import Refusal
from judging.domain.policy import Pack

SIMPLE, POSSIBLE = "simple", "possible"
LEAKED, NOT_RESTORABLE = "information_leaked", "not_restorable"
FORBID = "forbid"
QUESTIONS = ("told_apart", "no_chance", "nothing_learned", "nothing_decided")
"""Every card that moved since can be told apart; nothing was shuffled, tossed or rolled since;
nobody has seen since what going back would hide; nobody has decided anything since."""
_ANSWERS = {
    "told_apart": NOT_RESTORABLE,
    "no_chance": NOT_RESTORABLE,
    "nothing_learned": LEAKED,
    "nothing_decided": POSSIBLE,
}


def read_checklist(given: Mapping[str, object]) -> dict[str, bool] | Refusal:
    """Return the four answers; refused with `judging.checklist_incomplete` when one is missing,
    is neither yes nor no, or belongs to no question."""
    strange = [name for name in given if name not in QUESTIONS]
    missing = [name for name in QUESTIONS if not isinstance(given.get(name), bool)]
    if strange or missing:
        return Refusal(
            "judging.checklist_incomplete",
            {"found": [str(one)[:40] for one in strange or missing], "allowed": list(QUESTIONS)},
        )
    return {name: given[name] is True for name in QUESTIONS}


def answer_of(checklist: Mapping[str, bool]) -> str:
    """Return what the four answers come to: the gravest *no* decides.

    >>> answer_of({"told_apart": True, "no_chance": True, "nothing_learned": False,
    ...            "nothing_decided": False})
    'information_leaked'
    """
    return next((_ANSWERS[one] for one in QUESTIONS if not checklist[one]), SIMPLE)


def forbidden(answer: str, pack: Pack) -> Refusal | None:
    """Refuse a rewind that the pack forbids: one by which somebody keeps what was learned, or
    after which nobody can say what lay where (`judging.rewind_forbidden`)."""
    if pack.rewind.info_gain == FORBID and answer in (LEAKED, NOT_RESTORABLE):
        return Refusal(
            "judging.rewind_forbidden",
            {"found": answer, "allowed": [SIMPLE, POSSIBLE], "pack": pack.ref},
        )
    return None


def newest_rewind(rewound: Sequence[int], struck: Sequence[bool]) -> int | None:
    """Return which of the rewinds at these lines (from 1) can be undone now: the newest one that
    no other act has struck, None where there is none."""
    standing = [line for line in rewound if not struck[line - 1]]
    return max(standing, default=None)
