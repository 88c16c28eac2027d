"""Checks of arguments: each refusal names the argument, the value found and the value expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ArgumentError


def kind_of(value: Any) -> str:
    """Returns the type of a value in words: "None", "a tuple", "a torch.Tensor"."""
    if value is None:
        return "None"
    kind = type(value)
    module = kind.__module__.partition(".")[0]
    name = kind.__name__ if module == "builtins" else f"{module}.{kind.__name__}"
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def expect(value: Any, kind: type | tuple[type, ...], what: str, expected: str) -> None:
    """Raises ArgumentError for a value of another type."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{what}: {kind_of(value)}, expected {expected}")


def refuse_gradients(value: Any, what: str) -> None:
    """Refuses a PyTorch tensor that records gradients, because the library would drop them."""
    parts = value if isinstance(value, (list, tuple)) else (value,)
    if any(getattr(part, "requires_grad", False) for part in parts):
        raise ArgumentError(f"{what}: a tensor that records gradients, which would be lost here: "
                            "gantry.torch.layer(A) differentiates by volumes and projections; else detach() it")


def refuse_mask(value: Any, what: str, cure: str = "fill them by .filled(value)") -> None:
    """Refuses an array with masked elements, because the library would use the masked values."""
    if isinstance(value, np.ma.MaskedArray):
        masked = int(np.ma.getmaskarray(value).sum())
        if masked:
            raise ArgumentError(f"{what}: {masked} of {value.size} elements are masked, expected none: {cure}")


def real(value: Any, what: str) -> float:
    """Converts one real number to a float."""
    refuse_gradients(value, what)
    refuse_mask(value, what)
    if isinstance(value, (str, bytes)) or value is None:
        raise ArgumentError(f"{what}: {value!r}, expected a number")
    try:
        array = np.asarray(value)
        if array.size == 1 and array.dtype.kind in "fiub":
            return float(array.reshape(()))
    except (TypeError, ValueError):
        pass
    raise ArgumentError(f"{what}: {kind_of(value)}{f' of shape {np.shape(value)}' if np.ndim(value) else ''}, expected a number")


def reals(values: Any, what: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Converts an array of real numbers to double precision."""
    refuse_gradients(values, what)
    refuse_mask(values, what)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{what}: {kind_of(values)}, expected an array of numbers ({error})") from None
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{what}: {kind_of(values)} of dtype {array.dtype}, expected real numbers")
    return array.astype(np.float64)
