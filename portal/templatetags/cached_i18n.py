"""Django's tags of translation; a text without variables is looked up once for each language.

It stands in the place of `i18n` in all templates (settings.TEMPLATES): a page says sixty such
texts, and each costs a dozen calls to find what it was the last time.
"""

from __future__ import annotations

from typing import Any

from django import template
from django.template.base import FilterExpression, Parser, Token, Variable
from django.templatetags import i18n as usual
from django.utils.translation import trans_real

register = template.Library()
register.tags.update(usual.register.tags)
register.filters.update(usual.register.filters)


class TextNode(usual.TranslateNode):
    """A text that depends on the language alone."""

    def __init__(self, usual_node: usual.TranslateNode) -> None:
        super().__init__(
            usual_node.filter_expression,
            usual_node.noop,
            usual_node.asvar,
            usual_node.message_context,
        )
        self._said: dict[Any, str] = {}  # by the catalogue: one object for each language

    def render(self, context: template.Context) -> str:
        """Return the text in the language of the request, or set the variable to it."""
        catalogue = trans_real.catalog()
        said = self._said.get(catalogue)
        if said is None:
            said = super().render(context)
            if self.asvar:
                said = context[self.asvar]
            self._said[catalogue] = said
        if self.asvar:
            context[self.asvar] = said
            return ""
        return said


def _is_text(found: FilterExpression | None) -> bool:
    """Say whether an expression is a text in quotes and nothing else."""
    if found is None:
        return True
    said = found.var
    if isinstance(said, Variable):
        said = None if said.lookups else said.literal
    return isinstance(said, str) and not found.filters


@register.tag("trans")
@register.tag("translate")
def translate(parser: Parser, token: Token) -> template.Node:
    """Mark a text for translation, as Django's tag."""
    node = usual.do_translate(parser, token)
    if node.noop or not (_is_text(node.filter_expression) and _is_text(node.message_context)):
        return node
    return TextNode(node)
