"""Every link of the pages to a file, and to a heading of a page, leads somewhere in the repository. Usage: links_test.py ROOT

The site has the same pages at other places, for which scripts/site/assemble.py changes the links; mkdocs checks those.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^()\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchors(page):
    """Names of the headings, as the repository's host and mkdocs make them: spaces become hyphens, and punctuation goes."""
    headings = HEADING.findall(FENCED.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def faults_of(root, page):
    text = FENCED.sub(lambda match: "\n" * match[0].count("\n"), page.read_text())
    for match in LINK.finditer(text):
        if re.match(r"[a-z]+:", match[1]):
            continue  # of another host
        name, _, anchor = match[1].partition("#")
        target = (page.parent / name).resolve() if name else page
        where = f"{page.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}"
        if not target.exists():
            yield f"{where}: no file {match[1]}"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{where}: no heading {match[1]}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]
    faults = [fault for page in pages for fault in faults_of(root, page)]
    print("\n".join(faults + [f"{len(pages)} pages, {len(faults)} faults"]))
    return 1 if faults or len(pages) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
