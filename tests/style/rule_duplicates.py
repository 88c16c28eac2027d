"""Repeated code: six lines and more that stand in two places, in lines of each room. The number may only fall.

Compared are lines without comments, blanks and what holds braces alone; includes and one-word lines say nothing."""

import collections
import re

LINES = 6


def normalised(source):
    """(line number, text) of the lines that count."""
    for i, line in enumerate(source.code.split("\n")):
        text = re.sub(r"\s+", "", source.lines[i] if i < len(source.lines) and '"' in line and not re.search(r"/\*|//", source.lines[i]) else line)
        if len(text) > 3 and not text.startswith("#include") and re.search(r"\w", text):
            yield i, text


def measure(tree):
    windows, lines = collections.defaultdict(list), {}
    for source in tree.sources(*tree.product()):
        lines[source.path] = rows = list(normalised(source))
        for i in range(len(rows) - LINES + 1):
            windows[hash(tuple(text for _, text in rows[i:i + LINES]))].append((source.path, i))
    repeated = collections.defaultdict(set)
    for places in windows.values():
        if len(places) > 1:
            for path, i in places:
                repeated[path].update(range(i, i + LINES))
    rooms = collections.Counter()
    for path, rows in repeated.items():
        rooms["/".join(path.split("/")[:2]) if path.startswith("apps/") else path.split("/")[0]] += len(rows)
    return {("lines", room): (n, f"{n} lines of this room stand in two places ({LINES} and more in a row)") for room, n in rooms.items()}


CODE = "".join(f"\ta[{i}] = b[{i}] * {i} + c;\n" for i in range(6))
FINE = {"core/a.c": "int f(void)\n{\n" + CODE + "}\n", "io/b.c": "int g(void)\n{\n" + CODE[:-20] + "}\n"}
FAULTS = {
    "copy": {"solvers/c.c": "int h(void)\n{\n" + CODE + "}\n"},
    "laid out": {"solvers/c.c": "int h(void)\n{\n" + CODE.replace(" * ", "*").replace(";\n", "; /* else */\n\n") + "}\n"},
    "same file": {"core/d.c": ("int h(void)\n{\n" + CODE.replace("b", "d") + "}\n") * 2},
}
