#!/usr/bin/env python3
"""What checking costs: each benchmark program serially and under the race detector, as a table in Markdown.

Usage: cost.py [--larger] SERIAL CHECKED [PROGRAM...]   (the programs that bench/check builds)

--larger: larger sizes of those that take less than some 4 ms serially, of whose ratio the debug information that
reports read is most.
"""
import math
import os
import subprocess
import sys

LARGER = {"fibx": "210", "knapsack": "24", "fft": "18", "heat": "256", "textsort": "100000", "skynet": "7", "pbfs": "100",
          "pbfs-rmat": "17"}


def run(program, words):
    environment = dict(os.environ, NOPAL_CHECK="log=/dev/stderr")
    done = subprocess.run([program, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    seconds, kilobytes, verdict = done.stdout.decode().split()
    races = [line for line in done.stderr.decode().split("\n") if line.startswith("nopal: race: ")]
    return float(seconds), int(kilobytes) / 1024, verdict, races


def main():
    words = sys.argv[1:]
    sizes = LARGER if "--larger" in words else {}
    serial, checked, *chosen = [word for word in words if word != "--larger"]
    names = subprocess.run([serial], stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")
    times, memories = [], []
    print("| program | size | serial | checked | times | memory serial | checked | races |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, size, grain in (line.split() for line in names if line):
        if chosen and name not in chosen:
            continue
        size = sizes.get(name, size)
        before = min(run(serial, [name, size, grain])[:2] for _ in range(3))
        after = min((run(checked, [name, size, grain]) for _ in range(2)), key=lambda each: each[0])
        times.append(after[0] / max(before[0], 1e-6))
        memories.append(after[1] / before[1])
        print(f"| {name} | {size} | {before[0]:.3f} s | {after[0]:.3f} s | {times[-1]:.1f} | {before[1]:.0f} MiB | {after[1]:.0f} MiB |"
              f" {len(after[3])}{'' if after[2] == 'right' else ', WRONG'} |", flush=True)
        for race in after[3][:3]:
            print("  " + race, file=sys.stderr)
    def mean(values):
        return math.exp(sum(map(math.log, values)) / len(values))
    print(f"| geometric mean | | | | {mean(times):.1f} | | {mean(memories):.1f} times | |")


if __name__ == "__main__":
    main()
