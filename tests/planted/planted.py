#!/usr/bin/env python3
"""Plants the faults of faults.txt one at a time in a copy of the tree; the tests named there must fail.

Usage: planted.py --fits: checks that each fault fits the tree (a style test).
planted.py BUILD [NAME...]: BUILD/tree gets the copy and its build, in the usual place for the compiler cache. NAME: a part of the
names to try. Prints a line per fault. Exits with 1 if the tests pass in spite of a fault, or if a line does not fit the tree. The tree itself is unchanged.
It first checks that the tests pass without a fault.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMIT = 7200  # s, of all tests without a fault; with one they hang after 10 s and 4 times their time without it
HANGS = {**os.environ, "GT_HANGS": "30"}  # s, of a command with MPI
TAKEN = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True, "errors": "replace"}
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


def configure(tree, out):
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DGANTRY_CUDA=OFF", "-DGANTRY_SHARED_TESTS=ON"]
    configured = run(["cmake", "-S", tree, "-B", out, "-G", "Ninja", *options])
    if configured.returncode:
        sys.exit(f"planted.py: {configured.stderr[-2000:]}")


def end_all(out, group):
    """Kills a process group and all programs of the build. The processes of mpirun have groups of their own."""
    for program in Path("/proc").glob("[0-9]*/exe"):
        try:
            if program.readlink().is_relative_to(out):
                os.kill(int(program.parent.name), signal.SIGKILL)
        except OSError:  # it has ended, or belongs to another user
            pass
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def outcome(out, tests, limit):
    """Runs tests until one fails or the limit (s) is over. Returns the seconds of those that passed, and the name of one that failed."""
    command = ["ctest", "--test-dir", out, "-R", f"^({tests})(\\.cpu)?$", "--stop-on-failure"]
    with subprocess.Popen(command, env=HANGS, start_new_session=True, **TAKEN) as ctest:
        try:
            said, hangs = ctest.communicate(timeout=limit)[0], []
        except subprocess.TimeoutExpired:
            end_all(out, ctest.pid)
            said, hangs = ctest.communicate()[0], [f"hangs after {limit:.0f} s"]
        end_all(out, ctest.pid)
    ended = re.findall(r"^ *\d+/\d+ Test +#\d+: (\S+) \.+ *(\S+).* ([\d.]+) sec", said, re.MULTILINE)
    passed = {name: float(seconds) for name, how, seconds in ended if how == "Passed"}
    failed = [name for name, how, _ in ended if how not in ("Passed", "***Skipped", "***Not")] + hangs
    return passed, failed[0] if failed else None


def find(out, file, code, new, tests, limit):
    """Returns what the tests say of the fault, and whether they found it."""
    text = file.read_text(encoding="utf-8")
    if text.count(code) != 1:
        return f"does not fit: {text.count(code)} places", False
    file.write_text(text.replace(code, new), encoding="utf-8")
    try:
        build(out, tests)
        begin = time.monotonic()
        passed, failed = outcome(out, tests, limit)
        seconds = time.monotonic() - begin
    finally:
        file.write_text(text, encoding="utf-8")
    said = failed or ("no test failed" if passed else "skipped")
    return f"{said}, {seconds:.1f} s", bool(failed)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--fits":
        sys.exit(misfits() > 0)
    base = Path(sys.argv[1]).resolve()
    tree, out = base / "tree", base / "tree/build"
    copy(tree)
    configure(tree, out)
    tests = "|".join(sorted({tests for *_, tests in faults(sys.argv[2:])}))
    build(out, tests)
    seconds, failed = outcome(out, tests, LIMIT)
    if failed or not seconds:
        sys.exit(f"planted.py: {failed or 'no test'} {'fails' if failed else 'runs'} without a fault")
    missed = 0
    for name, file, code, new, tests in faults(sys.argv[2:]):
        usual = sum(each for test, each in seconds.items() if re.fullmatch(f"({tests})(\\.cpu)?", test))
        said, found = find(out, tree / file, code, new, tests, 10 + 4 * usual)
        missed += not found
        print(f"{name:34} {'found' if found else 'MISSED'}: {said}", flush=True)
    sys.exit(missed > 0)


main()
