"""The tutorial followed literally: what the pages say to save is saved, what they say to run is run, in their order, in an empty
directory, with an installed library. Each step finds as many lines as there are. Exits with 77 without pkg-config.

Usage: tutorial_test.py ROOT PREFIX WORK CXX
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

PAGES = ("index", "fork_join", "loops", "reducers", "exceptions", "measuring", "callbacks")
# A file to save, or commands to run; other blocks are passed over.
ACTION = re.compile(r"[Ss]ave this as\s`(?P<name>[^`]+)`(?:;[^\n]*)?:\n\n(?:<!-- [^>]* -->\n)?```\w+\n(?P<text>.*?)^```$|"
                    r"^```sh\n(?P<commands>.*?)^```$", re.MULTILINE | re.DOTALL)
SEARCHED = "/usr/include"


def follow(page, place, environment, searched):
    """The programs that the page has one run, and how many lines each found: none where it counts none."""
    ran = []
    for action in ACTION.finditer(page.read_text()):
        if action["name"]:
            (place / action["name"]).write_text(action["text"])
            continue
        # Another directory than the page's, of which the answer is known.
        commands = action["commands"].replace(SEARCHED, str(searched))
        done = subprocess.run(["sh", "-euc", commands], cwd=place, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{page.name}:\n{commands}ends with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        found = [int(count) for count in re.findall(r"^(\d+) lines$", done.stdout, re.MULTILINE)]
        ran += [(name, found) for name in re.findall(r"\./(?:build/)?(tutorial_\w+)", commands)]
    return ran


def main():
    root, prefix, place, compiler = (pathlib.Path(argument).absolute() for argument in sys.argv[1:5])
    if shutil.which("pkg-config") is None:
        print("pkg-config is missing")
        return 77
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    # The compiler of this build has the name that the pages use, and the library lies where they do not say.
    tools = place / "tools"
    tools.mkdir()
    (tools / "g++").symlink_to(shutil.which(compiler))
    (package,) = prefix.rglob("nopal.pc")
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "CXX": str(compiler), "CMAKE_PREFIX_PATH": str(prefix),
                   "PKG_CONFIG_PATH": str(package.parent), "NOPAL_WORKERS": "2"}
    steps = place / "steps"
    steps.mkdir()
    searched = root / "include"
    lines = sum(b"return" in line for file in searched.rglob("*") if file.is_file() for line in file.read_bytes().split(b"\n"))
    ran = [each for page in PAGES for each in follow(root / "docs" / "tutorial" / f"{page}.md", steps, environment, searched)]
    wrong = [f"{name}: {found}, where there are {lines}" for name, found in ran
             if name != "tutorial_exceptions" and (not found or set(found) != {lines})]
    saved = {file.stem for file in steps.glob("tutorial_*.cpp")}
    wrong += [f"{name} is saved and not run" for name in saved - {name for name, _ in ran}]
    wrong += [f"{file.stem} is on no page" for file in (root / "examples" / "docs").glob("tutorial_*.cpp")
              if file.stem not in saved and file.stem != "tutorial_race"]  # which is wrong on purpose
    print("\n".join([*wrong, f"{len(ran)} programs run, {len(wrong)} faults"]))
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
