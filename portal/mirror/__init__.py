"""A copy of the public pages of an event as plain files: no script, no cookie, no server.

The pages are those that somebody unknown gets (the same views, permission table and templates);
`rewriting` takes out what a file cannot do, `making` writes them. docs/mirror.md.
"""
