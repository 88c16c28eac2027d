# Made by gantry.stubs from the library's tables.
from typing import Any, Literal

from numpy.typing import DTypeLike

from .backend import Array, Backend
from .choices import Solver
from .geometry import Grid, Scan
from .penalties import Penalty
from .progress import Callback
from .projector import Projector
from .solvers import Bounds, Result


def fdk(
    data: Any,
    scan: Scan | None = ...,
    grid: Grid | None = ...,
    *,
    device: str | Backend | None = ...,
    dtype: DTypeLike = ...,
    out: Array | None = ...,
    filter: Literal['ram-lak', 'shepp-logan', 'cosine', 'hann', 'hamming', 'parzen', 'blackman'] = ...,
    cutoff: float = ...,
    short_scan: Literal['auto', 'off'] = ...,
    offset: Literal['auto', 'off'] = ...,
    extend: Literal['cosine', 'none'] = ...,
    rows: Literal['clamp', 'zero'] = ...,
    mask: Literal['fov', 'none'] = ...,
    kernel: Literal['auto', 'plain', 'tiles', 'tilted', 'strided', 'coalesced', 'local', 'local-ahead', 'local-once', 'batched', 'ahead', 'rsqrt', 'transposed', 'atomic', 'separate', 'intra', 'layered'] = ...,
    block: Literal['16x16', '256x1', '128x2', '64x4', '32x8', '8x32', '4x64', '2x128', '1x256', '8x8', '16x8', '8x16', '32x16', '16x32', '32x32'] = ...,
    views: Literal[0, 1, 2, 4, 8, 12, 16, 20, 24, 32] = ...,
    slab: int = ...,
) -> Array: ...
def fbp(
    data: Any,
    scan: Scan | None = ...,
    grid: Grid | None = ...,
    *,
    device: str | Backend | None = ...,
    dtype: DTypeLike = ...,
    out: Array | None = ...,
    filter: Literal['ram-lak', 'shepp-logan', 'cosine', 'hann', 'hamming', 'parzen', 'blackman'] = ...,
    cutoff: float = ...,
    short_scan: Literal['auto', 'off'] = ...,
    offset: Literal['auto', 'off'] = ...,
    extend: Literal['cosine', 'none'] = ...,
    rows: Literal['clamp', 'zero'] = ...,
    mask: Literal['fov', 'none'] = ...,
    kernel: Literal['auto', 'plain', 'tiles', 'tilted', 'strided', 'coalesced', 'local', 'local-ahead', 'local-once', 'batched', 'ahead', 'rsqrt', 'transposed', 'atomic', 'separate', 'intra', 'layered'] = ...,
    block: Literal['16x16', '256x1', '128x2', '64x4', '32x8', '8x32', '4x64', '2x128', '1x256', '8x8', '16x8', '8x16', '32x16', '16x32', '32x32'] = ...,
    views: Literal[0, 1, 2, 4, 8, 12, 16, 20, 24, 32] = ...,
    slab: int = ...,
) -> Array: ...
def wfbp(
    data: Any,
    scan: Scan | None = ...,
    grid: Grid | None = ...,
    *,
    device: str | Backend | None = ...,
    dtype: DTypeLike = ...,
    out: Array | None = ...,
    filter: Literal['ram-lak', 'shepp-logan', 'cosine', 'hann', 'hamming', 'parzen', 'blackman'] = ...,
    cutoff: float = ...,
    q: float = ...,
    extend: Literal['cosine', 'none'] = ...,
    ends: Literal['extend', 'zero'] = ...,
    mask: Literal['fov', 'none'] = ...,
) -> Array: ...
def os_sart(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    subsets: int = ...,
    relax: float = ...,
    reduce: float = ...,
    nonneg: bool = ...,
    momentum: bool = ...,
    anderson: int = ...,
    order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
    threshold: float = ...,
    keep: Literal['auto', 'yes', 'no'] = ...,
) -> Result: ...
def sirt(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    relax: float = ...,
    reduce: float = ...,
    nonneg: bool = ...,
    momentum: bool = ...,
    anderson: int = ...,
    threshold: float = ...,
) -> Result: ...
def sart(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    relax: float = ...,
    reduce: float = ...,
    nonneg: bool = ...,
    momentum: bool = ...,
    order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
    threshold: float = ...,
    keep: Literal['auto', 'yes', 'no'] = ...,
) -> Result: ...
def cgls(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    tolerance: float = ...,
) -> Result: ...
def pcg(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    preconditioner: Literal['none', 'diagonal', 'ramp'] = ...,
    line: int = ...,
    tolerance: float = ...,
) -> Result: ...
def fista(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    nonneg: bool = ...,
    restart: bool = ...,
    prox: Literal['auto', 'yes', 'no'] = ...,
    anderson: int = ...,
) -> Result: ...
def os_sqs(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    subsets: int = ...,
    fewer: float = ...,
    single: float = ...,
    momentum: bool = ...,
    restart: bool = ...,
    nonneg: bool = ...,
) -> Result: ...
def lsqr(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    damp: float = ...,
    tolerance: float = ...,
) -> Result: ...
def pdhg(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    nonneg: bool = ...,
    sigma: float = ...,
) -> Result: ...
def asd_pocs(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    subsets: int = ...,
    relax: float = ...,
    reduce: float = ...,
    nonneg: bool = ...,
    order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
    threshold: float = ...,
    keep: Literal['auto', 'yes', 'no'] = ...,
    steps: int = ...,
    alpha: float = ...,
    alpha_reduce: float = ...,
    r_max: float = ...,
    epsilon: float = ...,
    cosine: float = ...,
) -> Result: ...
def lsmr(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    damp: float = ...,
    tolerance: float = ...,
) -> Result: ...
def ab_gmres(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    steps: int = ...,
    tolerance: float = ...,
) -> Result: ...
def ba_gmres(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    steps: int = ...,
    tolerance: float = ...,
) -> Result: ...
def hybrid_lsqr(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    strength: Literal['wgcv', 'gcv', 'discrepancy', 'fixed', 'trace'] = ...,
    noise: float = ...,
    lambda_: float = ...,
) -> Result: ...
def mlem(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    negative: Literal['refuse', 'zero'] = ...,
) -> Result: ...
def osem(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    subsets: int = ...,
    order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
    negative: Literal['refuse', 'zero'] = ...,
) -> Result: ...
def mltr(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    subsets: int = ...,
    order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
    curvature: Literal['optimal', 'current', 'precomputed'] = ...,
    background: float = ...,
) -> Result: ...
def saga(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    subsets: int = ...,
    nonneg: bool = ...,
    step: float = ...,
    seed: int = ...,
) -> Result: ...
def svrg(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    subsets: int = ...,
    nonneg: bool = ...,
    step: float = ...,
    seed: int = ...,
) -> Result: ...
def spdhg(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    sigma: float = ...,
    seed: int = ...,
    iterations: int = ...,
    subsets: int = ...,
    nonneg: bool = ...,
) -> Result: ...
def os_lalm(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    subsets: int = ...,
    nonneg: bool = ...,
    order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
    alpha: float = ...,
) -> Result: ...
def admm(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    inner: int = ...,
    rho: float = ...,
    nonneg: bool = ...,
) -> Result: ...
def pnp_fista(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    nonneg: bool = ...,
    momentum: bool = ...,
) -> Result: ...
def pnp_admm(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    inner: int = ...,
    rho: float = ...,
    nonneg: bool = ...,
) -> Result: ...
def red(
    A: Projector,
    b: Any,
    *,
    x0: Any = ...,
    weights: Any = ...,
    penalty: Penalty | None = ...,
    bounds: Bounds = ...,
    callback: Callback | None = ...,
    progress: bool = ...,
    on_interrupt: str = ...,
    out: Array | None = ...,
    iterations: int = ...,
    nonneg: bool = ...,
    momentum: bool = ...,
    mu: float = ...,
) -> Result: ...
def qggmrf(
    *,
    noise: str | None = ...,
    strength: float = ...,
    neighbours: Literal[6, 26] = ...,
    c: float | str = ...,
    p: float = ...,
    q: float = ...,
    map: str = ...,
) -> Penalty: ...
def huber(
    *,
    noise: str | None = ...,
    strength: float = ...,
    neighbours: Literal[6, 26] = ...,
    delta: float | str = ...,
) -> Penalty: ...
def hyperbola(
    *,
    noise: str | None = ...,
    strength: float = ...,
    neighbours: Literal[6, 26] = ...,
    delta: float | str = ...,
) -> Penalty: ...
def fair(
    *,
    noise: str | None = ...,
    strength: float = ...,
    neighbours: Literal[6, 26] = ...,
    delta: float | str = ...,
) -> Penalty: ...
def logcosh(
    *,
    noise: str | None = ...,
    strength: float = ...,
    neighbours: Literal[6, 26] = ...,
    delta: float | str = ...,
) -> Penalty: ...
def quadratic(
    *,
    noise: str | None = ...,
    strength: float = ...,
    neighbours: Literal[6, 26] = ...,
) -> Penalty: ...
def tv(
    *,
    noise: str | None = ...,
    strength: float = ...,
    kind: Literal['isotropic', 'anisotropic'] = ...,
    smooth: float | str = ...,
    inner: int = ...,
    x: float = ...,
    y: float = ...,
    z: float = ...,
) -> Penalty: ...
def tgv(
    *,
    noise: str | None = ...,
    strength: float = ...,
    ratio: float = ...,
    step: float = ...,
    inner: int = ...,
    lean: bool = ...,
) -> Penalty: ...
def awtv(
    *,
    noise: str | None = ...,
    strength: float = ...,
    delta: float | str = ...,
    smooth: float | str = ...,
) -> Penalty: ...
def nltv(
    *,
    noise: str | None = ...,
    strength: float = ...,
    prior: str = ...,
    h: float | str = ...,
    smooth: float | str = ...,
    search: int = ...,
    patch: int = ...,
) -> Penalty: ...
def piccs(
    *,
    noise: str | None = ...,
    strength: float = ...,
    prior: str = ...,
    alpha: float = ...,
    smooth: float | str = ...,
) -> Penalty: ...
def wavelet(
    *,
    noise: str | None = ...,
    strength: float = ...,
    filter: Literal['haar', 'db2', 'db3', 'db4', 'sym4'] = ...,
    levels: int = ...,
    inner: int = ...,
) -> Penalty: ...
def joint_tv(
    *,
    noise: str | None = ...,
    strength: float = ...,
    kind: Literal['vector', 'nuclear'] = ...,
    inner: int = ...,
) -> Penalty: ...
def low_rank(
    *,
    noise: str | None = ...,
    strength: float = ...,
) -> Penalty: ...
def nlm(
    *,
    noise: str | None = ...,
    strength: float = ...,
    h: float | str = ...,
    search: int = ...,
    patch: int = ...,
) -> Penalty: ...
class FDK(Solver):
    def __init__(
        self,
        *,
        filter: Literal['ram-lak', 'shepp-logan', 'cosine', 'hann', 'hamming', 'parzen', 'blackman'] = ...,
        cutoff: float = ...,
        short_scan: Literal['auto', 'off'] = ...,
        offset: Literal['auto', 'off'] = ...,
        extend: Literal['cosine', 'none'] = ...,
        rows: Literal['clamp', 'zero'] = ...,
        mask: Literal['fov', 'none'] = ...,
        kernel: Literal['auto', 'plain', 'tiles', 'tilted', 'strided', 'coalesced', 'local', 'local-ahead', 'local-once', 'batched', 'ahead', 'rsqrt', 'transposed', 'atomic', 'separate', 'intra', 'layered'] = ...,
        block: Literal['16x16', '256x1', '128x2', '64x4', '32x8', '8x32', '4x64', '2x128', '1x256', '8x8', '16x8', '8x16', '32x16', '16x32', '32x32'] = ...,
        views: Literal[0, 1, 2, 4, 8, 12, 16, 20, 24, 32] = ...,
        slab: int = ...,
    ) -> None: ...
class FBP(Solver):
    def __init__(
        self,
        *,
        filter: Literal['ram-lak', 'shepp-logan', 'cosine', 'hann', 'hamming', 'parzen', 'blackman'] = ...,
        cutoff: float = ...,
        short_scan: Literal['auto', 'off'] = ...,
        offset: Literal['auto', 'off'] = ...,
        extend: Literal['cosine', 'none'] = ...,
        rows: Literal['clamp', 'zero'] = ...,
        mask: Literal['fov', 'none'] = ...,
        kernel: Literal['auto', 'plain', 'tiles', 'tilted', 'strided', 'coalesced', 'local', 'local-ahead', 'local-once', 'batched', 'ahead', 'rsqrt', 'transposed', 'atomic', 'separate', 'intra', 'layered'] = ...,
        block: Literal['16x16', '256x1', '128x2', '64x4', '32x8', '8x32', '4x64', '2x128', '1x256', '8x8', '16x8', '8x16', '32x16', '16x32', '32x32'] = ...,
        views: Literal[0, 1, 2, 4, 8, 12, 16, 20, 24, 32] = ...,
        slab: int = ...,
    ) -> None: ...
class WFBP(Solver):
    def __init__(
        self,
        *,
        filter: Literal['ram-lak', 'shepp-logan', 'cosine', 'hann', 'hamming', 'parzen', 'blackman'] = ...,
        cutoff: float = ...,
        q: float = ...,
        extend: Literal['cosine', 'none'] = ...,
        ends: Literal['extend', 'zero'] = ...,
        mask: Literal['fov', 'none'] = ...,
    ) -> None: ...
class OSSART(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        subsets: int = ...,
        relax: float = ...,
        reduce: float = ...,
        nonneg: bool = ...,
        momentum: bool = ...,
        anderson: int = ...,
        order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
        threshold: float = ...,
        keep: Literal['auto', 'yes', 'no'] = ...,
    ) -> None: ...
class SIRT(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        relax: float = ...,
        reduce: float = ...,
        nonneg: bool = ...,
        momentum: bool = ...,
        anderson: int = ...,
        threshold: float = ...,
    ) -> None: ...
class SART(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        relax: float = ...,
        reduce: float = ...,
        nonneg: bool = ...,
        momentum: bool = ...,
        order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
        threshold: float = ...,
        keep: Literal['auto', 'yes', 'no'] = ...,
    ) -> None: ...
class CGLS(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        tolerance: float = ...,
    ) -> None: ...
class PCG(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        preconditioner: Literal['none', 'diagonal', 'ramp'] = ...,
        line: int = ...,
        tolerance: float = ...,
    ) -> None: ...
class FISTA(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        nonneg: bool = ...,
        restart: bool = ...,
        prox: Literal['auto', 'yes', 'no'] = ...,
        anderson: int = ...,
    ) -> None: ...
class OSSQS(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        subsets: int = ...,
        fewer: float = ...,
        single: float = ...,
        momentum: bool = ...,
        restart: bool = ...,
        nonneg: bool = ...,
    ) -> None: ...
class LSQR(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        damp: float = ...,
        tolerance: float = ...,
    ) -> None: ...
class PDHG(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        nonneg: bool = ...,
        sigma: float = ...,
    ) -> None: ...
class ASDPOCS(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        subsets: int = ...,
        relax: float = ...,
        reduce: float = ...,
        nonneg: bool = ...,
        order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
        threshold: float = ...,
        keep: Literal['auto', 'yes', 'no'] = ...,
        steps: int = ...,
        alpha: float = ...,
        alpha_reduce: float = ...,
        r_max: float = ...,
        epsilon: float = ...,
        cosine: float = ...,
    ) -> None: ...
class LSMR(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        damp: float = ...,
        tolerance: float = ...,
    ) -> None: ...
class ABGMRES(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        steps: int = ...,
        tolerance: float = ...,
    ) -> None: ...
class BAGMRES(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        steps: int = ...,
        tolerance: float = ...,
    ) -> None: ...
class HYBRIDLSQR(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        strength: Literal['wgcv', 'gcv', 'discrepancy', 'fixed', 'trace'] = ...,
        noise: float = ...,
        lambda_: float = ...,
    ) -> None: ...
class MLEM(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        negative: Literal['refuse', 'zero'] = ...,
    ) -> None: ...
class OSEM(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        subsets: int = ...,
        order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
        negative: Literal['refuse', 'zero'] = ...,
    ) -> None: ...
class MLTR(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        subsets: int = ...,
        order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
        curvature: Literal['optimal', 'current', 'precomputed'] = ...,
        background: float = ...,
    ) -> None: ...
class SAGA(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        subsets: int = ...,
        nonneg: bool = ...,
        step: float = ...,
        seed: int = ...,
    ) -> None: ...
class SVRG(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        subsets: int = ...,
        nonneg: bool = ...,
        step: float = ...,
        seed: int = ...,
    ) -> None: ...
class SPDHG(Solver):
    def __init__(
        self,
        *,
        sigma: float = ...,
        seed: int = ...,
        iterations: int = ...,
        subsets: int = ...,
        nonneg: bool = ...,
    ) -> None: ...
class OSLALM(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        subsets: int = ...,
        nonneg: bool = ...,
        order: Literal['sequential', 'bit-reversed', 'golden'] = ...,
        alpha: float = ...,
    ) -> None: ...
class ADMM(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        inner: int = ...,
        rho: float = ...,
        nonneg: bool = ...,
    ) -> None: ...
class PNPFISTA(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        nonneg: bool = ...,
        momentum: bool = ...,
    ) -> None: ...
class PNPADMM(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        inner: int = ...,
        rho: float = ...,
        nonneg: bool = ...,
    ) -> None: ...
class RED(Solver):
    def __init__(
        self,
        *,
        iterations: int = ...,
        nonneg: bool = ...,
        momentum: bool = ...,
        mu: float = ...,
    ) -> None: ...
