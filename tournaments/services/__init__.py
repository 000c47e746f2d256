"""Commands of the tournaments: each takes a Context (or the Unit of an outer command) first
and keywords after it, and raises Refused, NotAllowed or CommandReused."""

from tournaments.services.clocks import clock_adjust, clock_pause, clock_resume, clock_start
from tournaments.services.duels import duel_result_take, duel_start, sides_exchange
from tournaments.services.ends import (
    EndStep,
    end_answer,
    end_back,
    end_confirm,
    end_start,
    ruleset_choose,
)
from tournaments.services.entrants import (
    Enrolled,
    deck_submit,
    decks_lock_all,
    decks_unlock_all,
    entrant_check_in,
    entrant_drop,
    entrant_enrol,
    entrant_enrol_self,
    entrant_reinstate,
)
from tournaments.services.events import (
    event_cancel,
    event_configure,
    event_create,
    registration_close,
    registration_open,
)
from tournaments.services.exchange import Imported, archive_import, companion_import
from tournaments.services.fees import (
    eligibility_note,
    fee_comp,
    fee_pay,
    fee_refund,
    notice_accept,
)
from tournaments.services.hall import message_post, message_withdraw, paper_choose, round_from_paper
from tournaments.services.lists import list_confirm, paper_enter, paper_receive, paper_return
from tournaments.services.matches import (
    coin_toss,
    penalty_apply,
    result_claim,
    result_correct,
    result_enter,
    results_accept,
    starter_choose,
)
from tournaments.services.merging import merge_undo, persons_merge
from tournaments.services.outages import outage_notice, outage_reopen, outage_settle
from tournaments.services.packets import disqualification_undo, packet_close
from tournaments.services.plans import plan_entrant, plan_make
from tournaments.services.pods import names_in, pod_create
from tournaments.services.policy import policy_choose, seat_decline, seat_take
from tournaments.services.recording import duel_record_open, duel_record_take
from tournaments.services.replays import replay_hand_in
from tournaments.services.rounds import (
    cut_make,
    cut_replace,
    cut_undo,
    draft_by_hand,
    draft_swap,
    event_finish,
    event_start,
    round_pair,
    round_publish,
    round_withdraw,
)
from tournaments.services.seats import (
    door_set,
    offer_accept,
    offer_decline,
    offers_settle,
    waiting_leave,
)
from tournaments.services.slips import (
    Entered,
    conflict_settle,
    loss_give,
    loss_take_back,
    result_take_back,
    slip_enter,
    slip_missing_apply,
    time_extend,
)
from tournaments.services.suspensions import suspensions_import
from tournaments.services.tardiness import player_arrive, player_miss, tardiness_confirm
from tournaments.services.undoing import cut_restart, event_reopen, round_delete

__all__ = [
    "EndStep",
    "Enrolled",
    "Entered",
    "Imported",
    "archive_import",
    "clock_adjust",
    "clock_pause",
    "clock_resume",
    "clock_start",
    "coin_toss",
    "companion_import",
    "conflict_settle",
    "cut_make",
    "cut_replace",
    "cut_restart",
    "cut_undo",
    "deck_submit",
    "decks_lock_all",
    "decks_unlock_all",
    "disqualification_undo",
    "door_set",
    "draft_by_hand",
    "draft_swap",
    "duel_record_open",
    "duel_record_take",
    "duel_result_take",
    "duel_start",
    "eligibility_note",
    "end_answer",
    "end_back",
    "end_confirm",
    "end_start",
    "entrant_check_in",
    "entrant_drop",
    "entrant_enrol",
    "entrant_enrol_self",
    "entrant_reinstate",
    "event_cancel",
    "event_configure",
    "event_create",
    "event_finish",
    "event_reopen",
    "event_start",
    "fee_comp",
    "fee_pay",
    "fee_refund",
    "list_confirm",
    "loss_give",
    "loss_take_back",
    "merge_undo",
    "message_post",
    "message_withdraw",
    "names_in",
    "notice_accept",
    "offer_accept",
    "offer_decline",
    "offers_settle",
    "outage_notice",
    "outage_reopen",
    "outage_settle",
    "packet_close",
    "paper_choose",
    "paper_enter",
    "paper_receive",
    "paper_return",
    "penalty_apply",
    "persons_merge",
    "plan_entrant",
    "plan_make",
    "player_arrive",
    "player_miss",
    "pod_create",
    "policy_choose",
    "registration_close",
    "registration_open",
    "replay_hand_in",
    "result_claim",
    "result_correct",
    "result_enter",
    "result_take_back",
    "results_accept",
    "round_delete",
    "round_from_paper",
    "round_pair",
    "round_publish",
    "round_withdraw",
    "ruleset_choose",
    "seat_decline",
    "seat_take",
    "sides_exchange",
    "slip_enter",
    "slip_missing_apply",
    "starter_choose",
    "suspensions_import",
    "tardiness_confirm",
    "time_extend",
    "waiting_leave",
]
