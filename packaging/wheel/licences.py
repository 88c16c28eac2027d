"""licences.py WHEEL SOURCES.TXT FOLDER DIST: the wheel anew, into DIST, with the licences of the libraries within and an expression that names them all.

FOLDER holds the sources of each library of SOURCES.TXT, unpacked. FFTW is under the GNU General Public License, so that the wheel as a whole is under its
terms, whatever those of its parts: who passes the wheel on passes on the sources too, which SOURCES.TXT names.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

TERMS = {
    "zlib": "Zlib", "libpng1.6": "libpng-2.0", "pixman": "MIT", "cairo": "(LGPL-2.1-only OR MPL-1.1)", "cjson": "MIT", "expat": "MIT",
    "libjpeg-turbo": "IJG AND BSD-3-Clause", "tiff": "libtiff", "fftw3": "GPL-2.0-or-later", "hdf5": "BSD-3-Clause",
    "netcdf": "BSD-3-Clause", "nifticlib": "LicenseRef-public-domain", "dcmtk": "BSD-3-Clause AND Apache-2.0",
}
NAMES = ("COPYING*", "LICENSE*", "COPYRIGHT*", "README.ijg")


def main(wheel: pathlib.Path, listed: pathlib.Path, folder: pathlib.Path, out: pathlib.Path) -> None:
    names = [line.split()[0] for line in listed.read_text().splitlines() if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "-d", work, wheel], check=True)
        (root,) = pathlib.Path(work).iterdir()
        (info,) = root.glob("*.dist-info")
        target = info / "licenses" / "libraries"
        target.mkdir(parents=True)
        shutil.copy(listed, target / "SOURCES.txt")
        for name in names:
            files = sorted(f for pattern in NAMES for f in (folder / name).glob(pattern) if f.is_file())
            if not files:
                sys.exit(f"licences.py: {folder / name} has no licence")
            (target / f"{name}.txt").write_text("\n\n".join(f.read_text(errors="replace") for f in files))
        metadata = info / "METADATA"
        head, blank, body = metadata.read_text().partition("\n\n")
        lines = [line for line in head.splitlines() if not line.startswith("License-Expression:")]
        lines += ["License-Expression: " + " AND ".join(dict.fromkeys(["BSD-3-Clause", *(TERMS[name] for name in names)]))]
        lines += [f"License-File: libraries/{f.name}" for f in sorted(target.iterdir())]
        metadata.write_text("\n".join(lines) + blank + body)
        out.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "wheel", "pack", "-d", out, root], check=True)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
