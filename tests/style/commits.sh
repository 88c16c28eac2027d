#!/bin/bash
# Messages of commits hold no path of one machine: from the commit named here on, history before it stays as it is.
# Usage: commits.sh ROOT [BUILD]; exits 2 if the check itself is broken.
set -u
base=493ed1e59734cda964fcd3edf0af4ab5b6cae023
cd "${1:?usage: commits.sh ROOT}" || exit 2
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "not a clone: nothing to ask git"; exit 77; }

# check BASE: prints the commits since then whose messages hold such a path.
check() {
	git log --format='%x01%h, %s%x02%B' "$1..HEAD" | awk '
		BEGIN { RS = "\001" }
		{
			split($0, part, "\002")
			n = split(part[2], line, "\n")
			for (i = 1; i <= n; i++)
				if (line[i] ~ "(^|[^A-Za-z0-9._/-])/(work|home|root|Users|tmp|mnt|data)/[A-Za-z0-9]") {
					print line[i]
					print "^ a path of one machine in the message of " part[1]
					bad = 1
				}
		}
		END { exit bad }'
}

self_test() {
	local dir start where=home
	dir=$(mktemp -d) || exit 2
	# shellcheck disable=SC2064
	trap "rm -rf '$dir'" EXIT
	(
		cd "$dir" && git init -q . || exit 2
		commit() { git -c user.name=test -c user.email=test@example.org -c commit.gpgsign=false commit -q --allow-empty -m "$1"; }
		commit "from /$where/someone/gantry, before the rule"
		start=$(git rev-parse HEAD)
		commit "apps/commands/home/recon.c and https://example.org/home/page are no such paths"
		check "$start" >/dev/null || { echo "commits.sh refuses a correct message"; exit 2; }
		commit "Faster

as measured in /$where/someone/gantry"
		commit "Later"
		check "$start" >/dev/null && { echo "commits.sh does not see a path in a message"; exit 2; }
		exit 0
	) || exit 2
}

self_test
git cat-file -e "$base^{commit}" 2>/dev/null || { echo "commit $base is not in this clone (a shallow one?)"; exit 77; }
check "$base"
