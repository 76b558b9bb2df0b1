"""The binary interface is the recorded one: what the shared library exports, and what its headers lay out in users' code.

Usage: abi_test.py symbols LIBRARY VERSION_HEADER RECORD [--update]
       abi_test.py layout PROGRAM RECORD [--update]

A line says what was added, removed or changed. What is added may be recorded with --update; what is removed or changed
breaks programs built before, so NOPAL_ABI has to be raised with it (include/nopal/version.hpp and src/nopal.map).
"""

import re
import subprocess
import sys


# What stands before the C library's functions has their names and versions.
OF_C_LIBRARY = {"longjmp": "GLIBC_2.2.5", "_longjmp": "GLIBC_2.2.5", "siglongjmp": "GLIBC_2.2.5",
                "__longjmp_chk": "GLIBC_2.11"}


def symbols(library, version_header):
    """What the dynamic linker sees: `kind binding name@version`, with the size where programs may hold a copy."""
    with open(version_header, encoding="utf-8") as file:
        abi = re.search(r"^#define NOPAL_ABI (\d+)$", file.read(), re.MULTILINE).group(1)
    dynamic = subprocess.run(["readelf", "--dynamic", "--wide", library], capture_output=True, text=True, check=True).stdout
    found = {"SONAME": re.search(r"\(SONAME\).*\[(.*)\]", dynamic).group(1)}
    if found["SONAME"] != f"libnopal.so.{abi}":
        sys.exit(f"{library}: its SONAME is {found['SONAME']}, and NOPAL_ABI {abi}")
    table = subprocess.run(["readelf", "--dyn-syms", "--wide", library], capture_output=True, text=True, check=True).stdout
    for line in table.splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].rstrip(":").isdigit() or words[6] == "UND" or words[6] == "ABS":
            continue
        _, _, size, kind, binding, _, _, name = words[:8]
        name, _, version = name.partition("@")
        version = version.lstrip("@")
        expected = OF_C_LIBRARY.get(name, f"NOPAL_ABI_{abi}")
        if version != expected:
            sys.exit(f"{library}: {name} has the version '{version}', not {expected}")
        found[name] = f"{kind} {binding} {version}" + ("" if kind == "FUNC" else f" size {size}")
    return found


def layout(program):
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(line.split(": ", 1) for line in lines)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    what, record = arguments[0], arguments[-1]
    now = {"symbols": symbols, "layout": layout}[what](*arguments[1:-1])
    if "--update" in sys.argv:
        with open(record, "w", encoding="utf-8") as file:
            file.writelines(f"{name}: {now[name]}\n" for name in (sorted(now) if what == "symbols" else now))
        return
    with open(record, encoding="utf-8") as file:
        before = dict(line.rstrip("\n").split(": ", 1) for line in file)
    if not before or not now:
        sys.exit(f"{what}: nothing to compare ({len(before)} recorded, {len(now)} found)")
    differences = [f"removed: {name} ({before[name]})" for name in before if name not in now]
    differences += [f"added: {name} ({now[name]})" for name in now if name not in before]
    differences += [f"changed: {name}: was {before[name]}, is {now[name]}"
                    for name in before if name in now and before[name] != now[name]]
    if differences:
        sys.exit("\n".join([f"{what} of the binary interface differ from {record}:"] + differences))
    print(f"{what}: {len(now)} as recorded")


if __name__ == "__main__":
    main()
