"""Builds the site as ./dev docs does, elsewhere. Usage: site_test.py ROOT TARGET; exits with 77 where a tool is missing"""

import pathlib
import shutil
import subprocess
import sys

TOOLS = ("doxygen", "mandoc", "mkdocs")


def run(root, *command):
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def main():
    root, target = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if not missing and " material" not in run(root, "mkdocs", "build", "--help").replace("|", " ").replace("[", " "):
        missing = ["the theme mkdocs-material"]
    if missing:
        print(f"not built: {', '.join(missing)} missing; ./dev docs installs it")
        return 77
    shutil.rmtree(target, ignore_errors=True)
    work = target / "work"
    work.mkdir(parents=True)
    doxyfile = work / "Doxyfile"
    doxyfile.write_text((root / "Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {work}\n")
    scripts = root / "scripts" / "site"
    run(root, "doxygen", doxyfile)
    run(root, sys.executable, "-B", scripts / "assemble.py", root, work, work / "xml")
    run(root, "mkdocs", "--quiet", "build", "--strict", "--config-file", work / "mkdocs.yml")
    print(run(root, sys.executable, "-B", scripts / "finish.py", target / "docs"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
