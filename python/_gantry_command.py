"""Starts the command of the package, in a separate module because `import gantry` would load NumPy first."""

import os
import sys
import sysconfig


def main() -> None:
    """Replaces the process by the command, with the same arguments."""
    places = [sysconfig.get_path("platlib"), os.path.dirname(os.path.abspath(__file__))]
    found = [path for path in (os.path.join(place, "gantry", "bin", "gantry") for place in places) if os.path.exists(path)]
    if not found:
        sys.exit("gantry: the package contains no command: reinstall it")
    os.execv(found[0], ["gantry", *sys.argv[1:]])
