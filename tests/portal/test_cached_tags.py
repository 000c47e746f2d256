"""Tags that keep what they wrote last say what Django's say, in each language and place."""

from __future__ import annotations

import pytest
from django.template import Context, RequestContext, engines
from django.templatetags import i18n
from django.test import RequestFactory
from django.urls import NoReverseMatch, reverse, set_script_prefix
from django.utils import translation

from portal.templatetags import cached_i18n, cached_urls

TEXTS = (
    '{% translate "My match" %}',
    "{% translate 'My pages' as told %}[{{ told }}]",
    '{% translate "Auto" context "theme" %}',
    '{% translate "100%% <b> & more" %}',
    '{% translate "My match"|upper %}',
    '{% translate "My match" noop %}',
    "{% translate said %}",
    "{% translate said as told %}{{ told }}",
)
EVENT = "01900000-0000-7000-8000-000000000001"


def _written(source: str, usual: bool, values: dict[str, str]) -> list[str]:
    django = "{% load usual_i18n %}" if usual else "{% load i18n %}"
    engine = engines["django"].engine
    engine.template_libraries["usual_i18n"] = i18n.register
    try:
        template = engine.from_string(django + source)
    finally:
        del engine.template_libraries["usual_i18n"]
    found = []
    for language in ("en", "hu", "pl", "en", "vi", "hu"):
        with translation.override(language):
            found.append(template.render(Context(values)))
    return found


@pytest.mark.parametrize("source", TEXTS)
def test_a_text_is_that_of_the_language_it_is_read_in(source: str) -> None:
    for said in ("My match", "<i>Event</i>"):
        assert _written(source, False, {"said": said}) == _written(source, True, {"said": said})


def test_texts_in_quotes_alone_are_kept() -> None:
    template = engines["django"].from_string(
        '{% load i18n %}{% translate "Event" %}{% translate said %}{% translate "Event"|upper %}'
    )
    kinds = [type(one) for one in template.template.nodelist][1:]
    assert kinds == [cached_i18n.TextNode, i18n.TranslateNode, i18n.TranslateNode]


def _page(source: str, path: str = "/", **values: object) -> str:
    request = RequestFactory().get(path)
    found: str = (
        engines["django"].engine.from_string(source).render(RequestContext(request, values))
    )
    return found


def test_an_address_is_the_one_that_is_asked_for() -> None:
    source = "{% url 'my:match' event %}|{% url 'portal:home' %}|{% url view event as u %}{{ u }}"
    for event in (EVENT, EVENT[:-1] + "2", EVENT):
        for view in ("my:match", "my:deck"):
            wanted = f"{reverse('my:match', args=[event])}|/|{reverse(view, args=[event])}"
            assert _page(source, event=event, view=view) == wanted


def test_what_has_no_address_is_told_as_before() -> None:
    with pytest.raises(NoReverseMatch):
        _page("{% url 'my:match' %}")
    with pytest.raises(NoReverseMatch):
        _page("{% url 'my:nothing' event %}", event=EVENT)
    assert _page("{% url 'my:nothing' event as u %}[{{ u }}]", event=EVENT) == "[]"


def test_an_address_begins_where_the_site_does() -> None:
    try:
        for prefix in ("/", "/house/", "/"):
            set_script_prefix(prefix)
            assert _page("{% url 'my:match' event %}", event=EVENT) == f"{prefix}my/{EVENT}/"
    finally:
        set_script_prefix("/")
    assert cached_urls._address.cache_info().hits > 0


def test_a_symbol_in_quotes_is_the_same_as_one_by_name() -> None:
    source = '{% load hj %}{% icon "trophy" %}|{% icon name %}|{% icon "trophy" told %}'
    quoted, named, labelled = _page(source, name="trophy", told="<Cup>").split("|")
    assert quoted == named != labelled
    assert 'aria-label="&lt;Cup&gt;"' in labelled
