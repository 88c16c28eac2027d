#!/bin/bash
# Each option of a command in the documents exists. Scans lines of code blocks and inline code that begin with "gantry COMMAND".
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/support/lib.sh"
command -v python3 >/dev/null || skip "no python3"

# unknown FILE...: prints the options that the help of their command does not list.
unknown() { python3 -B - "$gantry" "$@" <<'END'
import re, subprocess, sys

known = {}
def options(command):
    if command not in known:
        known[command] = set(re.findall(r"--[a-z][a-z0-9-]*", subprocess.run([sys.argv[1], "help", command], capture_output=True, text=True).stdout))
    return known[command]

count = 0
for path in sys.argv[2:]:
    inside = False
    text = open(path, encoding="utf-8").read().replace("\\\n", " ")
    for line in text.splitlines():
        inside ^= line.lstrip().startswith("```")
        for code in [line] if inside else re.findall(r"`([^`]*)`", line):
            for call in re.split(r"[|;&]", code):
                found = re.search(r"\bgantry ([a-z]+)(?![a-z:])(.*)", call)
                if not found or not options(found[1]):
                    continue
                given = re.findall(r"(?<!\S)(--[a-z][a-z0-9-]*)", found[2].partition("#")[0])
                count += len(given)
                for option in given:
                    if option not in options(found[1]):
                        print(f"{path}: {option}: unknown to gantry {found[1]}: {call.strip()}")
print(count, "options", file=sys.stderr)
END
}

cat >planted.md <<'END'
Inline `gantry recon a.nc --nowhere 3`.
```
gantry simulate --phantom box \
    --columns 3 --absent
gantry --version
```
gantry recon --free
END
found=$(unknown planted.md 2>/dev/null)
for text in "--nowhere: unknown to gantry recon" "--absent: unknown to gantry simulate"; do
	grep -qF -- "$text" <<<"$found" || fail "planted fault: $text"
done
[ "$(grep -c . <<<"$found")" = 2 ] || fail "planted faults: found '$found'"
found=$(unknown "$tree"/README.md "$tree"/docs/*.md "$tree"/docs/guide/*.md 2>count.txt)
[ -z "$found" ] || fail "$found"
holds "$(sed 's/ .*//' count.txt) > 300" "options of the documents"
finish
