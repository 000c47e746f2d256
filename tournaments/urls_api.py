"""API routes of the tournaments."""

from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from tournaments import api, api_door, api_hall, api_outages, api_rounds
from tournaments import api_floor as floor
from tournaments.api_replays import Replays


class EventWord(StringConverter):
    """The names of the plain commands on an event."""

    regex = "|".join(api.EventCommand.COMMANDS)


class EntrantWord(StringConverter):
    """The names of the plain commands on an entrant."""

    regex = "|".join(api.EntrantCommand.COMMANDS)


class WaitingWord(StringConverter):
    """The names of the commands on a place of the waiting list."""

    regex = "|".join(api_door.WaitingCommand.COMMANDS)


register_converter(EventWord, "event_word")
register_converter(WaitingWord, "waiting_word")
register_converter(EntrantWord, "entrant_word")

urlpatterns: list[URLPattern] = [
    path("events", api.EventList.as_view(), name="events"),
    path("events/<uuid:event>", api.EventDetail.as_view(), name="event"),
    path("events/<uuid:event>/configure", api.EventConfigure.as_view(), name="event-configure"),
    path("events/<uuid:event>/cut", api.Cut.as_view(), name="event-cut"),
    path(
        "events/<uuid:event>/<event_word:command>",
        api.EventCommand.as_view(),
        name="event-command",
    ),
    path("events/<uuid:event>/entrants", api.Entrants.as_view(), name="entrants"),
    path("events/<uuid:event>/enrol-self", api.EnrolSelf.as_view(), name="enrol-self"),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/deck", api.Deck.as_view(), name="entrant-deck"
    ),
    path("events/<uuid:event>/hand-ins", api.HandIns.as_view(), name="hand-ins"),
    path("events/<uuid:event>/lists", api.OpenLists.as_view(), name="open-lists"),
    path("events/<uuid:event>/lists/<uuid:entrant>", api.OneOpenList.as_view(), name="open-list"),
    path(
        "events/<uuid:event>/my-match/opponent-list",
        api.OpponentList.as_view(),
        name="opponent-list",
    ),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/paper",
        api.Paper.as_view(),
        name="entrant-paper",
    ),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/paper/return",
        api.PaperReturn.as_view(),
        name="entrant-paper-return",
    ),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/paper/entry",
        api.PaperEntry.as_view(),
        name="entrant-paper-entry",
    ),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/deck/checked",
        api.ListChecked.as_view(),
        name="entrant-deck-checked",
    ),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/penalties",
        api.Penalties.as_view(),
        name="entrant-penalties",
    ),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/<entrant_word:command>",
        api.EntrantCommand.as_view(),
        name="entrant-command",
    ),
    path("suspensions", api_door.Suspensions.as_view(), name="suspensions"),
    path("events/<uuid:event>/door", api_door.Door.as_view(), name="door"),
    path("events/<uuid:event>/door/find", api_door.DoorFind.as_view(), name="door-find"),
    path("events/<uuid:event>/door/field", api_door.DoorField.as_view(), name="door-field"),
    path("events/<uuid:event>/door/cash-up", api_door.CashUp.as_view(), name="cash-up"),
    path("events/<uuid:event>/door/notice", api_door.Notice.as_view(), name="notice"),
    path("events/<uuid:event>/door/name", api_door.PublicName.as_view(), name="public-name"),
    path("events/<uuid:event>/door/merge", api_door.Merges.as_view(), name="merges"),
    path("events/<uuid:event>/door/merge/undo", api_door.MergeUndo.as_view(), name="merge-undo"),
    path("events/<uuid:event>/my-seat", api_door.MySeat.as_view(), name="my-seat"),
    path("events/<uuid:event>/waiting", api_door.WaitingLine.as_view(), name="waiting"),
    path(
        "events/<uuid:event>/waiting/<uuid:entrant>/<waiting_word:command>",
        api_door.WaitingCommand.as_view(),
        name="waiting-command",
    ),
    path("events/<uuid:event>/entrants/<uuid:entrant>/fee", api_door.FeePay.as_view(), name="fee"),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/fee/refund",
        api_door.FeeRefund.as_view(),
        name="fee-refund",
    ),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/fee/comp",
        api_door.FeeComp.as_view(),
        name="fee-comp",
    ),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/eligibility",
        api_door.Eligibility.as_view(),
        name="eligibility",
    ),
    path("events/<uuid:event>/rounds", api.Rounds.as_view(), name="rounds"),
    path("events/<uuid:event>/rounds/pair", api.PairRound.as_view(), name="round-pair"),
    path(
        "events/<uuid:event>/rounds/from-paper",
        api_hall.PaperRound.as_view(),
        name="round-from-paper",
    ),
    path(
        "events/<uuid:event>/rounds/<int:number>/slips",
        api_hall.Slips.as_view(),
        name="round-slips",
    ),
    path("events/<uuid:event>/next-round", api_hall.NextRound.as_view(), name="next-round"),
    path("events/<uuid:event>/seats", api_hall.Seats.as_view(), name="seats"),
    path("events/<uuid:event>/paper", api_hall.Paper.as_view(), name="paper"),
    path("events/<uuid:event>/paper/choose", api_hall.PaperChoose.as_view(), name="paper-choose"),
    path("events/<uuid:event>/wall", api_hall.WallScreen.as_view(), name="wall"),
    path("events/<uuid:event>/messages", api_hall.Messages.as_view(), name="messages"),
    path(
        "events/<uuid:event>/messages/<uuid:message>/withdraw",
        api_hall.MessageWithdraw.as_view(),
        name="message-withdraw",
    ),
    path("events/<uuid:event>/rounds/<int:number>", api.RoundDetail.as_view(), name="round"),
    path(
        "events/<uuid:event>/rounds/<int:number>/publish",
        api.PublishRound.as_view(),
        name="round-publish",
    ),
    path("events/<uuid:event>/standings", api.Standings.as_view(), name="standings"),
    path("events/<uuid:event>/bracket", api.BracketView.as_view(), name="bracket"),
    path("events/<uuid:event>/desk", api.DeskView.as_view(), name="desk"),
    path("events/<uuid:event>/my-match", api.MyMatch.as_view(), name="my-match"),
    path("matches/<uuid:match>", api.MatchRead.as_view(), name="match"),
    path("matches/<uuid:match>/claims", api.Claims.as_view(), name="match-claims"),
    path("matches/<uuid:match>/result", api.Results.as_view(), name="match-result"),
    path("matches/<uuid:match>/correction", api.Corrections.as_view(), name="match-correction"),
    path("matches/<uuid:match>/coin", api.Coin.as_view(), name="match-coin"),
    path("matches/<uuid:match>/starter", api.Starter.as_view(), name="match-starter"),
    path("matches/<uuid:match>/duels", api.Duels.as_view(), name="match-duels"),
    path("matches/<uuid:match>/duels/result", api.DuelResult.as_view(), name="match-duel-result"),
    path("matches/<uuid:match>/record", api.Record.as_view(), name="match-record"),
    path("matches/<uuid:match>/record/result", api.RecordResult.as_view(), name="match-recorded"),
    path("matches/<uuid:match>/replays", Replays.as_view(), name="match-replays"),
    path("matches/<uuid:match>/sides", api.Sides.as_view(), name="match-sides"),
    path("events/<uuid:event>/slips", floor.Slips.as_view(), name="slips"),
    path("events/<uuid:event>/conflicts", floor.Conflicts.as_view(), name="conflicts"),
    path("events/<uuid:event>/ruleset", floor.Ruleset.as_view(), name="event-ruleset"),
    path("events/<uuid:event>/outages", api_outages.Outages.as_view(), name="outages"),
    path(
        "events/<uuid:event>/outages/<uuid:outage>/settle",
        api_outages.OutageSettle.as_view(),
        name="outage-settle",
    ),
    path(
        "events/<uuid:event>/outages/<uuid:outage>/reopen",
        api_outages.OutageReopen.as_view(),
        name="outage-reopen",
    ),
    path("events/<uuid:event>/losses", floor.Losses.as_view(), name="losses"),
    path(
        "events/<uuid:event>/losses/<uuid:loss>/take-back",
        floor.LossTakeBack.as_view(),
        name="loss-take-back",
    ),
    path("matches/<uuid:match>/conflict", floor.Settle.as_view(), name="match-conflict"),
    path("matches/<uuid:match>/take-back", floor.TakeBack.as_view(), name="match-take-back"),
    path("matches/<uuid:match>/no-slip", floor.SlipMissing.as_view(), name="match-no-slip"),
    path("matches/<uuid:match>/extension", floor.Extension.as_view(), name="match-extension"),
    path("matches/<uuid:match>/end", floor.EndStart.as_view(), name="match-end"),
    path("matches/<uuid:match>/end/answer", floor.EndAnswer.as_view(), name="match-end-answer"),
    path("matches/<uuid:match>/end/back", floor.EndBack.as_view(), name="match-end-back"),
    path("matches/<uuid:match>/end/confirm", floor.EndConfirm.as_view(), name="match-end-confirm"),
    path("pods", api_rounds.Pods.as_view(), name="pods"),
    path("events/<uuid:event>/undo", api_rounds.UndoPreviewView.as_view(), name="undo-preview"),
    path("events/<uuid:event>/cut/restart", api_rounds.CutRestart.as_view(), name="cut-restart"),
    path("events/<uuid:event>/reopen", api_rounds.EventReopen.as_view(), name="event-reopen"),
    path(
        "events/<uuid:event>/finish-early",
        api_rounds.EventFinishEarly.as_view(),
        name="event-finish-early",
    ),
    path("events/<uuid:event>/rules", api_rounds.EventPolicy.as_view(), name="event-policy"),
    path("events/<uuid:event>/tardy", api_rounds.Tardy.as_view(), name="tardy"),
    path("events/<uuid:event>/elsewhere", api_rounds.Elsewhere.as_view(), name="elsewhere"),
    path(
        "events/<uuid:event>/entrants/<uuid:entrant>/seat",
        api_rounds.CutSeat.as_view(),
        name="entrant-seat",
    ),
    path(
        "events/<uuid:event>/rounds/<int:number>/delete",
        api_rounds.RoundDelete.as_view(),
        name="round-delete",
    ),
    path(
        "events/<uuid:event>/rounds/<int:number>/withdraw",
        api_rounds.RoundWithdraw.as_view(),
        name="round-withdraw",
    ),
    path("matches/<uuid:match>/tardy", api_rounds.MatchTardy.as_view(), name="match-tardy"),
]
