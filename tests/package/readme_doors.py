# SPDX-License-Identifier: Apache-2.0
"""The programs of README.md and driver/README.md in Python, C and C++ run as they stand, and agree:
readme_doors.py PREFIX PYTHON_DIR CC

Each has at most ten lines, is built with what is installed below PREFIX, and runs beside a small network; the first in
Python is the one that agrees with the others. Where there is no Verilated core of configuration `default`, the
functional model takes its place.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NETWORK = ROOT / "tests/vectors/networks/dense/model.tflite"
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(door LANGUAGES CXX)
find_package(Systole REQUIRED)
add_executable(door door.cpp)
target_link_libraries(door PRIVATE Systole::systole)
"""


def output(*command, folder, **environment):
    run = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **{key: str(value) for key, value in environment.items()}},
        capture_output=True,
        text=True,
    )
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout


def main(prefix, python_folder, compiler):
    section = "".join((ROOT / name).read_text() for name in ("README.md", "driver/README.md"))
    programs, others = {}, []
    for language, program in re.findall(r"^```(python|c|cpp)\n(.*?)^```$", section, re.M | re.S):
        if "import jax" in program:
            continue  # run by tests/driver/jax, where JAX is
        if language in programs:
            others.append((language, program))
        else:
            programs[language] = program
    assert {language for language, _ in others} == {"python"}, f"there are more programs in {others}"
    assert set(programs) == {"python", "c", "cpp"}, f"there are programs in {sorted(programs)}"
    path = prefix / python_folder
    cores = output(
        sys.executable, "-c", "import systole; print(*systole.rtl_configurations())", folder="/", PYTHONPATH=path
    )
    said = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(NETWORK, folder / "model.tflite")
        for language, program in programs.items():
            lines = program.count("\n")
            assert lines <= 10, f"the program in {language} has {lines} lines; at most 10"
            if "default" not in cores.split():
                program = program.replace('"rtl"', '"model"')
            (folder / f"door.{'py' if language == 'python' else language}").write_text(program)
        said["python"] = output(sys.executable, "-B", "door.py", folder=folder, PYTHONPATH=path)
        for _, program in others:
            if "default" not in cores.split():
                program = program.replace('"rtl"', '"model"')
            (folder / "other.py").write_text(program)
            assert output(sys.executable, "-B", "other.py", folder=folder, PYTHONPATH=path).endswith(" cycles\n")
        include, lib = f"-I{prefix}/include", f"{prefix}/lib"
        output(
            compiler,
            "-std=c11",
            "-Wall",
            "-Werror",
            include,
            "door.c",
            f"-L{lib}",
            "-lsystole_c",
            f"-Wl,-rpath,{lib}",
            "-o",
            "c",
            folder=folder,
        )
        said["c"] = output(folder / "c", folder=folder)
        (folder / "CMakeLists.txt").write_text(PROJECT)
        output("cmake", "-S", ".", "-B", "cpp", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", folder=folder)
        output("cmake", "--build", "cpp", folder=folder)
        said["cpp"] = output(folder / "cpp/door", folder=folder)
    print(said)
    assert len(set(said.values())) == 1, f"the programs do not agree: {said}"
    assert re.fullmatch(r"\d+ cycles\n", said["c"]), said["c"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
