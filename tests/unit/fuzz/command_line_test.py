"""Runs the real `nopal` with random arguments and variables, and looks at how it ends.

usage: command_line_test.py NOPAL_BINARY

Every run ends within its time with a documented exit code: 0; 1 with a line that says what failed; or 2 with nothing
on standard output and one line on standard error. Sizes are tiny or senseless, so that no run measures for long.
NOPAL_FUZZ_SECONDS (4) is how long, NOPAL_FUZZ_SEED (1) chooses the runs.
"""

import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

SECONDS_FOR_ONE = 60

NUMBERS = ["0", "1", "2", "3", "-1", "", " 1", "1 ", "+1", "01", "1.5", "1e3", "0x1", "1025", "2147483648",
           "9223372036854775807", "9223372036854775808", "-9223372036854775809", "99999999999999999999", "NaN", "1\n2"]
JUNK = ["", "-", "--", "---", "-x", "--bogus", "--bogus=1", "%s%n", "{}", "{0}", "\n", "a\nb", "\x1b[2J", "\x7f", "'\"",
        "x" * 5000, "é", b"\xff\xfe", "--help=1", "--size", "--workers", "/", "..", "@file", "--config", "++", "bench"]
BYTES = ["1", "64", "4K", "1MiB", "1kib", "0", "-1", "1X", "1KB2", "8388608T", "9223372036854775807", "", "K", "iB"]
WORKERS = ["1", "2", "1,2", "2,2,1", "0", "1,,2", ",", "1,", "1025", "a", "", "1;2", "-1"]
# Without uts, where even a small number stands for a tree of millions.
PROGRAMS = ["fib", "fibx", "nqueens", "integrate", "knapsack", "matmul", "rectmul", "strassen", "lu", "cholesky", "fft", "heat",
            "quicksort", "cilksort", "textsort", "blockedmul", "notempmul", "barnes-hut", "knary", "loop", "fob", "FIB", ""]
# Near what `nopal simulate-costs` measures, in nanoseconds.
COSTS = {"fork": 2, "publish": 30, "visible": 100, "steal": 150, "look": 40, "yield": 400, "leave": 100, "resume": 300,
         "line": 60, "barrier": 8500, "interrupted": 1000, "wake": 5000, "wake_latency": 20000, "discard": 3000,
         "refault": 4000}
# What `nopal bench --json` writes of one run of fib 1, as far as --compare reads it.
REPORT = {"machine": {"cpu": "a cpu", "kernel": "6.1"}, "build": {"compiler": "GNU 12", "flags": "-O2", "commit": "1a2b3c"},
          "programs": [{"name": "fib", "size": 1, "seed": 1, "grain": 0, "grain_is_calibrated": False, "matrix": "", "samples": [
              {"variant": "elided", "workers": 0, "seconds": 1e-6}, {"variant": "parallel", "workers": 1, "seconds": 2e-6},
              {"variant": "parallel", "workers": 1, "seconds": 3e-6, "peer": "tbb"}]}]}
VALUES = [None, True, 0, 1, -1, 1e308, 10**30, "", "fib", "a\nb", "\x1b[2J", [], {}, [[]], [1], {"": 1}]
VARIABLES = {
    "NOPAL_WORKERS": ["1", "2", "3", "0", "-1", "1025", "two", "2 ", " 2", "1\n2", "x" * 5000, "é", b"\xff"],
    "NOPAL_STACK_SIZE": ["64K", "1M", "65537", "1", "65G", "1MB", "18446744073709551616", "\n"],
    "NOPAL_RECLAIM": ["lazy", "eager", "never", "Lazy", "lazy\n"],
    "NOPAL_FORKS": ["latent", "eager", "lazy"],
    "NOPAL_SIGNAL": ["off", "URG", "SIGUSR1", "40", "KILL", "9"],
    "NOPAL_RECLAIM_WITH": ["dontneed", "free", "munmap"],
    "NOPAL_PIN": ["0", "1", "2", "yes"],
    "NOPAL_STATS": ["0", "true", "01"],
}


class Runs:
    """Makes random command lines. `directory` holds the files that they name."""

    def __init__(self, seed, directory):
        self.random = random.Random(seed)
        self.directory = directory
        self.texts = [os.path.join(directory, name) for name in ("text", "empty", "binary", "nothing", "a\nb")]
        with open(self.texts[0], "w") as file:
            file.write("the quick brown fox\njumps over\n" * 20)
        open(self.texts[1], "w").close()
        with open(self.texts[2], "wb") as file:
            file.write(bytes(range(256)))
        self.report = os.path.join(directory, "report")
        self.matrix = os.path.join(directory, "matrix")
        with open(self.matrix, "w") as file:
            file.write("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n")

    def option(self, name, values):
        value = self.random.choice(values + NUMBERS[:3])
        return [f"{name}={value}"] if self.random.random() < 0.3 and isinstance(value, str) else [name, value]

    def some(self, makers, most):
        """The words of a few of the options, in random order."""
        chosen = [self.random.choice(makers)() for _ in range(self.random.randint(0, most))]
        return [word for words in chosen for word in words]

    def nearly_a_report(self):
        """The name of a file with a report of which a few parts are others, or missing, or that is cut."""
        report = copy.deepcopy(REPORT)
        for _ in range(self.random.randint(0, 2)):
            at = report
            while True:
                key = self.random.choice(list(at) if isinstance(at, dict) else range(len(at)))
                if not isinstance(at[key], (dict, list)) or not at[key] or self.random.random() < 0.1:
                    break
                at = at[key]
            if self.random.random() < 0.2:
                del at[key]
            else:
                at[key] = self.random.choice(VALUES)
            if not report:
                break
        text = json.dumps(report)
        if self.random.random() < 0.1:
            text = text[:self.random.randrange(len(text))]
        if self.random.random() < 0.1:
            text = text.replace(": 1,", ": " + "[" * 100000 + "]" * 100000 + ",", 1)
        with open(self.report, "w") as file:
            file.write(text)
        return self.report

    def bench(self):
        # A size in every line: without one the usual inputs would run.
        words = self.some([
            lambda: self.option("--workers", WORKERS),
            lambda: self.option("--repeats", NUMBERS),
            lambda: self.option("--seed", NUMBERS),
            lambda: self.option("--grain", NUMBERS),
            lambda: self.option("--json", [os.path.join(self.directory, "json"), "/nonexistent/x", ""]),
            lambda: self.option("--matrix", [self.matrix] * 3 + self.texts),
            # Beside a size, which does not go with it.
            lambda: ["--reducers"],
            lambda: self.option("--graph", [self.matrix] + self.texts),
            lambda: self.option("--compare", [self.nearly_a_report()] * 6 + self.texts),
            lambda: [self.random.choice(["--quick", "--paper", "--list", "--help", "-h"])],
            lambda: [self.random.choice(JUNK)],
        ], 3)
        return (["bench", self.random.choice(PROGRAMS)] + words + self.option("--size", NUMBERS) +
                ["--time-limit", "5"] + self.option("--repeats", NUMBERS) * (self.random.random() < 0.5))

    def compare(self):
        return ["bench", "fib", "--size", "1", "--seed", "1", "--repeats", "1", "--workers", "1", "--compare",
                self.nearly_a_report()]

    def bench_one(self):
        words = self.some([
            lambda: self.option("--workers", ["1", "2", "0", "1025"]),
            lambda: self.option("--variant", ["parallel", "elided", "depth", "plain", "none"]),
            lambda: self.option("--grain", NUMBERS),
            lambda: [self.random.choice(JUNK)],
        ], 3)
        variant = self.option("--variant", ["parallel", "elided", "depth", "plain", "none"])
        return ["bench-one", self.random.choice(PROGRAMS), "--size", self.random.choice(["0", "1", "3", "x"])] + variant + words

    def simulate(self):
        # A run measures costs first, for seconds: most are refused before, and of the others most run into their limit.
        words = self.some([
            lambda: self.option("--workers", WORKERS),
            lambda: self.option("--seed", NUMBERS),
            lambda: self.option("--seeds", NUMBERS),
            lambda: self.option("--events", NUMBERS),
            lambda: self.option("--grain", NUMBERS),
            lambda: self.option("--json", [os.path.join(self.directory, "json"), "/nonexistent/x", ""]),
            lambda: [self.random.choice(["--quick", "--help", "-h", "--knary=1"] + PROGRAMS)],
            lambda: [self.random.choice(JUNK)],
        ], 4)
        if self.random.random() < 0.8:
            words.insert(self.random.randint(0, len(words)), self.random.choice(["--bogus", "--knary", "FIB", "--seeds=0"]))
        return (["simulate", self.random.choice(PROGRAMS)] + words + ["--size", self.random.choice(["0", "1", "3", "x"])] +
                ["--time-limit", self.random.choice(["1", "1", "1", "20"]), "--repeats", "1"])

    def simulate_one(self):
        costs = self.random.choice([COSTS, COSTS, {}, {**COSTS, "look": self.random.choice([None, "1", []])}])
        words = self.some([
            lambda: self.option("--workers", WORKERS),
            lambda: self.option("--seeds", NUMBERS[:5]),
            lambda: self.option("--seed", NUMBERS),
            lambda: self.option("--events", NUMBERS),
            lambda: self.option("--grain", NUMBERS),
            lambda: ["--costs", self.random.choice(["", "{", "[]", "{}", "1e999"])],
            lambda: [self.random.choice(JUNK)],
        ], 3)
        return (["simulate-one", self.random.choice(PROGRAMS), "--size", self.random.choice(["0", "1", "3", "x"])] +
                ["--costs", json.dumps(costs), "--events", "1000"] + words)

    def demo(self):
        words = self.some([
            lambda: self.option("--workers", NUMBERS),
            lambda: self.option("--limit", BYTES),
            lambda: [self.random.choice(JUNK[:-4] + ["--help"])],
        ], 3)
        return ["demo", self.random.choice(self.texts)] + words

    def anything(self):
        # Not `bench`, which would run with its usual sizes.
        first = self.random.choice(["doctor", "doctor", "--version", "--help", "-h"] + JUNK[:-1])
        return [first] + self.some([lambda: [self.random.choice(JUNK + ["--json"])]], 2)

    def next(self):
        arguments = self.random.choice([self.bench, self.bench, self.compare, self.bench_one, self.simulate, self.simulate_one,
                                        self.demo, self.demo, self.anything])()
        variables = {}
        if self.random.random() < 0.3:
            name = self.random.choice(list(VARIABLES))
            variables[name] = self.random.choice(VARIABLES[name])
        return arguments, variables


def wrong(result):
    """What is wrong with how a run ended; None if nothing."""
    err = result.stderr.decode(errors="replace")
    if result.returncode not in (0, 1, 2):
        return f"exit code {result.returncode}"
    if result.returncode == 2:
        if result.stdout:
            return "bad usage with output"
        # The environment's line comes from the library, the others from a subcommand.
        if not re.fullmatch(r"nopal( [a-z-]+)?: [^\x00-\x1f\x7f]+\n", err):
            return "bad usage is not one line"
    if result.returncode == 1 and not (result.stdout or err):
        return "a failure without a word"
    # But to the ends of our own pipes, what a file lacks is told in our words, and before anything is measured.
    if "json.exception" in err and "-one: " not in err:
        return "a failure in the words of a library"
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", result.stdout.decode(errors="replace")):
        return "control characters in the output"
    return None


def main():
    nopal = os.path.abspath(sys.argv[1])
    seed = int(os.environ.get("NOPAL_FUZZ_SEED", 1))
    seconds = float(os.environ.get("NOPAL_FUZZ_SECONDS", 4))
    plain = {name: value for name, value in os.environ.items() if not name.startswith("NOPAL")}
    seen = {0: 0, 1: 0, 2: 0}
    print(f"command_line: seed {seed}")
    with tempfile.TemporaryDirectory() as directory:
        runs = Runs(seed, directory)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            arguments, variables = runs.next()
            try:
                result = subprocess.run([nopal, *arguments], capture_output=True, timeout=SECONDS_FOR_ONE,
                                        stdin=subprocess.DEVNULL, env=plain | variables, cwd=directory)
                problem = wrong(result)
            except subprocess.TimeoutExpired as late:
                result, problem = late, f"took more than {SECONDS_FOR_ONE} s"
            if problem:
                print(f"run {sum(seen.values()) + 1}: {problem}\n  arguments: {arguments}\n  variables: {variables}\n"
                      f"  stdout: {result.stdout}\n  stderr: {result.stderr}")
                return 1
            seen[result.returncode] += 1
    print(f"command_line: {sum(seen.values())} runs: {seen[0]} succeeded, {seen[1]} failed, {seen[2]} were refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
