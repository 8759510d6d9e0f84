# SPDX-License-Identifier: Apache-2.0
"""links.py notices links that lead nowhere, and pages that nobody finds."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import links

PAGES = {
    "README.md": "# Top\n\n[a room](room), [map](ARCHITECTURE.md)\n\n## A `part`, and more\n",
    "ARCHITECTURE.md": "[up](README.md#a-part-and-more)\n",
    "room/README.md": "## Same\n\n## Same\n\n[the\nsecond](#same-1), [code](code.cpp), [inner](inner/README.md)\n",
    "room/inner/README.md": "# Inner\n\n[up](../README.md#same), [web](https://example.org/nothing#there)\n",
    "room/code.cpp": "\n",
}


class Links(unittest.TestCase):
    def check(self, changes):
        """The exit code and complaints for the pages above with some of them changed; None removes a page."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as output:
            subprocess.run(["git", "init", "-q", folder], check=True)
            for path, text in {**PAGES, **changes}.items():
                if text is not None:
                    Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                    Path(folder, path).write_text(text)
            code = links.main([folder])
        return code, output.getvalue().splitlines()[:-1]

    def complaint(self, changes):
        code, lines = self.check(changes)
        self.assertEqual((code, len(lines)), (1, 1), lines)
        return lines[0]

    def changed(self, path, more):
        return self.complaint({path: PAGES[path] + more})

    def test_right(self):
        self.assertEqual(self.check({}), (0, []))

    def test_code_is_no_link(self):
        text = PAGES["README.md"] + "\n```\n[x](nowhere)\n# No heading\n```\n\n`[x](nowhere)`, ``[`x`](nowhere)``\n"
        self.assertEqual(self.check({"README.md": text}), (0, []))

    def test_no_file(self):
        self.assertEqual(
            self.changed("room/README.md", "\n[gone](gone.cpp)\n"),
            "room/README.md:8: the link to gone.cpp leads nowhere",
        )
        self.assertIn("../../x leads nowhere", self.changed("room/README.md", "[out](../../x)\n"))

    def test_no_heading(self):
        self.assertEqual(
            self.changed("ARCHITECTURE.md", "[x](room#other)\n"),
            "ARCHITECTURE.md:2: the link to room#other names no heading of room/README.md",
        )
        self.assertIn("#same-2 names no heading", self.changed("room/README.md", "[x](#same-2)\n"))
        fenced = "[x](#within)\n\n```\n# Within\n```\n"
        self.assertIn("#within names no heading", self.changed("room/README.md", fenced))

    def test_lost(self):
        self.assertEqual(
            self.complaint({"room/page.md": "[up](README.md)\n"}), "room/page.md: no links lead here from README.md"
        )

    def test_not_linked_from_above(self):
        changes = {
            "room/README.md": "## Same\n",
            "README.md": PAGES["README.md"] + "[inner](room/inner/README.md)\n",
        }
        self.assertEqual(self.complaint(changes), "room/inner/README.md: not linked from room/README.md")

    def test_no_repository(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(links.main([folder]), links.SKIPPED)

    def test_room_without_page(self):
        rooms = {links.ROOMS: '[[room]]\nname = "r"\nfolder = "room/second"\n', "room/second/x.cpp": "\n"}
        self.assertEqual(self.complaint(rooms), "room/second: not linked from room/README.md")
        linked = {"room/README.md": PAGES["room/README.md"] + "[second](second)\n"}
        self.assertEqual(self.check({**rooms, **linked}), (0, []))


if __name__ == "__main__":
    unittest.main()
