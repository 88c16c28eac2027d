#!/bin/bash
# make_compilers.sh PYTHON FOLDER: compilers of C and C++ for glibc 2.28, whatever the one of this machine is, in FOLDER/bin: Clang as the package
# ziglang of PYTHON's environment brings it, which knows the symbols of each glibc. Its C++ library is linked statically.
set -eu
[ $# = 2 ] || { echo "usage: $0 PYTHON FOLDER" >&2; exit 2; }
zig=$("$1" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
mkdir -p "$2/bin"
for tool in cc c++ ar ranlib; do
	# Undefined behaviour is looked for by the tests, not at users'; that a library tells its day does no harm.
	[ "$tool" = cc ] || [ "$tool" = c++ ] && options="-target x86_64-linux-gnu.2.28 -fno-sanitize=undefined -Wno-date-time" || options=
	# One that is there stays, so that ccache knows it again.
	text=$(printf '#!/bin/sh\nexec "%s" %s %s "$@"' "$zig" "$tool" "$options")
	[ -x "$2/bin/$tool" ] && [ "$(cat "$2/bin/$tool")" = "$text" ] || printf '%s\n' "$text" >"$2/bin/$tool"
	chmod +x "$2/bin/$tool"
done
