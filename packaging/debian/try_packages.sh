#!/bin/bash
# Puts the packages of ./run package into a bare root of Debian, and works with them there as a stranger does: the command, its pages of the manual, its
# completion, a program against the headers by CMake and by pkg-config, and taking them out again.
# Usage: try_packages.sh [SUITE [MIRROR]], the mirror that apt knows; root calls it, mmdebstrap makes the root. Exit 77: it cannot be tried here.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
suite=${1:-bookworm} mirror=${2:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -1)}
skip() { echo "not tried: $*" && exit 77; }
[ "$(id -u)" -eq 0 ] || skip "only root can make a root folder and change to it"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not here: apt-get install mmdebstrap"
ls "$tree"/packages/*.deb >/dev/null || skip "no packages in packages/: ./run package makes them"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# Pages of the manual and documents stay out of small images by a rule of dpkg; here there is none.
mmdebstrap -q --variant=minbase --include=ca-certificates,man-db,bash-completion "$suite" "$root/root" "$mirror" || skip "$suite cannot be had from $mirror"
root=$root/root
mkdir "$root/try"
cp "$tree"/packages/*.deb "$tree/docs/guide/from-c.md" "$tree/tests/install/own_operator.c" "$root/try"
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" bash -eu -o pipefail -s <<'END'
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd /try
apt-get -qq update
apt-get -qq install --no-install-recommends ./libgantry0.2_*.deb ./gantry_*.deb ./gantry-doc_*.deb >/dev/null
gantry --version
gantry simulate --scanner ge-ct750hd --reduce 24 --phantom shepp-logan --photons 1e5 --seed 1 -o scan.nc --truth truth.nc --grid 36x36x4@14x14x13 -q
gantry recon scan.nc -o fdk.nc --like truth.nc -q
gantry recon scan.nc -o low.nii.gz --like truth.nc --preset iterative -q
gantry recon scan.nc -o slices.dicom/ --like truth.nc -q
gantry compare fdk.nc truth.nc
gantry view fdk.nc truth.nc -o look.html -q && gantry view fdk.nc -o fdk.png -q && test -s look.html -a -s fdk.png
for page in gantry gantry-recon gantry-help; do
	man "$page" | grep -q "^SYNOPSIS"
done
bash -ic '. /usr/share/bash-completion/bash_completion; _load_completion gantry 2>/dev/null || . /usr/share/bash-completion/completions/gantry; complete -p gantry' 2>/dev/null | grep _gantry
test -s /usr/share/doc/gantry/html/index.html -a -s /usr/share/doc/gantry/html/reference/commands/recon.html
apt-get -qq install --no-install-recommends ./libgantry-dev_*.deb gcc libc6-dev cmake make pkg-config >/dev/null
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' from-c.md >example.c
gcc -std=c11 -Wall -Wextra -Werror example.c -o example $(pkg-config --cflags --libs gantry) && ./example && gantry info vol.nc >/dev/null
gcc -std=c11 -Wall -Wextra -Werror own_operator.c -o own $(pkg-config --cflags --libs gantry) -lm && ./own
printf '%s\n' 'cmake_minimum_required(VERSION 3.24)' 'project(user C)' 'find_package(gantry 0.2 REQUIRED)' 'add_executable(example example.c)' \
	'target_link_libraries(example PRIVATE gantry::gantry)' >CMakeLists.txt
cmake -B by-cmake >/dev/null && cmake --build by-cmake >/dev/null && rm vol.nc && ./by-cmake/example && test -s vol.nc
apt-get -qq -y purge gantry gantry-doc libgantry-dev libgantry0.2 >/dev/null
test ! -e /usr/bin/gantry
test -z "$(find /usr -name '*gantry*')"
echo "the packages go in, work and go out"
END
