"""Background work of the cards: registered when the apps are loaded."""

from cards import imports

__all__ = ["imports"]
