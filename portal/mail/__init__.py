"""Mail: where the keeper of the server has given a mail server, and a person an address that is
theirs. See docs/push.md."""
