"""A projector as a LinearOperator of SciPy: isinstance, multiples, sums, products, vectors and matrices."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry

linalg = pytest.importorskip("scipy.sparse.linalg")


@pytest.fixture(scope="module")
def dense():
    """A small operator, and its matrix from unit vectors."""
    A = gantry.Projector(gantry.circular(5, (3, 6), 4.0, 300, 600, offset=(0.2, -0.4)), gantry.Grid((3, 4, 5), 3.0, (1, 2, -3)), device=DEVICE,
                         dtype=np.float64)
    return A, np.stack([A.matvec(e) for e in np.eye(A.shape[1])], 1)


def test_it_is_one(dense):
    A, _ = dense
    for op in (A, A.T, A.H, gantry.Analytic(tiny(), GRID)):
        assert isinstance(op, linalg.LinearOperator) and linalg.aslinearoperator(op) is op
        assert op.ndim == 2 and op.shape == (np.prod(op.range_shape), np.prod(op.domain_shape))


def test_multiples_sums_and_products(dense, rng):
    A, M = dense
    x, y = rng.normal(size=A.shape[1]), rng.normal(size=A.shape[0])
    B = A.T @ A
    for op, matrix in ((2 * A, 2 * M), (A * 2, 2 * M), (np.float64(2) * A, 2 * M), (-A, -M), (A / 4, M / 4), (A + A, 2 * M),
                       (A - 3 * A, -2 * M), (B, M.T @ M), (B**2, np.linalg.matrix_power(M.T @ M, 2)), (A.dot(A.T), M @ M.T),
                       (linalg.aslinearoperator(np.eye(len(M))) @ A, M), (A @ linalg.aslinearoperator(np.eye(M.shape[1])), M)):
        assert isinstance(op, linalg.LinearOperator)
        v, w = (x, y) if matrix.shape == M.shape else (x, x) if len(matrix) == len(x) else (y, y)
        assert np.allclose(op @ v, matrix @ v) and np.allclose(op.T @ w, matrix.T @ w) and np.allclose(op.H @ w, matrix.T @ w)


def test_vectors_and_matrices(dense, rng):
    A, M = dense
    X, Y = rng.normal(size=(A.shape[1], 3)), rng.normal(size=(A.shape[0], 2))
    for found, expected in ((A @ X, M @ X), (A.dot(X), M @ X), (A.matmat(X), M @ X), (A.rmatmat(Y), M.T @ Y), (A @ X[:, 0], M @ X[:, 0]),
                            (A.matvec(X[:, :1]), M @ X[:, :1]), (A.rmatvec(Y[:, 1]), M.T @ Y[:, 1]), (Y[:, 0] @ A, Y[:, 0] @ M),
                            (Y.T @ A, Y.T @ M), (A @ X[:, 0].tolist(), M @ X[:, 0]), (A @ np.zeros((A.shape[1], 0)), np.zeros((len(M), 0)))):
        assert found.shape == expected.shape and np.allclose(found, expected)
    for found, expected in ((np.matmul(A, X), M @ X), (np.matmul(A, X[:, 0]), M @ X[:, 0]), (np.matmul(Y.T, A), Y.T @ M),
                            (np.matmul(A.T, Y), M.T @ Y), (np.multiply(2, A) @ X, 2 * M @ X), (np.matmul(A.T, A) @ X, M.T @ M @ X)):
        assert np.allclose(found, expected)
    assert not X == A and X != A and not A == X and A != X and A == A and not np.float32(2) == A and A not in [X, 2, None]
    for call in (lambda: np.matmul(A, X, out=np.empty((len(M), 3))), lambda: np.add(X, A), lambda: np.exp(A)):
        with pytest.raises(TypeError):
            call()
    x = X[:, 0].reshape(A.domain_shape)
    assert np.array_equal(A.dot(x), A(x)) and np.array_equal(A @ gantry.Volume(x, A.grid), A(x.astype(np.float32)))


def test_solvers_of_scipy(dense, rng):
    A, M = dense
    y = rng.normal(size=len(M))
    assert np.allclose(linalg.svds(A, k=1, return_singular_vectors=False), np.linalg.norm(M, 2))
    found, _ = linalg.cg(A.T @ A + 0.1 * linalg.aslinearoperator(np.eye(M.shape[1])), A.T @ y, rtol=1e-12)
    assert np.allclose(found, np.linalg.solve(M.T @ M + 0.1 * np.eye(M.shape[1]), M.T @ y))
    assert np.allclose(A @ linalg.lsmr(A, y, atol=1e-12, btol=1e-12, maxiter=500)[0], M @ np.linalg.lstsq(M, y, rcond=None)[0], atol=1e-5)


def test_what_does_not_fit(dense):
    A, _ = dense
    for call in (lambda: A @ np.zeros(7), lambda: A.matmat(np.zeros((7, 2))), lambda: A.matvec(np.zeros((A.shape[1], 2))), lambda: A @ 2,
                 lambda: A + A.T, lambda: A @ A):
        with pytest.raises(ValueError, match="shape|dimension|number"):
            call()


def test_without_scipy():
    code = ("import sys; sys.modules['scipy'] = None\nimport numpy as np, gantry\n"
            "A = gantry.Projector(gantry.circular(3, 4, 1.0, 50, 100), gantry.Grid(4, 1), device='cpu:1')\n"
            "x = np.ones(A.domain_shape, np.float32)\n"
            "assert A(x).any() and np.array_equal(A @ x.ravel(), A(x).ravel()) and A.matmat(np.ones((64, 2))).shape == (48, 2)\n"
            "try: A.T @ A\nexcept gantry.UnsupportedError as e: assert 'pip install scipy' in str(e)\nelse: raise SystemExit(1)")
    subprocess.run([sys.executable, "-c", code], check=True)
