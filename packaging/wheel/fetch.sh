#!/bin/bash
# fetch.sh FOLDER: brings the archives of sources.txt into FOLDER from the pool of Debian's mirror that this machine's apt knows (or $MIRROR, such as a
# snapshot), and holds each against its sum. The pool keeps a version for a while after its release has gone on to the next. An archive that is there and right stays.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
cd "$1"
right() { [ -f "$1" ] && echo "$2  $1" | sha256sum --quiet -c - 2>/dev/null; }

mirror=${MIRROR:-}
awk '!/^#/' "$here/sources.txt" | while read -r package file sum; do
	right "$file" "$sum" && continue
	mirror=${mirror:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | sort -u | grep -v security | head -1)}
	[ -n "$mirror" ] || { echo "fetch.sh: apt knows no mirror of Debian here: set MIRROR to the address of one" >&2; exit 1; }
	case $package in lib*) letter=${package:0:4} ;; *) letter=${package:0:1} ;; esac
	rm -f "$file"
	/usr/lib/apt/apt-helper -q -o APT::Sandbox::User=root download-file "${mirror%/}/pool/main/$letter/$package/$file" "$file" "SHA256:$sum" >fetch.log 2>&1 || true
	right "$file" "$sum" || { cat fetch.log >&2; echo "fetch.sh: $file cannot be had, or is another one than sources.txt tells: MIRROR may name a snapshot of Debian that has it" >&2; exit 1; }
done
