"""The ASGI application that `make run` serves."""

import gc
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
if settings.REDIS_URL:
    import redis  # noqa: F401  (now, a second long, and not in somebody's first command)
server.end_with_parent()
if settings.BACKGROUND != "none":
    heartbeat.start()  # before the work that waits: what ran out meanwhile gets its time back
if settings.BACKGROUND == "thread":
    worker.start()

# What is loaded stays, and a page leaves few circles behind: they are looked for less often.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 20)
