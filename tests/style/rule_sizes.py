"""How large things may be. Tests hold to functions and files alone; device functions pass as many parameters as they like."""

import collections
import os
import re

FUNCTION, PARAMETERS, FILE, FOLDER = 60, 7, 400, 25


def unit(name):
    """foo.h, foo.c, foo_cpu.c, foo_cuda.cu, foo_impl.h are one unit, foo."""
    return re.sub(r"_(cpu|cuda|impl|typed)(_typed)?$", "", os.path.splitext(name)[0])


def measure(tree):
    found, folders = {}, collections.defaultdict(set)
    for source in tree.sources():
        test = source.path.startswith("tests/")
        n = len(source.lines)
        if n > FILE:
            found["file", source.path] = n, f"{n} lines; a file has {FILE} at most"
        if not test:
            folders[os.path.dirname(source.path)].add(unit(os.path.basename(source.path)))
        for name, line, lines, parameters, before in source.functions():
            key = f"{source.path}:{name}"
            if lines > FUNCTION:
                found["function", key] = lines, f"line {line}, a function of {lines} lines; {FUNCTION} at most"
            if parameters > PARAMETERS and not test and not re.search(r"__(global|device)__", before):
                found["parameters", key] = parameters, f"line {line}, {parameters} parameters; {PARAMETERS} at most"
    for folder, units in folders.items():
        if len(units) > FOLDER:
            found["folder", folder] = len(units), f"{len(units)} units in this folder; {FOLDER} at most"
    return found


def function(lines):
    return "static int run(int a)\n{\n" + "\ta += 1; /* } */\n" * (lines - 3) + "}\n"


FINE = {
    "core/fine.c": "#define OPEN {\n" + function(60) + 'static const char *brace = "{";\nint seven(int a, int b, int c, int d, int e, int f, int (*g)(int, int))\n'
                   "{\n\treturn a;\n}\n",
    "core/rows_cuda.cu": "__global__ void k(int a, int b, int c, int d, int e, int f, int g, int h)\n{\n}\n",
    **{f"io/unit{i}{end}": "int a;\n" for i in range(25) for end in (".c", ".h", "_cpu.c", "_cuda.cu", "_impl.h")},
}
FAULTS = {
    "function": {"core/long.c": function(61)},
    "method": {"core/long.cpp": 'extern "C" {\n#if A\nint f(void) {\n#else\nint g(void) {\n#endif\n}\n' + function(61) + "}\n"},
    "parameters": {"core/many.c": "int many(int a, int b, int c, int d, int e, int f, int g, int h)\n{\n\treturn a;\n}\n"},
    "file": {"core/deep.c": "int a;\n" * 401},
    "folder": {"io/one_more.c": "int a;\n"},
    "test": {"tests/core/test_long.c": function(61)},
}
