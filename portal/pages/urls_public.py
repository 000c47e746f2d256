"""Routes of the shell, open to everyone."""

from django.urls import path

from portal.live import pages as live
from portal.pages import access, log, shell

app_name = "portal"
urlpatterns = [
    path("", shell.home, name="home"),
    path("sign-in/", shell.sign_in, name="sign_in"),
    path("sign-out/", shell.sign_out, name="sign_out"),
    path("preferences/", shell.preferences, name="preferences"),
    path("live/", live.stream, name="live"),
    path("live/now/", live.now, name="live_now"),
    path("my/access/", access.access, name="access"),
    path("style/", shell.style, name="style"),
    path("events/<str:event_id>/log/", log.event_log, name="log"),
    path("events/<str:event_id>/log/bundle.zip", log.bundle, name="bundle"),
    path("log/checkpoints/<int:size>.txt", log.checkpoint, name="checkpoint"),
    # The admin has no door of its own: one sign-in, one way to count wrong passwords.
    path("admin/login/", shell.admin_door, name="admin_door"),
    path("admin/logout/", shell.sign_out, name="admin_out"),
]
