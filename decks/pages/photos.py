"""A photo that is kept of a list or a deck: for staff of its event."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from decks import photos
from people.guard import guarded
from people.web import actor_of


@guarded("decks.photo_read")
@never_cache
@require_GET
def photo(request: HttpRequest, photo_id: str) -> HttpResponse:
    """The picture itself: a JPEG that the house has made."""
    return HttpResponse(photos.photo_data(actor_of(request), photo_id), content_type="image/jpeg")
