#!/bin/bash
# The installed tree serves others: every public header alone in C and C++, the README's example by CMake package
# and by pkg-config, nothing private installed, the command where it was built. Usage: package.sh ROOT BUILD
set -eu
root=${1:?usage: package.sh ROOT BUILD} build=${2:?usage: package.sh ROOT BUILD}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }

cmake --install "$build" --prefix "$dir/usr" >"$dir/log"
include=$dir/usr/include/gantry
if find "$include" -name '*_impl.h' -o -name backend.h -o -name cuda.h -o -name '*_row.h' | grep .; then
	fail "private headers were installed"
fi
(cd "$include" && find . -name '*.h') | sed 's|^\./||' >"$dir/headers"
[ -s "$dir/headers" ] || fail "no header was installed"
while read -r header; do
	printf "#include <gantry/%s>\nextern int used;\n" "$header" | ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$dir/usr/include" -x c -fsyntax-only - ||
		fail "$header does not stand alone in C"
	printf "#include <gantry/%s>\nextern int used;\n" "$header" | ${CXX:-c++} -std=c++11 -Wall -Werror -I "$dir/usr/include" -x c++ -fsyntax-only - ||
		fail "$header does not stand alone in C++"
done <"$dir/headers"

# The example of README.md is the one in ```c.
mkdir "$dir/user"
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$root/README.md" >"$dir/user/example.c"
[ -s "$dir/user/example.c" ] || fail "README.md holds no example in C"
cat >"$dir/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.24)
project(user C)
find_package(gantry 0.1 REQUIRED)
add_executable(example example.c)
target_link_libraries(example PRIVATE gantry::gantry)
END
cmake -S "$dir/user" -B "$dir/user/build" -DCMAKE_PREFIX_PATH="$dir/usr" >"$dir/log" || { cat "$dir/log"; fail "find_package failed"; }
cmake --build "$dir/user/build" >"$dir/log" || { cat "$dir/log"; fail "the example does not build with the CMake package"; }
cd "$dir/user"
gantry=$dir/usr/bin/gantry
"$gantry" simulate --scanner ge-ct750hd --reduce 24 --phantom shepp-logan -o scan.nc
./build/example || fail "the example fails"
"$gantry" info vol.nc >"$dir/log" || fail "the example's volume cannot be read"
rm vol.nc

PKG_CONFIG_PATH=$(dirname "$(find "$dir/usr" -name gantry.pc)")
export PKG_CONFIG_PATH
flags=(--cflags --libs)
[ -n "$(find "$dir/usr" -name libgantry.so)" ] || flags+=(--static)
# shellcheck disable=SC2046
${CC:-cc} -std=c11 -Wall -Wextra -Werror example.c -o by-pkg-config $(pkg-config "${flags[@]}" gantry) || fail "the example does not build with pkg-config"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir gantry) ./by-pkg-config || fail "the example fails"
[ -s vol.nc ] || fail "the example wrote no volume"

"$gantry" --version | grep -q "^gantry $(pkg-config --modversion gantry)" || fail "command and package have different versions"
