"""Every header stands alone, in C11 and in C++17, the public ones without a warning. Headers for nvcc: tests/long/device_headers.sh.

C++17 compiles against the C headers of the system: those of libstdc++ double the time. install.package compiles the public headers with them.
ccache, if it is found, skips unchanged headers. It does not cache -fsyntax-only, so sources are compiled."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import tempfile

LANGUAGES = {"C11": ["-x", "c", "-std=c11"], "C++17": ["-x", "c++", "-std=c++17", "-nostdinc++"]}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def other_headers():
    """Where the headers of other libraries are, as pkg-config has it."""
    try:
        said = subprocess.run(["pkg-config", "--cflags-only-I", "netcdf", "hdf5", "fftw3", "cairo"], stdout=subprocess.PIPE, check=False)
    except FileNotFoundError:
        return []
    return said.stdout.decode().split()


def compile_alone(root, header, language, others):
    """The compiler's first complaint about a source that includes this header alone; None if it has none. All paths are relative and the
    same in all runs and trees, so that ccache finds them again."""
    public = header.startswith("include/")
    quoted = f"<{header[len('include/'):]}>" if public else f'"{header}"'
    compiler = os.environ.get("CXX", "c++") if language == "C++17" else os.environ.get("CC", "cc")
    ccache = shutil.which("ccache")
    command = ([ccache] if ccache else []) + compiler.split() + LANGUAGES[language] + (STRICT if public else []) + others
    command += ["-Itree", "-Itree/include", "-D_GNU_SOURCE", "-c", "alone.c", "-o", "alone.o"]
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(root), os.path.join(folder, "tree"))
        with open(os.path.join(folder, "alone.c"), "w", encoding="utf-8") as source:
            source.write(f"#include {quoted}\nextern int something;\n")
        said = subprocess.run(command, cwd=folder, env={**os.environ, "CCACHE_NOHASHDIR": "1"}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
    if said.returncode == 0:
        return None
    errors = re.findall(r"error: .*", said.stdout.decode(errors="replace"))
    return errors[0] if errors else "the compiler fails"


def measure(tree):
    found, others = {}, other_headers()
    jobs = [(s.path, language) for s in tree.sources(*tree.product()) if s.path.endswith(".h") for language in LANGUAGES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda job: compile_alone(tree.root, *job, others), jobs)
    for (path, language), error in zip(jobs, said):
        if error:
            found["header", f"{path} {language}"] = 1, f"does not stand alone: {error}"
    return found


FINE = {"core/a.h": "struct gt_a { int b; };\n", "include/gantry/a.h": "struct gt_b { int b; };\n", "core/b.cuh": "__global__ void k();\n"}
FAULTS = {
    "missing": {"core/b.h": "size_t a(void);\n"},
    "c++": {"core/b.h": "static inline int *a(void *b) { return b; }\n"},
    "c": {"core/b.h": "struct b { int c; };\nstatic inline b *d(b *c) { return c; }\n"},
    "warning": {"include/gantry/b.h": "static inline int a(int b) { return 0; }\n"},
}
