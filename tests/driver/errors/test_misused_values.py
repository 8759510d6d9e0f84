#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Values that are not what a network's input is, at the doors of Python and C: test_misused_values.py LIBRARY MODEL.
The table, misuses.json, is also that of test_misused_values.cpp."""
import ctypes
import json
import sys
import unittest
from pathlib import Path

import numpy

import systole

MODEL = sys.argv.pop()
LIBRARY = sys.argv.pop()
ROWS = json.loads(Path(__file__).with_name("misuses.json").read_text())
TYPES = {"int8": 0, "uint8": 1, "int16": 2, "int32": 4}
NEEDED = (1, 14, 14, 1)
OK, INVALID_ARGUMENT = 0, 1


def numpy_array(row):
    """NumPy has no array whose shape and bytes contradict each other: such bytes become one axis."""
    raw = numpy.zeros(row["bytes"], numpy.uint8)
    dtype = numpy.dtype(row["type"])
    elements = raw[: len(raw) // dtype.itemsize * dtype.itemsize].view(dtype)
    fits = elements.size == numpy.prod(row["shape"]) and elements.nbytes == row["bytes"]
    return elements.reshape(row["shape"]) if fits else elements


class Python(unittest.TestCase):
    def test_misuses(self):
        network = systole.Network.load(MODEL, config="tiny")
        for row in ROWS:
            with self.subTest(row["misuse"]), self.assertRaises(systole.InvalidArgument):
                network.run(numpy_array(row))

    def test_number_of_inputs(self):
        network = systole.Network.load(MODEL, config="tiny")
        for inputs in ((), (numpy.zeros(NEEDED, numpy.int8),) * 2):
            with self.assertRaises(systole.InvalidArgument):
                network.run(*inputs)

    def test_any_layout_is_taken(self):
        network = systole.Network.load(MODEL, config="tiny")
        picture = numpy.arange(196, dtype=numpy.uint8).view(numpy.int8).reshape(NEEDED)
        expected = network.run(picture)
        wide = numpy.zeros((1, 14, 28, 2), numpy.int8)
        wide[:, :, ::2, :1] = picture
        for layout in (numpy.asfortranarray(picture), wide[:, :, ::2, :1], picture[:, ::-1, :, :][:, ::-1, :, :]):
            numpy.testing.assert_array_equal(network.run(layout), expected)


class Array(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("rank", ctypes.c_size_t),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("bytes", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
    ]


def c_array(type_, shape, size, data):
    return Array(type_, len(shape), (ctypes.c_int64 * len(shape))(*shape), size, ctypes.addressof(data))


class C(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = ctypes.CDLL(LIBRARY)
        cls.library.systole_last_error.restype = ctypes.c_char_p
        cls.device, cls.network = ctypes.c_void_p(), ctypes.c_void_p()
        assert cls.library.systole_device_open(b"tiny", b"model", ctypes.c_uint64(0), ctypes.byref(cls.device)) == OK
        assert (
            cls.library.systole_network_load(cls.device, MODEL.encode(), ctypes.byref(cls.network)) == OK
        ), cls.library.systole_last_error()

    @classmethod
    def tearDownClass(cls):
        cls.library.systole_network_free(cls.network)
        cls.library.systole_device_close(cls.device)

    def run_arrays(self, inputs, outputs):
        return self.library.systole_network_run_arrays(
            self.network,
            (Array * len(inputs))(*inputs),
            ctypes.c_size_t(len(inputs)),
            (Array * len(outputs))(*outputs),
            ctypes.c_size_t(len(outputs)),
        )

    def setUp(self):
        self.store, self.room = ctypes.create_string_buffer(1024), ctypes.create_string_buffer(1024)
        self.input = c_array(TYPES["int8"], NEEDED, 196, self.store)
        self.output = c_array(TYPES["int8"], (1, 10), 10, self.room)

    def test_what_fits_runs(self):
        self.assertEqual(self.run_arrays([self.input], [self.output]), OK, self.library.systole_last_error())

    def test_misuses(self):
        for row in ROWS:
            with self.subTest(row["misuse"]):
                array = c_array(TYPES[row["type"]], row["shape"], row["bytes"], self.store)
                self.assertEqual(self.run_arrays([array], [self.output]), INVALID_ARGUMENT)
                said = self.library.systole_last_error().decode()
                self.assertIn(f"{row['bytes']} bytes given", said)
                self.assertIn("in 196 bytes", said)

    def test_outputs_are_checked_too(self):
        self.assertEqual(
            self.run_arrays([self.input], [c_array(TYPES["int8"], (1, 10), 9, self.room)]), INVALID_ARGUMENT
        )
        self.assertEqual(self.room.raw, b"\0" * 1024)

    def test_numbers_and_nulls(self):
        self.assertEqual(self.run_arrays([], [self.output]), INVALID_ARGUMENT)
        self.assertEqual(self.run_arrays([self.input], [self.output] * 2), INVALID_ARGUMENT)
        unknown = c_array(13, NEEDED, 196, self.store)
        self.assertEqual(self.run_arrays([unknown], [self.output]), INVALID_ARGUMENT)
        self.input.data = None
        self.assertEqual(self.run_arrays([self.input], [self.output]), INVALID_ARGUMENT)
        self.input.shape = None
        self.assertEqual(self.run_arrays([self.input], [self.output]), INVALID_ARGUMENT)


if __name__ == "__main__":
    unittest.main()
