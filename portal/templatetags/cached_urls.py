"""Django's `url`, with the addresses that were made last kept: a page has thirty of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django import template
from django.template.base import Parser, Token
from django.template.defaulttags import URLNode, url
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.html import conditional_escape

register = template.Library()
KEPT = 4096


@lru_cache(maxsize=KEPT, typed=True)
def _address(name: str, space: str | None, urlconf: Any, prefix: str, *args: str | int) -> str:
    """Make an address; `prefix` and `urlconf` are what the answer depends on besides."""
    return reverse(name, urlconf=urlconf, args=args, current_app=space)


def _place(request: Any) -> tuple[Any, str]:
    """Return the routes and the beginning of all addresses: the same for one request."""
    held: tuple[Any, str] | None = getattr(request, "address_place", None)
    if held is None:
        held = get_urlconf(), get_script_prefix()
        if request is not None:
            request.address_place = held
    return held


class AddressNode(URLNode):
    """The address of a view with arguments that are text or numbers, by their places."""

    def render(self, context: template.Context) -> str:
        """Return the address, or set the variable to it, as Django's node."""
        args = [one.resolve(context) for one in self.args]
        name = self.view_name.resolve(context)
        if not all(isinstance(one, str | int) for one in args):
            return super().render(context)
        request = getattr(context, "request", None)
        space = getattr(request, "current_app", None)
        if space is None:
            space = getattr(getattr(request, "resolver_match", None), "namespace", None)
        try:
            found = _address(name, space, *_place(request), *args)
        except NoReverseMatch:
            if self.asvar is None:
                raise
            found = ""
        if self.asvar:
            context[self.asvar] = found
            return ""
        return conditional_escape(found) if context.autoescape else found


@register.tag("url")
def do_url(parser: Parser, token: Token) -> template.Node:
    """Write the address of a view, as Django's tag."""
    node = url(parser, token)
    if node.kwargs:
        return node
    return AddressNode(node.view_name, node.args, node.kwargs, node.asvar)
