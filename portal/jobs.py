"""Background work of the portal: registered when the apps are loaded."""

from portal.webhooks import delivery

__all__ = ["delivery"]
