"""Measures the tree against the rules of its form; CONTRIBUTING.md lists them.

    measure.py RULE... [--root ROOT]   prints what breaks these rules and exits 1; exits 2 if a rule does not see the faults planted for it
    measure.py --update                takes out of exceptions.txt what is mended, and lowers what has become smaller
    measure.py --update --all          also adds what is new: for a merge of branches, where someone reads the difference

exceptions.txt lists what broke a rule when the rule came: a line is RULE NUMBER NAME. A number may only fall and a line only go."""

import argparse
import importlib
import os
import re
import subprocess
import sys
import tempfile

import c_source

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = ("layers", "cycles", "headers", "alone", "sizes", "heads", "duplicates", "links")
LIST = "tests/style/exceptions.txt"


class Tree:
    """The files that git tracks, or all where there is no repository, by their path from the root."""

    def __init__(self, root):
        self.root, self._sources = root, {}
        if os.path.exists(os.path.join(root, ".git")):
            names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                                   stdout=subprocess.PIPE).stdout.decode().split("\0")
            self.files = sorted(n for n in set(names) if n and os.path.isfile(os.path.join(root, n)))
        else:
            self.files = sorted(self._walk())

    def _walk(self):
        for folder, inner, names in os.walk(self.root):
            inner[:] = [d for d in inner if not d.startswith((".", "build"))]
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), self.root)

    def text(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def sources(self, *rooms):
        """Every source below these folders; of the whole tree without them."""
        for name in self.files:
            if name.endswith(c_source.SUFFIXES) and (not rooms or name.startswith(tuple(r + "/" for r in rooms))):
                if name not in self._sources:
                    self._sources[name] = c_source.Source(name, self.text(name))
                yield self._sources[name]

    def rooms(self):
        """{room: (layer, rooms and headers it may include)} of cmake/rooms.txt; an indented line continues the last room."""
        rooms, last = {}, None
        for line in self.text("cmake/rooms.txt").splitlines():
            words = line.split("#")[0].split()
            if words and line[0].isspace():
                rooms[last][1].extend(words)
            elif words:
                last = words[0]
                rooms[last] = (words[1], words[2:])
        return rooms

    def library_rooms(self):
        """The folders of the library: include/ and the rooms of layers 0 to 3."""
        return ["include"] + [room for room, (layer, _) in self.rooms().items() if layer in "0123"]

    def product(self):
        """The library and its users, without the tests."""
        return self.library_rooms() + [room for room, (layer, _) in self.rooms().items() if layer == "4"]


def plant(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return Tree(folder)


def test_itself(name, rule, root):
    """A rule must find what it looks for: each planted tree holds one fault, the first none."""
    with open(os.path.join(root, "cmake/rooms.txt"), encoding="utf-8") as file:
        shared = {"cmake/rooms.txt": file.read(), **getattr(rule, "SHARED", {})}
    with tempfile.TemporaryDirectory() as folder:
        found = rule.measure(plant(os.path.join(folder, "fine"), {**shared, **rule.FINE}))
        if found:
            print(f"{name} refuses a correct tree: {found}")
            sys.exit(2)
        for fault, files in rule.FAULTS.items():
            if not rule.measure(plant(os.path.join(folder, fault), {**shared, **rule.FINE, **files})):
                print(f"{name} does not see the fault '{fault}'")
                sys.exit(2)


def read_list(root):
    """{(rule, name): number} of the exceptions."""
    listed = {}
    if os.path.exists(os.path.join(root, LIST)):
        with open(os.path.join(root, LIST), encoding="utf-8") as file:
            for line in file:
                found = re.fullmatch(r"([a-z]+\.[a-z-]+) (\d+) (.+)\n?", line)
                if found:
                    listed[found.group(1), found.group(3)] = int(found.group(2))
    return listed


def write_list(root, listed):
    with open(os.path.join(root, LIST), "w", encoding="utf-8") as file:
        file.write("# Exceptions of the style rules: RULE NUMBER NAME. Numbers may only decrease: python3 tests/style/measure.py --update\n")
        for (rule, name), number in sorted(listed.items()):
            file.write(f"{rule} {number} {name}\n")


def measure(name, tree):
    rule = importlib.import_module("rule_" + name)
    return rule, {(f"{name}.{kind}", key): value for (kind, key), value in rule.measure(tree).items()}


def compare(found, listed, rule):
    """The sentences of what is wrong: more than listed, or less, so that the list must follow."""
    wrong = []
    for key, (number, why) in sorted(found.items()):
        allowed = listed.get(key)
        if allowed is None:
            wrong.append(f"{key[1]}: {why}")
        elif number > allowed:
            wrong.append(f"{key[1]}: {why}; {allowed} at most, says {LIST}")
        elif number < allowed:
            wrong.append(f"{key[1]}: {number} now, and {LIST} still says {allowed}: python3 tests/style/measure.py --update")
    for key in sorted(listed):
        if key[0].split(".")[0] == rule and key not in found:
            wrong.append(f"{key[1]} ({key[0]}): mended, and {LIST} still has it: python3 tests/style/measure.py --update")
    return wrong


def update(root, tree, everything):
    listed, found = read_list(root), {}
    for name in RULES:
        found.update({key: number for key, (number, _) in measure(name, tree)[1].items()})
    kept = {key: min(number, found[key]) for key, number in listed.items() if key in found}
    write_list(root, found if everything else kept)
    print(f"{LIST}: {len(found if everything else kept)} exceptions, {len(listed)} before")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("rules", nargs="*", metavar="RULE", help=", ".join(RULES))
    options.add_argument("--root", default=os.path.dirname(os.path.dirname(HERE)))
    options.add_argument("--update", action="store_true")
    options.add_argument("--all", action="store_true")
    o = options.parse_args()
    tree = Tree(o.root)
    if o.update:
        return update(o.root, tree, o.all)
    wrong = []
    for name in o.rules or RULES:
        rule, found = measure(name, tree)
        test_itself(name, rule, o.root)
        wrong += compare(found, read_list(o.root), name)
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.path.insert(0, HERE)
    sys.exit(main())
