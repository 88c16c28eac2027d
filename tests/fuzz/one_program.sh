#!/bin/bash
# Builds all harnesses of readers as one program with a name for each, from the modules that readers need: half the build time, one link,
# and a twentieth of the size. BUILD is configured with Ninja, as by ./run fuzz; $link_with is linked too. Usage: one_program.sh BUILD OUT
set -euo pipefail
build=$(realpath "${1:?usage: one_program.sh BUILD OUT}")
out=$(realpath -m "${2:?usage: one_program.sh BUILD OUT}")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
mapfile -t names < <(find "$here" -name 'read_*.c' -o -name 'made_*.c' | sort | sed 's#.*/##; s#\.c$##')
mapfile -t mutators < <(cd "$here" && grep -l '^size_t LLVMFuzzerCustomMutator(' "${names[@]/%/.c}" | sed 's#\.c$##')
targets=$(ninja -C "$build" -t targets all | sed -n 's/: [A-Z]*_COMPILER.*//p')
mapfile -t rooms < <(grep -E 'gantry_objects\.dir/(core|geometry|io|phantoms|analytic/consistency)/.*\.o$' <<<"$targets")
mapfile -t harnesses < <(for name in "${names[@]}"; do grep -E "fuzz_$name\.dir/.*\.o\$" <<<"$targets"; done)
ninja -C "$build" "${rooms[@]}" "${harnesses[@]}" >"$build/one_program.log" 2>&1 || { tail -20 "$build/one_program.log" >&2 && exit 1; }
rm -f "$build/libreaders.a"
(cd "$build" && ar qc libreaders.a "${rooms[@]}")
{
	echo '#include <stdlib.h>'
	echo '#include <string.h>'
	echo '#include "io/probe.h"'
	echo '#include "tests/fuzz/fuzz.h"'
	echo 'typedef int harness(const uint8_t *data, size_t size);'
	printf 'harness of_%s;\n' "${names[@]}"
	echo 'typedef size_t mutator(uint8_t *data, size_t size, size_t most, unsigned seed);'
	printf 'mutator changes_%s;\n' "${mutators[@]}"
	echo 'static harness *chosen;'
	echo 'static mutator *changes;'
	echo 'static int made;'
	echo 'int LLVMFuzzerInitialize(int *count, char ***words);'
	echo 'int LLVMFuzzerInitialize(int *count, char ***words) {'
	echo '	const char *slash = strrchr((*words)[0], 47), *name = slash ? slash + 1 : (*words)[0];'
	echo '	(void)count; made = !strncmp(name, "made_", 5);'
	for name in "${names[@]}"; do echo "	if (!strcmp(name, \"$name\")) chosen = of_$name;"; done
	for name in "${mutators[@]}"; do echo "	if (!strcmp(name, \"$name\")) changes = changes_$name;"; done
	echo '	if (!chosen) abort();'
	echo '	return 0; }'
	echo 'int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return chosen(data, size); }'
	echo 'size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {'
	echo '	return changes ? changes(data, size, most, seed) : LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size; }'
	echo 'gt_status __real_gt_probe(const char *path, const char *library, gt_probe_walk walk);'
	echo 'gt_status __wrap_gt_probe(const char *path, const char *library, gt_probe_walk walk);'
	echo 'gt_status __wrap_gt_probe(const char *path, const char *library, gt_probe_walk walk) { return made ? GT_OK : __real_gt_probe(path, library, walk); }'
} >"$work/choose.c"
objects=()
for name in "${names[@]}"; do
	objcopy --redefine-sym LLVMFuzzerTestOneInput="of_$name" --redefine-sym __wrap_gt_probe="trial_$name" \
		--redefine-sym LLVMFuzzerCustomMutator="changes_$name" \
		"$build/tests/CMakeFiles/fuzz_$name.dir/fuzz/$name.c.o" "$work/$name.o"
	objects+=("$work/$name.o")
done
cd "$build"
clang -g0 -I"$here/../.." -I"$here/../../include" -c "$work/choose.c" -o "$work/choose.o"
link=$(ninja -t commands "tests/fuzz_${names[0]}" | tail -1)
link=${link/ tests\/CMakeFiles\/fuzz_${names[0]}.dir\/fuzz\/${names[0]}.c.o / ${objects[*]} $work/choose.o -Wl,--wrap=gt_probe ${link_with:-} }
link=${link/ -o tests\/fuzz_${names[0]} / -o $out/fuzzers }
bash -c "${link/ libgantry_private.a / libreaders.a }"
for name in "${names[@]}"; do ln -sf fuzzers "$out/$name"; done
