"""Every line that the library can print or throw is explained on the page about troubleshooting. Usage: errors_test.py ROOT"""

import pathlib
import re
import sys

# What is printed is told apart by its first words, up to the first thing that varies.
LITERAL = re.compile(r'"nopal:[: ]((?:[^"\\]|\\.)*)"')


def messages(root):
    found = {}
    sources = [*(root / "src").rglob("*.cpp"), *(root / "include").rglob("*.h*"), *(root / "check").rglob("*.cpp")]
    for source in sorted(sources):
        code = re.sub(r"^ *#error.*", "", source.read_text(), flags=re.MULTILINE)
        for text in LITERAL.findall(code):
            fixed = re.split(r"%|\\n", text)[0].strip(" :")
            if len(fixed) > 8:
                found[fixed] = source.relative_to(root)
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs" / "troubleshooting.md").read_text()
    found = messages(root)
    missing = [f"{where}: '{text}' is not in docs/troubleshooting.md" for text, where in found.items() if text not in page]
    print("\n".join(missing + [f"{len(found)} messages, {len(missing)} not explained"]))
    return 1 if missing or len(found) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
