# SPDX-License-Identifier: Apache-2.0
"""What JAX and pip ask an installed package for: plugin_files.py FOLDER, which PYTHONPATH names, too."""
import importlib.metadata
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import systole_jax
from systole_jax import versions

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "driver/jax/systole_jax"
FOLDER = Path(sys.argv.pop())


def missing(folder):
    """The files of the plug-in that a folder does not have, or has with other contents."""
    copies = {path.name: folder / "systole_jax" / path.name for path in SOURCE.glob("*.py")}
    return sorted(
        name for name, copy in copies.items() if not copy.exists() or copy.read_bytes() != (SOURCE / name).read_bytes()
    )


class Plugin(unittest.TestCase):
    def test_files(self):
        self.assertEqual(missing(FOLDER), [])
        self.assertEqual(Path(systole_jax.__file__).parent, FOLDER / "systole_jax")

    def test_a_missing_file_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "systole_jax"
            folder.mkdir()
            for path in SOURCE.glob("*.py"):
                (folder / path.name).write_bytes(path.read_bytes())
            self.assertEqual(missing(Path(name)), [])
            (folder / "refusal.py").unlink()
            (folder / "rules.py").write_text("")
            self.assertEqual(missing(Path(name)), ["refusal.py", "rules.py"])

    def test_entry_point(self):
        (distribution,) = importlib.metadata.distributions(name="systole", path=[str(FOLDER)])
        points = [point for point in distribution.entry_points if point.group == "jax_plugins"]
        self.assertEqual([(point.name, point.value) for point in points], [("systole", "systole_jax")])
        self.assertTrue(callable(points[0].load().initialize))

    def test_metadata(self):
        (distribution,) = importlib.metadata.distributions(name="systole", path=[str(FOLDER)])
        self.assertEqual(distribution.metadata["Version"], importlib.import_module("systole").__version__)
        self.assertEqual(distribution.metadata.get_all("Provides-Extra"), ["jax", "torch"])
        self.assertIn("numpy", distribution.requires)
        first, too_new = versions.stated()
        self.assertIn('jax>=%s,<%s; extra == "jax"' % (first, too_new), distribution.requires)

    def test_the_version_that_the_tests_install_is_legal(self):
        pinned = dict(
            line.split("==") for line in (SOURCE.parent / "requirements.txt").read_text().split() if "==" in line
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            versions.warn_of("jax", pinned["jax"])
            versions.warn_of("jaxlib", pinned["jaxlib"])


class Versions(unittest.TestCase):
    def warnings_of(self, version, requirements=('jax>=0.6.1,<0.11; extra == "jax"',)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with mock.patch("importlib.metadata.requires", return_value=requirements):
                versions.warn_of("jaxlib", version)
        return [str(warning.message) for warning in caught]

    def test_within(self):
        for version in ("0.6.1", "0.7", "0.9.0.1", "0.10.2", "0.10.3.dev20260101"):
            self.assertEqual(self.warnings_of(version), [])

    def test_outside(self):
        for version in ("0.6.0", "0.5.3", "0.4.38", "0.11.0", "0.11.0.dev20260101", "1.0.0"):
            (text,) = self.warnings_of(version)
            for part in ("jaxlib is " + version, "jax>=0.6.1,<0.11", "pip install"):
                self.assertIn(part, text)

    def test_none_stated(self):
        self.assertEqual(self.warnings_of("0.1", None), [])
        with mock.patch("importlib.metadata.requires", side_effect=importlib.metadata.PackageNotFoundError):
            self.assertIsNone(versions.stated())


if __name__ == "__main__":
    unittest.main()
