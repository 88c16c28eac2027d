#!/bin/bash
# The installed tree is usable: every public header alone in C and C++, the example of docs/guide/from-c.md by CMake and by pkg-config, an
# operator from outside the tree, no private files, one version everywhere, the command in the build tree. Usage: package.sh ROOT BUILD
set -eu
root=${1:?usage: package.sh ROOT BUILD} build=${2:?usage: package.sh ROOT BUILD}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }

version=$(sed -n 's/^project(gantry VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
[ -n "$version" ] || fail "CMakeLists.txt tells no version"

cmake --install "$build" --prefix "$dir/usr" >"$dir/log"
include=$dir/usr/include
diff <(cd "$include" && find . -type f | sort) <(cd "$root/include" && find . -type f | sort) >"$dir/log" ||
	{ cat "$dir/log"; fail "what is installed in include/ is not what the tree has there"; }
(cd "$include" && find gantry -name '*.h') >"$dir/headers"
[ -s "$dir/headers" ] || fail "no header was installed"
strict=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$include")
while read -r header; do
	printf '#include <%s>\nextern int something;\n' "$header" | ${CC:-cc} -std=c11 "${strict[@]}" -x c - || fail "$header does not stand alone in C"
	printf '#include <%s>\nextern int something;\n' "$header" | ${CXX:-c++} -std=c++17 "${strict[@]}" -x c++ - ||
		fail "$header does not stand alone in C++"
	[ "$header" = gantry/gantry.h ] || grep -q "<$header>" "$include/gantry/gantry.h" || fail "gantry.h does not include $header"
done <"$dir/headers"

# the example of docs/guide/from-c.md is its ```c block
mkdir "$dir/user"
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$root/docs/guide/from-c.md" >"$dir/user/example.c"
[ -s "$dir/user/example.c" ] || fail "docs/guide/from-c.md holds no example in C"
cat >"$dir/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.24)
project(user C)
find_package(gantry $version REQUIRED)
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

# An operator and a penalty from outside the tree.
# shellcheck disable=SC2046
${CC:-cc} -std=c11 -Wall -Wextra -Werror "$root/tests/install/own_operator.c" -o own-operator $(pkg-config "${flags[@]}" gantry) -lm ||
	fail "own_operator.c does not build against the installed headers"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir gantry) ./own-operator || fail "an operator of one's own does not work"

[ "$(pkg-config --modversion gantry)" = "$version" ] || fail "pkg-config says version $(pkg-config --modversion gantry), CMakeLists.txt $version"
case "$("$gantry" --version)" in
"gantry $version"*) ;;
*) fail "the command says $("$gantry" --version), CMakeLists.txt $version" ;;
esac
[ "$(sed -n 's/^## [^0-9]*\([0-9.]*\).*/\1/p' "$root/CHANGELOG.md" | head -n 1)" = "$version" ] || fail "CHANGELOG.md does not begin with version $version"
grep -q "^The version is $version:.*libgantry\.so\.${version%.*}" <(tr '\n' ' ' <"$root/docs/compatibility.md" | sed 's/The version is/\nThe version is/') ||
	fail "docs/compatibility.md is not that of $version"
grep -q "^  version: \"$version\"$" "$root/packaging/conda/recipe.yaml" || fail "packaging/conda/recipe.yaml is not that of $version"
for file in packaging/Containerfile.cpu packaging/Containerfile.cuda packaging/debian/try_packages.sh; do
	grep -q "libgantry${version%.*}_" "$root/$file" || fail "$file takes another package than libgantry${version%.*}"
done

# manual pages and completion are installed
while read -r command _; do
	[ -s "$dir/usr/share/man/man1/gantry-$command.1" ] || fail "no page of the manual was installed for gantry $command"
done < <("$gantry" help | grep '^  [a-z]')
grep -q "complete .*gantry" "$dir/usr/share/bash-completion/completions/gantry" || fail "no completion was installed"
[ -z "$(find "$dir/usr" -name libgantry.so)" ] || readelf -d "$(find "$dir/usr" -name libgantry.so)" | grep -q "SONAME.*libgantry\.so\.${version%.*}]" ||
	fail "the soname is not libgantry.so.${version%.*}"
[ -z "$(find "$dir/usr" -name libgantry.so)" ] || [ -n "$(find "$dir/usr" -name "libgantry.so.$version")" ] ||
	fail "the shared library is not called libgantry.so.$version"
