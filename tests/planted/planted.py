#!/usr/bin/env python3
"""Plants the faults of faults.txt one at a time in a copy of the tree; the tests named there must fail.

Usage: planted.py --fits: checks that each fault fits the tree (a style test).
planted.py BUILD [NAME...]: BUILD/tree gets the copy, BUILD/out its build. NAME: a part of the names to try. Prints a line per
fault. Exits with 1 if the tests pass in spite of a fault, or if a line does not fit the tree. The tree itself is unchanged.
It first checks that the tests pass without a fault.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMIT = 1200  # s; with a fault a test hangs after 10 s and 4 times the time of the slowest one without a fault
HANGS = {**os.environ, "GT_HANGS": "60"}  # s, of a command with MPI
JOBS = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2")


def faults(wanted):
    """The lines of faults.txt whose names contain one of the wanted parts."""
    for line in (HERE / "faults.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            fields = [field.strip().replace("\\n", "\n").replace("\\t", "\t") for field in line.split(" @ ")]
            if not wanted or any(part in fields[0] for part in wanted):
                yield fields


def misfits():
    """Prints the faults whose code does not occur once in its file; returns their number."""
    bad = 0
    for name, file, code, *_ in faults([]):
        places = (ROOT / file).read_text(encoding="utf-8").count(code) if (ROOT / file).is_file() else 0
        if places != 1:
            print(f"{name}: {file} has {places} places, expected 1")
            bad += 1
    return bad


def copy(tree):
    """Writes changed files only, so that a second build is short."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        source, to = ROOT / name, tree / name
        if source.is_file() and not (to.is_file() and to.read_bytes() == source.read_bytes()):
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(source.read_bytes())
            to.chmod(source.stat().st_mode)


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, **more)


def build(out, tests):
    """Builds the library and the tests' programs."""
    listed = re.findall(r"Test +#\d+: (test_\w+)\.cpu", run(["ctest", "--test-dir", out, "-N"]).stdout)
    needed = [name for name in listed if re.fullmatch(tests, name)]
    needed += [word.replace(".", "_") for word in tests.split("|") if word.startswith("fuzz.")]
    needed += ["gantry", "fail_nth"] * bool(re.search("cli|faults", tests))
    done = run(["cmake", "--build", out, "-j", JOBS, "--target", *needed])
    if done.returncode:
        sys.exit(f"planted.py: the copy does not build: {done.stdout[-2000:]}")


def configure(tree, out, limit):
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DGANTRY_CUDA=OFF", "-DGANTRY_SHARED_TESTS=ON", f"-DGANTRY_TEST_LIMIT={limit:.0f}"]
    configured = run(["cmake", "-S", tree, "-B", out, "-G", "Ninja", *options])
    if configured.returncode:
        sys.exit(f"planted.py: {configured.stderr[-2000:]}")


def failures(out, tests):
    """Runs tests until one fails. Returns the names of those that failed, or None if each was skipped or none fits; and the longest time."""
    done = run(["ctest", "--test-dir", out, "-R", f"^({tests})(\\.cpu)?$", "--stop-on-failure"], env=HANGS).stdout
    ended = re.findall(r"^ *\d+/\d+ Test +#\d+: (\S+) \.+ *(\S+).* ([\d.]+) sec", done, re.MULTILINE)
    ran = [(name, how, float(seconds)) for name, how, seconds in ended if how not in ("***Skipped", "***Not")]
    failed = [name for name, how, _ in ran if how != "Passed"]
    return failed if ran else None, max((seconds for *_, seconds in ran), default=0)


def find(out, file, code, new, tests):
    """Returns what the tests say of the fault, and whether they found it."""
    text = file.read_text(encoding="utf-8")
    if text.count(code) != 1:
        return f"does not fit: {text.count(code)} places", False
    file.write_text(text.replace(code, new), encoding="utf-8")
    try:
        build(out, tests)
        begin = time.monotonic()
        failed, _ = failures(out, tests)
        seconds = time.monotonic() - begin
    finally:
        file.write_text(text, encoding="utf-8")
    said = "skipped" if failed is None else failed[0] if failed else "no test failed"
    return f"{said}, {seconds:.1f} s", bool(failed)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--fits":
        sys.exit(misfits() > 0)
    base = Path(sys.argv[1]).resolve()
    tree, out = base / "tree", base / "out"
    copy(tree)
    configure(tree, out, LIMIT)
    tests = "|".join(sorted({tests for *_, tests in faults(sys.argv[2:])}))
    build(out, tests)
    failed, slowest = failures(out, tests)
    if failed is None or failed:
        sys.exit(f"planted.py: {failed[0] if failed else 'no test'} {'fails' if failed else 'runs'} without a fault")
    configure(tree, out, 10 + 4 * slowest)
    missed = 0
    for name, file, code, new, tests in faults(sys.argv[2:]):
        said, found = find(out, tree / file, code, new, tests)
        missed += not found
        print(f"{name:34} {'found' if found else 'MISSED'}: {said}", flush=True)
    sys.exit(missed > 0)


main()
