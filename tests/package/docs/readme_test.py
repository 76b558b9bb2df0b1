"""What the README has to paste works, pasted as it stands: its commands, its programs and its CMake text.

    readme_test.py ROOT WORK CXX CMAKE [PREFIX]

With PREFIX the library that is installed there stands for what the README's own commands install, and nothing is fetched.
The home directory is one of ours, with a clone of the sources in it, so that paths of the README lead there.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

LONGEST = 120


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def run(command, place, environment):
    done = subprocess.run(["bash", "-euc", command], cwd=place, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"README.md: this does not work:\n{command}\n{done.stdout}")


def copy_of_sources(root, target):
    """What the library takes, as a git repository."""
    target.mkdir(parents=True)
    for name in ("check", "cmake", "include", "src"):
        shutil.copytree(root / name, target / name)
    for name in ("CMakeLists.txt", "LICENSE"):
        shutil.copy(root / name, target)
    git = ["git", "-C", target, "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet", "--initial-branch=main"], ["add", "."], ["commit", "--quiet", "-m", "A release"]):
        subprocess.run([*git, *words], check=True)


def main():
    root, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    page = (root / "README.md").read_text()
    if page.count("\n") > LONGEST:
        sys.exit(f"README.md has {page.count(chr(10))} lines, of {LONGEST}")
    shutil.rmtree(work, ignore_errors=True)
    home, tools = work / "home", work / "bin"
    tools.mkdir(parents=True)
    # The compiler and the cmake that are tested, by the names that the README has.
    for name, tool in (("g++", shutil.which(sys.argv[3])), ("cmake", shutil.which(sys.argv[4]))):
        # Several sources as one, which is quicker.
        unity = 'case $1 in --*) ;; *) set -- -DCMAKE_UNITY_BUILD=ON "$@" ;; esac\n' if name == "cmake" else ""
        (tools / name).write_text(f'#!/bin/sh\n{unity}exec "{tool}" "$@"\n')
        (tools / name).chmod(0o755)
    prefix = pathlib.Path(sys.argv[5]).resolve() if len(sys.argv) > 5 and os.environ.get("NOPAL_CASES") != "all" else None
    if prefix is None:
        copy_of_sources(root, home / "nopal")
    environment = {**os.environ, "HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "CXX": sys.argv[3],
                   "CMAKE_GENERATOR": "Ninja", "NOPAL_WORKERS": "2"}
    for name in ("CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH"):
        environment.pop(name, None)

    install, pkg_config, by_hand, execution, *_ = blocks(page, "sh")
    if prefix is None:
        run(install, home / "nopal", environment)
    else:
        home.mkdir()
        (home / re.search(r'--prefix "\$HOME/([^"]*)"', install)[1]).symlink_to(prefix)
    programs = blocks(page, "cpp")
    builds = [(commands, program) for commands in (pkg_config, by_hand) for program in programs]
    builds.append((execution, (root / "examples/docs/readme_execution.cpp").read_text()))
    for number, (commands, program) in enumerate(builds):
        place = work / f"build-{number}"
        place.mkdir()
        (place / "program.cpp").write_text(program)
        if "pkg-config" not in commands or shutil.which("pkg-config"):
            run(f"{commands}\n./program", place, environment)

    project, fetching = blocks(page, "cmake")
    configure = re.search(r"`(cmake -S \. -B build -DCMAKE_PREFIX_PATH=[^`]*)`", page)[1]
    projects = [(project, configure)]
    if prefix is None:
        projects.append((project.replace("find_package(nopal REQUIRED)\n", fetching), "cmake -S . -B build"))
    for number, (text, command) in enumerate(projects):
        place = work / f"project-{number}"
        place.mkdir()
        (place / "program.cpp").write_text(programs[0])
        (place / "CMakeLists.txt").write_text(text)
        run(f"{command}\ncmake --build build --parallel 2\nbuild/program", place, environment)
    print(f"{len(builds)} programs and {len(projects)} projects of the README were built and run")


if __name__ == "__main__":
    main()
