"""The names that libgantry.so exports are those that include/gantry marks GT_API, and begin with gt_.

    symbols.py ROOT BUILD     exits 77 where there is no shared library or sanitizers add symbols of their own"""

import glob
import os
import re
import subprocess
import sys
import tempfile

import c_source


def declared(root):
    """The functions and objects with GT_API in the public headers, and what marks others."""
    names, wrong = set(), []
    for folder, inner, files in os.walk(root):
        inner[:] = [d for d in inner if not d.startswith((".", "build")) and os.path.join(folder, d) != os.path.join(root, "tests")]
        for file in files:
            path = os.path.join(folder, file)
            if not file.endswith(c_source.SUFFIXES):
                continue
            with open(path, encoding="utf-8") as opened:
                text = opened.read()
            if not os.path.relpath(path, root).startswith("include/gantry/"):
                wrong += [f"{os.path.relpath(path, root)}: GT_API belongs into include/gantry/ alone"] if re.search(r"\bGT_API\b", text) else []
                continue
            for _, before, _, _ in c_source.Source(path, text).statements():
                found = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)?$", before) if "extern" in before else re.search(r"(\w+)\s*\(", before)
                if re.search(r"\bGT_API\b", before) and found:
                    names.add(found.group(1))
    return names, wrong


def exported(library):
    said = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE).stdout.decode()
    return {line.split()[-1].split("@")[0] for line in said.splitlines() if line.strip()}


def check(root, library):
    names, wrong = declared(root)
    there = exported(library)
    wrong += [f"{n}: exported, and no header of include/gantry/ marks it GT_API" for n in sorted(there - names)]
    wrong += [f"{n}: marked GT_API, and the library does not export it" for n in sorted(names - there)]
    return wrong + [f"{n}: an exported name begins with gt_" for n in sorted(there) if not n.startswith("gt_")]


HEADER = '#define GT_API __attribute__((visibility("default")))\n/* A comment. */\nGT_API int gt_a(int (*each)(void *self));\nGT_API extern const char *const gt_b[];\n'
SOURCE = '#include <gantry/a.h>\nint gt_a(int (*e)(void *)) { return !e; }\nconst char *const gt_b[] = { "b", 0 };\nint gt_hidden(void) { return 0; }\n'
FAULTS = {
    "unmarked": (HEADER, SOURCE + '__attribute__((visibility("default"))) int gt_c(void) { return 1; }\n'),
    "missing": (HEADER + "GT_API int gt_d(void);\n", SOURCE),
    "prefix": (HEADER + "GT_API int error(void);\n", SOURCE + "int error(void) { return 1; }\n"),
    "private": (HEADER, SOURCE + "GT_API int gt_a(int (*e)(void *));\n"),
}


def test_itself():
    with tempfile.TemporaryDirectory() as folder:
        for name, (header, source) in {"fine": (HEADER, SOURCE), **FAULTS}.items():
            root = os.path.join(folder, name)
            for path, text in (("include/gantry/a.h", header), ("core/a.c", source)):
                os.makedirs(os.path.join(root, os.path.dirname(path)))
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            library = os.path.join(root, "a.so")
            subprocess.run(os.environ.get("CC", "cc").split() + ["-shared", "-fPIC", "-fvisibility=hidden", "-I" + root + "/include", root + "/core/a.c", "-o", library], check=True)
            if bool(check(root, library)) != (name != "fine"):
                print(f"symbols.py is wrong about its tree '{name}'")
                sys.exit(2)


def main():
    root, build = sys.argv[1:3]
    library = glob.glob(os.path.join(build, "libgantry.so"))
    if not library:
        print("no shared library here")
        return 77
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        if re.search(r"^GANTRY_SANITIZE:\w+=.+", cache.read(), re.M):
            print("sanitizers export names of their own")
            return 77
    test_itself()
    wrong = check(root, library[0])
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
