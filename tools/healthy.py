"""Ask the server of this container whether it can serve; exit code 1 when it cannot.

    python -m tools.healthy            /readyz: database, log and disk are there
    python -m tools.healthy --alive    /healthz: the process answers, nothing more

Both are answered under any host name.
"""

from __future__ import annotations

import os
import ssl
import sys
import urllib.error
import urllib.request

SECONDS = 4


def main(arguments: list[str]) -> int:
    """Ask, and say on standard error what was answered when it is not well."""
    path = "/healthz" if "--alive" in arguments else "/readyz"
    # the certificate is for the name that people type, not for this machine's own address
    unchecked = ssl._create_unverified_context() if os.environ.get("HTTPS_CERT") else None
    scheme = "https" if unchecked else "http"
    url = f"{scheme}://127.0.0.1:{os.environ.get('PORT') or '8000'}{path}"
    try:
        urllib.request.urlopen(url, timeout=SECONDS, context=unchecked).close()
    except urllib.error.HTTPError as fault:
        print(fault.read(10_000).decode(errors="replace"), file=sys.stderr)
        return 1
    except OSError as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
