# SPDX-License-Identifier: Apache-2.0
"""What is written of calls on the RTL: pages, timelines and waveforms, by the options and by functions."""
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import jax

PROGRAM = """
import json, sys
import jax, jax.numpy as jnp
import systole_jax
def step(x):
    hidden = jnp.tanh(x @ x.T)  # line 6
    return hidden @ x + jnp.sin(x)  # line 7
step = jax.jit(step)
x = jnp.linspace(-1, 1, 48 * 32).reshape(48, 32)
step(x).block_until_ready()
first = systole_jax.last_run()
"""


def figures(path):
    """The data of a page."""
    page = pathlib.Path(path).read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def slices(path):
    """The slices of a timeline by the name of their row."""
    opened = gzip.open(path) if path.endswith(".gz") else open(path)
    with opened as file:
        events = json.load(file)["traceEvents"]
    rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    found = {}
    for event in events:
        if event["ph"] == "X":
            found.setdefault(rows[event["pid"], event["tid"]], []).append(event)
    return found


class CallFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def ran(self, code="", fails=False, **options):
        """What a process prints as JSON, and its standard error. The options are those of systole_jax."""
        options = {"device": "rtl", "configuration": "tiny", **options}
        environment = {**os.environ, "JAX_PLATFORMS": "systole"}
        environment.update({"SYSTOLE_JAX_" + name.upper(): str(value) for name, value in options.items()})
        source = self.path("program.py")
        pathlib.Path(source).write_text(PROGRAM.lstrip("\n") + code + "\nprint(json.dumps(first))\n")
        done = subprocess.run([sys.executable, "-B", source], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode != 0, fails, done.stderr)
        return None if fails else json.loads(done.stdout), done.stderr

    def layers(self, run):
        return [layer for layer in run["layers"] if layer["on_device"]]

    def test_page_of_every_program(self):
        run, _ = self.ran(report=self.path("new/report"))
        self.assertEqual(run["program"], "jit_step")
        page = figures(self.path("new/report/jit_step.html"))["run"]
        self.assertEqual(page["name"], "jit_step")
        self.assertEqual(page["total"]["cycles"], run["cycles"])
        self.assertEqual(page["total"]["macs"], run["macs"])
        self.assertEqual(run["macs"], 2 * 48 * 48 * 32)
        self.assertEqual(page["result"]["note"], "a call of JAX has no reference")
        host = [layer for layer in run["layers"] if not layer["on_device"]]
        self.assertEqual(page["host"], [{"name": op["name"], "reason": op["reason"]} for op in host])
        lines = {match for layer in page["layers"] for match in re.findall(r"program\.py:(\d+)", layer["name"])}
        self.assertLessEqual({"5", "6"}, lines)
        with open(self.path("new/report/jit_step.json")) as file:
            self.assertEqual(json.load(file)["cycles"], run["cycles"])
        self.assertIn("jit_reshape.html", os.listdir(self.path("new/report")))  # of `reshape`, outside of the function

    def test_report_and_timeline_of_a_call(self):
        code = """
with systole_jax.timeline(sys.argv[0] + ".json"):
    step(x)
    step(x)
second = systole_jax.last_run()
systole_jax.write_report(sys.argv[0] + ".html")
step(x[:16])  # is not in the timeline
first = [first, second, systole_jax.last_run()]
"""
        (first, second, last), _ = self.ran(code)
        self.assertEqual(first["cycles"], second["cycles"])
        self.assertEqual(last["program"], "jit_step_2")
        self.assertEqual(figures(self.path("program.py.html"))["run"]["total"]["cycles"], second["cycles"])
        rows = slices(self.path("program.py.json"))
        names = [layer["name"] for layer in self.layers(second)]
        self.assertEqual(len(rows["layers"]) + len(rows.get("layers, overlapping", [])), 2 * len(names))
        window = {event["name"]: [event["ts"], event["ts"] + event["dur"]] for event in rows["layers"]}
        for layer in self.layers(second):  # of the later call, as they are overwritten
            if layer["name"] in window:
                self.assertEqual(window[layer["name"]], list(layer["window"]))

    def test_timeline_of_every_program(self):
        run, _ = self.ran(timeline=self.folder)
        rows = slices(self.path("jit_step.timeline.json.gz"))
        programs = sum(event["dur"] for event in rows["run"])
        self.assertGreaterEqual(programs, run["cycles"])
        self.assertIn("jit_reshape.timeline.json.gz", os.listdir(self.folder))

    def test_waveform_of_the_slowest_layer(self):
        run, _ = self.ran()
        begin, end = max(self.layers(run), key=lambda layer: layer["cycles"])["window"]
        wave = self.path("new/slowest.fst")
        again, error = self.ran(trace=wave, trace_from=begin, trace_to=end)
        self.assertEqual((again["cycles"], error), (run["cycles"], ""))
        with open(wave, "rb") as file:
            head = struct.unpack(">BQQQ", file.read(25))  # FST's header block: type, length, first and last time
        self.assertEqual(head[0], 0)
        self.assertEqual(head[2] // 1000, begin)  # a cycle is 1000 ps
        self.assertEqual(head[3] // 1000, end)

    def test_waveform_up_to_the_end(self):
        run, error = self.ran(trace=self.path("all.fst"), trace_scope="tpu_core.u_mxu", cores=1, devices=2)
        self.assertEqual(error, "")
        self.assertGreater(os.path.getsize(self.path("all.fst")), 0)

    def test_several_devices(self):
        code = """
f = jax.pmap(lambda x: jax.lax.psum(x @ x, "i"), axis_name="i")
f(jnp.ones((2, 8, 8))).block_until_ready()
first = [systole_jax.last_run(0), systole_jax.last_run(1)]
"""
        runs, _ = self.ran(code, report=self.folder, devices=2)
        for number, run in enumerate(runs):
            self.assertEqual(run["macs"], 8**3)
            page = figures(self.path("%s.device%d.html" % (run["program"], number)))
            self.assertEqual(page["run"]["total"]["cycles"], run["cycles"])

    def test_profile(self):
        code = """
with jax.profiler.trace(sys.argv[0] + ".profile"):
    step(x).block_until_ready()
"""
        run, _ = self.ran(code)
        (path,) = pathlib.Path(self.path("program.py.profile")).glob("plugins/profile/*/*.xplane.pb")
        planes = {plane.name: plane for plane in jax.profiler.ProfileData.from_file(str(path)).planes}
        (line,) = planes["/device:CUSTOM:Systole 0"].lines
        layers = [layer for layer in self.layers(run) if layer["cycles"]]
        events = [(event.name, event.duration_ns, dict(event.stats)) for event in line.events]
        self.assertEqual([event[0] for event in events], [layer["name"] for layer in layers])
        for (_, duration, stats), layer in zip(events, layers):
            self.assertEqual((duration, stats["cycles"]), (layer["cycles"], layer["cycles"]))
            self.assertEqual(stats.get("macs", 0), layer["macs"])
        ends = [event.start_ns + event.duration_ns for event in line.events]
        self.assertEqual([event.start_ns for event in line.events][1:], ends[:-1])
        self.ran(code.replace("step(x)", "jnp.sin(x)").replace('".profile"', '".empty"'))  # the host computes it
        (path,) = pathlib.Path(self.path("program.py.empty")).glob("plugins/profile/*/*.xplane.pb")
        names = [plane.name for plane in jax.profiler.ProfileData.from_file(str(path)).planes]
        self.assertFalse([name for name in names if "Systole" in name])

    def test_profiles_while_calls_run(self):
        """Times are those since a profile began, although it begins in the middle of a call."""
        code = """
import threading
stop = threading.Event()
def work():
    while not stop.is_set():
        step(x).block_until_ready()
thread = threading.Thread(target=work)
thread.start()
for i in range(3):
    with jax.profiler.trace(sys.argv[0] + ".profile%d" % i):
        for _ in range(2):
            step(x).block_until_ready()
stop.set()
thread.join()
"""
        _, error = self.ran(code)
        self.assertNotIn("too large", error)
        for i in range(3):
            (path,) = pathlib.Path(self.path("program.py.profile%d" % i)).glob("plugins/profile/*/*.xplane.pb")
            planes = {plane.name: plane for plane in jax.profiler.ProfileData.from_file(str(path)).planes}
            (line,) = planes["/device:CUSTOM:Systole 0"].lines
            starts = [event.start_ns for event in line.events]
            self.assertGreaterEqual(min(starts), 0)
            self.assertLess(max(starts), 600e9)

    def test_refusals(self):
        for name in ("report", "timeline", "trace"):
            _, error = self.ran(fails=True, device="model", **{name: self.path("file.fst")})
            self.assertIn("%s is %s" % (name, self.path("file.fst")), error)
            self.assertIn("SYSTOLE_JAX_DEVICE=rtl", error)
        _, error = self.ran(fails=True, devices=2, trace=self.path("file.fst"))
        self.assertIn("SYSTOLE_JAX_CORES=1", error)
        _, error = self.ran(fails=True, trace=self.path("file.fst"), trace_scope="tpu_core.u_none")
        self.assertIn("tpu_core.u_none", error)
        _, error = self.ran(trace=self.path("file.fst"), trace_from=10**9)
        self.assertRegex(error, "no cycle was recorded: cycles 0 to [0-9]+ were simulated")
        self.assertFalse(os.path.exists(self.path("file.fst")))

    def test_calls_without_cycles(self):
        code = """
import systole
texts = []
for write in (systole_jax.write_report, lambda path: systole_jax.timeline(path).__enter__()):
    try:
        write("never")
    except systole.InvalidArgument as error:
        texts.append(str(error))
first = texts
"""
        (report, timeline), _ = self.ran(code, device="model")
        for text in (report, timeline):
            self.assertIn("the functional model has no time", text)
        code = code.replace("texts = []", "texts = []\njnp.sin(x).block_until_ready()").replace("rtl", "")
        (report,), _ = self.ran(code.replace(", lambda path: systole_jax.timeline(path).__enter__()", ","))
        self.assertIn("jit_sin: it ran nothing on the device", report)


if __name__ == "__main__":
    unittest.main(verbosity=2)
