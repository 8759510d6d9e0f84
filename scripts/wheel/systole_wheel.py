# SPDX-License-Identifier: Apache-2.0
"""What `pip install .` calls (PEP 517): CMake builds the Python packages, this packs them. It needs no index.

A build that is there for the same Python is used: build/release, or the folder that SYSTOLE_BUILD names; else one is
made.
"""
import base64
import hashlib
import importlib.machinery
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
from project import version

DISTRIBUTION = ROOT / "driver" / "python"
PACKAGES = ("systole", "systole_jax")
SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]


def metadata():
    return (DISTRIBUTION / "metadata.in").read_text().replace("@PROJECT_VERSION@", version())


def cached(build, name):
    cache = build / "CMakeCache.txt"
    found = re.search(rf"^{name}:\w+=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    return found[1] if found else None


def suffix_of(python):
    code = "import importlib.machinery as m; print(m.EXTENSION_SUFFIXES[0])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def build_folder():
    """A folder that is configured for this Python."""
    build = Path(os.environ.get("SYSTOLE_BUILD", ROOT / "build" / "release")).resolve()
    python = cached(build, "Python_EXECUTABLE")
    if python and suffix_of(python) == SUFFIX:
        return build
    if python:
        build = ROOT / "build" / f"wheel-{sysconfig.get_config_var('SOABI')}"
    mine = f"-DPython_EXECUTABLE={os.path.realpath(sys.executable)}"
    subprocess.run(["cmake", "--preset", "release", "-B", str(build), mine], cwd=ROOT, check=True)
    return build


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = build_folder()
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", str(build), "--parallel", jobs, "--target", "systole_python"], check=True)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    name, info = f"systole-{version()}-{tag}.whl", f"systole-{version()}.dist-info"
    files = {}
    for package in PACKAGES:
        for path in sorted((build / "python" / package).iterdir()):
            if path.is_file():
                files[f"{package}/{path.name}"] = path.read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: systole\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = (DISTRIBUTION / "entry_points.txt").read_bytes()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    rows = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(content)}")
    files[f"{info}/RECORD"] = ("\n".join(rows) + f"\n{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    top = f"systole-{version()}"
    with tarfile.open(Path(sdist_directory) / f"{top}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in listed.split("\0"):
            if path:
                archive.add(ROOT / path, f"{top}/{path}")
        text = Path(sdist_directory) / "PKG-INFO"
        text.write_text(metadata())
        archive.add(text, f"{top}/PKG-INFO")
        text.unlink()
    return f"{top}.tar.gz"
