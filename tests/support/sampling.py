"""What tests with many dear cases run: a part of them, drawn anew each time, or all.

NOPAL_CASES_SEED repeats a draw; `./dev test --all` sets NOPAL_CASES=all.
"""

import os
import random
import time


def some_of(cases, one_in):
    """About one in so many, in their order; never none."""
    cases = list(cases)
    if os.environ.get("NOPAL_CASES") == "all":
        return cases
    seed = int(os.environ.get("NOPAL_CASES_SEED") or time.time_ns() // 1000 % 2**32)
    count = -(-len(cases) // one_in)
    print(f"{count} of {len(cases)} cases: NOPAL_CASES_SEED={seed}", flush=True)
    return [cases[i] for i in sorted(random.Random(seed).sample(range(len(cases)), count))]
