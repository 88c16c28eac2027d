#!/bin/bash
# Packs all harnesses of readers as fuzzers with sanitizers (parsers would double the size), the corpora, the libraries and campaign.sh, for
# machines that have only a C library: tar xJf OUT && gantry-fuzz/fuzz.sh SECONDS PROCESSORS FOLDER. Usage: pack.sh BUILD OUT.tar.xz
set -euo pipefail
build=$(realpath -m "${1:?usage: pack.sh BUILD OUT.tar.xz}")
out=$(realpath -m "${2:?usage: pack.sh BUILD OUT.tar.xz}")
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../..")
mkdir -p "$build"
pack=$build/gantry-fuzz
sanitizers=address,undefined,float-cast-overflow,fuzzer-no-link
{
	CC=clang CXX=clang++ CFLAGS="-O1 -gline-tables-only" CXXFLAGS="-O1 -gline-tables-only" cmake -S "$root" -B "$build" -G Ninja \
		-DCMAKE_BUILD_TYPE=None -DGANTRY_CUDA=OFF -DGANTRY_FUZZ=ON -DGANTRY_SANITIZE=$sanitizers &&
		rm -rf "$pack" && mkdir -p "$pack/lib" "$pack/fuzzers" && "$here/one_program.sh" "$build" "$pack/fuzzers"
} >"$build/log" 2>&1 || { tail -20 "$build/log" >&2 && exit 1; }
"$here/sources.sh" "$root" >"$pack/fuzzers/sources"
cp -r "$here/corpus" "$here/words" "$here/leaks.txt" "$here/campaign.sh" "$pack/"
rm -rf "$pack/corpus"/parse_*
cp "$here/fuzz_alone.sh" "$pack/fuzz.sh"
# all but the C library and its loader
ldd "$pack/fuzzers/fuzzers" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
	grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so' | xargs cp -Lt "$pack/lib"
find /usr/share /etc -name 'dicom.dic' -exec cp {} "$pack/dicom.dic" \; 2>/dev/null
tar -C "$build" -c gantry-fuzz | nice -n 19 xz -T1 -6 >"$out"
ls -l "$out"
