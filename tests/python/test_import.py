"""Modules that an import loads."""

import subprocess
import sys


def test_heavy_packages_are_loaded_when_they_are_used():
    code = "import sys, gantry; print(*[m for m in ('matplotlib', 'scipy', 'torch', 'tqdm', 'inspect', 'gantry.methods', 'gantry.recon', 'gantry.files', 'numpy.typing', 'logging', 'concurrent.futures') if m in sys.modules])"
    before = "import sys, numpy; print(*[m for m in ('inspect', 'numpy.typing', 'logging', 'concurrent.futures') if m in sys.modules])"
    found, already = (subprocess.run([sys.executable, "-c", c], capture_output=True, text=True, check=True).stdout.split() for c in (code, before))
    assert set(found) <= set(already)


def test_names_are_found_and_others_are_not():
    code = ("import gantry\nfrom gantry import *\nassert pcg is gantry.pcg and 'os_sart' in dir(gantry)\n"
            "try: gantry.nonsense\nexcept AttributeError as e: assert 'nonsense' in str(e)\nelse: raise SystemExit(1)")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_name_says_where_it_is():
    """Names are loaded one by one, in any order, each in a fresh interpreter."""
    code = ("import gantry, sys\n"
            "for name in reversed(gantry.__all__): assert getattr(gantry, name) is getattr(gantry, name), name\n"
            "assert set(gantry._HOME) <= set(gantry.__all__)\n"
            "assert callable(gantry.backend) and callable(gantry.solve) and gantry.files.read is gantry.read\n"
            "assert gantry.recon.reconstruct is gantry.reconstruct")
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import gantry; gantry.phantom; gantry.Phantom('shepp-logan').voxelise(gantry.Grid((2, 3, 4), 9.0)); gantry.preparations()"
    subprocess.run([sys.executable, "-c", code], check=True)
