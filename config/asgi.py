"""The ASGI application that `make run` serves."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402  (needs the apps)

from config import database, server  # noqa: E402
from config.handler import Handler  # noqa: E402
from config.limits import BodyLimit  # noqa: E402
from config.peers import Peers  # noqa: E402
from eventstore import heartbeat, worker  # noqa: E402
from portal.live.asgi import LiveApplication  # noqa: E402
from portal.live.regions import RegionApplication  # noqa: E402

application = Peers(
    BodyLimit(LiveApplication(RegionApplication(Handler())), settings.BODY_LIMITS),
    settings.TRUSTED_PROXIES,
)

database.serve()
server.end_with_parent()
if settings.BACKGROUND != "none":
    heartbeat.start()  # before the work that waits: what ran out meanwhile gets its time back
if settings.BACKGROUND == "thread":
    worker.start()
