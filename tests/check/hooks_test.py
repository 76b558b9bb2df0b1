#!/usr/bin/env python3
"""Every function that GCC and Clang may call under -fsanitize=thread is in the library: one that is not would be an
error when a user links. The names are those of GCC's sanitizer.def and of LLVM's ThreadSanitizer.cpp.

Usage: hooks_test.py LIBRARY
"""
import subprocess
import sys


def names():
    yield from ("init", "func_entry", "func_exit", "vptr_update", "vptr_read", "read_range", "write_range", "memcpy", "memmove",
                "memset", "ignore_thread_begin", "ignore_thread_end", "atomic_thread_fence", "atomic_signal_fence")
    for size in (1, 2, 4, 8, 16):
        for access in ("read", "write", "read_write"):
            yield f"{access}{size}"
            yield f"unaligned_{access}{size}"
        for access in ("read", "write"):
            yield f"volatile_{access}{size}"
            yield f"unaligned_volatile_{access}{size}"
            yield f"{access}{size}_pc"
        for operation in ("load", "store", "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_nand",
                          "compare_exchange_strong", "compare_exchange_weak", "compare_exchange_val"):
            yield f"atomic{8 * size}_{operation}"


def main():
    listed = subprocess.run(["nm", "--defined-only", sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout.decode()
    defined = {line.split()[-1] for line in listed.split("\n") if " T " in line or " W " in line}
    missing = [name for name in names() if "__tsan_" + name not in defined]
    print("\n".join(missing + [f"{len(set(names()))} functions, {len(missing)} missing"]))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
