"""Ask the server of this container whether it answers; exit code 1 when it does not."""

from __future__ import annotations

import os
import sys
import urllib.request

SECONDS = 4


def main() -> int:
    """Fetch the front page under a host name that the server takes."""
    host = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip() or "localhost"
    url = f"http://127.0.0.1:{os.environ.get('PORT') or '8000'}/"
    request = urllib.request.Request(url, headers={"Host": host})
    try:
        urllib.request.urlopen(request, timeout=SECONDS).close()
    except OSError as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
