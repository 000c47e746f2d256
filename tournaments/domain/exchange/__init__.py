"""Files of other programs, and our own archive: bytes in, a sheet out, and back (docs/exchange.md).

Every reader takes bytes, checks limits before it parses, reads nothing from outside, and either
returns a sheet with what it noticed or refuses with a code that says where and why.
"""
