# SPDX-License-Identifier: Apache-2.0
"""A design as slang reads it, for the programs that run in the environment of `scripts/setup yosys`."""
import pyslang


def driver(top, include, words, options=()):
    """slang's driver after parsing, none after an error, which it has printed. `words` are NAME=VALUE and files."""
    result = pyslang.driver.Driver()
    result.addStandardArgs()
    words = [word for given in words for word in (["-G", given] if "=" in given else [given])]
    line = " ".join(["slang", *options, "--top", top, "-DSYNTHESIS", f"-I{include}", *words])
    return result if result.parseCommandLine(line) and result.processOptions() and result.parseAllSources() else None
