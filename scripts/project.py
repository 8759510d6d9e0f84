# SPDX-License-Identifier: Apache-2.0
"""The project's version, which CMakeLists.txt states."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version():
    return re.search(r"project\(systole VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
