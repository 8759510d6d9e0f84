# SPDX-License-Identifier: Apache-2.0
"""`scripts/setup judges` in a copy of the two files that it reads: without the Python package index, with a package
that does not exist, and when there is nothing to do."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOBODY_LISTENS = "http://127.0.0.1:9/simple"
UNREACHABLE = 77


class Environment(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="systole-judges-"))
        self.addCleanup(shutil.rmtree, self.root)
        for file in ("scripts/setup", "tests/judges/requirements.txt"):
            (self.root / file).parent.mkdir(parents=True)
            shutil.copy(ROOT / file, self.root / file)

    def setup_judges(self, **variables):
        return subprocess.run(
            [self.root / "scripts/setup", "judges"],
            env=os.environ | {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"} | variables,
            capture_output=True,
            text=True,
        )

    def test_unreachable_index(self):
        result = self.setup_judges(PIP_INDEX_URL=NOBODY_LISTENS)
        self.assertEqual(result.returncode, UNREACHABLE)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("index cannot be reached", result.stderr)
        self.assertFalse((self.root / "build/judges/installed").exists())

    def test_unknown_package(self):
        (self.root / "tests/judges/requirements.txt").write_text("no-such-package==1.0\n")
        result = self.setup_judges(PIP_NO_INDEX="1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no-such-package", result.stderr)

    def test_made_once(self):
        installed = self.root / "build/judges/installed"
        (self.root / "tests/judges/requirements.txt").write_text("")
        self.assertEqual(self.setup_judges(PIP_NO_INDEX="1").returncode, 0)
        made = installed.stat().st_mtime_ns
        self.assertEqual(self.setup_judges(PIP_NO_INDEX="1").returncode, 0)
        self.assertEqual(installed.stat().st_mtime_ns, made)


if __name__ == "__main__":
    unittest.main()
