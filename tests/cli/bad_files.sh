#!/bin/bash
# Invalid files are refused by name, with exit code 1 and without output. ncdump and ncgen make each from a valid one.
. "$(dirname "$0")/support/lib.sh"

ok simulate --scanner ge-ct750hd --phantom water-cylinder --views 12 --columns 16 --rows 4 --column-pitch 56 --row-pitch 16 -o good.nc
refused_bad() { # FILE TEXT: every command that reads a scan refuses it
	refused_output 1 "$2" recon "$1" --backend "$backend"
	grep -qF -- "$1" stderr.txt || fail "the message does not name $1: $(cat stderr.txt)"
	refused 1 "$2" info "$1"
	refused 1 "$2" adjoint "$1" --backend "$backend"
}

refused_output 1 "none.nc" recon none.nc
printf 'this is not a scan\n' >text.nc
refused_bad text.nc "not a file of a known format"
: >empty.nc
refused_bad empty.nc "empty"
size=$(stat -c %s good.nc)
for part in 10 50 95; do
	head -c $((size * part / 100)) good.nc >truncated.nc
	refused_bad truncated.nc "truncated.nc"
done

# A path that is not a regular file does not block.
mkfifo pipe
refused_output 1 "pipe: is not a regular file" recon good.nc --solver cgls --resume pipe
refused 1 "pipe: is not a regular file" rabbitct pipe
for thing in ./pipe /dev/zero; do
	refused_output 1 "cannot read the file of shapes: $thing: is not a regular file" simulate --phantom $thing
done

if ! command -v ncdump >/dev/null || ! command -v ncgen >/dev/null; then
	[ "$failures" -eq 0 ] || exit 1
	skip "ncdump and ncgen are not here"
fi
ncdump -p 9,17 good.nc >good.cdl

# change NAME SED-SCRIPT: makes NAME.nc from good.nc by editing its text, which must change.
change() {
	sed "$2" good.cdl >"$1.cdl"
	cmp -s good.cdl "$1.cdl" && fail "$1: the text was not changed"
	ncgen -4 -o "$1.nc" "$1.cdl" || fail "$1: ncgen failed"
}
change same 's/netcdf good/netcdf same/'
ok info same.nc
ok recon same.nc -o same-vol.nc --backend "$backend"

for variable in source detector column_axis row_axis; do
	change missing "s/\\b$variable\\b/other_$variable/g"
	refused_bad missing.nc "$variable"
done
change no_data 's/\bprojections\b/something/g'
refused_output 1 projections recon no_data.nc
change no_pitch 's/:column_pitch_mm/:some_pitch_mm/'
refused_bad no_pitch.nc column_pitch_mm
change negative 's/:row_pitch_mm = /:row_pitch_mm = -/'
refused_bad negative.nc row_pitch
change shape 's/detector_shape = "arc"/detector_shape = "bowl"/'
refused_bad shape.nc detector_shape

# Sizes: a detector dimension that differs from the data, and no views.
change swapped 's/projections(view, row, column)/projections(view, column, row)/'
refused_output 1 projections recon swapped.nc
change flat_source 's/double source(view, xyz)/double source(xyz, view)/'
refused_bad flat_source.nc source
sed '/^data:/,$d; s/view = 12 ;/view = UNLIMITED ;/' good.cdl >no_views.cdl
echo '}' >>no_views.cdl
ncgen -4 -o no_views.nc no_views.cdl || fail "no_views: ncgen failed"
refused_bad no_views.nc view

# Values: the first projection, and the first elements of vectors.
spoil() { # NAME VARIABLE NUMBERS: puts NUMBERS in place of the variable's first ones
	awk -v name="$2" -v with="$3" '
		BEGIN { n = split(with, w, " ") }
		$1 == name && $2 == "=" { on = 1; k = 0 }
		{
			line = $0
			if (on) {
				m = split(line, f, ",")
				line = ""
				for (i = 1; i <= m; i++) {
					if (k < n && f[i] ~ /[0-9]/) sub(/[-+0-9.eE]+/, w[++k], f[i])
					line = line f[i] (i < m ? "," : "")
				}
				if (k >= n) on = 0
			}
			print line
		}' good.cdl >"$1.cdl"
	cmp -s good.cdl "$1.cdl" && fail "$1: the text was not changed"
	ncgen -4 -o "$1.nc" "$1.cdl" || fail "$1: ncgen failed"
}
spoil nan projections NaN
refused_output 1 NaN recon nan.nc
spoil inf projections Infinity
refused_output 1 infinite recon inf.nc
spoil nan_source source NaN
refused_bad nan_source.nc source
spoil skew column_axis '0.6 0 0.8'
refused_bad skew.nc perpendicular
spoil long column_axis '1.5'
refused_bad long.nc "length 1.5"

# Volumes.
ok recon good.nc -o vol.nc --backend "$backend"
head -c 3000 vol.nc >cut.nc
refused 1 cut.nc info cut.nc
refused 1 cut.nc compare cut.nc vol.nc
refused 1 cut.nc view cut.nc -o out.png
nothing_left out.png "view of a truncated file"
finish
