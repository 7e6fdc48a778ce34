"""Laplacians and spectra, compared with plain formulas."""

import numpy as np
import pytest

import dsnn

sparse = pytest.importorskip("scipy.sparse")


def random_graph(random, weighted=False, n=25, arcs=70):
    edges = random.integers(0, n, (2, arcs))
    return dsnn.Graph(edges, n, weights=random.uniform(-1, 2, arcs) if weighted else None)


def magnetic(graph, q):
    """D - A_s o exp(2 pi i q (A - A^T)), D from |A_s|."""
    a = graph.to_scipy().toarray()
    symmetric = (a + a.T) / 2
    phase = np.exp(2j * np.pi * q * (a - a.T))
    return np.diag(np.abs(symmetric).sum(axis=1)) - symmetric * phase


@pytest.mark.parametrize("q", [0, 0.1, 0.25, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_magnetic(random, q, weighted):
    graph = random_graph(random, weighted)
    matrix = dsnn.laplacian(graph, "magnetic", q=q)
    assert sparse.issparse(matrix) and matrix.format == "csr"
    np.testing.assert_allclose(matrix.toarray(), magnetic(graph, q), atol=1e-13)


def test_against_networkx(random):
    networkx = pytest.importorskip("networkx")
    graph = random_graph(random)
    matrix = graph.to_scipy()
    if not hasattr(networkx, "magnetic_laplacian_matrix"):
        undirected = networkx.from_scipy_sparse_array(((matrix + matrix.T) > 0).astype(float))
        expected = networkx.laplacian_matrix(undirected).toarray()
        np.testing.assert_allclose(dsnn.laplacian(graph, q=0).toarray(), expected, atol=1e-13)
        pytest.skip("this NetworkX has no magnetic_laplacian_matrix; compared with q = 0")
    directed = networkx.from_scipy_sparse_array(matrix, create_using=networkx.DiGraph)
    expected = networkx.magnetic_laplacian_matrix(directed, q=0.25).toarray()
    found = dsnn.laplacian(graph, "magnetic", q=0.25).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-12)


def plain_laplacian(graph, maps, q):
    """The sum over edges of (F x_u - T F' x_v)* (F x_u - T F' x_v)."""
    half_edges, d = graph.half_edges(), maps.shape[1]
    n = graph.num_nodes
    result = np.zeros((n * d, n * d), complex)
    owners = np.repeat(np.arange(n), np.diff(half_edges.offsets))
    for h in range(graph.num_half_edges):
        back = half_edges.reverses[h]
        if back < h:
            continue
        phase = np.exp(2j * np.pi * q * half_edges.orientations[h])
        row = np.zeros((d, n * d), complex)
        u, v = owners[h], owners[back]
        row[:, u * d : (u + 1) * d] = maps[h]
        row[:, v * d : (v + 1) * d] = -phase * maps[back]
        result += row.conj().T @ row
    return result


@pytest.mark.parametrize("is_complex", [False, True])
def test_own_maps(random, is_complex):
    graph = random_graph(random, n=8, arcs=14)
    maps = random.normal(size=(graph.num_half_edges, 3, 3))
    if is_complex:
        maps = maps + 1j * random.normal(size=maps.shape)
    q = 0 if is_complex else 0.2
    found = dsnn.laplacian(graph, q=q, maps=maps)
    np.testing.assert_allclose(found.toarray(), plain_laplacian(graph, maps, q), atol=1e-12)
    diagonal = np.stack([np.diag(row) for row in maps[:, :, 0]])
    found = dsnn.laplacian(graph, q=q, maps=maps[:, :, 0])
    np.testing.assert_allclose(found.toarray(), plain_laplacian(graph, diagonal, q), atol=1e-12)


@pytest.mark.parametrize("normalisation", ["exact", "augmented"])
def test_normalised(random, normalisation):
    graph = random_graph(random)
    plain = dsnn.laplacian(graph, q=0.1).toarray()
    degrees = plain.diagonal().real + (normalisation == "augmented")
    with np.errstate(divide="ignore"):
        root = np.where(degrees > 0, 1 / np.sqrt(degrees), 0)
    found = dsnn.laplacian(graph, q=0.1, normalisation=normalisation).toarray()
    np.testing.assert_allclose(found, root[:, None] * plain * root, atol=1e-13)


@pytest.mark.parametrize("which", ["smallest", "largest", "both"])
@pytest.mark.parametrize("sheaf", ["trivial", "magnetic", "sign-magnetic"])
def test_spectrum(random, which, sheaf):
    graph = random_graph(random)
    matrix = dsnn.laplacian(graph, sheaf).toarray()
    all_values = np.linalg.eigvalsh(matrix)
    expected = {
        "smallest": all_values[:4],
        "largest": all_values[-4:],
        "both": np.concatenate([all_values[:4], all_values[-4:]]),
    }[which]
    values, vectors, residuals = dsnn.spectrum(graph, sheaf, k=4, which=which)
    np.testing.assert_allclose(values, expected, atol=1e-9)
    for value, vector, residual in zip(values, vectors, residuals):
        x = vector.reshape(-1)
        assert np.linalg.norm(matrix @ x - value * x) < 1e-8 and residual < 1e-8


def test_theorems(random):
    claims = dsnn.verify(random_graph(random), trials=3)
    assert len(claims) > 5 and all(claim.passed for claim in claims)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"sheaf": "magnet"},
            "sheaf is 'magnet', expected one of trivial, magnetic, sign-magnetic",
        ),
        ({"normalisation": "exakt"}, "did you mean 'exact'"),
        ({"q": np.nan}, "options"),
        ({"sheaf": "sign-magnetic", "q": 0.1}, "charge has no effect"),
        ({"maps": np.ones((3, 2))}, "map"),
        ({"maps": np.ones(4)}, r"maps have shape \(4,\)"),
        ({"maps": np.full((2, 1), np.nan)}, "is not finite"),
        ({"family": "general"}, "there are no maps"),
        ({"maps": np.ones((2, 1)), "sheaf": "magnetic"}, "expected one of them"),
        ({"maps": np.ones((2, 2)), "family": "general"}, "cannot have shape"),
    ],
)
def test_mistakes(options, sentence):
    with pytest.raises(dsnn.Error, match=sentence):
        dsnn.laplacian([(0, 1)], **options)
