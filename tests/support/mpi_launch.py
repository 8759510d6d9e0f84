# SPDX-License-Identifier: Apache-2.0
"""Programs under mpirun. Tests that need it are skipped (77) without it."""

import os
import shutil
import subprocess
import sys

SKIPPED = 77
PATIENCE = 120  # seconds; only a hang takes them
# Root, fewer cores than ranks, no network, no ptrace: whatever a container has.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def ranks(count):
    return ["mpirun", "--oversubscribe", "-n", str(count)]


def call(command):
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False, env=ENVIRONMENT, timeout=PATIENCE)


def skip_without_mpi(program):
    """Ends this program if there is no mpirun, or if systole was built without MPI."""
    if shutil.which("mpirun") is None:
        print("skipped: mpirun is not installed")
        sys.exit(SKIPPED)
    if "has no MPI" in call([*ranks(2), program, "train", "--help"]).stderr:
        print("skipped: the build has no MPI")
        sys.exit(SKIPPED)
