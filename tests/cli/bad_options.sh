#!/bin/bash
# Wrong usage: exit code 2, a message that names the option, no output.
. "$(dirname "$0")/support/lib.sh"

ok simulate --reduce 16 --phantom shepp-logan -o scan.nc
grid=32x32x4@8x8x10

refused 2 "did you mean 'recon'" recno scan.nc
refused 2 "did you mean '--grid'" recon scan.nc -o out.nc --gird $grid
refused 2 "unknown option '--zzzzzz'" recon scan.nc -o out.nc --zzzzzz
refused 2 "unknown option '--flip': gantry import has it" recon scan.nc -o out.nc --flip columns
refused 2 "unknown option '--position': gantry convert has it" recon scan.nc -o out.nc --position=HFP
refused 2 "unknown option '--phantom': gantry simulate has it" recon scan.nc -o out.nc --phantom box
refused 2 "unknown option '--window': gantry view has it" recon scan.nc -o out.nc --window 0:1
refused 2 "unknown option '--margin': gantry recon has it" project scan.nc -o out.nc --margin no
refused 2 "--preset=best: expected one of none, fast, iterative" recon scan.nc -o out.nc --quality best
refused 2 "--output needs a value" recon scan.nc --output
refused 2 "--beads needs a value, found the option '-o'" calibrate scan.nc --beads -o out.nc
refused 2 "--output needs a value, found the option '--quiet'" recon scan.nc -o --quiet
refused 2 "--solver needs a value, found the option '--backend=cpu'" recon scan.nc -o out.nc --solver --backend=cpu
refused 2 "--output is needed" recon scan.nc
refused 2 "missing" recon -o out.nc
refused 2 "one argument too many" project scan.nc scan.nc -o out.nc
refused 2 "takes no value" recon scan.nc -o out.nc --json=3
refused_output 2 "did you mean 'os-sart'" recon scan.nc --solver os-sarg
refused_output 2 "did you mean 'os-sart'" recon scan.nc --solver OS-SAR
refused_output 2 "did you mean 'iterations'" recon scan.nc --solver os-sart:iteratons=3
refused_output 2 "iterations=3 and iterations=4: the parameter is given twice" recon scan.nc --solver os-sart:iterations=3,iterations=4
refused_output 2 "ends with a comma" recon scan.nc --solver os-sart:iterations=3,
refused_output 2 "iterations=-3" recon scan.nc --solver os-sart:iterations=-3
refused_output 2 "iterations=many" recon scan.nc --solver os-sart:iterations=many
refused_output 2 "relax=2: expected a number from 0 to 1.99" recon scan.nc --solver sirt:iterations=2,relax=2
refused_output 2 "subsets" recon scan.nc --grid $grid --solver os-sart:subsets=1000 --backend "$backend"
refused_output 2 "did you mean 'dd'" recon scan.nc --grid $grid --solver cgls --projector dx --backend "$backend"
refused_output 2 "did you mean 'dd'" backproject scan.nc --projector DD
refused_output 2 "--projector=joseph: fdk is an analytic method" recon scan.nc --projector joseph
refused_output 2 "--stop: change=5: a number without unit is mm-1, and this one would be 250000 HU: expected change=5HU, or change=5mm-1" recon scan.nc --solver cgls --stop change=5
# Errors of the options precede reading and computing.
refused_output 2 "subsets=1000" recon scan.nc --grid $grid --solver os-sart:subsets=1000
refused_output 2 "fdk is an analytic method" recon none.nc --solver fdk --init zero
refused_output 2 "fdk is an analytic method" recon scan.nc --init fdk
refused_output 1 "none.nc: No such file" recon text.nc --solver cgls --init none.nc
refused_output 2 "--precision=half" recon scan.nc --precision half
refused_output 2 "backend" recon scan.nc --grid $grid --backend gpu9
refused_output 2 "grid" recon scan.nc --grid 32x32@8x8
refused_output 2 "grid" recon scan.nc --grid 32x0x4@8x8x10
refused_output 2 "grid" recon scan.nc --grid 32x32x4@8x-8x10
refused_output 2 "grid" recon scan.nc --grid $grid+0,0,5000 --backend "$backend"
refused_output 2 "cannot be combined" recon scan.nc --grid $grid --like scan.nc
refused_output 2 "--row-pitch=-3" simulate --phantom shepp-logan --row-pitch -3
refused_output 2 "turn=0 of an orbit: expected a finite number other than 0" simulate --phantom shepp-logan --turns 0
refused_output 2 "did you mean 'ge-ct750hd'" simulate --phantom shepp-logan --scanner ge-ct75hd
refused_output 2 "did you mean 'shepp-logan'" simulate --phantom shep-logan
refused_output 2 "--phantom is needed" simulate
refused_output 2 "--views=0" simulate --phantom shepp-logan --views 0
refused_output 2 "--detector=round" simulate --phantom shepp-logan --detector round
refused_output 2 "--spot=1,2" simulate --phantom shepp-logan --spot 1,2
refused 2 "--window=3" view scan.nc -o out.png --window 3
refused 2 "--unit, --plane and --convention are for volumes" view scan.nc -o out.png --window 0:100HU
refused 2 "expected one unit for both numbers" view scan.nc -o out.html --window "0 mm-1:0.02 HU"
refused 2 "--slice=5000" view scan.nc -o out.png --slice 5000
nothing_left out.png "view with wrong options"
refused 2 "unknown workload" bench --workload nothing
refused 2 "did you mean 'os-sart'" help solver os-sat

# Impossible outputs are refused before computing.
refused 1 "nowhere" recon scan.nc -o nowhere/vol.nc
refused 2 "expected a name that ends in" recon scan.nc -o vol.xyz
refused 2 "ends in .png" view scan.nc -o scan.jpg
[ ! -e scan.jpg ] || fail "view wrote scan.jpg"
mkdir folder.nc
refused 1 "folder.nc" recon scan.nc -o folder.nc
if [ "$(id -u)" -ne 0 ]; then
	mkdir closed && chmod a-w closed
	refused 1 "closed" recon scan.nc -o closed/vol.nc
fi

# A scan without a default grid is not a usage error; an impossible requested grid is.
ok simulate --reduce 16 --source-to-axis 300 --source-to-detector 450 --geometry-only -o wide.nc
refused 1 "(--grid sets another one)" adjoint wide.nc
refused_output 1 "(--grid sets another one)" simulate --reduce 16 --source-to-axis 300 --source-to-detector 450 --phantom box --truth truth.nc
refused 2 "holds the source" adjoint wide.nc --grid 10x10x4@100x100x10

# A volume larger than any memory: the message states required and available bytes.
refused_output 1 "needs" recon scan.nc --grid 200000x200000x4000@0.001x0.001x0.001 --backend "$backend"
refused_output 1 "needs" simulate --phantom shepp-logan --views 200000 --columns 1000000 --column-pitch 1e-4 --rows 64

# Missing devices; a build without CUDA does not know the name.
code=1
"$gantry" --version | grep -q '^CUDA no' && code=2
refused_output $code "cuda:99" recon scan.nc --grid $grid --backend cuda:99
finish
