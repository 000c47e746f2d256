"""Routes of judges."""

from django.urls import path

from judging.pages import (
    case,
    deckcheck,
    disputes,
    floor,
    listrepair,
    packets,
    packs,
    points,
    records,
    rewinding,
    sheet,
    staff,
    witness,
)

app_name = "calls"
urlpatterns = [
    path("calls/", staff.home, name="home"),
    path("calls/<str:call_id>/", staff.call, name="call"),
    path("calls/<str:call_id>/rewind/", rewinding.planner, name="rewind"),
    path("calls/<str:call_id>/case/", case.case, name="case"),
    path("calls/<str:call_id>/case/<str:duel_id>/", case.case, name="case_duel"),
    path("calls/<str:call_id>/witness/", witness.link, name="witness"),
    path("calls/<str:call_id>/check/", deckcheck.check, name="deck_check"),
    # below /staff/photos/ a request may be as large as a photo
    path("photos/cases/<str:call_id>/", case.case, name="case_photo"),
    path("photos/checks/<str:call_id>/", deckcheck.check, name="check_photo"),
    path("events/<str:event_id>/floor/", floor.floor, name="floor"),
    path("events/<str:event_id>/checks/", deckcheck.checks, name="deck_checks"),
    path(
        "events/<str:event_id>/lists/<str:entrant_id>/repair/",
        listrepair.repair,
        name="list_repair",
    ),
    path("events/<str:event_id>/pack/", packs.policy, name="pack"),
    path("events/<str:event_id>/pack/edit/", packs.edit, name="pack_edit"),
    path("events/<str:event_id>/pack/file/", packs.file, name="pack_file"),
    path("events/<str:event_id>/packets/", packets.packets, name="packets"),
    path("events/<str:event_id>/packets/<str:entrant_id>/", packets.packet, name="packet"),
    path(
        "events/<str:event_id>/packets/<str:entrant_id>/document/",
        packets.document,
        name="packet_document",
    ),
    path("events/<str:event_id>/disputes/", disputes.queue, name="disputes"),
    path("disputes/<str:dispute_id>/", disputes.dispute, name="dispute"),
    path("events/<str:event_id>/calls/", staff.queue, name="queue"),
    path("events/<str:event_id>/rulings/", staff.rulings, name="rulings"),
    path("events/<str:event_id>/precedents/", records.precedents, name="precedents"),
    path("events/<str:event_id>/records/<str:entrant_id>/", records.record, name="record"),
    path("events/<str:event_id>/audit/", records.audit, name="audit"),
    path("events/<str:event_id>/audit/<int:position>/", records.proof, name="audit_event"),
    path("events/<str:event_id>/calls/new/", points.raise_call, name="raise"),
    path("events/<str:event_id>/calls/waiting/", points.strip, name="strip"),
    path("events/<str:event_id>/codes/", points.codes, name="table_codes"),
    path("events/<str:event_id>/tables/", sheet.find, name="find"),
    path("events/<str:event_id>/tables/<str:match_id>/", sheet.sheet, name="sheet"),
    path("events/<str:event_id>/tables/<str:match_id>/count/", sheet.count, name="sheet_count"),
]
