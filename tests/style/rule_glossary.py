"""Names that are retired, each with its successor: retired.txt. Only whole names count; words as such are free."""

import os
import re

LIST = "tests/style/retired.txt"
TEXTS = (".c", ".h", ".cpp", ".cu", ".cuh", ".inc", ".def", ".md", ".sh", ".py", ".cmake", ".txt", ".in")
FREE = ("CHANGELOG.md", "docs/measurements", "tests/style/", "tests/frozen/", "tests/reference/")
NAME = re.compile(r"[A-Za-z_][\w/]*(?:[./-]\w+)*")


def retired(tree):
    names = {}
    for line in tree.text(LIST).splitlines():
        words = line.split("#")[0].split(None, 1)
        if words:
            names[words[0]] = words[1] if len(words) > 1 else "nothing"
    return names


def measure(tree):
    found = {}
    names = retired(tree)
    identifiers = {n for n in names if re.fullmatch(r"\w+", n)}
    paths = set(names) - identifiers
    for name in tree.files:
        if not name.endswith(TEXTS) or name.startswith(FREE):
            continue
        text = tree.text(name)
        used = [w for w in re.findall(r"[A-Za-z_]\w*", text) if w in identifiers]
        used += [w for w in re.findall(r"[A-Za-z_][\w-]*(?:/[\w-]+)*\.\w+", text) if w in paths]
        used += [name] if name in paths else []
        for word in set(used):
            found["retired", f"{name}:{word}"] = used.count(word), f"retired, now {names[word]}"
    return found


SHARED = {LIST: "gt_stand gt_angular_coverage\ncore/kept.h include/gantry/solver_state.h\nGT_OLD_MOST GT_NEW_MAX # why\n"}
FINE = {"core/a.c": "int gt_standing, gt_stand_; /* what they stand on is kept */\n", "CHANGELOG.md": "gt_stand is gone\n", "docs/a.md": "my_core/kept.h\n"}
FAULTS = {
    "symbol": {"core/b.c": "int gt_stand;\n"},
    "comment": {"core/b.c": "/* as gt_stand() says */\n"},
    "constant": {"apps/cli/b.c": "int a = GT_OLD_MOST;\n"},
    "include": {"core/b.c": '#include "core/kept.h"\n'},
    "document": {"docs/b.md": "see `gt_stand()`\n"},
    "path": {"docs/b.md": "see `core/kept.h`.\n"},
    "file": {"core/kept.h": "int a;\n"},
}
