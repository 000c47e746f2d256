"""Signed webhooks: an organiser's programs are told that something happened, never what a
player may not know; whoever wants more asks the API under its own rights."""
