"""Checks of arguments: each refusal names the argument, the value found and the value expected."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .errors import ArgumentError, UnknownNameError

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from typing import Unpack as Unpack
    else:
        from typing_extensions import Unpack as Unpack

Function = TypeVar("Function", bound=Callable[..., Any])


def keywords(of: type, defaults: Mapping[str, Any]) -> Callable[[Function], Function]:
    """Shows the keys of a TypedDict as keywords in the signature of a function that takes them as **keywords. Defaults are None, or given."""
    import inspect  # not needed by `import gantry`

    def with_signature(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        rows = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=getattr(kind, "__forward_arg__", kind))
                for name, kind in of.__annotations__.items()]
        function.__signature__ = signature.replace(parameters=own + rows)  # type: ignore[attr-defined]
        return function

    return with_signature


def completed(given: Mapping[str, Any], of: type, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all keywords of a TypedDict in its order, and refuses others."""
    known = of.__annotations__
    for key in given:
        if key not in known:
            import difflib

            near = difflib.get_close_matches(key, known, 1)
            raise UnknownNameError(f"{key}: unknown keyword, " + (f"did you mean {near[0]}=?" if near else f"expected one of {', '.join(known)}"))
    return {name: given.get(name, defaults.get(name)) for name in known}


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
                            "gantry.torch.layer(A) differentiates by volumes and projections, gantry.torch.MovingProjector by the positions "
                            "of source and detector; else detach() it")


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
