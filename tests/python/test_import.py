"""What an import brings along."""

import subprocess
import sys


def test_heavy_packages_are_loaded_when_they_are_used():
    code = "import sys, gantry; print(*[m for m in ('matplotlib', 'scipy', 'torch', 'tqdm', 'inspect', 'gantry.methods') if m in sys.modules])"
    before = "import sys, numpy; print(*[m for m in ('inspect',) if m in sys.modules])"
    found, already = (subprocess.run([sys.executable, "-c", c], capture_output=True, text=True, check=True).stdout.split() for c in (code, before))
    assert set(found) <= set(already)


def test_names_are_found_and_others_are_not():
    code = ("import gantry\nfrom gantry import *\nassert pcg is gantry.pcg and 'os_sart' in dir(gantry)\n"
            "try: gantry.nonsense\nexcept AttributeError as e: assert 'nonsense' in str(e)\nelse: raise SystemExit(1)")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
