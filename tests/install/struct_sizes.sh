#!/bin/bash
# Sizes and offsets of all structs in the public headers equal struct_sizes.txt, because existing programs rely on them.
# Usage: struct_sizes.sh ROOT [BUILD]; struct_sizes.sh ROOT update writes the table again.
set -eu
root=${1:?usage: struct_sizes.sh ROOT [BUILD|update]}
table=$root/tests/install/struct_sizes.txt
command -v readelf >/dev/null || { echo "no readelf"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "the table is of x86_64"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

echo '#include <gantry/gantry.h>' >"$dir/all.c"
${CC:-cc} -std=c11 -g -gdwarf-4 -O0 -fno-eliminate-unused-debug-types -I "$root/include" -c "$dir/all.c" -o "$dir/all.o" 2>"$dir/log" ||
	${CC:-cc} -std=c11 -g -gdwarf-4 -fstandalone-debug -fno-eliminate-unused-debug-types -I "$root/include" -c "$dir/all.c" -o "$dir/all.o"

# entries of the debugging information: structs with size, members with offset and type, typedefs of structs
readelf --debug-dump=info "$dir/all.o" | awk '
	function flush() {
		if (tag == "structure_type" && size != "") { struct_size[id] = size; if (name != "") struct_name[id] = name }
		if (tag == "member" && parent != "" && name != "") members[parent] = members[parent] " " name "@" offset
		if (tag == "typedef" && name != "") typedef_of[type] = name
		tag = ""
	}
	/^ *<[0-9a-f]+><[0-9a-f]+>:/ {
		flush()
		match($0, /<[0-9a-f]+><[0-9a-f]+>/); split(substr($0, RSTART + 1, RLENGTH - 2), at, "><")
		id = at[2]; depth = at[1]; name = size = offset = type = ""
		if (match($0, /DW_TAG_[a-z_]+/)) tag = substr($0, RSTART + 7, RLENGTH - 7)
		if (tag == "structure_type" || tag == "union_type") { open[depth] = id }
		parent = depth > 0 ? open[depth - 1] : ""
		next
	}
	/DW_AT_name/ { name = $NF }
	/DW_AT_byte_size/ { size = $NF }
	/DW_AT_data_member_location/ { offset = $NF }
	/DW_AT_type/ { type = $NF; gsub(/[<>]|0x/, "", type) }
	END {
		flush()
		for (id in struct_size) {
			n = id in typedef_of ? typedef_of[id] : "struct " struct_name[id]
			if (n ~ /^(struct )?gt_/) print n " " struct_size[id] ":" members[id]
		}
	}' | LC_ALL=C sort >"$dir/found"
[ "$(wc -l <"$dir/found")" -gt 20 ] || { echo "only $(wc -l <"$dir/found") structs were found"; exit 1; }
grep -q '^gt_grid [0-9]*: n@0 pitch@24 center@48$' "$dir/found" || { echo "gt_grid is not understood: $(grep '^gt_grid ' "$dir/found")"; exit 1; }
if [ "${2:-}" = update ]; then
	cp "$dir/found" "$table"
	exit
fi
diff -u "$table" "$dir/found" || {
	echo "a public struct changed: programs built with the last headers break. Take a new soname (CMakeLists.txt), then: $0 $root update"
	exit 1
}
