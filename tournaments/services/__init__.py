"""Commands of the tournaments: each takes a Context (or the Unit of an outer command) first
and keywords after it, and raises Refused, NotAllowed or CommandReused."""

from tournaments.services.clocks import clock_adjust, clock_pause, clock_resume, clock_start
from tournaments.services.duels import duel_result_take, duel_start, sides_exchange
from tournaments.services.entrants import (
    Enrolled,
    deck_submit,
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
from tournaments.services.matches import (
    coin_toss,
    penalty_apply,
    result_claim,
    result_correct,
    result_enter,
    starter_choose,
)
from tournaments.services.packets import packet_close
from tournaments.services.rounds import (
    cut_make,
    event_finish,
    event_start,
    round_pair,
    round_publish,
)

__all__ = [
    "Enrolled",
    "clock_adjust",
    "clock_pause",
    "clock_resume",
    "clock_start",
    "coin_toss",
    "cut_make",
    "deck_submit",
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
    "registration_close",
    "registration_open",
    "result_claim",
    "result_correct",
    "result_enter",
    "round_pair",
    "round_publish",
    "sides_exchange",
    "starter_choose",
]
