"""deepinv (DeepInverse): a projector as a physics, with its exact adjoint, for reconstruction networks and plug-and-play methods.

Images are tensors [batch][channel][z][y][x], measurements [batch][channel][view][row][column].
"""

from __future__ import annotations

from typing import Any

from deepinv.physics import LinearPhysics

from ..errors import ArgumentError
from ..projector import Projector
from ..torch import Layer, fdk, layer


class Physics(LinearPhysics):
    """Makes the LinearPhysics of a projector; options go to LinearPhysics. direct=True: A_dagger() is filtered backprojection
    on the projector's device with the parameters **filtering. Otherwise it is deepinv's iterative pseudoinverse."""

    def __init__(self, projector: Projector, *, direct: bool = False, filtering: dict[str, Any] | None = None, **options: Any) -> None:
        if not isinstance(projector, Projector):
            raise ArgumentError(f"projector: a {type(projector).__name__}, expected a gantry.Projector")
        super().__init__(img_size=(1, *projector.domain_shape), **options)
        self.projector, self.back = layer(projector), layer(projector.T)
        self.direct: Layer | None = None
        if direct:
            self.direct = fdk(projector.scan, projector.grid, dtype=projector.dtype, device=projector.backend.name, **(filtering or {}))

    def A(self, x: Any, **_: Any) -> Any:
        """Projections of x."""
        return self.projector(x)

    def A_adjoint(self, y: Any, **_: Any) -> Any:
        """The exact adjoint."""
        return self.back(y)

    def A_dagger(self, y: Any, **more: Any) -> Any:
        """Returns the filtered backprojection, or deepinv's pseudoinverse."""
        return self.direct(y) if self.direct is not None else super().A_dagger(y, **more)
