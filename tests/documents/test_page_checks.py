# SPDX-License-Identifier: Apache-2.0
"""pages.py notices what a page says wrongly."""
import contextlib
import io
import stat
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import pages

PROGRAM = """#!/bin/sh
if [ "$1" = bench ]; then echo run >> "${0%/*}/../runs"; echo '{"results": [{"cycles": 1234}]}' > "$5"; exit; fi
echo one; echo "two $1"; echo three; [ -e given ] && cat given; true
"""


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "bin").mkdir()
        program = self.root / "bin/systole"
        program.write_text(PROGRAM)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def check(self, text, what="outputs", *options):
        page = self.root / "page.md"
        page.write_text(text)
        with contextlib.redirect_stdout(io.StringIO()) as output:
            code = pages.main([what, str(self.root), str(page), "--shared", str(self.root), *options])
        return code, output.getvalue(), page.read_text()

    def test_right(self):
        self.assertEqual(self.check("```\n$ systole x  # comment\none\ntwo x\nthree\n```\n")[0], 0)
        self.assertEqual(self.check("```\n$ systole x\none\n...\n```\n")[0], 0)
        self.assertEqual(
            self.check("```\n$ systole \\\n  x\n...\n  ...\ntwo x\n...\n$ build/release/bin/systole y\n...\n```\n")[0],
            0,
        )

    def test_wrong(self):
        for page in ("one\ntwo\nthree\n", "...\ntwo y\n...\n", "one\ntwo x\n", ""):
            code, output, _ = self.check(f"```\n$ systole x\n{page}```\n")
            self.assertEqual(code, 1, page)
            self.assertIn("the program says\none\ntwo x\nthree\n", output)

    def test_update(self):
        page = "text\n```\n$ systole x\nzero\n```\n```\n$ systole y\n...\n```\n"
        code, _, updated = self.check(page, "outputs", "--update")
        self.assertEqual((code, updated), (0, page.replace("zero", "one\ntwo x\nthree")))

    def test_nothing_to_compare(self):
        self.assertEqual(self.check("```\nsystole x\n```\n")[0], 1)

    def test_not_run(self):
        skipped = "<!-- not run: it is slow -->\n```\n$ other x\n```\n"
        self.assertEqual(self.check(skipped + "```\n$ systole x\n...\n```\n")[0], 0)
        with self.assertRaises(SystemExit):
            self.check("```\n$ other x\n```\n")

    def test_files(self):
        page = "<!-- files: net given=inputs -->\n```\n$ systole x\n...\nfour\n```\n"
        code, output, _ = self.check(page)
        self.assertEqual(code, pages.SKIPPED)
        self.assertIn("models/net/inputs is missing", output)
        (self.root / "models/net").mkdir(parents=True)
        (self.root / "models/net/inputs").write_text("four\n")
        self.assertEqual(self.check(page)[0], 0)

    def test_figures(self):
        row = "| work | {} | 9 % | `systole bench --only x` |\n"
        self.assertEqual(self.check(row.format("1,234"), "figures")[0], 0)
        code, output, _ = self.check(row.format("1,235"), "figures")
        self.assertEqual(code, 1)
        self.assertIn("takes 1,234 cycles, not 1,235", output)
        code, output, _ = self.check(row.format("1,235") + row.format("1,234"), "figures")
        self.assertEqual((code, output.count("takes 1,234 cycles")), (1, 1))
        self.assertEqual((self.root / "runs").read_text(), "run\n")


if __name__ == "__main__":
    unittest.main()
