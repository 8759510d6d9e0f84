# SPDX-License-Identifier: Apache-2.0
"""Reference pages and waveform enum filters. Operation texts are extracted from the functional model's source."""
import re

from spec import ROOT, notice


def operations():
    """Text between `// operation: NAME` and `// end operation` in sim/functional, by instruction name; with a second
    text for a flag, `// operation: NAME with FIELD`, by both."""
    found = {}
    for path in sorted((ROOT / "sim" / "functional").glob("*.cpp")):
        pattern = r"// operation: (\w+(?: with \w+)?)\n(.*?)\n[ \t]*// end operation"
        for name, text in re.findall(pattern, path.read_text(), re.S):
            lines = text.split("\n")
            indent = min((len(l) - len(l.lstrip()) for l in lines if l.strip()), default=0)
            found[name] = ("\n".join(l[indent:] for l in lines), path.name)
    return found


def bounds(f):
    enum = f" ({f.enum})" if f.enum else ""
    align = f", multiple of {f.align}" if f.align != 1 else ""
    return f"{f.min} .. {f.max}{align}{enum}"


def page(spec, i, ops):
    out = [
        f"<!-- {notice('').strip()} -->",
        f"# {i.name}",
        "",
        f"{i.summary[0].upper()}{i.summary[1:]}.",
        "",
        f"Opcode `0x{i.opcode:02x}`, engine {i.engine}.",
        "",
        "## Format",
        "",
        "| bits | field | range | meaning |",
        "| --- | --- | --- | --- |",
    ]
    header = [f for f in spec.header if f.name == "opcode" or not i.no_semaphores]
    for f in sorted(header + i.fields, key=lambda f: f.lsb):
        limits = f"0x{i.opcode:02x}" if f.name == "opcode" else bounds(f)
        out.append(f"| {f.lsb + f.width - 1}:{f.lsb} | `{f.name}` | {limits} | {f.doc} |")
    out += ["", "All other bits are reserved and must be zero."]
    rules = [r["doc"] for r in i.rules] + ([] if i.no_semaphores else [r["doc"] for r in spec.header_rules])
    out += ["", "## Illegal combinations", ""]
    out += [f"- `{i.name}-{n + 1}`: {doc}." for n, doc in enumerate(rules)] or ["None beyond the ranges above."]
    out += ["", "## Operation"]
    if i.name not in ops:
        out += ["", "None."]
    for key in sorted(k for k in ops if k.split(" ")[0] == i.name):
        text, file = ops[key]
        flag = f"With `{key.split()[-1]}`, as" if " " in key else "As"
        out += ["", f"{flag} the functional model runs it (`sim/functional/{file}`):", "", "```cpp", text, "```"]
    if i.note:
        out += ["", i.note]
    return "\n".join(out) + "\n"


def registers(spec):
    out = [
        f"<!-- {notice('').strip()} -->",
        "# Registers",
        "",
        "| offset | register | access | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for r in spec.registers:
        where = f"0x{r['offset']:03x}"
        if "count" in r:
            where += f" + {r.get('stride', 4)}i, i < {r['count']}"
        out.append(f"| {where} | {r['name']} | {r['access']} | {r['doc']} |")
        for f in r.get("fields", []):
            out.append(f"| | {r['name']}.{f['name']}, bits {f['lsb'] + f['width'] - 1}:{f['lsb']} | | {f['doc']} |")
    for note in spec.register_notes:
        out += ["", f"## {note['title']}", "", note["text"].strip()]
    return "\n".join(out) + "\n"


def overview(spec):
    out = [
        f"<!-- {notice('').strip()} -->",
        "# Instruction set",
        "",
        f"Version {spec.isa['version_major']}.{spec.isa['version_minor']}. "
        f"An instruction is {spec.isa['instruction_bytes']} bytes.",
        "",
        "| opcode | instruction | engine | purpose |",
        "| --- | --- | --- | --- |",
    ]
    out += [
        f"| 0x{i.opcode:02x} | [{i.name}]({i.name.lower()}.md) | {i.engine} | {i.summary} |" for i in spec.instructions
    ]
    out += ["", "[Kernels](kernel.md) are programs of micro-instructions for the vector processor."]
    for e in spec.enums:
        out += [
            "",
            f"## {e['name']}",
            "",
            f"{e['summary'][0].upper()}{e['summary'][1:]}.",
            "",
            "| value | name | meaning |",
            "| --- | --- | --- |",
        ]
        out += [f"| {v[1]} | {v[0]} | {v[2]} |" for v in e["values"]]
        out += ["", e["note"].strip()] if "note" in e else []
    out += [
        "",
        "## Configurations",
        "",
        "| name | array | scratchpad rows | weight rows | accumulator rows | parameter rows | windows | without |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    titles = {part["name"]: part["title"] for part in spec.parts}
    out += [
        f"| {c['name']} | {c['dim']}x{c['dim']} | "
        f"{c['scratch_rows']} | {c['weight_rows']} | {c['acc_rows']} | {c['param_rows']} | {c['windows']} | "
        f"{', '.join(titles[name] for name in c.get('without', []))} |"
        for c in spec.configurations
    ]
    out += [
        "",
        "A configuration may leave out parts of the core. An instruction that needs a part which is missing is",
        "illegal, and so is a word of a kernel. The register PARTS tells which parts there are.",
        "",
        "| part | bit of PARTS | what goes with it | needs |",
        "| --- | --- | --- | --- |",
    ]
    out += [
        f"| {part['title']} | {bit} | {part['doc']} | {titles.get(part.get('needs'), '')} |"
        for bit, part in enumerate(spec.parts)
    ]
    return "\n".join(out) + "\n"


def filters(spec):
    """GTKWave translate files: hexadecimal value, then name."""
    files = {"opcode.txt": "".join(f"{i.opcode:02X} {i.name}\n" for i in spec.instructions)}
    for e in spec.enums:
        if e["name"] == "Cause":
            files["cause.txt"] = "".join(f"{1 << v[1]:03X} {v[0]}\n" for v in e["values"])
        else:
            digits = 2 if e["name"] == "ErrorCode" else 1
            files[e["name"].lower() + ".txt"] = "".join(f"{v[1]:0{digits}X} {v[0]}\n" for v in e["values"])
    files["engine.txt"] = "".join(f"{e['value']:X} {e['name']}\n" for e in spec.engines)
    return files
