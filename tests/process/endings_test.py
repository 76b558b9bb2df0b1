"""How processes that use Nopal end: every way at every moment, on 1, 2 and 7 workers.

Each is one run of the program `endings`, or of a host that loads it as a plug-in and unloads it. What its exit code or signal must be, and what it may write to stderr, is
computed here from the way and the moment alone. A run that is not over after some seconds hangs, which is a failure.
"""

import argparse
import concurrent.futures
import os
import signal
import subprocess
import sys

GOES_ON = ("fork", "shutdown", "shutdown_fork", "stop_by_two", "split", "ask")
ENDS_PROCESS = ("exit", "quick_exit", "_exit")
ENDS_THREAD = ("pthread_exit", "pthread_cancel")
WAYS = ("return", "abort", "throw") + GOES_ON + ENDS_PROCESS + ENDS_THREAD

# Moments that need somebody who steals.
ON_THE_POOL = ("on_pool", "nested_on_pool", "child_of_stolen", "thread_local_of_pool",
               "thread_local_of_pool_at_shutdown")
# Moments of code that the system's library calls last: a thread's end there is undefined.
LAST = ("atexit", "at_quick_exit", "static", "destructor", "thread_local_of_main", "thread_local_of_program",
        "thread_local_of_pool", "thread_local_of_pool_at_shutdown")
MOMENTS = ("unused", "idle", "idle_for_long", "child", "nested_child", "second_thread", "second_thread_in_scope") \
    + ON_THE_POOL[:3] + LAST
# What the plug-in leaves to the process, which may not call it any more.
AFTER_A_PLUGIN = ("at_quick_exit", "thread_local_of_main", "thread_local_of_pool")
TERMINATED = "terminate called"
SECONDS = 15


def expected(moment, way, workers):
    """(exit code, negative for a signal; the beginning of stderr, empty for none), of which there may be several."""
    if way == "abort":
        return [(-signal.SIGABRT, "")]
    if way == "throw":
        return [(-signal.SIGABRT, TERMINATED)]
    if way in ENDS_PROCESS:
        return [(3, "")]
    if way in ENDS_THREAD:
        if moment in ON_THE_POOL:
            return [(-signal.SIGABRT, "nopal: a thread ")]
        if moment in ("child", "nested_child", "second_thread_in_scope") and workers > 1:
            # Somebody may have stolen what the end of the thread would leave.
            return [(0, ""), (-signal.SIGABRT, "nopal: a thread ")]
    return [(0, "")]


def cases(worker_counts, as_plugin):
    for workers in worker_counts:
        for moment in MOMENTS:
            if workers == 1 and moment in ON_THE_POOL:
                continue
            if as_plugin and moment in AFTER_A_PLUGIN:
                continue
            for way in WAYS:
                if as_plugin and way in ENDS_THREAD:
                    continue
                if moment in LAST and way in ENDS_THREAD:
                    continue
                if moment.startswith("thread_local_of_pool") and way == "stop_by_two":
                    continue  # a thread that is waited for waits for one that shuts down: docs/adoption.md
                yield moment, way, workers


def run(command, moment, way, workers):
    """None, or what is wrong."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL_")}
    environment["NOPAL_WORKERS"] = str(workers)
    what = f"NOPAL_WORKERS={workers} {' '.join(map(os.path.basename, command))} {moment} {way}"
    try:
        seen = subprocess.run([*command, moment, way], env=environment, timeout=SECONDS, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return f"{what}: hangs"
    accepted = expected(moment, way, workers)
    for code, line in accepted:
        lines = seen.stderr.splitlines()
        told = len(lines) == 1 if line.startswith("nopal:") else bool(lines) == bool(line)
        if seen.returncode == code and seen.stderr.startswith(line) and told:
            return None
    return f"{what}: ended with {seen.returncode} and {seen.stderr!r}, not {accepted}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs="+", help="endings, or host and plug-in")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 7])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", nargs=2, metavar=("MOMENT", "WAY"))
    given = parser.parse_args()
    chosen = [case for case in cases(given.workers, len(given.command) > 1) if given.only in (None, list(case[:2]))] * given.rounds
    with concurrent.futures.ThreadPoolExecutor(max_workers=2 * (os.cpu_count() or 1)) as pool:
        wrong = [text for text in pool.map(lambda case: run(given.command, *case), chosen) if text]
    for text in wrong:
        print(text)
    print(f"{len(chosen)} endings, {len(wrong)} wrong")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
