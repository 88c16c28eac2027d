#!/bin/bash
# The templates of docs/adding.md are correct: added to a copy of the tree, each takes the files that the page promises, the copy builds,
# lists them in its help and runs them. Usage: module.sh ROOT BUILD; exits 2 if the check itself is broken.
set -eu
root=$(cd "${1:?usage: module.sh ROOT BUILD}" && pwd)
git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "not a clone: no list of the files to copy"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
commit() { git -C "$dir/tree" add -A && git -C "$dir/tree" -c user.name=test -c user.email=test@example.org -c commit.gpgsign=false commit -q -m "$1"; }

mkdir "$dir/tree"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - -f - 2>/dev/null) | tar -x -C "$dir/tree"
[ -f "$dir/tree/CMakeLists.txt" ] || fail "the tree cannot be copied"
git -C "$dir/tree" init -q
commit "the tree"
page=$root/docs/adding.md

# add SECTION: adds the template and the lines of a section to the tree
add() {
	local section=$dir/section path line
	awk -v title="## $1" '/^## / { on = $0 == title } on' "$page" >"$section"
	path=$(sed -n 's/^```c \(.*\)$/\1/p' "$section")
	[ -n "$path" ] || fail "docs/adding.md: no template under '$1'"
	[ ! -e "$dir/tree/$path" ] || fail "docs/adding.md: $path already exists"
	awk '/^```c / { on = 1; next } /^```/ { on = 0 } on' "$section" >"$dir/tree/$path"
	# shellcheck disable=SC2016
	while IFS='|' read -r line path; do
		[ -f "$dir/tree/$path" ] || fail "docs/adding.md: there is no $path"
		case $line in
		X\(*) sed -i "0,/^#define [A-Z_]*(X)/s//& $line/" "$dir/tree/$path" ;;
		GT_FORM\(*) LINE=$line awk '{ print } /^GT_FORM\(/ && !done { print ENVIRON["LINE"]; done = 1 }' "$dir/tree/$path" >"$dir/file" && cp "$dir/file" "$dir/tree/$path" ;;
		*) LINE=$line awk '/^\t\{ "/ && !done { print "\t" ENVIRON["LINE"]; done = 1 } { print }' "$dir/tree/$path" >"$dir/file" && cp "$dir/file" "$dir/tree/$path" ;;
		esac
		grep -qF "$line" "$dir/tree/$path" || fail "docs/adding.md: '$line' finds no place in $path"
	done < <(grep -oE '`(X\(foo\)|GT_FORM\(FOO,[^`]*\)|\{ "foo",[^`]*)` in `[^`]*`' "$section" | sed 's/^`\(.*\)` in `\(.*\)`$/\1|\2/')
}

# count KIND: compares the number of files with the promised one
count() {
	local promised new changed found
	promised=$(sed -n "s/^| $1 |.*| \([^|]*\) |\$/\1/p" "$page")
	new=$(git -C "$dir/tree" status --porcelain -uall | grep -c '^??' || true)
	changed=$(git -C "$dir/tree" status --porcelain -uall | grep -c '^ M' || true)
	found="$new new, $changed changed"
	[ "$promised" = "$found" ] || fail "docs/adding.md promises '$promised' for a $1, and it took $found: $(git -C "$dir/tree" status --porcelain -uall | tr '\n' ' ')"
}

# a wrong count must be found
: >"$dir/tree/one_more.c"
(count solver) >/dev/null && { echo "module.sh counts wrongly"; exit 2; }
rm "$dir/tree/one_more.c"

for module in "A solver|solver" "A regularizer|regularizer" "A kernel form|kernel form" "A file format|file format"; do
	add "${module%|*}"
	count "${module#*|}"
	commit "${module%|*}"
done
for rule in layers.sh words.sh; do
	bash "$dir/tree/tests/style/$rule" "$dir/tree" >"$dir/log" || ! grep '/foo' "$dir/log" || fail "the templates break tests/style/$rule"
done

# the kernel form is compiled if there is a compiler
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
[ -z "$nvcc" ] || "$nvcc" -std=c++17 -Wno-deprecated-gpu-targets -I "$dir/tree" -I "$dir/tree/include" -c -o "$dir/form.o" \
	"$dir/tree/analytic/fbp/back/foo_cuda.cu" >"$dir/log" 2>&1 || { cat "$dir/log"; fail "the kernel form does not compile"; }

# without optimisation, because compiling dominates
build=$dir/tree/build
launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
if ! { cmake -S "$dir/tree" -B "$build" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1 -DGANTRY_CUDA=OFF -DGANTRY_WERROR=ON "${launcher[@]}" &&
	cmake --build "$build" -j "$(nproc)" --target gantry test_solvers_resume test_solvers_memory_stated; } >"$dir/log" 2>&1; then
	tail -n 40 "$dir/log"
	fail "the tree with the templates does not build"
fi
gantry=$build/gantry
"$gantry" help solver foo | grep -q iterations || fail "gantry help does not know the new solver"
"$gantry" help penalty foo | grep -q strength || fail "gantry help does not know the new penalty"
"$gantry" help solver fdk | grep -q '^  kernel .*\[auto, plain, foo, ' || fail "gantry help does not know the new kernel form"
for test in resume memory_stated; do
	GT_BACKEND=cpu "$build/tests/test_solvers_$test" >"$dir/log" 2>&1 || { cat "$dir/log"; fail "test_solvers_$test does not pass with the new solver"; }
done

cd "$dir"
"$gantry" simulate --scanner ge-ct750hd --reduce 24 --phantom shepp-logan -o scan.nc >log
"$gantry" recon scan.nc -o descent.nc --solver foo:iterations=3 >log || { cat log; fail "the new solver does not reconstruct"; }
"$gantry" recon scan.nc -o penalized.nc --solver pcg:iterations=3 --penalty foo:strength=5 >log || { cat log; fail "the new penalty does not reconstruct"; }
"$gantry" convert descent.nc -o descent.foo >log || { cat log; fail "the new format does not write"; }
"$gantry" convert descent.foo -o again.nc >log || { cat log; fail "the new format does not read"; }
"$gantry" compare again.nc descent.nc --max 1e-6 >log || { cat log; fail "the new format changes the volume"; }
