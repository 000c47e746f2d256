"""Commands of the tournaments: each takes a Context (or the Unit of an outer command) first
and keywords after it, and raises Refused, NotAllowed or CommandReused."""

from tournaments.services.clocks import clock_adjust, clock_pause, clock_resume, clock_start
from tournaments.services.duels import duel_result_take, duel_start, sides_exchange
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
from tournaments.services.matches import (
    coin_toss,
    penalty_apply,
    result_claim,
    result_correct,
    result_enter,
    results_accept,
    starter_choose,
)
from tournaments.services.packets import packet_close
from tournaments.services.plans import plan_entrant, plan_make
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

__all__ = [
    "Enrolled",
    "Imported",
    "archive_import",
    "clock_adjust",
    "clock_pause",
    "clock_resume",
    "clock_start",
    "coin_toss",
    "companion_import",
    "cut_make",
    "cut_replace",
    "cut_undo",
    "deck_submit",
    "decks_lock_all",
    "decks_unlock_all",
    "draft_by_hand",
    "draft_swap",
    "duel_result_take",
    "duel_start",
    "entrant_check_in",
    "entrant_drop",
    "entrant_enrol",
    "entrant_enrol_self",
    "entrant_reinstate",
    "event_cancel",
    "event_configure",
    "event_create",
    "event_finish",
    "event_start",
    "packet_close",
    "penalty_apply",
    "plan_entrant",
    "plan_make",
    "registration_close",
    "registration_open",
    "result_claim",
    "result_correct",
    "result_enter",
    "results_accept",
    "round_pair",
    "round_publish",
    "round_withdraw",
    "sides_exchange",
    "starter_choose",
]
