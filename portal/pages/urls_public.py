"""Routes of the shell, open to everyone."""

from django.urls import path

from portal.live import pages as live
from portal.pages import (
    access,
    account,
    backups,
    installed,
    jobs,
    log,
    notices,
    server,
    shell,
    sign_in,
    webhooks,
)

app_name = "portal"
urlpatterns = [
    path("", shell.home, name="home"),
    path("sign-in/", sign_in.sign_in, name="sign_in"),
    path("sign-in/code/", sign_in.sign_in_code, name="sign_in_code"),
    path("account/", account.account, name="account"),
    path("account/second-factor/", account.factor, name="factor"),
    path("sign-out/", shell.sign_out, name="sign_out"),
    path("preferences/", shell.preferences, name="preferences"),
    path("live/", live.stream, name="live"),
    path("live/now/", live.now, name="live_now"),
    path("sw.js", installed.worker, name="worker"),
    path("manifest.webmanifest", installed.manifest, name="manifest"),
    path("offline/", installed.offline, name="offline"),
    path("my/access/", access.access, name="access"),
    path("mail/<str:token>/", notices.mail_link, name="mail_link"),
    path("my/messages/", notices.notices, name="notices"),
    path("staff/events/<str:event_id>/webhooks/", webhooks.webhooks, name="webhooks"),
    path("staff/backups/", backups.backups, name="backups"),
    path("staff/server/", server.server, name="server"),
    path("style/", shell.style, name="style"),
    path("events/<str:event_id>/log/", log.event_log, name="log"),
    path("events/<str:event_id>/log/bundle/", log.bundle, name="bundle"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<int:job>/", jobs.job, name="job"),
    path("jobs/<int:job>/file/", jobs.job_file, name="job_file"),
    path("staff/events/<str:event_id>/jobs/", jobs.event_jobs, name="event_jobs"),
    path("staff/events/<str:event_id>/files/archive/make/", jobs.archive, name="archive"),
    path("staff/events/<str:event_id>/lists/recheck/", jobs.recheck, name="recheck"),
    path("log/checkpoints/<int:size>.txt", log.checkpoint, name="checkpoint"),
    path("log/verify_bundle.py", log.verifier, name="verifier"),
    # The admin has no door of its own: one sign-in, one way to count wrong passwords.
    path("admin/login/", shell.admin_door, name="admin_door"),
    path("admin/logout/", shell.sign_out, name="admin_out"),
    path("admin/password_change/", shell.admin_password, name="admin_password"),
]
