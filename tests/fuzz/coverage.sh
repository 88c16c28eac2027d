#!/bin/bash
# Measures which lines of each reader the corpora and the io tests cover, with a clang build in BUILD. Prints a line per reader, for the
# corpora alone and with the tests; BUILD/lines lists uncovered lines. Usage: coverage.sh BUILD [LEAST [corpora]]. Exits with 1 if a reader
# has less than LEAST per cent of its lines (85). corpora: without the tests, in 2 minutes.
set -euof pipefail
build=$(realpath -m "${1:?usage: coverage.sh BUILD [LEAST [corpora]]}")
least=${2:-85}
[[ ${3:-} == "" || $3 == corpora ]] || { echo "coverage.sh: '$3': expected corpora or nothing" >&2 && exit 2; }
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../..")

# readers and their files, as patterns below io/, without writers
readers=$(awk -F ' [|] ' '!/^#/ { print $1, $3 }' "$here/readers.txt")

flags="-O0 -fprofile-instr-generate -fcoverage-mapping"
mkdir -p "$build"
CC=clang CXX=clang++ CFLAGS=$flags CXXFLAGS=$flags cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DGANTRY_CUDA=OFF >"$build/log" 2>&1 ||
	{ cat "$build/log" >&2 && exit 1; }
names=()
while read -r source; do names+=("$(basename "$source" .c)"); done < <(find "$here" -name 'read_*.c' -o -name 'made_*.c' | sort)
# a probe process ends by _exit() and would not write its counters
cat >"$build/tell.c" <<'END'
int __llvm_profile_write_file(void);
void __real__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code)
{
	__llvm_profile_write_file();
	__real__exit(code);
}
END
clang -c "$build/tell.c" -o "$build/tell.o"
link_with="$build/tell.o -Wl,--wrap=_exit" "$here/one_program.sh" "$build" "$build/readers"
rm -rf "$build/raw" "$build/raw-tests"
for name in "${names[@]}"; do
	LLVM_PROFILE_FILE="$build/raw/$name-%m" "$build/readers/$name" "$here/corpus/$name" >/dev/null 2>&1 || echo "coverage.sh: $name did not end well" >&2
done
programs=()
if [[ ${3:-} != corpora ]]; then
	# tests that need only the modules of the readers
	mapfile -t tests < <(find "$root/tests/io" -name 'test_*.c' | sort | sed 's#.*/#io_#; s#io_test_#test_io_#; s#\.c$##')
	mapfile -t objects < <(ninja -C "$build" -t targets all | sed -n 's/: [A-Z]*_COMPILER.*//p' | grep -E 'tests/CMakeFiles/(test_io_[a-z0-9_]*|test_support)\.dir/')
	ninja -C "$build" "${objects[@]}" tests/libtest_support.a >"$build/tests.log" 2>&1 || { tail -20 "$build/tests.log" >&2 && exit 1; }
	for name in "${tests[@]}"; do
		link=$(cd "$build" && ninja -t commands "tests/$name" | tail -1)
		(cd "$build" && bash -c "${link/ libgantry_private.a / $build/tell.o -Wl,--wrap=_exit libreaders.a }") >>"$build/tests.log" 2>&1 || continue
		(cd "$build" && LLVM_PROFILE_FILE="$build/raw-tests/$name-%p" timeout 300 "tests/$name" >>"$build/tests.log" 2>&1) || echo "coverage.sh: $name did not end well" >&2
		programs+=(-object "$build/tests/$name")
	done
	echo "$((${#programs[@]} / 2)) tests of io"
fi
# file hit lines, and the uncovered lines; inline functions appear several times, and the maximum counts
count() { # NAME PROFILES PROGRAMS...: BUILD/files-NAME, BUILD/lines
	local name=$1 profiles=$2
	shift 2
	# shellcheck disable=SC2086
	find $profiles -type f >"$build/profiles"
	llvm-profdata merge -sparse -f "$build/profiles" -o "$build/merged"
	llvm-cov export -format=lcov -instr-profile "$build/merged" "$@" >"$build/lcov"
	awk -v root="$root/" -v out="$build/lines" '
		/^SF:/ { file = substr($0, 4); while (match(file, "/[^/]*[^/.][^/]*/[.][.]/")) file = substr(file, 1, RSTART) substr(file, RSTART + RLENGTH); sub(root, "", file) }
		/^DA:/ { split(substr($0, 4), a, ","); if (a[2] + 0 > n[file, a[1]] || !((file, a[1]) in n)) n[file, a[1]] = a[2] + 0 }
		END { for (k in n) { split(k, a, SUBSEP); all[a[1]]++; if (n[k] > 0) hit[a[1]]++; else printf "%s:%d\n", a[1], a[2] >out }
			for (f in all) print f, hit[f] + 0, all[f] }' "$build/lcov" | sort >"$build/files-$name"
}
count corpus "$build/raw" "$build/readers/fuzzers"
if [ ${#programs[@]} -gt 0 ]; then
	count both "$build/raw $build/raw-tests" "$build/readers/fuzzers" "${programs[@]}"
else
	cp "$build/files-corpus" "$build/files-both"
fi
sort -t: -k1,1 -k2,2n -o "$build/lines" "$build/lines"
lines_of() { # NAME PATTERNS...: lines, and of them those that were come to
	local name=$1 hit=0 all=0 wanted
	shift
	for pattern; do
		wanted=$(realpath -m --relative-to="$root" "$root/io/$pattern")
		while read -r file h n; do
			# shellcheck disable=SC2053
			[[ $file == $wanted ]] || continue
			hit=$((hit + h)) all=$((all + n))
		done <"$build/files-$name"
	done
	echo "$all $hit"
}
printf '%-14s %6s %8s %6s %6s\n' reader lines corpora both '%'
code=0
while read -r name patterns; do
	# shellcheck disable=SC2086
	read -r _ corpus <<<"$(lines_of corpus $patterns)"
	# shellcheck disable=SC2086
	read -r all hit <<<"$(lines_of both $patterns)"
	part=$(awk -v h="$hit" -v n="$all" 'BEGIN { printf "%.1f", n ? 100 * h / n : 0 }')
	printf '%-14s %6d %8d %6d %6s\n' "$name" "$all" "$corpus" "$hit" "$part"
	awk -v p="$part" -v l="$least" 'BEGIN { exit p < l }' || code=1
done <<<"$readers"
exit $code
