# SPDX-License-Identifier: Apache-2.0
"""Two steps of an example on the RTL, on the functional model and on JAX's CPU. Losses and weights of the first two are
the same bits; the losses of the CPU are near.

    test_examples.py keras/table_sigmoid.py --rows 24 --batch 8"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.normpath(os.path.join(HERE, "../../../examples"))
#: How far a loss may be from that of the CPU, as a part of it: products are in block floating point.
NEAR = 0.02
PLACES = {
    "rtl": {"JAX_PLATFORMS": "systole", "SYSTOLE_JAX_DEVICE": "rtl"},
    "model": {"JAX_PLATFORMS": "systole", "SYSTOLE_JAX_DEVICE": "model"},
    "cpu": {"JAX_PLATFORMS": "cpu"},
}


def run(arguments, place):
    """The losses and the digests that the example prints there, and all that it prints."""
    command = [sys.executable, "-B", os.path.join(EXAMPLES, arguments[0]), *arguments[1:], "--steps", "2"]
    done = subprocess.run(command, env={**os.environ, **PLACES[place]}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("on %s: exit code %d\n%s%s" % (place, done.returncode, done.stdout, done.stderr[-4000:]))
    losses = re.findall(r"^step \d+: loss (\S+)", done.stdout, re.M)
    digests = re.findall(r"^weights (\w+)", done.stdout, re.M)
    if len(losses) < 2 or not digests:
        raise SystemExit("on %s: no losses or weights in\n%s" % (place, done.stdout))
    return losses, digests, done.stdout


def main(arguments):
    results = {place: run(arguments, place) for place in PLACES}
    for place, (losses, digests, text) in results.items():
        print("%s: losses %s, weights %s" % (place, " ".join(losses), " ".join(digests)))
        for line in re.findall(r"^(?:the last step|  on the host).*", text, re.M):
            print("  " + line)
    faults = []
    if results["rtl"][:2] != results["model"][:2]:
        faults.append("the RTL and the functional model differ")
    if "cycles" not in results["rtl"][2] or re.search(r" 0 cycles", results["rtl"][2]):
        faults.append("the RTL reports no cycles")
    for ours, theirs in zip(results["model"][0], results["cpu"][0], strict=True):
        if not abs(float(ours) - float(theirs)) <= NEAR * abs(float(theirs)):
            faults.append("a loss is %s, that of the CPU %s" % (ours, theirs))
    for fault in faults:
        print("WRONG", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
