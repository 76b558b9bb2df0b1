"""Finishes the built site and checks it: every link within it leads somewhere, and nothing is loaded from another host.

Code in a table has `\\|` for `|`, as repositories' pages want it; the site's generator leaves the backslash, which goes here. The
search index is written once more as a script, for pages opened from the disk (docs/site/search_from_disk.js).

    finish.py SITE
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The places of a page that can be linked to, and what it links to and loads."""

    LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}

    def __init__(self, text):
        super().__init__()
        self.places, self.links, self.loaded = {""}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            if (tag, name) in self.LOADED:
                self.loaded.append(value)
            if (tag, name) in self.LOADED | {("a", "href")}:
                self.links.append(value)


def without_escapes(cell):
    return re.sub(r"<code>[^<]*</code>", lambda code: code[0].replace("\\|", "|"), cell[0])


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    index = (site / "search" / "search_index.json").read_text()
    (site / "search" / "search_index.js").write_text(f"search_index_from_disk({index});\n")
    for path in site.rglob("*.html"):
        path.write_text(re.sub(r"<td.*?</td>", without_escapes, path.read_text(), flags=re.DOTALL))
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    faults, checked = [], 0
    for path, page in pages.items():
        where = path.relative_to(site)
        if where.name == "404.html":
            continue  # a server shows it at any address, so its links are absolute
        faults += [f"{where}: loads {url}" for url in page.loaded if urllib.parse.urlsplit(url).netloc]
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                faults.append(f"{where}: no {link}")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].places:
                faults.append(f"{where}: no such place in {link}")
    for path in site.rglob("*.css"):
        if "@import" in path.read_text() or "url(http" in path.read_text():
            faults.append(f"{path.relative_to(site)}: loads from elsewhere")
    for fault in sorted(set(faults)):
        print(fault)
    print(f"{len(pages)} pages, {checked} links, {len(set(faults))} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
