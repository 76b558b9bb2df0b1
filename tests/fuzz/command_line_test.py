"""Runs the real `nopal` with random arguments and variables, and looks at how it ends.

usage: command_line_test.py NOPAL_BINARY

Every run ends within its time with a documented exit code: 0; 1 with a line that says what failed; or 2 with nothing
on standard output and one line on standard error. Sizes are tiny or senseless, so that no run measures for long.
NOPAL_FUZZ_SECONDS (4) is how long, NOPAL_FUZZ_SEED (1) chooses the runs.
"""

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
VARIABLES = {
    "NOPAL_WORKERS": ["1", "2", "3", "0", "-1", "1025", "two", "2 ", " 2", "1\n2", "x" * 5000, "é", b"\xff"],
    "NOPAL_STACK_SIZE": ["64K", "1M", "65537", "1", "65G", "1MB", "18446744073709551616", "\n"],
    "NOPAL_RECLAIM": ["lazy", "eager", "never", "Lazy", "lazy\n"],
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

    def bench(self):
        # A size in every line: without one the usual inputs would run.
        words = self.some([
            lambda: self.option("--workers", WORKERS),
            lambda: self.option("--repeats", NUMBERS),
            lambda: self.option("--seed", NUMBERS),
            lambda: self.option("--grain", NUMBERS),
            lambda: self.option("--json", [os.path.join(self.directory, "json"), "/nonexistent/x", ""]),
            lambda: self.option("--matrix", [self.matrix] * 3 + self.texts),
            lambda: [self.random.choice(["--quick", "--paper", "--list", "--help", "-h"])],
            lambda: [self.random.choice(JUNK)],
        ], 3)
        return (["bench", self.random.choice(PROGRAMS)] + words + self.option("--size", NUMBERS) +
                ["--time-limit", "5"] + self.option("--repeats", NUMBERS) * (self.random.random() < 0.5))

    def bench_one(self):
        words = self.some([
            lambda: self.option("--workers", ["1", "2", "0", "1025"]),
            lambda: self.option("--variant", ["parallel", "elided", "depth", "plain", "none"]),
            lambda: self.option("--grain", NUMBERS),
            lambda: [self.random.choice(JUNK)],
        ], 3)
        variant = self.option("--variant", ["parallel", "elided", "depth", "plain", "none"])
        return ["bench-one", self.random.choice(PROGRAMS), "--size", self.random.choice(["0", "1", "3", "x"])] + variant + words

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
        arguments = self.random.choice([self.bench, self.bench, self.bench_one, self.demo, self.demo, self.anything])()
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
