"""Background work of the portal: registered when the apps are loaded."""

from portal import work
from portal.mail import delivery as mail
from portal.push import delivery as push
from portal.webhooks import delivery

__all__ = ["delivery", "mail", "push", "work"]
