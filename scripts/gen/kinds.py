# SPDX-License-Identifier: Apache-2.0
"""Reads the kinds of operators, driver/compiler/graph/kinds.toml, into plain objects and checks them."""
import re
import tomllib

from spec import ROOT

SOURCE = "driver/compiler/graph/kinds.toml"
ELEMENTS = ["bool", "int64", "index", "real", "scaled or real", "one scale at most"]
BATCH = ["rows", "along", "broadcast", "own"]
# Attributes: the type in C++, in a file, and the value that C++ has without a default.
TYPES = {
    "bool": ("bool", "bool", "false"),
    "int": ("int", "int", "0"),
    "axis": ("int", "int", "0"),
    "float": ("float", "float", "0"),
    "double": ("double", "double", "0"),
    "Window": ("Window", "Window", ""),
    "Activation": ("Activation", "Activation", "Activation::kNone"),
    "ints": ("std::vector<int>", "[int]", ""),
    "sizes": ("std::vector<std::int64_t>", "[long]", ""),
    "shape": ("std::vector<std::int64_t>", "[long]", ""),
}


def camel(words):
    """`less or equal` as LessOrEqual, `input_weights` as InputWeights."""
    return "".join(word[0].upper() + word[1:] for word in re.split("[ _]", words))


def known(data, keys, where):
    if unknown := sorted(set(data) - set(keys)):
        raise SystemExit(f"{SOURCE}: {where}: {', '.join(unknown)} is not known; known are {', '.join(keys)}")


class Value:
    def __init__(self, data, enum):
        data = {"name": data} if isinstance(data, str) else data
        known(data, ["name", "text", "doc", "onnx", "tflite", "alpha", "beta"], f"{enum['name']}.{data['name']}")
        self.name = data["name"]
        self.cpp = camel(self.name)
        self.text = data.get("text", self.name)
        self.doc = data.get("doc")
        self.onnx = data.get("onnx", [])
        self.tflite = data.get("tflite")
        self.parameters = [data[key] for key in ("alpha", "beta") if key in data]
        self.formula = enum.get("formula", {}).get(self.name)
        self.near = enum.get("near", {}).get(self.name)
        self.real = enum.get("real", {}).get(self.name)


class Enum:
    def __init__(self, data):
        known(data, ["name", "values", "formula", "near", "real"], data["name"])
        self.name = data["name"]
        self.values = [Value(value, data) for value in data["values"]]
        names = [value.name for value in self.values]
        for table in ("formula", "near", "real"):
            known(data.get(table, {}), names, f"{self.name}.{table}")


class Operand:
    """`name? xN: elements [shape]`, an operand or a result."""

    def __init__(self, text, where, operands):
        match = re.fullmatch(r"(\w+)([?*]?)(?: x(\d+))?(?:: ([a-z0-9 ]+?))?(?: ([\[(]).*[\])])?", text)
        if not match:
            raise SystemExit(f"{SOURCE}: {where}: '{text}' is not of the form 'name: elements [shape]'")
        self.name, mark, count, elements, bracket = match.groups()
        self.optional, self.many = mark == "?", mark == "*"
        self.count = int(count or 1)
        self.brackets = text[text.index(bracket) :] if bracket else ""
        self.shape = self.brackets[1:-1] if bracket == "[" else None
        self.words = elements
        self.elements, self.same = elements, -1
        if elements and elements.startswith("as "):
            names = [operand.name for operand in operands]
            if elements[3:] not in names:
                raise SystemExit(f"{SOURCE}: {where}: '{elements}' names none of the operands {', '.join(names)}")
            self.elements, self.same = None, names.index(elements[3:])
        elif elements and elements not in ELEMENTS:
            raise SystemExit(f"{SOURCE}: {where}: elements '{elements}'; known are {', '.join(ELEMENTS)}, as NAME")

    def doc(self):
        name = self.name.replace("_", " ") + (f" {self.brackets}" if self.brackets else "")
        times = f" (each of {self.count})" if self.count > 1 else ", any number of them" if self.many else ""
        elements = f" ({self.words})" if self.words else ""
        return f"[{name}]" if self.optional else name + elements + times


class Attribute:
    def __init__(self, data, enums, where):
        known(data, ["name", "type", "default", "least", "text", "shown", "onnx", "doc"], where)
        self.name, self.type = data["name"], data["type"]
        self.least = data.get("least")
        self.text, self.shown, self.onnx, self.doc = (data.get(key) for key in ("text", "shown", "onnx", "doc"))
        self.enum = next((enum for enum in enums if enum.name == self.type), None)
        if self.enum:
            self.cpp_type, self.file_type = self.type, self.type
            self.default = f"{self.type}::k{camel(data.get('default', self.enum.values[0].name))}"
        elif self.type in TYPES:
            self.cpp_type, self.file_type, none = TYPES[self.type]
            given = data.get("default")
            self.default = none if given is None else str(given).lower() + ("F" if self.type == "float" else "")
        else:
            raise SystemExit(f"{SOURCE}: {where}: type '{self.type}'; known are {', '.join(TYPES)} and the enums")
        self.omitted = "default" in data or self.type == "bool"  # from listings


class Kind:
    def __init__(self, data, enums):
        self.name = data["name"]
        known(data, ["name", "doc", "operands", "results", "attributes", "batch", "host", "onnx", "tflite"], self.name)
        self.doc = " ".join(data["doc"].split())
        self.operands = []
        for text in data["operands"]:
            self.operands.append(Operand(text, self.name, self.operands))
        self.results = [Operand(text, self.name, self.operands) for text in data.get("results", ["result"])]
        self.attributes = [Attribute(a, enums, f"{self.name}.{a['name']}") for a in data.get("attributes", [])]
        self.batch = data["batch"]
        if self.batch not in BATCH:
            raise SystemExit(f"{SOURCE}: {self.name}: batch '{self.batch}'; known are {', '.join(BATCH)}")
        if self.batch == "along" and ("axis", "axis") not in [(a.name, a.type) for a in self.attributes]:
            raise SystemExit(f"{SOURCE}: {self.name}: batch 'along' needs an attribute `axis` of type axis")
        self.by_type = data.get("host") == "by type"
        self.inferred = all(result.shape is not None for result in self.results)
        self.onnx = data.get("onnx")


class Kinds:
    def __init__(self, root=ROOT):
        data = tomllib.loads((root / SOURCE).read_text())
        self.enums = [Enum(enum) for enum in data["enum"]]
        self.kinds = [Kind(kind, self.enums) for kind in data["kind"]]

    def enum(self, name):
        return next(enum for enum in self.enums if enum.name == name)


def notice(comment):
    return f"{comment} Generated from {SOURCE} by scripts/gen/generate. Do not edit."
