# SPDX-License-Identifier: Apache-2.0
"""What the examples have in common: options, and a line about where a step ran."""
import argparse
import hashlib
import os
import time

# Where JAX runs is chosen before it is imported.
os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("JAX_PLATFORMS", "systole")


def options(text, **defaults):
    """The options that all examples take; `defaults` has others, by name."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps of training; 0: do not")
    parser.add_argument("--seed", type=int, default=1)
    for name, value in defaults.items():
        parser.add_argument(
            "--" + name.replace("_", "-"), type=type(value) if value is not None else str, default=value
        )
    return parser.parse_args()


def stop_after(steps):
    """Keras' callbacks that end the training after so many steps."""
    import keras

    class Stop(keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.done = 0

        def on_train_batch_end(self, batch, logs=None):
            self.done += 1
            print("step %d: loss %.6f" % (self.done, logs["loss"]), flush=True)
            if self.done == 1:
                self.begun = time.perf_counter()  # without compilation
            if self.done == steps:
                if steps > 1:
                    print("%.3f s for a step" % ((time.perf_counter() - self.begun) / (steps - 1)))
                report()
                self.model.stop_training = True

    return [Stop()] if steps else []


def report():
    """Prints what the last call did on the device."""
    import jax

    if jax.default_backend() != "systole":
        print("the last step ran on %s" % jax.default_backend())
        return
    import systole_jax

    run = systole_jax.last_run()
    host = [layer for layer in run["layers"] if not layer["on_device"]]
    print(
        "the last step: %d layers on the device, %d operators on the host, %s cycles, %.1f %% of the array"
        % (len(run["layers"]) - len(host), len(host), format(run["cycles"], ","), 100 * run["utilization"])
    )
    for layer in host:
        print("  on the host: %s: %s" % (layer["name"], layer["reason"]))


def digest(arrays):
    """A line that is the same for the same bits."""
    import numpy as np

    print("weights %s" % hashlib.sha256(b"".join(np.asarray(array).tobytes() for array in arrays)).hexdigest()[:16])
