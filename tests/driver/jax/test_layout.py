# SPDX-License-Identifier: Apache-2.0
"""Compares the plug-in's declarations of the PJRT C API (driver/jax/pjrt.hpp) with the API's own header, which comes
with TensorFlow: the order of the calls, and of each structure the place and size of every field that the plug-in has.
Both are compiled together; then once more with a field of another size, which must not compile."""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.normpath(os.path.join(HERE, "../../../driver/jax"))
SHAPES = {
    "On": ["object"],
    "Get": ["object", "result"],
    "List": ["object", "elements", "size"],
    "Text": ["object", "elements", "size"],
    "CountedList": ["object", "size", "elements"],
    "Serialized": ["object", "bytes", "size", "made", "deleter"],
    "BufferCopy": ["buffer", "place", "copy"],
}
#: Calls whose functions are not set by set<>, and structures that are not the arguments of one.
OTHERS = {
    "Error_Destroy_Args": "On<Error>",
    "Error_Message_Args": "Text<const Error>",
    "Event_Await_Args": "On<Event>",
    "NamedValue": "NamedValue",
    "Program": "Program",
    "Buffer_MemoryLayout": "MemoryLayout",
    "ExecuteOptions": "ExecuteOptions",
}
#: Structures of the profiler's extension, all of whose fields have the names of the header's.
PROFILER = {
    "ProfilerErrorDestroy": "PLUGIN_Profiler_Error_Destroy_Args",
    "ProfilerErrorMessage": "PLUGIN_Profiler_Error_Message_Args",
    "ProfilerErrorGetCode": "PLUGIN_Profiler_Error_GetCode_Args",
    "ProfilerCreate": "PLUGIN_Profiler_Create_Args",
    "OnProfiler": "PLUGIN_Profiler_Start_Args",
    "ProfilerCollectData": "PLUGIN_Profiler_CollectData_Args",
    "ProfilerApi": "PLUGIN_Profiler_Api",
    "ProfilerExtension": "PJRT_Profiler_Extension",
}
OF_BASE = ("struct_size", "type", "next")


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def header_of_tensorflow():
    for folder in sys.path:
        found = glob.glob(os.path.join(folder, "tensorflow/include/xla/pjrt/c/pjrt_c_api.h"))
        if found:
            return found[0]
    return None


def fields_of(body):
    """The names of fields, those of an anonymous union each by itself."""
    names = re.findall(r"(\w+)(?:\)\([^)]*\))?\s*;", body)
    return [name for name in names if name not in ("struct_size", "extension_start")]


def structures(header):
    found = {}
    for name, body in re.findall(r"struct PJRT_(\w+) \{(.*?)\n\};", header, re.S):
        found[name] = fields_of(re.sub(r"\(\*(\w+)\)\s*\([^)]*\)", r"\1", body))
    return found


def ours(text):
    found = {}
    for name, body in re.findall(r"\nstruct (\w+)(?: : Head)? \{(.*?)\n\};", text, re.S):
        inner = re.sub(r"  (?:enum class|struct) [^;]*?\{.*?\n?  \};?", "", body, flags=re.S)
        found[name] = fields_of(re.sub(r"\(\*(\w+)\)\s*\([^)]*\)", r"\1", inner))
    return found


def arguments_of_calls():
    """The type of the arguments of each call that the plug-in has."""
    types = {name: type for name, type in OTHERS.items()}
    for path in glob.glob(SOURCE + "/api_*.cpp"):
        text = without_comments(open(path).read())
        functions = dict(re.findall(r"void (\w+)\(([\w:<>, *]+)&[ )]", text))
        for function, name in re.findall(r'set<&(\w+)(?:<[\w:]+>)?>\(api, slot\("(\w+)"\)\)', text):
            types[name + "_Args"] = functions[function]
    return types


def assertions(header, text):
    theirs, own, lines = structures(header), ours(text), []
    for name, type in sorted(arguments_of_calls().items()):
        shape = type.split("<")[0].strip()
        mine = SHAPES.get(shape) or own[shape]
        theirs_fields = theirs[name]
        spelled = re.sub(r"\bPlace\b", "Memory", type)
        alias = "ours_" + name
        lines.append("using %s = p::%s;" % (alias, re.sub(r"pjrt::", "p::", spelled)))
        for field, in_its_place in zip(mine, theirs_fields):
            their_field = field if field in theirs_fields else in_its_place
            for what in ("offsetof(%s, %s)", "sizeof(%s::%s)"):
                a, b = what % (alias, field), what % ("PJRT_" + name, their_field)
                lines.append('static_assert(%s == %s, "%s: %s");' % (a, b, name, field))
        if len(mine) > len(theirs_fields):
            lines.append('static_assert(false, "%s has fewer fields");' % name)
    calls = re.findall(r"_PJRT_API_STRUCT_FIELD\(PJRT_(\w+)\)", header[header.index("typedef struct PJRT_Api {") :])
    for number, name in enumerate(calls):
        lines.append('static_assert(p::kCalls.size() <= %d || p::kCalls[%d] == "%s");' % (number, number, name))
        lines.append(
            "static_assert(p::kCalls.size() <= %d || offsetof(PJRT_Api, PJRT_%s) == offsetof(p::Api, calls) + %d * "
            "sizeof(p::Function));" % (number, name, number)
        )
    return lines


def assertions_of_profiler(text):
    lines = []
    for name, theirs in PROFILER.items():
        body = re.search(r"\nstruct %s \{(.*?)\n\};" % name, text, re.S)[1]
        for field in re.findall(r"(\w+)\)?(?:\([^)]*\))?;", body):
            their_field = "base." + field if name == "ProfilerExtension" and field in OF_BASE else field
            lines.append("static_assert(offsetof(p::%s, %s) == offsetof(%s, %s));" % (name, field, theirs, their_field))
        lines.append("static_assert(sizeof(p::%s) == sizeof(%s));" % (name, theirs))
    lines.append("static_assert(PJRT_Extension_Type_Profiler == 1);")
    return lines


def compiles(header_path, text, lines):
    text = re.sub(r"#pragma once\n", "", text)
    both = "#include <cstddef>\n%s\n#include <xla/pjrt/c/pjrt_c_api_profiler_extension.h>\n" % text
    program = both + "namespace p = systole::pjrt;\nusing namespace p;\n" + "\n".join(lines) + "\n"
    include = header_path[: header_path.index("/xla/pjrt")]
    command = ["c++", "-std=c++20", "-fsyntax-only", "-w", "-I", include, "-x", "c++", "-"]
    done = subprocess.run(command, input=program, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def main():
    path = header_of_tensorflow()
    if path is None:
        print("skipped: there is no xla/pjrt/c/pjrt_c_api.h")
        return 77
    header, text = without_comments(open(path).read()), open(SOURCE + "/pjrt.hpp").read()
    profiler = open(SOURCE + "/profiler_api.hpp").read()
    lines = assertions(header, without_comments(text)) + assertions_of_profiler(without_comments(profiler))
    text += profiler
    good, errors = compiles(path, text, lines)
    if not good:
        print(errors[:4000])
        return 1
    first, second = "  std::size_t num_devices;\n", "  std::size_t num_args;\n"
    planted = text.replace(first + second, "  int num_devices;\n" + second)
    if planted == text or compiles(path, planted, lines)[0]:
        print("another declaration of LoadedExecutableExecute compiles: the test does not compare")
        return 1
    print("%d fields and calls agree with %s" % (len(lines), os.path.basename(path)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
