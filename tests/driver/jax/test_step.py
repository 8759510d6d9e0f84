# SPDX-License-Identifier: Apache-2.0
"""A step of SGD of a 784-64-10 network on 32 pictures, as JAX programs have it. On the RTL and on the functional model
the loss and the parameters are the same bits; near those of JAX's CPU; and the array is as busy as it should be.

    test_step.py --layers          # where the cycles went"""
import argparse
import hashlib
import json
import os
import subprocess
import sys

LEAST = 0.15  # of the array's multipliers, in use
NEAR = 0.02  # of the loss of the CPU
PLACES = {
    "rtl": {"JAX_PLATFORMS": "systole,cpu", "SYSTOLE_JAX_DEVICE": "rtl"},
    "model": {"JAX_PLATFORMS": "systole,cpu", "SYSTOLE_JAX_DEVICE": "model"},
    "cpu": {"JAX_PLATFORMS": "cpu"},
}


def step_here():
    """Two steps on this process's devices, as text."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    def loss_of(parameters, x, y):
        hidden = jax.nn.relu(x @ parameters["w1"] + parameters["b1"])
        scores = hidden @ parameters["w2"] + parameters["b2"]
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(scores) * y, axis=1))

    @jax.jit
    def step(parameters, x, y, rate):
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        return loss, jax.tree.map(lambda p, g: p - rate * g, parameters, gradients)

    random = np.random.default_rng(1)
    floats = lambda *shape: random.standard_normal(shape).astype(np.float32)
    parameters = {
        "w1": floats(784, 64) / 28,
        "b1": floats(64) / 28,
        "w2": floats(64, 10) / 8,
        "b2": floats(10) / 8,
    }
    x, y = random.random((32, 784)).astype(np.float32), np.eye(10, dtype=np.float32)[random.integers(0, 10, 32)]
    losses = []
    for _ in range(2):
        loss, parameters = step(parameters, x, y, jnp.float32(0.1))
        losses.append(float(loss))
    digest = hashlib.sha256(b"".join(np.asarray(p).tobytes() for p in jax.tree.leaves(parameters))).hexdigest()
    result = {"losses": losses, "digest": digest}
    if jax.devices()[0].platform == "systole":
        import systole_jax

        run = systole_jax.last_run()
        result["run"] = {name: run.get(name) for name in ("cycles", "utilization", "layers")}
    print(json.dumps(result, default=str))


def step(place):
    command = [sys.executable, "-B", os.path.abspath(__file__), "--here"]
    done = subprocess.run(command, env={**os.environ, **PLACES[place]}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("on %s: exit code %d\n%s%s" % (place, done.returncode, done.stdout, done.stderr[-4000:]))
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--here", action="store_true", help="only the step, on the devices of this process")
    parser.add_argument("--layers", action="store_true", help="the cycles of each layer on the RTL")
    given = parser.parse_args()
    if given.here:
        step_here()
        return 0
    if given.layers:
        run = step("rtl")["run"]
        for layer in run["layers"]:
            print("%9s %s  %s" % (layer.get("cycles", ""), layer["name"], layer.get("window", "")))
        print("%9d cycles, %.1f %% of the array" % (run["cycles"], 100 * run["utilization"]))
        return 0
    results = {place: step(place) for place in PLACES}
    rtl, model, cpu = (results[place] for place in PLACES)
    faults = []
    if (rtl["losses"], rtl["digest"]) != (model["losses"], model["digest"]):
        faults.append("the RTL and the functional model differ")
    for ours, theirs in zip(rtl["losses"], cpu["losses"], strict=True):
        if not abs(ours - theirs) <= NEAR * abs(theirs):
            faults.append("a loss is %s, that of the CPU %s" % (ours, theirs))
    for layer in rtl["run"]["layers"]:
        if not layer["on_device"]:
            faults.append("%s runs on the host" % layer["name"])
    utilization = rtl["run"]["utilization"]
    print("%d cycles, %.1f %% of the array" % (rtl["run"]["cycles"], 100 * utilization))
    if not utilization >= LEAST:
        faults.append("the array is in use for less than %.0f %%" % (100 * LEAST))
    for fault in faults:
        print("WRONG", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
