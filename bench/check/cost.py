#!/usr/bin/env python3
"""What checking costs: each benchmark program serially and under the race detector, as a table in Markdown.

Usage: cost.py [--larger] [--beside HOOKS TSAN] SERIAL CHECKED [PROGRAM...]   (the programs that bench/check builds)

--beside: how many times the serial time the elision takes with hooks that do nothing, and the parallel program on one
worker under ThreadSanitizer.

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
    environment = dict(os.environ, NOPAL_CHECK="log=/dev/stderr", NOPAL_WORKERS="1")
    done = subprocess.run([program, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    seconds, kilobytes, verdict = done.stdout.decode().split()
    races = [line for line in done.stderr.decode().split("\n") if line.startswith("nopal: race: ")]
    return float(seconds), int(kilobytes) / 1024, verdict, races


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    words = sys.argv[1:]
    sizes = LARGER if "--larger" in words else {}
    words = [word for word in words if word != "--larger"]
    beside = []
    if words and words[0] == "--beside":
        beside, words = words[1:3], words[3:]
    serial, checked, *chosen = words
    names = subprocess.run([serial], stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")
    times, memories, others = [], [], [[] for _ in beside]
    more = " hooks alone | ThreadSanitizer |" if beside else ""
    print(f"| program | size | serial | checked | times |{more} memory serial | checked | races |\n|---|" + "--:|" * (9 if beside else 7))
    for name, size, grain in (line.split() for line in names if line):
        if chosen and name not in chosen:
            continue
        size = sizes.get(name, size)
        before = min(run(serial, [name, size, grain])[:2] for _ in range(3))
        after = min((run(checked, [name, size, grain]) for _ in range(2)), key=lambda each: each[0])
        times.append(after[0] / max(before[0], 1e-6))
        memories.append(after[1] / before[1])
        columns = ""
        for i, other in enumerate(beside):
            others[i].append(min(run(other, [name, size, grain])[0] for _ in range(2)) / max(before[0], 1e-6))
            columns += f" {others[i][-1]:.1f} |"
        print(f"| {name} | {size} | {before[0]:.3f} s | {after[0]:.3f} s | {times[-1]:.1f} |{columns} {before[1]:.0f} MiB | {after[1]:.0f} MiB |"
              f" {len(after[3])}{'' if after[2] == 'right' else ', WRONG'} |", flush=True)
        for race in after[3][:3]:
            print("  " + race, file=sys.stderr)
    columns = "".join(f" {mean(each):.1f} |" for each in others)
    print(f"| geometric mean | | | | {mean(times):.1f} |{columns} | {mean(memories):.1f} times | |")


if __name__ == "__main__":
    main()
