"""`nopal demo` on small trees, ordinary and odd."""

import os
import pathlib
import re
import tempfile
import unittest

from command import CommandTest


class Demo(CommandTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def demo(self, path=None, *options):
        return self.succeeds("demo", path or self.root, *options).stdout

    def test_tree_of_several_kinds(self):
        self.write("a/one.txt", b"the cat\nthe dog\n")
        self.write("b/two.txt", "le café\nno newline at the end".encode())
        self.write("b/three.txt", "caf\xe9 au lait, assez long\n".encode("latin-1"))
        self.write("empty.txt", b"")
        self.write("binary", b"\0\1\2\3")
        self.write("noise", bytes(range(1, 32)) + bytes(range(128, 160)))
        os.symlink(self.root / "a", self.root / "link_to_directory")
        os.symlink(self.root / "a/one.txt", self.root / "link_to_file")
        os.symlink(self.root, self.root / "b/loop")
        os.mkfifo(self.root / "fifo")
        text = self.demo()
        self.assertIn("4 text files", text)
        self.assertIn("5 lines", text)
        self.assertIn("2 files not text", text)
        # the cat the dog / le café / no newline at the end / café au lait assez long
        self.assertIn("16 words, 14 distinct", text)

    def test_enough_lines_for_parallel_sorting(self):
        lines = [f"{(i * 7919) % 20011} word{i % 101} {'x' * (i % 50)}" for i in range(60000)]
        self.write("many.txt", "\n".join(lines).encode())
        text = self.demo(None, "--workers", "2")
        self.assertIn("60,000 lines in order", text)
        self.assertRegex(text, r"workers\s+2, [\d,]+ steal")
        words = [w for line in lines for w in re.findall("[a-z]+", line)]
        self.assertIn(f"{len(words):,} words, {len(set(words))} distinct", text)
        bound = re.search(r"P\(S1\+D\) is 2\((\d+)\+(\d+)\) = (\d+)", text)
        stack_pages, depth, pages = map(int, bound.groups())
        self.assertEqual(pages, 2 * (stack_pages + depth))
        self.assertGreater(depth, 5)

    def test_single_file_also_through_a_link(self):
        path = self.write("one.txt", b"alone")
        os.symlink(path, self.root / "link")
        self.assertIn("1 text file, 5 bytes, 1 line\n", self.demo(path))
        self.assertIn("1 text file, 5 bytes, 1 line\n", self.demo(self.root / "link"))

    def test_empty_file(self):
        self.assertIn("1 text file, 0 bytes, 0 lines\n", self.demo(self.write("empty", b"")))

    def test_huge_line(self):
        self.write("huge", b"y" * 3_000_000)
        self.assertIn("1 line\n", self.demo())

    def test_many_equal_lines(self):
        self.write("equal", b"same\n" * 30000 + b"\n" * 30000)
        self.assertIn("60,000 lines in order, 30,000 words, 1 distinct", self.demo())

    def test_limit_cuts_and_says_so(self):
        self.write("a", b"0123456789\n" * 1000)
        self.write("b", b"never read")
        text = self.demo(None, "--limit", "1K")
        self.assertIn("1 text file, 1.0 KiB", text)
        self.assertIn("limited    to 1.0 KiB", text)

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable_is_skipped_and_counted(self):
        self.write("good", b"fine\n")
        self.write("bad", b"hidden\n").chmod(0)
        (self.root / "closed").mkdir(mode=0)
        self.assertIn("2 unreadable", self.demo())
        self.is_bad_usage("demo", self.root / "bad", says="holds no text (0 files of other content, 1 unreadable)")

    def test_nothing_to_work_on(self):
        self.is_bad_usage("demo", self.root, says="holds no text")
        self.is_bad_usage("demo", self.write("binary", b"\0" * 10), says="1 file of other content")

    def test_bad_paths(self):
        self.is_bad_usage("demo", self.root / "missing", says="No such file or directory")
        self.is_bad_usage("demo", "/dev/null", says="neither a directory nor a regular file")
        os.mkfifo(self.root / "fifo")
        self.is_bad_usage("demo", self.root / "fifo", says="neither a directory nor a regular file")
        self.is_bad_usage("demo", self.root, self.root, says="accepted: --help")

    def test_bad_options(self):
        for bad in ("0", "-1", "x", "12Q", "1.5M", "99999999999G", ""):
            with self.subTest(bad):
                self.is_bad_usage("demo", "--limit", bad, says="--limit takes a number of bytes")
        self.is_bad_usage("demo", "--workers", "0", says="from 1 to 1024")


if __name__ == "__main__":
    unittest.main()
