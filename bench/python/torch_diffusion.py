"""Times dsnn.torch.sheaf_diffusion, forward and backward, next to the engine and plain torch.

    PYTHONPATH=python DSNN_C_LIBRARY=build/release/src/c/libdsnn_c.so \\
        python3 bench/python/torch_diffusion.py

All three run alternately in one process, with the same values and the same number of threads. The
engine is called with pointers to arrays that all calls share. Plain torch gathers and scatters
(index_select, index_add), as such layers are usually written. Results are compared before the
timing; the least of several times is printed. A million edges need 12 GB.
"""

import argparse
import math
import time

import numpy as np
import torch

import dsnn
import dsnn.torch


class Plain:
    """The reference in plain torch [eq:scaled-maps], [eq:diffusion], with separate real and
    imaginary parts."""

    def __init__(self, graph):
        half_edges = graph.half_edges()
        counts = np.diff(half_edges.offsets)
        self.n = graph.num_nodes
        self.owners = torch.from_numpy(np.repeat(np.arange(self.n), counts))
        self.neighbours = torch.from_numpy(half_edges.neighbours.astype(np.int64))
        self.reverses = torch.from_numpy(half_edges.reverses)
        self.orientations = torch.from_numpy(half_edges.orientations.astype(np.float32))

    def __call__(self, x, maps, charge):
        d = maps.shape[-1]
        own = maps.transpose(1, 2) @ maps
        blocks = torch.zeros(self.n, d, d).index_add(0, self.owners, own)
        values, vectors = torch.linalg.eigh(blocks + torch.eye(d))
        root = (vectors * values[:, None, :] ** -0.5) @ vectors.transpose(1, 2)
        diagonal = (vectors * ((values - 1) / values)[:, None, :]) @ vectors.transpose(1, 2)
        scaled = maps @ root.index_select(0, self.owners)
        there = scaled.index_select(0, self.reverses) @ x.index_select(1, self.neighbours)
        angle = 2 * math.pi * charge * self.orientations
        cos, sin = torch.cos(angle)[:, None, None], torch.sin(angle)[:, None, None]
        turned = torch.stack([cos * there[0] - sin * there[1], sin * there[0] + cos * there[1]])
        heard = scaled.transpose(1, 2) @ turned
        return diagonal @ x - torch.zeros_like(x).index_add(1, self.owners, heard)


class Engine:
    """Operators called with pointers."""

    def __init__(self, graph, x, maps, charge, grad):
        self.scale = dsnn.Operator("scaled_maps", graph, family="general")
        self.diffuse = dsnn.Operator("scaled_diffusion", graph)
        self.maps, self.x, self.charge, self.grad = maps, x, charge, grad
        self.scale_call = self.scale.signature([maps.shape, None])
        self.scaled = [np.zeros(s, np.float32) for s in self.scale_call.result_shapes]
        self.inputs = [x, *self.scaled[:2], charge]
        self.diffuse_call = self.diffuse.signature([a.shape for a in self.inputs])
        self.y = np.zeros_like(x)
        self.grads = [np.zeros_like(a) for a in self.inputs]
        self.grad_maps = np.zeros_like(maps)

    def run(self, threads):
        def at(arrays):
            return [None if a is None else a.ctypes.data for a in arrays]

        self.scale.forward(
            self.scale_call, False, at([self.maps, None]), at(self.scaled), num_threads=threads
        )
        self.diffuse.forward(
            self.diffuse_call, False, at(self.inputs), at([self.y]), num_threads=threads
        )
        middle = time.perf_counter()
        self.diffuse.backward(
            self.diffuse_call, False, at(self.inputs), at([self.y]), at([self.grad]),
            at(self.grads), num_threads=threads,
        )
        self.scale.backward(
            self.scale_call, False, at([self.maps, None]), at(self.scaled),
            at([*self.grads[1:3], None, None]), at([self.grad_maps, None]), num_threads=threads,
        )
        return middle


def with_autograd(function, tensors, grad):
    leaves = [t.detach().requires_grad_() for t in tensors]
    y = function(*leaves)
    middle = time.perf_counter()
    y.backward(grad)
    return y.detach(), [t.grad for t in leaves], middle


def relative(found, expected):
    return float((found - expected).abs().max() / expected.abs().max())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--stalk-dim", type=int, default=3)
    parser.add_argument("--channels", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=7, help="for the engine and dsnn.torch")
    parser.add_argument("--plain-repeats", type=int, default=2, help="for plain torch")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)

    # More pairs than needed, as duplicates and self-loops are removed.
    n, d = options.nodes, options.stalk_dim
    pairs = torch.randint(0, n, (2, options.edges * 21 // 20))
    pairs = pairs[:, pairs[0] != pairs[1]]
    keys = torch.unique(pairs.min(0)[0] * n + pairs.max(0)[0])
    keys = keys[torch.randperm(len(keys))[: options.edges]]
    edges = torch.stack([keys // n, keys % n])
    edges = torch.where(torch.rand(edges.shape[1]) < 0.5, edges, edges.flip(0))
    graph = dsnn.torch.graph(edges, n)
    x = torch.randn(2, n, d, options.channels)
    maps = torch.randn(graph.num_half_edges, d, d) / d
    charge = torch.tensor(0.2)
    grad = torch.randn(x.shape)

    plain = Plain(graph)
    engine = Engine(graph, x.numpy(), maps.numpy(), charge.numpy(), grad.numpy())

    def ours(x, maps, charge):
        return dsnn.torch.sheaf_diffusion(x, maps, graph, charge=charge, family="general")

    runs = {
        "engine by pointers": lambda: engine.run(options.threads),
        "dsnn.torch": lambda: with_autograd(ours, (x, maps, charge), grad)[2],
        "plain torch": lambda: with_autograd(plain, (x, maps, charge), grad)[2],
    }

    y, grads, _ = with_autograd(ours, (x, maps, charge), grad)
    engine.run(options.threads)
    same = [torch.from_numpy(engine.y), *map(torch.from_numpy, (engine.grads[0], engine.grad_maps))]
    if not all(torch.equal(a, b) for a, b in zip([y, grads[0], grads[1]], same)):
        raise SystemExit("dsnn.torch and the engine differ")
    expected, expected_grads, _ = with_autograd(plain, (x, maps, charge), grad)
    worst = max(relative(a, b) for a, b in zip([y, *grads], [expected, *expected_grads]))
    if not worst < 1e-3:
        raise SystemExit(f"dsnn.torch and plain torch differ by {worst:.1e}")
    del y, grads, expected, expected_grads, same

    times = {name: [] for name in runs}
    for repeat in range(options.repeats):
        for name, run in runs.items():
            if name == "plain torch" and repeat >= options.plain_repeats:
                continue
            begin = time.perf_counter()
            middle = run()
            end = time.perf_counter()
            times[name].append((end - begin, middle - begin, end - middle))

    print(
        f"{graph.num_edges:,} edges, {n:,} nodes, general maps {d} x {d}, {options.channels} complex "
        f"channels, float32, torch {torch.__version__}, {options.threads} threads"
    )
    print(f"the same bits as the engine; within {worst:.0e} of plain torch\n")
    print(f"{'':20} {'forward':>9} {'backward':>9} {'both':>9}   against dsnn.torch")
    base = min(times["dsnn.torch"])[0]
    for name, found in times.items():
        both, forward, backward = min(found)
        print(
            f"{name:20} {1e3 * forward:7.0f}ms {1e3 * backward:7.0f}ms {1e3 * both:7.0f}ms"
            f"   {both / base:.2f}"
        )


if __name__ == "__main__":
    main()
