#!/bin/bash
# The tables provide help for every command, solver and projector.
. "$(dirname "$0")/support/lib.sh"

ok help
commands=$(awk '/^  [a-z]/ { print $1 }' <<<"$out")
for group in Reconstruct Inspect Convert Check Measure; do
	grep -q "^$group" <<<"$out" || fail "help has no group $group"
done
for command in simulate import info project backproject recon compare convert view adjoint bench devices help; do
	grep -qx $command <<<"$commands" || fail "help does not list $command"
	ok help $command
	says "gantry $command"
	says "--help"
	ok $command --help
done
ok help solver
solvers=$out
while read -r solver _; do
	ok help solver "$solver"
	says "$solver"
	ok help "$solver"
	says "$solver"
done <<<"$solvers"
# Topics in the plural; automatic strengths.
ok help grid
says "--voxel LENGTH"
ok -V
says "commit"
refused 2 "unknown command 'reconstruct': did you mean 'recon'" reconstruct
refused 2 "unknown parameter 'iters': did you mean 'iterations'" recon none.nc -o out.nc --solver sirt:iters=3
ok help solvers
[ "$out" = "$solvers" ] || fail "help solvers is not help solver: $out"
ok help penalties
ok help penalty huber
says "strength=auto"
ok help penalty piccs
says "needs strength=NUMBER"
refused 2 "did you mean 'solver'" help solvrs
ok help solver os-sart
says "--solver os-sart:iterations="
ok help projector dd
says "--projector dd:memory="
ok help format
for format in netcdf metaimage nifti dicom-ct-pd; do
	says "$format "
done
ok help nifti
says "NIfTI"
refused 2 "unknown format 'nifty': did you mean 'nifti'" help format nifty
ok help weights
says "photons    inverse variance"
says "electronic"
for kind in auto uniform file photons noise; do
	ok help weights $kind
	says "$kind "
done
refused 2 "unknown weights 'nose': did you mean 'noise'" help weights nose
ok help preset
says "--solver os-sqs:iterations="
ok help preset fast
says "analytic method"
refused 2 "unknown preset 'fats': did you mean 'fast'" help preset fats
refused 2 "did you mean 'preset'" help prest
ok help preset
presets=$out
ok help quality # as the version before has it
[ "$out" = "$presets" ] || fail "help quality is not help preset: $out"
ok help recon
says "--preset none|fast|iterative"
if grep -qE -- "--(quality|margin)" <<<"$out"; then fail "help shows old names: $out"; fi
ok help simulate
says ge-ct750hd
says forbild-head
ok --version
says gantry
says CUDA
ok devices
says cpu
ok devices --json
holds "$(value total_bytes) > 0"
refused 2 "" # no command at all
# Manual pages and bash completion.
ok help --man
says "gantry\\-recon (1)"
for command in $commands; do
	ok help "$command" --man
	says ".TH GANTRY-$(tr '[:lower:]' '[:upper:]' <<<"$command") 1"
	says "\\-\\-help"
	command -v groff >/dev/null && { warned=$(groff -ww -man -T utf8 <<<"$out" 2>&1 >/dev/null) || fail "groff: $warned"; [ -z "$warned" ] || fail "groff on $command: $warned"; }
done
refused 2 "'recno' is not a command" help recno --man
# Reference pages list the same number of options as the help, in Markdown.
for command in $commands; do
	ok help "$command"
	options=$(sed '/-h, --help/q' <<<"$out" | grep -cE '^ {2,6}(-[a-z], )?--[a-z]')
	ok help "$command" --markdown
	says "# gantry $command"
	[ "$(grep -cE '^[^ ].*--[a-z-]+.*\{#[a-z-]+\}$' <<<"$out")" -eq "$options" ] || fail "help $command --markdown has not $options options: $out"
done
ok help solver sirt
plain=$out
ok help solver sirt --markdown
[ "$(sed '2,3d; $d' <<<"$out")" = "# gantry help solver sirt"$'\n'"$plain" ] || fail "help solver sirt --markdown: $out"
ok help weights --markdown
says "# gantry help weights"
refused 2 "did you mean 'sirt'" help solver sirtt --markdown
[ -z "$out" ] || fail "a page of nothing: $out"
refused 2 "--markdown: expected a command" help --markdown
refused 2 "--markdown: 'recno' is not a command" help recno --markdown
refused 2 "cannot be combined" help recon --markdown --man
refused 2 "cannot be combined" help --man --complete bash
ok help --complete bash
complete_by() {
	bash -c 'source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gantry; echo "${COMPREPLY[@]}"' _ "$@" <<<"$out"
}
[ "$(complete_by gantry re)" = recon ] || fail "gantry re: $(complete_by gantry re)"
[ "$(complete_by gantry recon --checkp)" = --checkpoint ] || fail "--checkp: $(complete_by gantry recon --checkp)"
[ "$(complete_by gantry recon --preset it)" = iterative ] || fail "--preset it: $(complete_by gantry recon --preset it)"
[ -z "$(complete_by gantry recon scan)" ] || fail "a file is completed as a word"

finish
