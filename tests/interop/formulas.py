"""Dense Laplacians, straight from their formulas."""
import numpy as np


def random_graph(random, num_nodes, num_arcs, kind):
    """Arcs with loops and duplicates, some of them both ways; weights by `kind`.

    kind is 'unit' (no weights), 'weighted' (positive) or 'signed'.
    """
    arcs = random.integers(0, num_nodes, size=(num_arcs, 2))
    turned = arcs[random.random(num_arcs) < 0.3][:, ::-1]
    arcs = np.concatenate([arcs, turned])
    if kind == "unit":
        return arcs, None
    weights = random.uniform(0.1, 3, size=len(arcs))
    if kind == "signed":
        weights *= random.choice([-1, 1], size=len(arcs))
    return arcs, weights


def adjacency(num_nodes, arcs, weights=None):
    """A: weights of duplicates are summed; without weights every arc counts once; no loops."""
    a = np.zeros((num_nodes, num_nodes))
    if weights is None:
        a[arcs[:, 0], arcs[:, 1]] = 1
    else:
        np.add.at(a, (arcs[:, 0], arcs[:, 1]), weights)
    np.fill_diagonal(a, 0)
    return a


def half_edges(a):
    """(owner, neighbour), sorted."""
    return [tuple(pair) for pair in np.argwhere((a != 0) | (a.T != 0))]


def edge_weight(a, u, v):
    """The mean weight of the existing arcs."""
    present = [weight for weight in (a[u, v], a[v, u]) if weight != 0]
    return sum(present) / len(present)


def orientation(a, u, v):
    """+1 if only u -> v, -1 if only v -> u; with both, the sign of the stronger one."""
    return np.sign(abs(a[u, v]) - abs(a[v, u]))


def coboundary(a, q, maps=None, low_pass=False, high_pass=False):
    """delta, a block row for each edge: delta(x)_e = F_h x_u - T_h F_h' x_v.

    maps is [2m, d, d] in half-edge order, the trivial ones if None; the fixed dimensions follow.
    Weights enter as F = sqrt|w| and T = sgn(w).
    """
    pairs = half_edges(a)
    number = {pair: h for h, pair in enumerate(pairs)}
    if maps is None:
        maps = np.ones((len(pairs), 1, 1))
    given = maps.shape[1]
    d = given + low_pass + high_pass

    def map_of(u, v):
        full = np.zeros((d, d), dtype=complex)
        full[:given, :given] = maps[number[u, v]]
        next_dim = given
        if low_pass:
            full[next_dim, next_dim] = 1 if u < v else -1
            next_dim += 1
        if high_pass:
            full[next_dim, next_dim] = 1
        return np.sqrt(abs(edge_weight(a, u, v))) * full

    edges = [(u, v) for u, v in pairs if u < v]
    delta = np.zeros((len(edges) * d, len(a) * d), dtype=complex)
    for e, (u, v) in enumerate(edges):
        phase = np.sign(edge_weight(a, u, v)) * np.exp(2j * np.pi * q * orientation(a, u, v))
        rows = slice(e * d, (e + 1) * d)
        delta[rows, u * d:(u + 1) * d] = map_of(u, v)
        delta[rows, v * d:(v + 1) * d] = -phase * map_of(v, u)
    return delta


def sheaf_laplacian(a, q, **options):
    delta = coboundary(a, q, **options)
    return delta.conj().T @ delta


def magnetic(a, q):
    """D - A_s o exp(i 2 pi q (A - A^T)), D the row sums of |A_s|, A_s = (A + A^T) / 2."""
    symmetric = (a + a.T) / 2
    degrees = np.diag(np.abs(symmetric).sum(axis=1))
    return degrees - symmetric * np.exp(2j * np.pi * q * (a - a.T))


def sign_magnetic(a):
    """D - A_s o (1 - sgn|A - A^T| + i sgn(|A| - |A^T|))."""
    symmetric = (a + a.T) / 2
    degrees = np.diag(np.abs(symmetric).sum(axis=1))
    signs = 1 - np.sign(np.abs(a - a.T)) + 1j * np.sign(np.abs(a) - np.abs(a.T))
    return degrees - symmetric * signs


def normalised(laplacian, d, kind):
    """S L S with S the inverse root of the diagonal blocks, or of those plus the identity."""
    roots = np.zeros_like(laplacian)
    for begin in range(0, len(laplacian), d):
        block = slice(begin, begin + d)
        values, vectors = np.linalg.eigh(laplacian[block, block])
        if kind == "augmented":
            inverse = 1 / np.sqrt(values + 1)
        else:
            is_zero = values <= 1e-12 * max(values.max(), 1)
            inverse = np.where(is_zero, 0, 1 / np.sqrt(np.where(is_zero, 1, values)))
        roots[block, block] = vectors * inverse @ vectors.conj().T
    return roots @ laplacian @ roots
