#!/bin/bash
# Functions marked GT_CLONES (core/clones.h) are in the objects twice, for every processor and for those with FMA: a change of includes
# can silently switch that off; and kernels that are compiled once per instruction set (NAME_avx2.c, NAME_avx512.c) hold its wide vectors. Usage: clones.sh ROOT BUILD; exits 2 if the check itself is broken; skips where clones are not made.
set -u
root=${1:?usage: clones.sh ROOT BUILD} build=${2:?usage: clones.sh ROOT BUILD}
if [ "$(uname -m)" != x86_64 ] || ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
	echo "clones are for x86-64 with glibc"
	exit 77
fi
if ! command -v nm >/dev/null || ! command -v objdump >/dev/null || ! command -v python3 >/dev/null; then
	echo "no nm, objdump or python3"
	exit 77
fi
grep -q '^GANTRY_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt" && { echo "sanitizers and clones exclude each other"; exit 77; }
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
"$compiler" --version 2>/dev/null | grep -qiE 'gcc|free software' || { echo "only gcc names its clones so"; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# check ROOT BUILD: prints the functions with GT_CLONES that have no second form in the object of their source; of an .inc, in any object of its room.
check() {
	python3 -B - "$1" "$2" <<'END'
import glob, os, re, subprocess, sys
root, build = sys.argv[1:]
bad = seen = 0
for folder, inner, names in os.walk(root):
    inner[:] = [d for d in inner if not d.startswith((".", "build"))]
    for name in names:
        path = os.path.relpath(os.path.join(folder, name), root)
        if not name.endswith((".c", ".inc")) or path.startswith("tests/"):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        # A name that a macro makes: forward_##name, NAMED(rows). What the macro puts in is any word.
        cloned = re.findall(r"^[ \t]*(?:static\s+)?GT_CLONES\s+(?:\w+[\s*]+)+?((?:\w|##)+(?:\(\w+\))?)\s*\(", text, re.M)
        if not cloned:
            continue
        within = path + ".o" if name.endswith(".c") else os.path.join(os.path.dirname(path), "*.o")
        made = glob.glob(os.path.join(build, "CMakeFiles", "*.dir", within))
        said = subprocess.run(["nm", *made], check=True, stdout=subprocess.PIPE).stdout.decode().split() if made else []
        for function in cloned:
            seen += 1
            inner_name = re.fullmatch(r"\w+\((\w+)\)", function)
            pattern = r"\w*" + inner_name.group(1) + r"\w*" if inner_name else re.sub(r"##\w+", r"\\w+", function)
            if not any(re.fullmatch(pattern + r"\.(arch_)?fma(\.\d+)?", symbol) for symbol in said):
                print(f"{path}: {function}() is marked GT_CLONES, and the objects of the build hold no form of it for FMA")
                bad = 1
if not seen:
    print("no function is marked GT_CLONES")
sys.exit(bad or not seen)
END
}

# sets BUILD: prints the objects NAME_avx2.c.o and NAME_avx512.c.o without arithmetic on vectors of 8 and 16 floats.
sets() {
	local bad=0 seen=0 object wide
	while read -r object; do
		seen=1 wide=ymm
		case $object in *_avx512.c.o) wide=zmm ;; esac
		objdump -d "$object" | grep -qE "vfn?m(add|sub)[0-9]+ps .*%$wide" || { echo "$object: no multiplication and addition of floats in %$wide"; bad=1; }
	done < <(find "$1/CMakeFiles" -name '*_avx2.c.o' -o -name '*_avx512.c.o')
	[ $seen = 1 ] || { echo "the build holds no kernels for AVX2 and AVX-512"; bad=1; }
	return $bad
}

# The first tree has a clone, the second says so only by a macro that is empty.
self_test() {
	local tree clones wide
	for tree in fine empty; do
		mkdir -p "$dir/$tree/core" "$dir/$tree.o/CMakeFiles/a.dir/core"
		echo 'GT_CLONES double sum(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * a[i]; return s; }' >"$dir/$tree/core/a.c"
		clones='__attribute__((target_clones("fma","default")))'
		[ $tree = fine ] || clones=
		"$compiler" -O2 -c "-DGT_CLONES=$clones" "$dir/$tree/core/a.c" -o "$dir/$tree.o/CMakeFiles/a.dir/core/a.c.o" || { echo "this compiler makes no clones"; exit 77; }
	done
	check "$dir/fine" "$dir/fine.o" || { echo "clones.sh refuses a function with its clone"; exit 2; }
	check "$dir/empty" "$dir/empty.o" >/dev/null && { echo "clones.sh does not see that a clone is missing"; exit 2; }
	for tree in fine empty; do
		mkdir -p "$dir/$tree.sets/CMakeFiles"
		echo 'void add(float *a, const float *b) { for (int i = 0; i < 64; i++) a[i] += b[i] * b[i]; }' >"$dir/$tree/core/k_avx2.c"
		wide=(-mavx2 -mfma)
		[ $tree = fine ] || wide=()
		"$compiler" -O3 "${wide[@]}" -c "$dir/$tree/core/k_avx2.c" -o "$dir/$tree.sets/CMakeFiles/k_avx2.c.o" || exit 2
	done
	sets "$dir/fine.sets" || { echo "clones.sh refuses kernels with their vectors"; exit 2; }
	sets "$dir/empty.sets" >/dev/null && { echo "clones.sh does not see that kernels lack their vectors"; exit 2; }
	return 0
}

self_test
status=0
check "$root" "$build" || status=1
sets "$build" || status=1
exit $status
