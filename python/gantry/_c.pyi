# What make_extension.py makes: its types are those of C, which Python's checkers do not know.
from typing import Any

ffi: Any
lib: Any
