# SPDX-License-Identifier: Apache-2.0
"""The programs of JAX in the documents run, on the RTL; where a block of output follows, they print it."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import systole

ROOT = pathlib.Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"```python\n((?:(?!```).*\n)*?.*\bjax\b(?:(?!```).*\n)*)```\n(?:\n```\n((?:(?!```).*\n)*)```\n)?")
PAGES = ("README.md", "driver/jax/README.md")


def main():
    failed, before, cores = 0, "", systole.rtl_configurations()
    if not cores:
        print("skipped: this build has no core")
        return 77
    options = {"SYSTOLE_JAX_DEVICE": "rtl", "SYSTOLE_JAX_CONFIGURATION": "default" if "default" in cores else cores[0]}
    for page in PAGES:
        for program, output in BLOCK.findall((ROOT / page).read_text()):
            code = program if "import jax" in program else before + program
            before = code
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [sys.executable, "-B", "-c", code],
                    env=dict(os.environ, JAX_PLATFORMS="systole", **options),
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=300,
                )
            right = done.returncode == 0 and (not output or done.stdout == output)
            print("%s: %s" % (page, "ok" if right else "printed\n%s%s" % (done.stdout, done.stderr[-2000:])))
            failed += not right
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
