"""Pages that follow what happens, without a message that says what: see docs/live.md."""
