"""Messages on their way to browsers: written by a follower of the log, handed over by the outbox.

The follower writes them in one transaction with its own position, so each event is told once to
each browser, and a rebuild of read tables tells nothing. Several are handed over at a time, as
each waits for a server elsewhere. What a push service does not take is tried again after a
growing pause, or the one it asks for; for a minute at most the pause holds for the whole service,
so that one that is down costs one try a minute, however many wait. A message is given up when it
is of no use any more.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.db import transaction
from django.templatetags.static import static

from eventstore import clock, outbox
from eventstore.domain.envelope import Recorded
from eventstore.domain.work import LONGEST_PAUSE, grown
from eventstore.subscriptions import Subscription
from portal.models import PushDelivery, PushSubscription
from portal.notices.kinds import KINDS, TELLERS, Teller
from portal.notices.words import Notice, notice
from portal.push import encryption, services, sessions, vapid
from portal.webhooks import sending

AT_ONCE = 8
"""Messages that are handed over at the same time."""
ROW_SECONDS = 20.0
"""After so long the outbox goes on to other work, and comes back for the rest."""
TRIES = 6
FIRST_PAUSE = timedelta(seconds=15)
LONGEST_FOR_OTHERS = timedelta(seconds=60)
"""For so long a push service is left alone after a message for one browser failed."""
LEASE = timedelta(seconds=60)
"""For so long a message that was taken up is nobody else's: the process may have been killed."""
TRIAL_SECONDS = 300
MOST_REFUSED = 5
GONE = (404, 410)
"""The answers of a push service for a browser that is not there any more (RFC 8030, 7.3)."""

follower = Subscription("portal.push")


def _register(cls: Any, teller: Teller) -> None:
    def tell(event: Any, recorded: Recorded) -> None:
        if not PushSubscription.objects.filter(since__lt=recorded.position).exists():
            return
        told = teller(event, recorded)
        if told is not None and told.persons and KINDS[told.kind].push:
            services.queue(told, recorded.position)

    follower.on(cls)(tell)


for _cls, _teller in TELLERS.items():
    _register(_cls, _teller)


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a push service, made before any thread is started."""

    endpoint: str
    headers: dict[str, str]
    body: bytes


def payload_of(told: Notice, held: PushDelivery) -> bytes:
    """Return what the service worker shows (portal/static/portal/sw.js). `tag`: a newer message
    of the same matter takes the place of this one on the phone too."""
    shown = {
        "title": told.title,
        "body": told.body,
        "data": told.path,
        "tag": held.topic,
        "renotify": True,
        "lang": held.subscription.language,
        "icon": static("portal/icon-192.png"),
    }
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()


def _expires(held: PushDelivery) -> datetime:
    kind = KINDS.get(held.kind)
    return held.created_at + timedelta(seconds=kind.seconds if kind else TRIAL_SECONDS)


def request_of(
    held: PushDelivery, key: ec.EllipticCurvePrivateKey, now: datetime
) -> Request | None:
    """Make the request of a message; None when there is nothing to be told any more. A browser
    whose session is over, or whose keys cannot be read here, goes."""
    row = held.subscription
    viewer, keys = sessions.viewer_of(row, now), services.keys_of(row)
    if viewer is None or keys is None:
        row.delete()
        return None
    told = notice(
        viewer,
        kind=held.kind,
        event_id=held.event_id,
        subject=held.subject,
        number=held.number,
        language=row.language,
    )
    left = int((_expires(held) - now).total_seconds())
    if told is None or left <= 0:
        return None
    kind = KINDS.get(held.kind)
    body = encryption.encrypt(
        payload_of(told, held),
        p256dh=encryption.from_text(keys.p256dh),
        auth=encryption.from_text(keys.auth),
        salt=secrets.token_bytes(encryption.SALT_BYTES),
        sender=ec.generate_private_key(ec.SECP256R1()),
    )
    headers = {
        "Authorization": vapid.authorization(
            key, keys.endpoint, contact=settings.PUSH_CONTACT, now=now
        ),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(left),
        "Urgency": kind.urgency if kind else "high",
        "Topic": topic_of(held.topic, key),
        "User-Agent": "Headjudge",
    }
    return Request(keys.endpoint, headers, body)


def _made(held: PushDelivery, key: ec.EllipticCurvePrivateKey, now: datetime) -> Request | None:
    """Make a request; one that cannot be made is told in the log and given up, as the others of
    its batch must not wait for it."""
    try:
        return request_of(held, key, now)
    except Exception:
        structlog.get_logger("push").exception("not made", delivery=held.pk, kind=held.kind)
        return None


def topic_of(text: str, key: ec.EllipticCurvePrivateKey) -> str:
    """Return the header Topic: at most 32 signs, and nothing that the push service could read."""
    secret = key.private_numbers().private_value.to_bytes(32, "big")
    return encryption.unpadded(encryption.digest(secret, text.encode())[:24])


def _post(request: Request) -> sending.Outcome:
    return sending.post(
        request.endpoint,
        request.headers,
        request.body,
        private=settings.WEBHOOKS_PRIVATE,
        longest=services.MAX_ENDPOINT,
    )


def _taken_up(held: PushDelivery, now: datetime) -> bool:
    """Take a message up for this try, unless another process has: one conditional write."""
    found = PushDelivery.objects.filter(pk=held.pk, attempts=held.attempts, next_at__lte=now)
    taken = found.update(attempts=held.attempts + 1, next_at=now + LEASE)
    held.attempts += 1
    return bool(taken)


def _note(held: PushDelivery, outcome: sending.Outcome, now: datetime) -> None:
    """Keep what came of a try."""
    row, mine = held.subscription, PushDelivery.objects.filter(pk=held.pk)
    one = PushSubscription.objects.filter(pk=row.pk)
    if outcome.taken:
        mine.delete()
        one.update(told_at=now, refused=0)
        return
    structlog.get_logger("push").warning(
        "not taken",
        subscription=row.pk,
        kind=held.kind,
        status=outcome.status,
        fault=outcome.fault,
        attempt=held.attempts,
    )
    status = outcome.status
    if status in GONE:
        one.delete()
    elif outcome.fault != "address" and (status is None or status == 429 or status >= 500):
        pause = max(grown(FIRST_PAUSE, held.attempts), timedelta(seconds=outcome.retry_after))
        pause = min(pause, LONGEST_PAUSE)
        if held.attempts >= TRIES or now + pause >= _expires(held):
            mine.delete()
        else:
            mine.update(next_at=now + pause)
        # 429 is said of one browser; and what a person can make fail, by a trial or an address of
        # the own choice, holds up others for a short while at most
        if status != 429 and held.kind in KINDS:
            rest = now + min(pause, LONGEST_FOR_OTHERS)
            waiting = PushDelivery.objects.filter(subscription__service=row.service)
            waiting.filter(next_at__lt=rest).update(next_at=rest)
    else:
        # it will not be taken the next time either: a key that is not the browser's, too large
        mine.delete()
        one.update(refused=row.refused + 1)
        one.filter(refused__gte=MOST_REFUSED).delete()


def _hand_over(helds: Sequence[PushDelivery], now: datetime) -> None:
    """Try some messages once, all at the same time."""
    key, requests = vapid.private_key(), []
    for held in helds:
        if not _taken_up(held, now):
            continue
        request = _made(held, key, now)
        if request is None:
            PushDelivery.objects.filter(pk=held.pk).delete()
        else:
            requests.append((held, request))
    if not requests:
        return
    outbox.let_go()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(_post, [request for _held, request in requests]))
    with transaction.atomic():
        for (held, _request), outcome in zip(requests, outcomes, strict=True):
            _note(held, outcome, clock.now())


@outbox.outside_job(services.TOPIC)
def hand_over(payload: dict[str, Any]) -> None:
    """Try the messages of a batch that are due. Raises outbox.Later while any waits."""
    batch = PushDelivery.objects.filter(batch=payload["batch"])
    until = time.monotonic() + ROW_SECONDS
    while time.monotonic() < until:
        now = clock.now()
        due = batch.filter(next_at__lte=now).select_related("subscription")
        helds = list(due.order_by("next_at", "id")[:AT_ONCE])
        if not helds:
            break
        _hand_over(helds, now)
    next_at = batch.order_by("next_at").values_list("next_at", flat=True).first()
    if next_at is not None:
        raise outbox.Later((next_at - clock.now()).total_seconds())
