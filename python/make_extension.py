"""Makes the source of the extension gantry._c from the public headers: cffi parses their preprocessed declarations.

make_extension.py ROOT OUT.c     ROOT holds include/gantry and python; CC names the compiler, else it is cc

No declaration is written manually, and the C compiler checks every layout.
"""
import os
import re
import subprocess
import sys
import tempfile

import cffi

# cffi knows the types of the system headers: size_t, uint64_t, FILE.
SYSTEM = ("stddef.h", "stdint.h", "stdio.h", "math.h", "float.h", "limits.h", "string.h")

# Callbacks of the library, in the thread of the caller.
CALLBACKS = """
extern "Python" int  gt_py_interrupted(void *self);
extern "Python" int  gt_py_iteration(void *self, const gt_progress *p);
extern "Python" int  gt_py_phase(void *self, const gt_recon_progress *p);
extern "Python" int  gt_py_fraction(void *self, double done);
extern "Python" gt_status gt_py_denoise(void *self, gt_denoise_call *call);
extern "Python" gt_status gt_py_step(void *self, const char *step, const gt_projections *p);
extern "Python" void gt_py_address(void *self, const char *address);
extern "Python" void gt_py_message(void *self, const gt_message *m);
"""


def without_bodies(text):
    """Returns the declarations without the bodies of inline functions."""
    out, depth, start = [], 0, 0
    for m in re.finditer(r"\)\s*\{|[{}]", text):
        if depth == 0 and m.group() not in "{}":
            head = max(text.rfind(";", start, m.start()), text.rfind("}", start, m.start()), start - 1) + 1
            out.append(text[start:head])
            depth = 1
        elif depth:
            depth += -1 if m.group() == "}" else 1
            if depth == 0:
                start = m.end()
    return "".join(out) + text[start:]


def declarations(root):
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM:
            open(os.path.join(empty, name), "w", encoding="ascii").close()
        command = os.environ.get("CC", "cc").split() + ["-E", "-P", "-undef", "-nostdinc", "-I", empty, "-I", root,
                                                        "-I", os.path.join(root, "include"), "-xc", "-"]
        source = '#include <gantry/gantry.h>\n#include "python/extension.h"\n'
        text = subprocess.run(command, input=source, text=True, check=True, capture_output=True).stdout
    return without_bodies(text)


def main(root, out):
    ffi = cffi.FFI()
    ffi.cdef(declarations(root) + CALLBACKS)
    ffi.set_source("gantry._c", '#include <gantry/gantry.h>\n#include "python/extension.h"\n', py_limited_api=True)
    ffi.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
