"""Ask the product for pages as somebody unknown: the whole way of a request, without a network."""

from __future__ import annotations

import io
from urllib.parse import urlsplit

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse


class NotPublic(LookupError):
    """Nobody without a name may see the page, or it is not there."""


class Unanswered(RuntimeError):
    """The product could not answer: the database is away, or a fault of ours."""


def _host() -> str:
    """Return a host name that the server takes."""
    for one in settings.ALLOWED_HOSTS:
        if one != "*":
            return str(one).lstrip(".")
    return "localhost"


class Visitor:
    """Somebody unknown, with a language and nothing else: no cookie, no session."""

    def __init__(self, language: str) -> None:
        self._handler = BaseHandler()
        self._handler.load_middleware()
        self._language = language

    def get(self, address: str) -> str:
        """Return the page at a path (with query).

        Raises NotPublic where there is none for somebody unknown, Unanswered when nobody knows.
        """
        parts = urlsplit(address)
        request = WSGIRequest(
            {
                "REQUEST_METHOD": "GET",
                "PATH_INFO": parts.path,
                "QUERY_STRING": parts.query,
                "SERVER_NAME": _host(),
                "SERVER_PORT": "443" if settings.SESSION_COOKIE_SECURE else "80",
                "SERVER_PROTOCOL": "HTTP/1.1",
                "HTTP_HOST": _host(),
                "HTTP_ACCEPT_LANGUAGE": self._language,
                "wsgi.url_scheme": "https" if settings.SESSION_COOKIE_SECURE else "http",
                "wsgi.input": io.BytesIO(),
            }
        )
        # not closed: the end of a request gives the connection back, and there is a next page
        response = self._handler.get_response(request)
        if response.status_code >= 500:
            raise Unanswered(f"{address}: {response.status_code}")
        if response.status_code != 200 or not isinstance(response, HttpResponse):
            raise NotPublic(f"{address}: {response.status_code}")
        return bytes(response.content).decode()
