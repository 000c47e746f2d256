"""The loop that gives a reader damaged inputs, one process per run: what is no coded answer, and
what takes too long, is kept with its input."""

from __future__ import annotations

import base64
import json
import resource
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable


class Hung(BaseException):
    """One input took more processor time than it may."""


def _hang(*_: object) -> None:
    raise Hung


def tried(
    inputs: Iterable[bytes],
    codes_of: Callable[[bytes], Iterable[str]],
    *,
    count: int,
    seconds: float,
    kept: int,
) -> None:
    """Give each input to `codes_of`, which returns the codes of its answer; print a JSON value:
    `read` (how many), `codes` (how often each), `wrong` (at most `kept` faults with their input;
    the loop ends there), `longest_s` of processor time, `peak_kib` of memory.

    More than `seconds` of processor time for one input is a fault.
    """
    codes: Counter[str] = Counter()
    wrong: list[dict[str, str]] = []
    longest = 0.0
    signal.signal(signal.SIGVTALRM, _hang)
    for data in inputs:
        started = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            codes.update(codes_of(data))
        except (Exception, Hung):
            wrong.append(
                {
                    "input": base64.b64encode(data[:3_000]).decode(),
                    "fault": traceback.format_exc()[-1500:],
                }
            )
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        longest = max(longest, time.process_time() - started)
        if len(wrong) >= kept:
            break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {"read": count, "codes": codes, "wrong": wrong, "longest_s": longest, "peak_kib": peak}
        )
    )
