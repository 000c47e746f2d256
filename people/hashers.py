"""The password hash: argon2id with the costs that OWASP's password storage sheet names.

Django's own costs take 100 MiB and eight threads for each log-in; a hall that signs in within
minutes on a small machine would wait for them. These resist guessing as well as the sheet asks
for, and 500 log-ins in five minutes leave the machine at its work (tests/portal/test_sign_in.py).
"""

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2(Argon2PasswordHasher):
    """argon2id: 19 MiB, two passes, one thread. A hash of other costs is renewed at sign-in."""

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
