"""What people are told outside the pages, by push or by mail: which happenings, whom, in which
words. Each may be switched off by whoever is told. See docs/push.md."""
