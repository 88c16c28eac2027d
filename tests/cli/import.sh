#!/bin/bash
# Real projections of another program, in GT_DATA.
. "$(dirname "$0")/support/lib.sh"

[ -f "${GT_DATA:-}/tooth.h5" ] || skip "GT_DATA names no folder with tooth.h5"
ok import "$GT_DATA/tooth.h5" -o tooth.nc --axis 296
ok info tooth.nc
says "detector                 parallel"
ok recon tooth.nc -o tooth-vol.nc --backend "$backend"
ok view tooth-vol.nc -o tooth.png
ok info tooth-vol.nc --json
holds "$(value most) > 0"
refused_output 2 "--axis=x" import "$GT_DATA/tooth.h5" --axis x
[ ! -f "$GT_DATA/head.mha" ] || {
	ok import "$GT_DATA/head.mha" -o head.nc
	ok info head.nc
	says "kind                     volume"
}
finish
