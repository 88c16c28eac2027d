"""Comments: a source begins with one, every public prototype stands below one, and their lines are not too long."""

import collections
import re

import c_source

WIDE, LIMIT = 120, 140


def commented(source, line):
    """Whether a comment stands on this line or above it in the same group: lines without an empty one between them."""
    first = {source.line(a) for a, _ in source.comments} | {source.line(b - 1) for _, b in source.comments}
    while line >= 1 and source.lines[line - 1].strip():
        if line in first:
            return True
        line -= 1
    return False


def measure(tree):
    found, wide = {}, collections.defaultdict(list)
    rooms = [room.split("/")[0] for room in tree.product()] + ["tests"]
    for source in tree.sources(*rooms):
        if source.path.endswith((".c", ".cpp", ".cu")) and not re.match(r"/\*|//", source.text):
            found["first-line", source.path] = 1, "the first line of a source is its comment: what it is, and where from"
        if source.path.startswith("include/"):
            for name, line in source.prototypes():
                if not commented(source, line):
                    found["prototype", f"{source.path}:{name}"] = 1, f"line {line}, a public function without a comment"
        comment = source.in_comment()
        for i, line in enumerate(source.lines):
            columns = c_source.width(line)
            if columns > LIMIT or (comment[i] and columns > WIDE and not source.path.startswith("tests/")):
                kind = "wide-lines" if columns > LIMIT else "wide-comments"
                wide[kind, source.path.split("/")[0]].append((columns, f"{source.path}:{i + 1}"))
    for (kind, room), places in wide.items():
        limit = LIMIT if kind == "wide-lines" else WIDE
        what = "lines" if kind == "wide-lines" else "lines of comment"
        found[kind, room] = len(places), f"{len(places)} {what} over {limit} columns in {room}/, the widest {max(places)[1]}"
    return found


FINE = {
    "core/fine.c": "/* What it is. */\nint a; /* " + "b " * 50 + "*/\n",
    "include/gantry/fine.h": "#ifndef A\n#define A\n/* Both. */\nGT_API int a(void);\nGT_API int b(int (*f)(void), int g);\n\ntypedef int (*fn)(int);\n#endif\n",
}
FAULTS = {
    "head": {"core/headless.c": "#include <math.h>\n/* Too late. */\n"},
    "prototype": {"include/gantry/silent.h": "/* Of a. */\nGT_API int a(void);\n\nGT_API int b(void);\n"},
    "wide": {"core/wide.c": "/* " + "word " * 24 + "*/\n"},
    "inner": {"core/wide.c": "/* First.\n * " + "word " * 24 + "*/\n"},
    "over": {"core/over.c": "/* Head. */\nint a = " + "1 + " * 34 + "1;\n"},
}
