"""What headers may define and be called. tests/style/headers.sh compiles each alone."""

import collections
import os
import re


def measure(tree):
    found, names, defined, included = {}, collections.defaultdict(list), collections.defaultdict(set), collections.Counter()
    product = tree.product()
    for source in tree.sources(*product):
        header = source.path.endswith((".h", ".cuh"))
        if header:
            top = source.path.split("/")
            names["/".join(top[:2]) if top[0] == "apps" else top[0], top[-1]].append(source.path)
            if not re.search(r"^[ \t]*#[ \t]*ifndef (\w+)\s*\n[ \t]*#[ \t]*define \1\b", source.code, re.M):
                found["guard", source.path] = 1, "no include guard; a text that is included twice is called .inc"
        elif source.path.endswith(".inc") and re.search(r"^#ifndef \w+_(H|INC)\b", source.code, re.M):
            found["guard", source.path] = 1, "an include guard in a text that is included twice"
        for _, name, _ in source.definitions():
            defined[name].add(source.path)
        included.update((source.path, q) for q in re.findall(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+\.h)[">]', source.text, re.M))
    for (room, name), paths in names.items():
        if len(paths) > 1:
            found["basename", " ".join(paths)] = 1, f"two headers of {room}/ have one name"
    for name, paths in defined.items():
        if len(paths) > 1 and any(shared(p) for p in paths):
            found["defined", name] = len(paths), f"defined in {len(paths)} places: " + " ".join(sorted(paths))
    for (path, quoted), times in included.items():
        if times > 1 and not os.path.basename(quoted).startswith("std"):
            found["twice", f"{path} -> {quoted}"] = times, "included twice: a text for that is called .inc"
    return found


def shared(path):
    return path.endswith((".h", ".cuh"))


GUARD = "#ifndef A_H\n#define A_H\n%s\n#endif\n"
FINE = {
    "core/a.h": GUARD % "struct gt_a { int b; };\ntypedef struct gt_b gt_b;\ntypedef int (*gt_each)(void *self);",
    "core/b.h": GUARD % "typedef struct gt_b gt_b;",
    "core/a.c": '#include "core/a.h"\nstruct own { int a; };\n',
    "core/c.c": "struct own { int a; };\nstruct gt_b { int a; };\n#define R float\n#include \"core/typed.inc\"\n#include \"core/typed.inc\"\n",
    "core/typed.inc": "static R add(R a) { return a; }\n",
    "io/a.h": GUARD % "",
}
FAULTS = {
    "guard": {"core/bare.h": "struct gt_c { int a; };\n"},
    "inc": {"core/typed.inc": "#ifndef CORE_TYPED_INC\n#define CORE_TYPED_INC\n#endif\n"},
    "basename": {"core/deep/a.h": GUARD % ""},
    "tag": {"io/format.c": "struct gt_a { double c; };\n"},
    "typedef": {"io/format.c": "typedef struct { double c; } gt_a;\n"},
    "pointer": {"io/format.h": GUARD % "typedef void (*gt_each)(int);"},
    "twice": {"io/format.c": '#include "core/a.h"\n#include "core/a.h"\n'},
}
