#!/bin/bash
# Filtered backprojection by slabs equals the whole run, from file to file, within the given memory; faults leave no file.
. "$(dirname "$0")/support/lib.sh"

scan=(simulate --scanner ge-ct750hd --detector flat --reduce 16 --rows 24 --views 90 --phantom forbild-head --rays 1)
ok "${scan[@]}" -o scan.nc
grid=(--grid "61x57x37@4.3x4.4x4.1+3,-2,5")
recon=(recon scan.nc "${grid[@]}" --backend "$backend" --quiet)
little=(--device-memory 500KiB)

# same OPTIONS...: by slabs as a whole.
same() {
	ok "${recon[@]}" "$@" -o whole.nc
	ok "${recon[@]}" "$@" "${little[@]}" -o slabs.nc --json
	says '"cut"'
	holds "$(value slabs) > 2" "slabs of $*"
	holds "$(value rows) < 24" "rows of $*"
	holds "$(value device_peak_bytes) <= 512000" "memory of $*"
	holds "$(value device_peak_bytes) == $(value device_bytes)" "planned and used memory of $*"
	ok compare slabs.nc whole.nc --rmse 1e-7
}
if [ "$backend" != cpu ]; then
	# Twice the minimum memory of a device.
	refused 1 "one slice and one view at a time, needs" "${recon[@]}" --device-memory 10kB -o whole.nc
	least=$(sed -n 's/.*needs \([0-9.]*\) MiB on.*/\1/p' stderr.txt)
	little=(--device-memory "$(awk "BEGIN { print $least * 2 }")MiB")
fi
if [ "$backend" = cpu ]; then
	same --solver fdk:filter=hann
	same --no-overlap
	little=(--device-memory 1MiB)
	ok "${recon[@]}" --precision double -o whole.nc
	ok "${recon[@]}" --precision double "${little[@]}" -o slabs.nc --json
	holds "$(value slabs) > 1" "slabs in double precision"
	ok compare slabs.nc whole.nc --rmse 1e-8
fi

# Into a folder: integers make it a TIFF folder.
ok "${recon[@]}" -o whole.tif --number u16 --range 0:0.05
ok "${recon[@]}" "${little[@]}" -o slices/ --number u16 --range 0:0.05 --json
holds "$(value slabs) > 1" "slabs into a folder"
ok compare slices/ whole.tif --max 1e-6mm-1

# Projections of later slabs: from memory, from a scratch file, read again.
mkdir scratch
ok "${recon[@]}" "${little[@]}" -o slabs.nc --json
says '"kept":	"memory"'
for where in memory scratch no; do
	ok "${recon[@]}" "${little[@]}" --keep $where --scratch scratch -o kept.nc --json
	says "\"kept\":	\"$where\""
	ok compare kept.nc slabs.nc --rmse 0
done
[ -z "$(ls -A scratch)" ] || fail "a scratch file stays: $(ls -A scratch)"
refused_output 1 "--scratch=nowhere: No such file" "${recon[@]}" "${little[@]}" --keep scratch --scratch nowhere
refused_output 2 "--keep=scratch: expected --scratch FOLDER for its file" "${recon[@]}" "${little[@]}" --keep scratch
refused_output 2 "--keep: only for reconstruction by slabs, and 'cgls' computes all at once" recon scan.nc "${grid[@]}" --solver cgls --keep memory
refused_output 2 "--no-overlap: only for reconstruction by slabs, and '--preset iterative'" recon scan.nc "${grid[@]}" --preset iterative --no-overlap

# Other files: two of MetaImage, in HU; the grid of a volume; projections in a separate file.
ok "${recon[@]}" --unit HU -o whole.mhd
ok "${recon[@]}" --unit HU -o slabs.mhd "${little[@]}"
cmp <(grep -v Gantry whole.mhd | sed s/whole/x/) <(grep -v Gantry slabs.mhd | sed s/slabs/x/) || fail "heads of MetaImage differ"
ok compare slabs.mhd whole.mhd --rmse 1e-7mm-1
ok recon scan.nc --like whole.mhd --backend "$backend" --unit HU -o like.mha "${little[@]}" --no-overlap
ok compare like.mha whole.mhd --rmse 1e-7mm-1
ok simulate --scanner ge-ct750hd --detector flat --columns 61 --rows 57 --views 37 --column-pitch 16 --row-pitch 4 --geometry-only -o geometry.nc
sed 's/^TransformMatrix.*/TransformMatrix = 1 0 0 0 1 0 0 0 1/' whole.mhd >views.mhd
other=(recon geometry.nc --data views.mhd --force --grid 41x43x29@6x6x4 --backend "$backend" --quiet)
ok "${other[@]}" -o a.nc
ok "${other[@]}" "${little[@]}" -o b.nc
ok compare b.nc a.nc --rmse 1e-3
refused 1 "key DimSize: is 61 57 37, expected the scan's" recon scan.nc --data views.mhd -o c.nc
refused 1 "the geometry alone" recon geometry.nc -o c.nc "${little[@]}"

# Plans and limits.
ok "${recon[@]}" "${little[@]}" --dry-run --json
holds "$(value device_bytes) <= 1.1e6 || \"$backend\" != \"cpu\""
refused_output 1 "one slice and one view at a time, needs" "${recon[@]}" --device-memory 10kB
refused_output 1 "(--host-memory)" "${recon[@]}" --host-memory 1MiB
# The stated minimum works; another run of the process is slightly larger.
refusal=$(cat stderr.txt)
device=$(sed -n 's/.*needs \([0-9.]*\) MiB on.*/\1/p' stderr.txt)
host=$(sed -n 's/.* and \([0-9]*\) MiB of host memory.*/\1/p' stderr.txt)
ok "${recon[@]}" --device-memory "${device}MiB" --host-memory "$((host + 4))MiB" --dry-run --json
holds "$(value slices) == 1"
# Refusals, plans and limits count the same memory: that of the whole process, with the reserve.
grep -q "MiB of host memory (--host-memory), [0-9]* taken already, 16 in reserve, 1 free" <<<"$refusal" || fail "no reserve in: $refusal"
holds "$(value process_bytes) <= ($host + 4) * 1048576" "planned and given memory"
[ "$backend" != cpu ] || holds "$(value process_bytes) >= ($host - 4) * 1048576" "planned and refused memory"
holds "$(value reserve_bytes) == 16 * 1048576"
# Without the reserve, the plan is the largest resident size of the run.
ok recon scan.nc "${grid[@]}" --backend "$backend" "${little[@]}" -o slabs.nc --json
if [ "$backend" = cpu ] && ! nm -D "$gantry" | grep -qE "__[at]san_"; then
	holds "($(value process_peak_bytes) - $(value process_bytes) + $(value reserve_bytes))^2 <= (0.1 * $(value process_peak_bytes))^2" "planned and measured memory"
fi
"$gantry" recon scan.nc "${grid[@]}" --backend "$backend" "${little[@]}" -o slabs.nc 2>told.txt || fail "by slabs: $(cat told.txt)"
grep -q 'B of memory in all, and 16 MiB in reserve; projections are kept in memory$' told.txt || fail "no plan of memory in: $(cat told.txt)"
refused_output 2 "--host-memory=4GX: expected a size such as 4GiB" "${recon[@]}" --host-memory 4GX
refused_output 1 "97.7 KiB are free; no grid would fit: the data alone need more" recon scan.nc "${grid[@]}" --solver cgls:iterations=1 --backend "$backend" --device-memory 100kB

# Larger than the disk of the scratch file: from a sparse file.
ok simulate --scanner ge-ct750hd --detector flat --columns 40 --rows 250000 --views 80000 --row-pitch 0.001 --geometry-only -o long.nc
printf 'ObjectType = Image\nNDims = 3\nDimSize = 40 250000 80000\nElementSpacing = 1 1 1\nElementType = MET_FLOAT\nElementDataFile = long.raw\n' >long.mhd
if truncate -s 3200000000000 long.raw 2>/dev/null; then
	refused_output 1 "--scratch=scratch: not enough disk space: needs" recon long.nc --data long.mhd --grid 9x8x90@1x1x1 --host-memory 400MB --backend "$backend" --keep scratch --scratch scratch
	[ -z "$(ls -A scratch)" ] || fail "a full disk left $(ls -A scratch)"
	rm long.raw
fi

# An unreadable view in the middle is named, and no file remains.
ok import scan.nc -o packed.nc --deflate 9
size=$(stat -c %s packed.nc)
head -c 3000 /dev/urandom | dd of=packed.nc bs=1 seek=$((size * 3 / 4)) conv=notrunc 2>/dev/null
refused_output 1 "packed.nc: variable projections: cannot be read" recon packed.nc "${grid[@]}" --backend "$backend" "${little[@]}"
grep -q 'view [0-9]*: packed.nc' stderr.txt || fail "no view is named: $(cat stderr.txt)"

# A full disk, and Ctrl-C.
mkdir full
(
	cd full || exit 1
	ulimit -f 64
	"$gantry" recon ../scan.nc "${grid[@]}" --backend "$backend" "${little[@]}" -o out.mha 2>../stderr.txt
	echo $? >../code.txt
)
[ "$(cat code.txt)" = 1 ] || [ "$(cat code.txt)" -gt 128 ] || fail "a full disk gave $(cat code.txt): $(cat stderr.txt)"
[ -z "$(ls -A full)" ] || fail "a full disk left $(ls -A full)"
caught INT '*cut.nc*' "find . -name '.cut.nc*' | grep -q ." recon scan.nc --grid 301x301x301@1x1x1 --backend "$backend" "${little[@]}" --device-memory 30MB -o cut.nc
[ "$code" -eq 130 ] || fail "Ctrl-C gave $code: $(cat stderr.txt)"
nothing_left cut.nc "Ctrl-C"

# Iterations on host arrays, computed by a device with a memory limit; problems that do not fit are refused.
iterate=(--solver "os-sart:iterations=1,subsets=2" --no-check)
ok "${recon[@]}" "${iterate[@]}" -o whole.nc
# memory depends on the number of threads
ok "${recon[@]}" "${iterate[@]}" --backend "stream:${backend/%cpu/cpu:2}" --device-memory 8MiB -o slabs.nc
ok compare slabs.nc whole.nc --rmse 1e-7
refused 1 "slabs of the volume and batches of views need" "${recon[@]}" "${iterate[@]}" --backend "stream:$backend" --device-memory 10KiB -o cut.nc
refused 2 "expected an iterative method" "${recon[@]}" --solver wfbp --backend "stream:$backend" -o cut.nc
nothing_left cut.nc "refused streams"
finish
