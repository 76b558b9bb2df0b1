"""The page that `nopal bench --report` writes."""

import html.parser
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from command import CommandTest


class Parts(html.parser.HTMLParser):
    """What a page asks for elsewhere, and the texts of its scripts by id."""

    def __init__(self, text):
        super().__init__()
        self.asked, self.scripts, self.inside = [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.asked += [attributes[key] for key in ("src", "href") if key in attributes]
        if tag == "script":
            self.inside = attributes.get("id", "")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside is not None:
            self.scripts[self.inside] = self.scripts.get(self.inside, "") + data


class Page(CommandTest):
    def test_has_all_that_it_shows_in_itself(self):
        with tempfile.TemporaryDirectory() as directory:
            page, data = pathlib.Path(directory, "page.html"), pathlib.Path(directory, "report.json")
            self.succeeds("bench", "fib", "--quick", "--repeats", "1", "--workers", "1,2", "--peers", "none",
                          "--report", page, "--json", data, timeout=380)
            parts = Parts(page.read_text())
            if shutil.which("node"):
                self.check_drawn(page)
            report = json.loads(parts.scripts["report"])
            self.assertEqual(report, json.loads(data.read_text()))
        self.assertEqual(parts.asked, [])
        self.assertEqual([program["name"] for program in report["programs"]], ["fib"])
        self.assertGreater(len(report["fork_steps"]), 1)
        self.assertTrue(all(point["predicted"] for point in report["simulation"]["programs"][0]["predictions"]))
        self.assertEqual({point["predicted"] for point in report["knary"]["points"]}, {True, False})
        self.assertGreater(report["knary"]["fit_measured"]["points"], 1)
        self.assertEqual([search["graph"] for search in report["reducers"]["searches"]], ["grid3d40", "rmat13"])

    def check_drawn(self, page):
        done = subprocess.run(["node", pathlib.Path(__file__).with_name("page_dom.js"), page], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        made = json.loads(done.stdout)
        self.assertEqual([heading.split(". ")[0] for heading in made["headings"]],
                         [str(i + 1) for i in range(len(made["headings"]))])
        self.assertGreater(len(made["headings"]), 6)
        self.assertGreater(len(made["drawings"]), 8)
        self.assertEqual([caption for caption, count in zip(made["captions"], made["drawings"]) if count == 0], [])
        self.assertIn("Measured speedup against the number of workers P.", made["captions"])
        self.assertIn("with the lazy budget", made["legends"])
        self.assertGreater(made["marks"], 0)  # the line at 1
        self.assertEqual(made["wrong"], [])

    def test_a_file_that_cannot_be_written_is_told_before_anything_runs(self):
        self.is_bad_usage("bench", "fib", "--report", "/nonexistent/page.html", says="cannot write '/nonexistent/page.html'")


if __name__ == "__main__":
    unittest.main()
