#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz in a tree with targets of its own: what a target does wrong is never taken for a skipped test."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER = os.environ.get("SYSTOLE_CLANG", "clang++-14")
SKIPPED = 77
HEAD = "#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n"
BODIES = {
    "good": "return 0;",
    "throws": "throw 1;",
    "traps": "__builtin_trap();",
    "exits": "std::exit(0);",
}
BUILD = """rule compile
  command = {compiler} -fsanitize=fuzzer,address,undefined $in -o $out
"""


class Script(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="systole-fuzz-"))
        self.addCleanup(shutil.rmtree, self.root)
        build = self.root / "build/fuzz"
        for folder in (self.root / "scripts", self.root / "tests/fuzz", build / "bin"):
            folder.mkdir(parents=True)
        shutil.copy(ROOT / "scripts/fuzz", self.root / "scripts")
        (build / "CMakeCache.txt").write_text(
            "CMAKE_PROJECT_NAME:STATIC=fuzz\nCMAKE_GENERATOR:INTERNAL=Ninja\n"
            f"CMAKE_MAKE_PROGRAM:FILEPATH={shutil.which('ninja')}\n"
        )
        rules = BUILD.format(compiler=COMPILER)
        for name, body in BODIES.items():
            source = self.root / f"tests/fuzz/fuzz_{name}.cpp"
            head = 'extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t size) {'
            source.write_text(f"{HEAD}{head} if (size == 0) return 0; {body} }}\n")
            corpus = self.root / f"tests/fuzz/corpus/{name}"
            corpus.mkdir(parents=True)
            (corpus / "seed").write_bytes(b"x")
            rules += f"build bin/fuzz_{name}: compile {source}\nbuild fuzz_{name}: phony bin/fuzz_{name}\n"
        (build / "build.ninja").write_text(rules)

    def fuzz(self, *arguments, **environment):
        command = [self.root / "scripts/fuzz", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
        return done.returncode, done.stdout + done.stderr

    def test_exit_codes(self):
        for name in BODIES:
            with self.subTest(name):
                code, text = self.fuzz(name, "--seconds", "1")
                self.assertEqual(code, 0 if name == "good" else 1, text)
                found = list((self.root / "build/fuzz/found" / name).iterdir())
                self.assertEqual(len(found), 0 if name == "good" else 1, text)

    def test_without_a_compiler_it_is_skipped(self):
        code, text = self.fuzz("good", SYSTOLE_CLANG="/nowhere/clang++")
        self.assertEqual(code, SKIPPED)
        self.assertIn("scripts/setup fuzz", text)


if __name__ == "__main__":
    if shutil.which(COMPILER) is None:
        print(f"skipped: {COMPILER} is not installed: scripts/setup fuzz")
        sys.exit(SKIPPED)
    unittest.main()
