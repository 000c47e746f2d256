"""Routes of a player's own pages."""

from django.urls import path

from tournaments.pages import deck, lists, openlists, player, replays, seat

app_name = "my"
urlpatterns = [
    path("", player.home, name="home"),
    path("<str:event_id>/", player.match, name="match"),
    path("<str:event_id>/seat/", seat.seat, name="seat"),
    path("<str:event_id>/code/", seat.code, name="code"),
    path("<str:event_id>/deck/", deck.deck, name="deck"),
    path("<str:event_id>/deck/paper/", deck.deck_paper, name="deck_paper"),
    path("<str:event_id>/deck/files/<str:deck_format>/", deck.deck_file, name="deck_file"),
    path("<str:event_id>/opponent/", openlists.opponent, name="opponent_list"),
    path("<str:event_id>/sides/", lists.sides, name="sides"),
    path("<str:event_id>/replays/", replays.replays, name="replays"),
    path("<str:event_id>/standing/", player.standing, name="standing"),
]
