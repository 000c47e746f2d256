"""Routes of the desk."""

from django.urls import path

from tournaments.pages import (
    desk,
    draft,
    ends,
    entry,
    handed_in,
    lists,
    messages,
    paper,
    people,
    plan,
    pods,
    results,
    roles,
    rules,
    settings,
    tardiness,
    undoing,
)

app_name = "staff"
urlpatterns = [
    path("", desk.home, name="home"),
    path("events/new/", settings.create, name="create"),
    path("events/<str:event_id>/", desk.desk, name="desk"),
    path("pod/", pods.pod, name="pod"),
    path("events/<str:event_id>/bracket-sheet/", pods.bracket_sheet, name="bracket_sheet"),
    path("events/<str:event_id>/undo/", undoing.undo, name="undo"),
    path("events/<str:event_id>/tardy/", tardiness.tardy, name="tardy"),
    path("events/<str:event_id>/policy/", rules.policy, name="policy"),
    path("events/<str:event_id>/draft/", draft.draft, name="draft"),
    path("events/<str:event_id>/plan/", plan.plan, name="plan"),
    path("events/<str:event_id>/files/", plan.files, name="files"),
    path("events/<str:event_id>/files/<str:kind>/", plan.download, name="download"),
    path("events/<str:event_id>/results/", results.results, name="results"),
    path("events/<str:event_id>/results/reads/", results.slip_reads, name="slip_reads"),
    path("events/<str:event_id>/people/", people.people, name="people"),
    path("events/<str:event_id>/people/<str:entrant_id>/", people.entrant, name="entrant"),
    path("events/<str:event_id>/lists/", handed_in.lists, name="lists"),
    path("events/<str:event_id>/lists/<str:entrant_id>/", handed_in.one_list, name="list"),
    # below /staff/photos/ a request may be as large as a photo
    path("photos/lists/<str:event_id>/<str:entrant_id>/", handed_in.one_list, name="list_photo"),
    path("matches/<str:match_id>/lists/", lists.table_lists, name="table_lists"),
    path("matches/<str:match_id>/end/", ends.end, name="table_end"),
    path("events/<str:event_id>/join/", people.join_link, name="join_link"),
    path("events/<str:event_id>/roles/", roles.roles, name="roles"),
    path("events/<str:event_id>/settings/", settings.configure, name="settings"),
    path("events/<str:event_id>/paper/", paper.room, name="paper"),
    path("events/<str:event_id>/paper/entry/", entry.entry, name="entry"),
    path("events/<str:event_id>/paper/<str:sheet>/", paper.sheet, name="print"),
    path("events/<str:event_id>/messages/", messages.messages, name="messages"),
]
