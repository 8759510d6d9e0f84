# SPDX-License-Identifier: Apache-2.0
"""What slang finds in designs, as JSON. Standard input: {"include": folder, "defines": [...], "files": [...],
"designs": [{"top": module, "values": {parameter: value}}, ...]}. Standard output: for each design its instances by
path, each with

  module, file
  parameters  name to value
  ports       name, output (or input), line in the file, leaves: members and elements as a waveform has them, each as
              name behind that of the port, width, whether it has a range

Runs in the environment of `scripts/setup yosys`."""
import json
import sys

import pyslang
from pyslang import ast, parsing, syntax


def leaves(kind, suffix=""):
    kind = kind.canonicalType
    if kind.isStruct:
        return [leaf for member in kind for leaf in leaves(member.type, f"{suffix}.{member.name}")]
    if kind.kind == ast.SymbolKind.PackedArrayType:
        if kind.elementType.canonicalType.kind != ast.SymbolKind.ScalarType:
            elements = range(kind.range.width)
            return [leaf for index in elements for leaf in leaves(kind.elementType, f"{suffix}[{index}]")]
        return [[suffix, kind.bitWidth, True]]
    return [[suffix, kind.bitWidth, kind.bitWidth > 1]]


class Reader:
    def __init__(self, include, defines, files):
        self.sources = pyslang.SourceManager()
        self.sources.addUserDirectories(include)
        options = parsing.PreprocessorOptions()
        options.predefines = defines
        self.trees = [syntax.SyntaxTree.fromFile(str(path), self.sources, pyslang.Bag([options])) for path in files]

    def describe(self, instance):
        body = instance.body
        return {
            "module": body.definition.name,
            "file": self.sources.getFullPath(body.location.buffer).as_posix(),
            "parameters": {item.name: str(item.value) for item in body.parameters if not item.isLocalParam},
            "ports": [
                {
                    "name": port.name,
                    "output": port.direction == ast.ArgumentDirection.Out,
                    "line": self.sources.getLineNumber(port.location),
                    "leaves": leaves(port.type),
                }
                for port in body.portList
            ],
        }

    def instances(self, top, values):
        options = ast.CompilationOptions()
        options.topModules = {top}
        options.paramOverrides = [f"{name}={value}" for name, value in values.items()]
        compilation = ast.Compilation(pyslang.Bag([options]))
        for tree in self.trees:
            compilation.addSyntaxTree(tree)
        found = {}

        def visit(symbol):
            if symbol.kind == ast.SymbolKind.Instance and symbol.isModule:
                found[symbol.hierarchicalPath] = self.describe(symbol)

        compilation.getRoot().visit(visit)
        return found


def main():
    request = json.load(sys.stdin)
    reader = Reader(request["include"], request["defines"], request["files"])
    print(json.dumps([reader.instances(design["top"], design["values"]) for design in request["designs"]]))


if __name__ == "__main__":
    main()
