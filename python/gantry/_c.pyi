# Extension module made by make_extension.py; type checkers do not know its C types.
from typing import Any

ffi: Any
lib: Any
