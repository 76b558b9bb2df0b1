"""The page that `nopal bench --report` writes."""

import html.parser
import json
import pathlib
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
            report = json.loads(parts.scripts["report"])
            self.assertEqual(report, json.loads(data.read_text()))
        self.assertEqual(parts.asked, [])
        self.assertEqual([program["name"] for program in report["programs"]], ["fib"])
        self.assertGreater(len(report["fork_steps"]), 1)
        self.assertTrue(all(point["predicted"] for point in report["simulation"]["programs"][0]["predictions"]))
        self.assertEqual({point["predicted"] for point in report["knary"]["points"]}, {True, False})
        self.assertGreater(report["knary"]["fit_measured"]["points"], 1)
        self.assertEqual([search["graph"] for search in report["reducers"]["searches"]], ["grid3d40", "rmat13"])

    def test_a_file_that_cannot_be_written_is_told_before_anything_runs(self):
        self.is_bad_usage("bench", "fib", "--report", "/nonexistent/page.html", says="cannot write '/nonexistent/page.html'")


if __name__ == "__main__":
    unittest.main()
