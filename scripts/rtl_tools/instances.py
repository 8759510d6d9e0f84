# SPDX-License-Identifier: Apache-2.0
"""Prints the module and the parameters of every instance of a design as JSON: instances.py TOP INCLUDE-FOLDER
NAME=VALUE... FILE..."""
import json
import sys

import front_end
import pyslang


def main(top, include, *words):
    driver = front_end.driver(top, include, words)
    if not driver:
        return 1
    found = {}

    def visit(symbol):
        if symbol.kind == pyslang.ast.SymbolKind.Instance and symbol.isModule:
            values = {item.name: str(item.value) for item in symbol.body.parameters if not item.isLocalParam}
            found[symbol.hierarchicalPath] = [symbol.body.definition.name, values]

    driver.createCompilation().getRoot().visit(visit)
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
