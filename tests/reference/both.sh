#!/bin/bash
# Runs one command with two versions of Gantry and compares what they leave; stands for the command in the scripts of tests/cli.
# Usage, by compare_binaries.sh alone: both.sh gantry|runner ARGUMENTS, with REFERENCE_* set.
# The new version runs in a copy of the script's folder, then the old one where it is: the script sees the old one alone.
set -u
path=$PATH PATH=$REFERENCE_PATH
kind=$1
shift
state=$REFERENCE_STATE
arguments=("$@")
started=$EPOCHREALTIME

# The number of threads, where the command takes one and was given none.
set_threads() {
	local i given=0
	[ "${GT_RABBITCT_BACKEND:-}" != cpu ] || export GT_RABBITCT_BACKEND=cpu:$REFERENCE_THREADS
	[ "$kind" = gantry ] && [ ${#arguments[@]} -gt 0 ] || return
	for ((i = 0; i < ${#arguments[@]}; i++)); do
		case ${arguments[i]} in
		--backend) [ "${arguments[i + 1]:-}" != cpu ] || arguments[i + 1]=cpu:$REFERENCE_THREADS ;;
		--backend=cpu) arguments[i]=--backend=cpu:$REFERENCE_THREADS ;;
		esac
		case ${arguments[i]} in --backend* | --threads* | -h | --help) given=1 ;; esac
	done
	local command=${arguments[0]} help=$state/help-${arguments[0]//[!a-z]/_} option
	[ $given -eq 0 ] && [ "$command" != help ] || return
	[ -e "$help" ] || "$REFERENCE_OLD" help "$command" >"$help" 2>/dev/null </dev/null
	for option in "--backend cpu:" "--threads "; do
		grep -q -- " ${option%% *} " "$help" || continue
		arguments=("$command" "${option%% *}" "${option#* }$REFERENCE_THREADS" "${arguments[@]:1}")
		return
	done
}

# Why two runs cannot be compared, if so. A shell gives what is in the background no input, or, with job control, a group of its own;
# so does timeout: such runs are killed halfway.
reason() {
	local stat group
	read -r stat <"/proc/$$/stat"
	read -r _ _ group _ <<<"${stat##*) }"
	if [ "$(readlink /proc/$$/fd/0)" = /dev/null ] || [ "$group" != "$REFERENCE_GROUP" ]; then
		echo "in the background, or with a limit of time"
	elif [ "$(readlink /proc/$$/fd/1)" = /dev/full ]; then
		echo "its output is full"
	elif [ "$(ulimit -f)" != unlimited ]; then
		echo "with a limit on files"
	elif [[ $PWD/ != "$TMPDIR"/*/* ]]; then
		echo "not in the script's folder"
	elif [ "$kind" = runner ] && [ ! -e "$REFERENCE_NEW_MODULE" ]; then
		echo "the new version has no module for RabbitCT"
	fi
}

# Whether a strength of the penalty is found: its transform may round in another way.
finds_strength() {
	local i word
	for ((i = 0; i < ${#arguments[@]}; i++)); do
		word=${arguments[i]}
		case $word in --penalty | --quality | --preset) word=$word=${arguments[i + 1]:-} ;; esac
		case $word in
		--quality=iterative | --preset=iterative) return 0 ;;
		--penalty=*noise=* | --penalty=*=auto*) return 0 ;;
		--penalty=*) [[ $word =~ strength=[-+0-9.e]+(,|$) ]] || return 0 ;;
		esac
	done
	[ "${arguments[*]:0:2}" = "study iterative" ]
}

report() { printf '%s  %s: %s %s\n' "$1" "$REFERENCE_SCRIPT" "$kind" "${arguments[*]}" | tr '\n' ' ' >>"$state/report"; echo >>"$state/report"; }
log() { printf '%s\n' "$*" >>"$state/log"; }
listing() { find "$1" ! -type d -printf '%P\t%s %T@ %i %l\n' | sort; }

[ -z "$REFERENCE_THREADS" ] || set_threads
old=("$REFERENCE_OLD" "${arguments[@]}") new=("$REFERENCE_NEW" "${arguments[@]}")
if [ "$kind" = runner ]; then
	old=("$REFERENCE_RUNNER" "$REFERENCE_OLD_MODULE" "${arguments[@]:1}")
	new=("$REFERENCE_RUNNER" "$REFERENCE_NEW_MODULE" "${arguments[@]:1}")
fi
why=$(reason)
if [ -n "$why" ]; then
	report "skipped    ($why)"
	PATH=$path exec "${old[@]}"
fi

within=${PWD#"$TMPDIR"/}
root=$TMPDIR/${within%%/*} box=$state/box
below=${PWD#"$root"}
streams=$(for fd in 1 2; do readlink /proc/$$/fd/$fd; done | sed "s|^$root/||")
[ ! -e "$box" ] || { chmod -R u+w "$box" && rm -rf "$box"; }
cp -a --reflink=auto "$root" "$box" || exit 2
listing "$root" >"$state/old.before"
listing "$box" >"$state/new.before"
(cd "$box$below" && PATH=${path//"$root"/"$box"} "${new[@]//"$root"/"$box"}" </dev/null >"$state/new.out" 2>"$state/new.err")
new_code=$?
PATH=$path "${old[@]}" >"$state/old.out" 2>"$state/old.err"
old_code=$?
listing "$root" >"$state/old.after"
listing "$box" >"$state/new.after"

# same_file NAME: the arrays; adds to the counts, and to the log if they differ.
same_file() {
	local limit=() name=$1
	if [ ! -e "$root/$name" ] || [ ! -e "$box/$name" ]; then
		[ ! -e "$root/$name" ] && [ ! -e "$box/$name" ] && return
		log "$name: only one version left it"
		return 1
	fi
	# Measured times and their figures differ; tables and arrays of a study must not.
	case ${arguments[0]}:$name in bench:* | study:*.png | recon:*.png | study:*about.csv | study:*limits.csv) return 0 ;; esac
	"$REFERENCE_HASH" "$root/$name" >"$state/old.hash" 2>&1
	local read=$?
	"$REFERENCE_HASH" "$box/$name" >"$state/new.hash" 2>&1 || read=1
	[ $read -eq 0 ] || { log "$name: cannot be read: $(cat "$state/old.hash" "$state/new.hash" | head -3)"; return 1; }
	arrays=$((arrays + $(wc -l <"$state/old.hash")))
	if [ $near -eq 1 ]; then
		limit=(--near 1e-6)
		"$REFERENCE_HASH" "${limit[@]}" "$root/$name" "$box/$name" >>"$state/log"
		return
	fi
	diff --label "old/$name" --label "new/$name" "$state/old.hash" "$state/new.hash" >>"$state/log"
}

# same_text NAME: what the file tells of itself.
same_text() {
	[ -e "$root/$1" ] && [ -e "$box/$1" ] || return 0
	case ${arguments[0]} in bench | study) return 0 ;; esac
	diff --label "old/$1" --label "new/$1" <("$REFERENCE_HASH" --metadata "$root/$1") <("$REFERENCE_HASH" --metadata "$box/$1") >>"$state/log"
}

# timeless FILE: what was said, but for times, speeds and the name of the folder.
timeless() { sed -E "s|$box|$root|g; s/[0-9.]+ (s|ms|GB|GUPS|\\(10\^9)\\b/- \\1/g; s/(, about )?- s left//; s/\"((seconds|gups|ms)[a-z0-9_]*)\":[^,]*/\"\\1\"/g" "$1"; }

verdict=same arrays=0 files=0 text=same said=same near=0
[ -z "$REFERENCE_ALLOW" ] || ! finds_strength || near=1
: >"$state/log"
[ $old_code -eq $new_code ] || verdict=DIFFERENT
while IFS= read -r name; do
	grep -qxF -- "$name" <<<"$streams" && continue
	files=$((files + 1))
	same_file "$name" || verdict=DIFFERENT
	[ $near -eq 1 ] || same_text "$name" || text=differs
done < <({ comm -3 "$state/old.before" "$state/old.after" && comm -3 "$state/new.before" "$state/new.after"; } | sed 's/^\t//' | cut -f 1 | sort -u)
for stream in out err; do
	diff --label "old/std$stream" --label "new/std$stream" <(timeless "$state/old.$stream") <(timeless "$state/new.$stream") >>"$state/log" || said=differs
done
[ $near -eq 0 ] || verdict="$verdict (near)"
report "$verdict  exit $old_code/$new_code  files $files  arrays $arrays  text $text  said $said  $(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $started }") s"
if [ -s "$state/log" ]; then
	{
		printf '\n== %s: %s\n' "$(tail -n 1 "$state/report")" "in ${PWD#"$TMPDIR"}"
		head -n 60 "$state/log"
	} >>"$state/differences"
fi
cat "$state/old.out"
cat "$state/old.err" >&2
exit $old_code
