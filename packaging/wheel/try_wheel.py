"""What a stranger does with a wheel in a bare environment; ends with an error where something does not work."""

import os
import re
import subprocess
import sys

import numpy as np

import gantry


def command(*arguments: str) -> str:
    done = subprocess.run(["gantry", *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"gantry {' '.join(arguments)}: {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


print(command("--version").strip())
devices = command("devices")
with open("/proc/cpuinfo") as file:
    has = set(re.search(r"flags\s*:(.*)", file.read()).group(1).split())
kind = "AVX-512" if {"avx512f", "avx512dq", "avx512vl", "avx512bw"} <= has else "AVX2" if {"avx2", "fma"} <= has else ""
if kind not in devices:
    sys.exit(f"this processor has {kind}, and the command does not use it: {devices}")
command("simulate", "--scanner", "ge-ct750hd", "--reduce", "24", "--phantom", "shepp-logan", "--photons", "1e5", "--seed", "1", "-o", "scan.nc",
        "--truth", "truth.nc", "--grid", "36x36x4@14x14x13", "-q")
for name in ("fdk.nc", "fdk.mha", "fdk.nii.gz", "fdk.tif", "fdk.npy", "slices.dicom/"):
    command("recon", "scan.nc", "-o", name, "--like", "truth.nc", "-q")
    if not os.path.exists(name):
        sys.exit(f"{name} is not there")
command("view", "fdk.nc", "-o", "look.html", "-q")
command("view", "fdk.nc", "-o", "look.png", "-q")
command("recon", "scan.nc", "-o", "command.nc", "--like", "truth.nc", "--solver", "os-sart:iterations=2,subsets=4", "-q")
scan, truth = gantry.read_projections("scan.nc"), gantry.read_volume("truth.nc")
volume = gantry.reconstruct(scan, grid=truth.grid, solver="os-sart:iterations=2,subsets=4")
if not np.array_equal(np.asarray(volume), np.asarray(gantry.read_volume("command.nc"))):
    sys.exit("Python and the command do not have the same bits")
for name in ("fdk.mha", "fdk.nii.gz", "fdk.npy", "slices.dicom"):
    if not np.allclose(np.asarray(gantry.read_volume(name)), np.asarray(gantry.read_volume("fdk.nc")), atol=2e-5):
        sys.exit(f"{name} has another volume")
strangers = [line.split()[-1] for line in open("/proc/self/maps") if re.search(r"lib(hdf5|netcdf|fftw|cairo|tiff|expat|X11|curl)", line) and "gantry" not in line]
if strangers:
    sys.exit(f"libraries that the wheel did not bring: {sorted(set(strangers))}")
