# SPDX-License-Identifier: Apache-2.0
"""The recorded epoch on the RTL, driver/training/record: the loss of every step and the accuracies are those that the
host computes today. Skips without MNIST.

  test_record.py SYSTOLE RECORD MNIST"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
PROGRAM, RECORD, MNIST = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
FILES = {
    "--images": "train-images-idx3-ubyte.gz",
    "--labels": "train-labels-idx1-ubyte.gz",
    "--validation-images": "t10k-images-idx3-ubyte.gz",
    "--validation-labels": "t10k-labels-idx1-ubyte.gz",
}
OPTIONS = ["--network", "--scale", "--batch", "--optimizer", "--learning-rate", "--schedule", "--precision", "--seed"]


def main() -> int:
    if not all((MNIST / name).exists() for name in FILES.values()):
        print(f"skipped: {MNIST} is not there; -DSYSTOLE_SHARED=FOLDER names another place")
        return SKIPPED
    record = json.loads(RECORD.read_text())
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "again.json"
        command = [PROGRAM, "train", "--epochs", "1", "--json", str(again)]
        for option, name in FILES.items():
            command += [option, str(MNIST / name)]
        for option in OPTIONS:
            command += [option, record["settings"][option]]
        subprocess.run(command, check=True)
        host = json.loads(again.read_text())
    assert record["device"] == "rtl", record["device"]
    options = {name: value for name, value in record["settings"].items() if name.startswith("--")}
    now = {name: host["settings"][name] for name in options}
    assert now == options, (now, options)
    assert len(record["losses"]) == 937, len(record["losses"])
    differ = [i for i, (a, b) in enumerate(zip(record["losses"], host["losses"], strict=True)) if a != b]
    assert not differ, f"{len(differ)} of {len(record['losses'])} losses differ, the first that of step {differ[0]}"
    for part, score in record["epochs"][0].items():  # there are more metrics now
        now = {name: host["epochs"][0][part][name] for name in score}
        assert now == score, (part, now, score)
    print(f"{len(record['losses'])} losses, {record['epochs'][0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
