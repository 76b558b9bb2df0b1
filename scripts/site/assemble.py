"""Puts the pages of the site together.

    assemble.py ROOT TARGET XML

Copies docs/ to TARGET/pages, with drawings inlined so that they follow the page's colors, adds the pages made of other
sources (examples, manual pages, the interface as Doxygen's XML describes it), and writes TARGET/mkdocs.yml.
Pages that the navigation does not name come last in the guide.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import api

# What pages of docs/ refer to outside of it, and where the site has it.
OUTSIDE = {
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changelog.md",
    "../README.md": "index.md",
}


def inline_drawings(text, page):
    """Drawings as elements of the page; in the repository the same line is a picture."""

    def figure(match):
        caption, target = match.groups()
        drawing = (page.parent / target).read_text()
        drawing = drawing[drawing.index("<svg"):].replace("\n\n", "\n").strip()
        return f'<figure class="drawing-frame">\n{drawing}\n<figcaption>{caption}</figcaption>\n</figure>'

    return re.sub(r"^!\[(.*)\]\((\S+\.svg)\)$", figure, text, flags=re.MULTILINE)


def lead_to_pages(text):
    """Links to headers and manual pages, which the repository has as they are, lead to the pages made of them."""
    text = re.sub(r"\]\(((?:\.\./)*)\.\./include/nopal/([^()#]+)\)",
                  lambda match: f"]({match[1]}api/{match[2].replace('/', '_')}.md)", text)
    return re.sub(r"\]\(((?:\.\./)*man/[^()#]+\.[1-9])\)", r"](\1.md)", text)


def copy_pages(docs, pages):
    for source in sorted(docs.rglob("*.md")):
        if source.name == "overview.md":
            continue  # a list of the others, for readers of the repository
        text = lead_to_pages(inline_drawings(source.read_text(), source))
        up = "../" * len(source.relative_to(docs).parent.parts)
        for there, here in OUTSIDE.items():
            text = text.replace(f"({up}{there}", f"({up}{here}")
        if source == docs / "index.md":
            text = "---\nhide: [navigation]\n---\n" + text
        write(pages / source.relative_to(docs), text)
    for name in ("style.css", "search_from_disk.js"):
        write(pages / "site" / name, (docs / "site" / name).read_text())


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def copy_from_root(root, pages):
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        text = (root / name).read_text().replace("](docs/", "](")
        write(pages / name.lower(), text)


def first_comment(source):
    """The comment a program opens with, as one paragraph."""
    lines = []
    for line in source.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.lstrip("/").strip())
    return " ".join(lines)


def add_examples(root, pages):
    """A page for each program of examples/, and one that lists them; returns their place in the navigation."""
    entries = ["examples/index.md"]
    listed = []
    sources = [source for source in (root / "examples").rglob("*.cpp") if source.parent.name != "docs"]
    for source in sorted(sources):
        # The marks of the parts that pages quote say nothing here.
        text = re.sub(r"^ *// (snippet: .*|end snippet)\n", "", source.read_text(), flags=re.MULTILINE)
        place = source.relative_to(root)
        name = "_".join(place.with_suffix("").parts[1:])
        about = first_comment(text)
        write(pages / "examples" / f"{name}.md",
              f"# {name}\n\n{about}\n\n`{place}`:\n\n```cpp\n{text.rstrip()}\n```\n")
        listed.append(f"* [{name}]({name}.md): {about}\n")
        entries.append(f"{name}: examples/{name}.md")
    write(pages / "examples" / "index.md",
          "# Examples\n\nWhole programs, each one file of `examples/`, built and run by the tests.\n\n"
          + "".join(listed))
    return entries


def add_manual(docs, pages):
    """The manual pages, as mandoc writes them in Markdown."""
    entries = []
    for source in sorted((docs / "man").glob("*.[1-9]"), key=lambda path: (path.suffix, path.name)):
        ran = subprocess.run(["mandoc", "-T", "markdown", "-W", "warning,stop", source],
                             capture_output=True, text=True, check=True)
        # Its first and last line are the running titles.
        body = "\n".join(ran.stdout.splitlines()[1:-1]).strip()
        title = f"{source.stem}({source.suffix[1:]})"
        write(pages / "man" / f"{source.name}.md", f"# {title}\n\n" + re.sub("^# ", "## ", body, flags=re.MULTILINE) + "\n")
        entries.append(f"{title}: man/{source.name}.md")
    return entries


def unlisted(docs, template):
    """The pages of docs/ that the navigation does not name, by their titles."""
    entries = []
    for page in sorted(docs.rglob("*.md")):
        place = str(page.relative_to(docs))
        if place != "overview.md" and not re.search(rf"[ :]{re.escape(place)}$", template, re.MULTILINE):
            title = page.read_text().splitlines()[0].lstrip("# ")
            entries.append(f"{json.dumps(title)}: {place}")
    return entries


def fill(template, generated):
    """The template with each "# GENERATED name" replaced by that list's entries."""
    lines = []
    for line in template.splitlines():
        match = re.match(r"( *)# GENERATED (\w+)$", line)
        if match:
            lines += [f"{match[1]}- {entry}" for entry in generated[match[2]]]
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def main():
    root, target = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    docs, pages = root / "docs", target / "pages"
    if pages.exists():
        shutil.rmtree(pages)
    copy_pages(docs, pages)
    copy_from_root(root, pages)
    template = (docs / "site" / "mkdocs.yml").read_text()
    generated = {"unlisted": unlisted(docs, template),
                 "examples": add_examples(root, pages),
                 "man": add_manual(docs, pages),
                 "api": api.add_pages(pathlib.Path(sys.argv[3]), pages)}
    shutil.copytree(docs / "site" / "theme", target / "theme", dirs_exist_ok=True)
    write(target / "mkdocs.yml", fill(template, generated))


if __name__ == "__main__":
    main()
