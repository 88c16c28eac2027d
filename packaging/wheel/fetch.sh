#!/bin/bash
# fetch.sh FOLDER: brings the archives of sources.txt into FOLDER, as Debian 13 keeps them, from the mirror that this machine's apt knows (or $MIRROR), and
# holds each against its sum. An archive that is there and right stays.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
cd "$1"
right() { [ -f "$1" ] && echo "$2  $1" | sha256sum --quiet -c - 2>/dev/null; }

apt=(apt-get -qq -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt"
	-o APT::Sandbox::User=root)
ready=
prepare() {
	[ -z "$ready" ] || return 0
	ready=1
	local mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | sort -u | grep -v security | head -1)}
	mkdir -p apt/lists/partial
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:?no mirror of Debian: set MIRROR} trixie main" >apt/sources.list
	"${apt[@]}" update
}
awk '!/^#/' "$here/sources.txt" | while read -r package file sum; do
	right "$file" "$sum" && continue
	prepare
	# Only the archive is wanted: that a file beside it is not to be had does not matter.
	"${apt[@]}" source --download-only --only-source "$package" 2>fetch.log || true
	right "$file" "$sum" || { cat fetch.log >&2; echo "fetch.sh: $file cannot be had, or is another one than sources.txt tells" >&2; exit 1; }
done
