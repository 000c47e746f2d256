"""A ruling: what the judge asks for, settled against the pack into what is recorded."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from judging.domain.policy import Pack
from judging.domain.rewinding import answer_of, forbidden, read_checklist
from judging.domain.words import (
    NEXT_MATCH_TARGETS,
    RESULT_CHANGING,
    TARGETS,
    Approval,
    Moment,
    Penalty,
    Remedy,
    Target,
    values,
)


@dataclass(frozen=True, slots=True)
class RulingAsk:
    """What a judge enters. None means: not named, so the pack or the match decides.

    `target_entrant` is one of the two entrants; `rewind_to` the event of the duel's log that
    play goes back to, or `checklist` the four questions where there is no full log; `reasoned`
    says whether a note stands beside it.
    """

    rule_id: str | None = None
    infraction: str | None = None
    infraction_kind: str | None = None
    penalty: str | None = None
    target: str | None = None
    target_entrant: str | None = None
    remedy: str = Remedy.PLAY_ON.value
    duel_id: str | None = None
    rewind_to: int | None = None
    checklist: Mapping[str, bool] | None = None
    self_reported: bool = False
    reasoned: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """What a ruling must know of the match: its entrants and how far it was."""

    entrants: tuple[str, str]
    moment: Moment


@dataclass(frozen=True, slots=True)
class Settled:
    """A ruling that stands: every open part filled in."""

    rule_id: str | None
    infraction: str | None
    infraction_kind: str | None
    penalty: Penalty | None
    target: Target | None
    target_entrant: str | None
    remedy: Remedy
    duel_id: str | None
    rewind_to: int | None
    approval: Approval


SELF_REPORTED = "self_reported"


def settle(
    ask: RulingAsk, *, pack: Pack, table: Table, head_judge: bool, rules: Container[str]
) -> Settled | Refusal:
    """Check a ruling against the pack and fill in what the judge left open.

    `rules` are the rule ids of the game. Refuses: judging.unknown_rule, unknown_infraction,
    unknown_infraction_kind, infraction_missing, unknown_penalty, not_base_penalty,
    never_upgraded, keeps_no_prize, reason_missing, unknown_target, target_out_of_reach,
    unknown_entrant, unknown_remedy, remedy_not_in_pack, head_judge_only, rewind_incomplete,
    remedy_needs_penalty, checklist_incomplete, checklist_with_line, rewind_forbidden,
    rewind_not_by, downgrade_none, downgrade_reason.
    """
    rule = ask.rule_id or ask.infraction
    if rule is not None and rule not in rules and rule not in pack.infractions:
        return Refusal("judging.unknown_rule", {"found": rule, "pack": pack.ref})
    remedy = _remedy(ask, pack, head_judge)
    if isinstance(remedy, Refusal):
        return remedy
    penalty = _penalty(ask, pack, head_judge)
    if isinstance(penalty, Refusal):
        return penalty
    if remedy is Remedy.LOSS and penalty not in RESULT_CHANGING:
        return Refusal(
            "judging.remedy_needs_penalty",
            {
                "found": penalty.value if penalty else None,
                "allowed": [rung.value for rung in pack.ladder if rung in RESULT_CHANGING],
            },
        )
    target = _target(ask, pack, penalty, table.moment)
    if isinstance(target, Refusal):
        return target
    if ask.infraction is not None and ask.target_entrant not in table.entrants:
        return Refusal(
            "judging.unknown_entrant",
            {"found": ask.target_entrant, "allowed": list(table.entrants)},
        )
    approval = Approval.NOT_NEEDED
    if penalty is not None and pack.needs_approval(penalty, ask.infraction):
        approval = Approval.APPROVED if head_judge else Approval.PENDING
    return Settled(
        rule_id=rule,
        infraction=ask.infraction,
        infraction_kind=ask.infraction_kind if ask.infraction else None,
        penalty=penalty,
        target=target,
        target_entrant=ask.target_entrant if ask.infraction else None,
        remedy=remedy,
        duel_id=ask.duel_id,
        rewind_to=ask.rewind_to if remedy is Remedy.REWIND else None,
        approval=approval,
    )


def _remedy(ask: RulingAsk, pack: Pack, head_judge: bool) -> Remedy | Refusal:
    if ask.remedy not in set(Remedy):
        return Refusal("judging.unknown_remedy", {"found": ask.remedy, "allowed": values(Remedy)})
    remedy = Remedy(ask.remedy)
    known = pack.infractions.get(ask.infraction or "")
    if known is not None and remedy not in known.remedies and not head_judge:
        return Refusal(
            "judging.remedy_not_in_pack",
            {"found": remedy.value, "allowed": values(known.remedies), "infraction": known.code},
        )
    if remedy is Remedy.REWIND:
        if not head_judge:
            return Refusal("judging.head_judge_only", {"act": "rewind"})
        wrong = _way_back(ask, pack)
        if wrong is not None:
            return wrong
        if "head_judge" not in pack.rewind.by:
            return Refusal("judging.rewind_not_by", {"pack": pack.ref})
        if not ask.reasoned:
            return Refusal("judging.reason_missing", {"act": "rewind"})
    return remedy


def _way_back(ask: RulingAsk, pack: Pack) -> Refusal | None:
    """Say what a rewind lacks: a line of a log, or the four answers."""
    if ask.checklist is None:
        if ask.duel_id is None or ask.rewind_to is None or ask.rewind_to < 1:
            return Refusal(
                "judging.rewind_incomplete", {"duel": ask.duel_id, "found": ask.rewind_to}
            )
        return None
    if ask.rewind_to is not None:
        return Refusal("judging.checklist_with_line", {"found": ask.rewind_to})
    read = read_checklist(ask.checklist)
    return read if isinstance(read, Refusal) else forbidden(answer_of(read), pack)


def _penalty(ask: RulingAsk, pack: Pack, head_judge: bool) -> Penalty | Refusal | None:
    if ask.infraction is None:
        for given in (ask.penalty, ask.target, ask.infraction_kind):
            if given is not None:
                return Refusal("judging.infraction_missing", {"found": given})
        return None
    known = pack.infractions.get(ask.infraction)
    if known is None:
        return Refusal(
            "judging.unknown_infraction",
            {"found": ask.infraction, "allowed": sorted(pack.infractions)},
        )
    if ask.infraction_kind is not None and ask.infraction_kind not in known.kinds:
        return Refusal(
            "judging.unknown_infraction_kind",
            {"found": ask.infraction_kind, "allowed": list(known.kinds)},
        )
    if ask.penalty is None or ask.penalty == known.base:
        return known.base
    if ask.penalty not in pack.ladder:
        return Refusal(
            "judging.unknown_penalty", {"found": ask.penalty, "allowed": values(pack.ladder)}
        )
    if not head_judge:
        return Refusal(
            "judging.not_base_penalty", {"found": ask.penalty, "allowed": known.base.value}
        )
    penalty = Penalty(ask.penalty)
    higher = pack.ladder.index(penalty) > pack.ladder.index(known.base)
    if higher and known.code in pack.never_upgraded:
        return Refusal(
            "judging.never_upgraded", {"found": penalty.value, "allowed": known.base.value}
        )
    if not pack.may_give(known.code, penalty):
        return Refusal("judging.keeps_no_prize", {"found": penalty.value, "infraction": known.code})
    if not ask.reasoned:
        return Refusal("judging.reason_missing", {"act": "upgrade" if higher else "downgrade"})
    return penalty if higher else _lowered(ask, pack, penalty)


def _lowered(ask: RulingAsk, pack: Pack, penalty: Penalty) -> Penalty | Refusal:
    """Hold a downgrade to the reasons that count by the pack: none at all lets nothing be lowered;
    that the player told of it counts only where the pack says so."""
    allowed = list(pack.downgrade_reasons)
    if not allowed:
        return Refusal("judging.downgrade_none", {"found": penalty.value, "pack": pack.ref})
    if ask.self_reported and SELF_REPORTED not in allowed:
        return Refusal("judging.downgrade_reason", {"allowed": allowed, "pack": pack.ref})
    return penalty


def reachable(penalty: Penalty, moment: Moment) -> tuple[Target, ...]:
    """Return the targets that a penalty can have now: the running or the coming game, the match,
    the event; and the next match, where the loss waits until it is published. Of a match that is
    over nothing can be lost any more: its result is corrected at the desk."""
    if moment is Moment.AFTER_MATCH and penalty in (Penalty.GAME_LOSS, Penalty.MATCH_LOSS):
        return tuple(one for one in TARGETS[penalty] if one in NEXT_MATCH_TARGETS)
    if penalty is Penalty.GAME_LOSS:
        here = Target.THIS_GAME if moment is Moment.IN_GAME else Target.NEXT_GAME
        return here, Target.NEXT_MATCH_FIRST_GAME
    return TARGETS[penalty]


def _target(
    ask: RulingAsk, pack: Pack, penalty: Penalty | None, moment: Moment
) -> Target | Refusal | None:
    if penalty is None:
        return None
    target = ask.target
    if target is None:
        usual = pack.usual_target(penalty, moment, ask.infraction or "", ask.infraction_kind or "")
        # a pack names one target per moment; where the match has gone past it, the next one holds
        allowed = reachable(penalty, moment)
        target = usual if usual in allowed else allowed[0]
    if target not in TARGETS[penalty]:
        return Refusal(
            "judging.unknown_target", {"found": str(target), "allowed": values(TARGETS[penalty])}
        )
    allowed = reachable(penalty, moment)
    if target not in allowed:
        return Refusal(
            "judging.target_out_of_reach", {"found": str(target), "allowed": values(allowed)}
        )
    return Target(target)
