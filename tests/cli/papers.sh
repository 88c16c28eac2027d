#!/bin/bash
# Every command of docs/papers.md is one that the program accepts, and every heading that it names is in a report.
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/support/lib.sh"
page=$tree/docs/papers.md

# cells PAGE NUMBER: that column of the tables with five columns, without their heads.
cells() { awk -F'|' -v at="$(($2 + 1))" 'NF == 7 && $2 !~ /^ *(item|---)/ { gsub(/^ +| +$/, "", $at); print $at }' "$1"; }

# commands PAGE: the commands between backquotes of the second column.
# shellcheck disable=SC2016
commands() { cells "$1" 2 | sed -n 's/^`\(.*\)`$/\1/p' | sort -u; }

# runs WORD...: the command, without a GPU. It must not fail by its arguments: exit code 2 is allowed for an existing folder and for
# a build without CUDA alone.
runs() {
	CUDA_VISIBLE_DEVICES='' timeout 600 "$gantry" "$@" >out.txt 2>stderr.txt
	local code=$?
	[ $code -eq 0 ] || [ $code -eq 1 ] || { [ $code -eq 2 ] && grep -q 'already exists\|this build has no CUDA' stderr.txt; }
}

# value_of OPTION COMMAND: the word after --OPTION.
value_of() { sed -n "s/.* --$1 \([^ ]*\).*/\1/p" <<<"$2"; }

# accepted COMMAND: the program parses all of it. It ends at a folder that exists, a missing input or a missing GPU. Benchmarks run
# on a small problem, so that settings of methods are read too; their own problem is one that the help lists. A backend of a study
# takes part in a benchmark, and a search replays a log, because both are read late.
accepted() {
	local -a word
	local workload backend search
	mapfile -t word < <(xargs -n 1 <<<"$1")
	[ "${word[0]}" = gantry ] || return 1
	case ${word[1]} in
	study)
		mkdir -p "$(sed -n 's/.* -o \([^ ]*\).*/\1/p' <<<"$1")" logs || return 1
		backend=$(value_of backend "$1")
		[ -z "$backend" ] || runs bench --workload quick-arc --operation forward --every 40 --repeat 1 --backend "$backend" || return 1
		;;
	tune)
		search=$(value_of search "$1")
		[ -z "$search" ] || runs tune --replay log.txt --search "$search" --seeds 1 || return 1
		;;
	simulate) word+=(--reduce 40) ;;
	bench)
		workload=$(value_of workload "$1")
		grep -qw -- "$workload" help.txt && runs "${word[@]:1}" --backend cuda:0 || return 1
		read -ra word <<<"$(sed "s/--workload [^ ]*/--workload quick-flat/; s/--gpus [^ ]*//; s/--repeat [0-9]*/--repeat 1/" <<<"$1") --backend cpu:1"
		;;
	esac
	runs "${word[@]:1}"
}

# told HEADING: a report has this heading.
told() { grep -rqF "\"$1\"" "$tree"/apps/study --include='*.c'; }

self_test() {
	for wrong in 'gantry study accuraccy -o wrong' 'gantry study fdk -o wrong --cpu-reduce 2' 'gantry bench --workloads ge-hd' \
		'gantry bench --workload ge-hx --operation direct' 'gantry bench --workload ge-hd --operation direct --method fdk:kernal=ahead' \
		'gantry study accuracy -o wrong --backend cpuu' 'gantry tune --workload cube256 --search ants:as-publishedd' \
		'gantry recon geo.nc --out v.mhd' 'gantry tune --kernels fdk' 'gantry simulate --scanners ge' 'other study fdk -o wrong'; do
		accepted "$wrong" && fail "a wrong command is accepted: $wrong"
	done
	told "No such heading" && fail "a heading that no report has is found"
	# shellcheck disable=SC2016
	printf '%s\n' '| item | command | paper | Gantry | report |' '|---|---|---|---|---|' '| a | `gantry devices` | 1 | 2 | Times |' >rows.md
	[ "$(commands rows.md) $(cells rows.md 5)" = "gantry devices Times" ] || fail "cells: $(commands rows.md), $(cells rows.md 5)"
}

"$gantry" help bench >help.txt || fail "no help of bench"
printf '%s\n' '# gantry tune 1' '# kernel dd-forward' '# class rows=16' '# device A' '# driver 13000' '# built-in A=2' '# built-in-ms 3' '# layer A 1 2' \
	'3 ok A=2 | built-in 3 ms' '2 ok A=1 | built-in 3 ms' >log.txt
self_test
[ "$(commands "$page" | wc -l)" -ge 20 ] || fail "fewer than 20 commands in papers.md"
while read -r line; do
	accepted "$line" || fail "$line: $(cat stderr.txt)"
done < <(commands "$page")
while read -r heading; do
	told "$heading" || fail "no report has the section '$heading'"
done < <(cells "$page" 5 | grep . | sort -u)
# Commits of results are those of recorded measurements.
while read -r commit; do
	grep -rq "$commit" "$tree"/docs/measurements.md "$tree"/docs/measurements || fail "no measurement at commit $commit"
done < <(grep -oE '\b[0-9a-f]{7,8}\b' "$page" | grep '[a-f]' | sort -u)
# Figures of the README stand in the measurements.
while read -r figure; do
	grep -qE "(^|[^0-9.])$figure([^0-9.]|\.?\$|\.[^0-9])" "$tree/docs/measurements.md" || fail "README.md: $figure is not in docs/measurements.md"
done < <(sed -n '/^## How fast/,/^## Next/p' "$tree/README.md" | awk -F'|' 'NF == 4 { print $3 }' | grep -oE '[0-9]+(\.[0-9]+)?' | grep -vxE '[0-9]' | sort -u)
# Every row has a result, or a reason why there is none.
awk -F'|' 'NF == 7 && $2 !~ /^ *(item|---)/ && $5 ~ /^ *$/ && $4 !~ /definitions/' "$page" | grep . && fail "rows without a result"
finish
