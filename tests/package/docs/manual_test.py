"""Manual pages and the command know the same options. Usage: manual_test.py NOPAL_BINARY DIRECTORY"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

NOPAL = ""
PAGES = pathlib.Path()


def help_of(*arguments):
    return subprocess.run([NOPAL, *arguments, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout


def subcommands():
    listed = re.search(r"Subcommands:\n(.*?)\n\n", help_of(), re.DOTALL)[1]
    return [line.split()[0] for line in listed.splitlines()]


def page_of(subcommand):
    return (PAGES / (f"nopal-{subcommand.rstrip('+')}.1" if subcommand else "nopal.1")).read_text()


def options_in_help(text):
    """Each option with the name of its value, if it takes one."""
    found = set()
    for line in re.search(r"Options:\n(.*?)(\n\n|\Z)", text, re.DOTALL)[1].splitlines():
        match = re.match(r"  (-[-\w, ]*?--?[-\w]+)( [A-Z]+)?(?:  |$)", line)
        if match:
            for name in re.split(r", ?", match[1]):
                found.add((name, (match[2] or "").strip()))
    return found


def options_in_page(text):
    found = set()
    for line in re.findall(r"^\.It Fl (.*)$", text, re.MULTILINE):
        names, _, value = line.partition(" Ar ")
        for name in names.replace(" ", "").split(","):
            found.add((f"-{name}", value))
    return found


class Manual(unittest.TestCase):
    def test_each_subcommand_has_its_options_and_no_others(self):
        for subcommand in ["", *subcommands()]:
            with self.subTest(subcommand or "nopal"):
                shown = help_of(subcommand) if subcommand else help_of()
                self.assertGreaterEqual(len(options_in_help(shown)), 2, shown)
                self.assertEqual(options_in_page(page_of(subcommand)), options_in_help(shown))

    def test_the_overview_lists_the_subcommands(self):
        self.assertEqual([one for line in re.findall(r"^\.It Cm ([\w+ ,]+)$", page_of(""), re.MULTILINE) for one in line.split(" , ")],
                         subcommands())
        pages = {path.name for path in PAGES.glob("nopal-*.1")}
        self.assertEqual(pages, {f"nopal-{name.rstrip('+')}.1" for name in subcommands()})

    def test_positional_arguments(self):
        for subcommand in subcommands():
            named = re.findall(r"^  ([A-Z]+)\b", help_of(subcommand), re.MULTILINE)
            for name in named:
                self.assertRegex(page_of(subcommand), rf"(?m)^\.(?:Op )?Ar {name}\b")

    def test_variables(self):
        """Those that the library reads, and no others."""
        settings = (PAGES.parent.parent / "src" / "scheduler" / "settings.cpp").read_text()
        read = set(re.findall(r'"(NOPAL_[A-Z_]+)"', settings))
        listed = set(re.findall(r"^\.It Ev (NOPAL_\w+)$", (PAGES / "nopal.7").read_text(), re.MULTILINE))
        self.assertEqual(listed, read)

    def test_functions_of_c(self):
        """Those of the headers have a page each that names them, and no others have."""
        include = PAGES.parent.parent / "include" / "nopal"
        header = (include / "nopal.h").read_text() + (include / "speculate.h").read_text()
        declared = set(re.findall(r"^NOPAL_EXPORT .*?(nopal_\w+)\(", header, re.MULTILINE))
        declared |= set(re.findall(r"@fn .*?(nopal_\w+)\(", header))
        self.assertGreaterEqual(len(declared), 13)
        named = [name for page in PAGES.glob("*.3")
                 for name in re.findall(r"^\.Nm (\w+)", page.read_text(), re.MULTILINE)]
        self.assertEqual(sorted(named), sorted(declared))

    def test_no_warnings(self):
        """Of the formatters that this system has."""
        for page in sorted(PAGES.glob("*.[1-9]")):
            if shutil.which("mandoc"):
                ran = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
                self.assertEqual(ran.stdout + ran.stderr, "")
            if shutil.which("man"):
                ran = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                                     env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                self.assertIn("NAME", ran.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    NOPAL, PAGES = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
