"""The operators from Python, where LibTorch's Python package is installed: python3 check_operators.py libdsnn.so

Compares torch.ops.dsnn.sheaf_diffusion with the dense Laplacian that NumPy makes from the definition, and runs
torch.autograd.gradcheck on it.
"""
import sys

try:
    import torch
except ImportError:
    print("skipped: no Python package torch")
    sys.exit(77)
import numpy as np

torch.ops.load_library(sys.argv[1])

NUM_NODES, DIM, CHANNELS, CHARGE = 7, 2, 3, 0.2
ARCS = [(0, 1), (1, 0), (1, 2), (2, 3), (4, 3), (4, 0), (5, 1)]  # node 6 has none


def half_edges():
    """(owner, neighbour, orientation) in the library's order."""
    arcs = set(ARCS)
    pairs = sorted({(u, v) for u, v in arcs} | {(v, u) for u, v in arcs})
    return [(u, v, ((u, v) in arcs) - ((v, u) in arcs)) for u, v in pairs]


def dense_laplacian(maps):
    """S L S with the augmented S, from coboundary rows."""
    index = {(u, v): h for h, (u, v, _) in enumerate(half_edges())}
    rows = []
    for (u, v), h in index.items():
        if u > v:
            continue
        phase = np.exp(2j * np.pi * CHARGE * half_edges()[h][2])
        row = np.zeros((DIM, NUM_NODES * DIM), complex)
        row[:, u * DIM:(u + 1) * DIM] = maps[h]
        row[:, v * DIM:(v + 1) * DIM] = -phase * maps[index[v, u]]
        rows.append(row)
    delta = np.concatenate(rows)
    laplacian = delta.conj().T @ delta
    s = np.zeros_like(laplacian)
    for u in range(NUM_NODES):
        block = slice(u * DIM, (u + 1) * DIM)
        values, vectors = np.linalg.eigh(laplacian[block, block] + np.eye(DIM))
        s[block, block] = vectors @ np.diag(values ** -0.5) @ vectors.conj().T
    return s @ laplacian @ s


def main():
    torch.manual_seed(1)
    graph = torch.classes.dsnn.Graph(NUM_NODES, torch.tensor(ARCS), None)
    maps = torch.randn(len(half_edges()), DIM, DIM, dtype=torch.double)
    x = torch.randn(2, NUM_NODES, DIM, CHANNELS, dtype=torch.double)
    charge = torch.tensor(CHARGE, dtype=torch.double)

    def diffusion(x, maps, charge):
        return torch.ops.dsnn.sheaf_diffusion(x, maps, None, charge, graph, "general", "augmented", False, False)

    y = diffusion(x, maps, charge).numpy()
    features = (x[0] + 1j * x[1]).numpy().reshape(NUM_NODES * DIM, CHANNELS)
    expected = (dense_laplacian(maps.numpy()) @ features).reshape(NUM_NODES, DIM, CHANNELS)
    error = np.abs(y[0] + 1j * y[1] - expected).max()
    assert error < 1e-13, error
    inputs = [tensor.requires_grad_() for tensor in (x, maps, charge)]
    assert torch.autograd.gradcheck(diffusion, inputs)
    try:
        diffusion(x.float(), maps, charge)
    except RuntimeError as problem:
        assert "x must have the dtype of maps, Double" in str(problem), problem
    else:
        raise AssertionError("a float x with double maps was accepted")
    print("3 passed, 0 failed")


main()
