#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The walk's script complains when a page is wrong, and only then. Small pages, nothing is built."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import page as pages
import walk

PROLOGUE = "# Page\n\n## Before\n\n```\n$ false\n```\n\n## A first walk\n\nText.\n\n### 1. One\n\n"
EPILOGUE = "\n## After\n\n```\n$ false\n```\n"


def page(*lines, language=""):
    return PROLOGUE + f"```{language}\n" + "".join(line + "\n" for line in lines) + "```\n" + EPILOGUE


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_page(self, *lines):
        """(results, complaints) of a page of one block."""
        return walk.run(self.folder, pages.commands(page(*lines)))

    def complaint(self, *lines):
        complaints = self.run_page(*lines)[1]
        self.assertEqual(len(complaints), 1, complaints)
        return complaints[0]

    def assertRight(self, *lines):
        self.assertEqual(self.run_page(*lines)[1], [])


class Output(Case):
    def test_right(self):
        self.assertRight("$ printf 'one\\ntwo\\n'", "one", "two", "$ true", "$ echo \\", "  three", "three")

    def test_wrong(self):
        text = self.complaint("$ true", "$ printf 'one\\ntwo\\n'", "one", "three")
        for part in ("1. One, line 17: $ printf", "-three", "+two", "--- page", "+++ reality"):
            self.assertIn(part, text)

    def test_missing_and_surplus(self):
        self.assertIn("-one", self.complaint("$ true", "one"))
        self.assertIn("+one", self.complaint("$ echo one"))

    def test_errors_count_as_output(self):
        self.assertRight("$ echo one >&2", "one")

    def test_left_out(self):
        count = "$ seq 5"
        self.assertRight(count, "...")
        self.assertRight("$ true", "...")
        self.assertRight(count, "1", "...", "4", "5")
        self.assertRight(count, "...", "2", "...", "5", "...")
        self.assertIn("+2", self.complaint(count, "1", "3", "..."))
        self.assertIn("4", self.complaint(count, "...", "4"))

    def test_timings_are_loose_and_cycles_are_not(self):
        self.assertRight(
            "$ echo '  simulation   0.0147 s, 1.21 MHz,  17.8 MMAC/s'", "  simulation   0.2 s, 830 kHz, 3 GMAC/s"
        )
        self.assertRight("$ echo 'ran. (13249 ms total)'", "ran. (9 ms total)")
        self.assertIn("+cycles 1,565", self.complaint("$ echo cycles 1,565", "cycles 1,564"))
        self.assertIn("98.4 %", self.complaint("$ echo 98.4 %", "98.3 %"))


class ExitCodes(Case):
    def test_unannounced(self):
        text = self.complaint("$ echo why; exit 3", "why", "$ echo never", "never")
        for part in ("line 16: $ echo why; exit 3", "exit code 3", "  why"):
            self.assertIn(part, text)

    def test_nothing_runs_after_an_unannounced_one(self):
        results, _ = self.run_page("$ false", "$ touch made")
        self.assertEqual(len(results), 1)
        self.assertFalse((self.folder / "made").exists())

    def test_announced(self):
        self.assertRight("$ sh -c 'exit 3'", "$ echo $?", "3", "$ true")

    def test_announced_wrongly(self):
        self.assertIn("+0", self.complaint("$ true", "$ echo $?", "1"))
        self.assertIn("+3", self.complaint("$ (exit 3)", "$ echo $?", "1"))


class Pages(Case):
    def test_only_the_section_counts(self):
        self.assertEqual([command.text for command in pages.commands(page("$ true"))], ["true"])

    def test_badly_written(self):
        for text, why in (
            (page("true"), "begins with"),
            (PROLOGUE, "no commands"),
            ("# Page\n", "no section"),
            (PROLOGUE + "```\n$ true\n", "does not end"),
        ):
            with self.assertRaisesRegex(pages.BadPage, why):
                pages.commands(text)

    def test_quotations_of_the_patch(self):
        patch = "+++ b/file\n@@ -1 +1,2 @@\n old\n+new\n"
        self.assertEqual(pages.misquoted(page(" old", "+new", language="diff"), patch), [])
        self.assertIn("+now", pages.misquoted(page(" old", "+now", language="diff"), patch)[0])
        self.assertIn("1. One", pages.misquoted(page("+ne", language="diff"), patch)[0])

    def test_the_patch_is_quoted_in_the_tutorial(self):
        text = (walk.ROOT / "examples/tutorial.md").read_text()
        self.assertTrue("```diff" in text)
        self.assertEqual(pages.misquoted(text, walk.PATCH.read_text()), [])

    def test_update(self):
        text = page(
            "$ seq 3",
            "1",
            "9",
            "$ echo 5 cycles of 7",
            "...",
            "$ seq -f 'row %g' 8",
            "row 1",
            "...",
            "rov 8",
            "$ echo same",
            "same",
        )
        results, complaints = walk.run(self.folder, pages.commands(text))
        self.assertEqual(len(complaints), 2)
        new = pages.updated(text, results)
        self.assertEqual(new, text.replace("1\n9", "1\n2\n3").replace("rov 8", "row 8"))
        self.assertEqual(walk.run(self.folder, pages.commands(new))[1], [])

    def test_update_of_an_offered_command(self):
        text = page("$ echo '  true 12 ; gtkwave it'", "  true 9 ; gtkwave it", "$ true 9", "$ true 9 9")
        results, _ = walk.run(self.folder, pages.commands(text))
        self.assertEqual(
            pages.updated(text, results), text.replace("  true 9 ;", "  true 12 ;").replace("$ true 9\n", "$ true 12\n")
        )


class Program(Case):
    """The script as a whole, on a source of one file."""

    def setUp(self):
        super().setUp()
        self.source = self.folder / "source"
        (self.source / "build").mkdir(parents=True)
        walk.git(self.source, "init", "-q")
        (self.source / ".gitignore").write_text("build/\n")
        (self.source / "file").write_text("contents\n")

    def main(self, text, *arguments):
        (self.source / "page.md").write_text(text)
        with mock.patch.object(walk, "ROOT", self.source), mock.patch("builtins.print") as printed:
            code = walk.main([str(self.source / "build"), "--page", str(self.source / "page.md"), *arguments])
        return code, "".join(str(call.args[0]) for call in printed.call_args_list if call.args)

    def test_good(self):
        text = page(
            "$ cat file",
            "contents",
            "$ rm file; git checkout -q .; cat file",
            "contents",
            "$ readlink build/release/bin",
            str(self.source.resolve() / "build/bin"),
        )
        self.assertEqual(self.main(text)[0], 0)
        self.assertFalse((self.source / "build/walk").exists())

    def test_bad(self):
        code, printed = self.main(page("$ cat file", "content"))
        self.assertEqual(code, 1)
        self.assertIn("+contents", printed)

    def test_update(self):
        self.assertEqual(self.main(page("$ cat file", "content"), "--update")[0], 0)
        self.assertEqual((self.source / "page.md").read_text(), page("$ cat file", "contents"))
        self.assertEqual(self.main(page("$ false"), "--update")[0], 1)


class StandIn(Case):
    """What runs instead of gtkwave, with a program in the place of wave_values."""

    def show(self, *signals):
        (self.folder / "bin").mkdir()
        values = self.folder / "bin/wave_values"
        values.write_text('#!/bin/sh\necho \'{"signals": ["TOP.core.a", "TOP.core.b[7:0]", "TOP.core.g[1].c"]}\'\n')
        values.chmod(0o755)
        (self.folder / "view.gtkw").write_text("[*] TOP.comment\n@28\n" + "".join(f"{signal}\n" for signal in signals))
        return subprocess.run(
            [HERE / "stand_in/gtkwave", self.folder / "wave.fst", self.folder / "view.gtkw"],
            capture_output=True,
            text=True,
            env={**os.environ, "WALK_BUILD": str(self.folder)},
        )

    def test_all_there(self):
        (self.folder / "wave.fst").touch()
        done = self.show("TOP.core.a", "#{x} (7)TOP.core.b[7:0] (6)TOP.core.b[7:0]", "TOP.core.g[1].c")
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_one_is_absent(self):
        (self.folder / "wave.fst").touch()
        done = self.show("TOP.core.a", "TOP.core.d[7:0]")
        self.assertEqual(done.returncode, 1)
        self.assertIn("TOP.core.d", done.stderr)

    def test_no_waveform(self):
        done = self.show("TOP.core.a")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wave.fst", done.stderr)


class Patch(unittest.TestCase):
    """The walk itself takes minutes; that its patch has gone stale shows here at once."""

    def test_patch_applies(self):
        done = subprocess.run(
            ["git", "apply", "--check", HERE / "instruction.patch"], cwd=walk.ROOT, capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
