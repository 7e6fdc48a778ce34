"""Sheaf networks and their operators for PyTorch.

Differentiable functions of tensors, and modules that use them, for torch 1.13 and newer, in float32
and float64, on the CPU. Nothing is compiled against a version of torch. With torch 2.4 and newer
they can be used in `torch.compile`.

>>> conv = DirectedSheafConv(16, 32, stalk_dim=3)
>>> edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
>>> conv(torch.randn(3, 16), edge_index).shape
torch.Size([3, 32])
"""

from dsnn._operators import SparseMatrix
from dsnn.torch._functions import (
    bias_activation,
    complex_bias_relu,
    complex_planes,
    dropout,
    edge_attention,
    edge_dot,
    edge_softmax,
    edge_spmm,
    edge_sum,
    edge_weights,
    halves,
    head_dot,
    linear,
    neighbour_max,
    num_orthogonal_params,
    orthogonal,
    scaled_diffusion,
    scaled_maps,
    sheaf_diffusion,
    sheaf_maps,
    sparse_linear,
    spmm,
    stalk_linear,
    stalk_update,
    sum_middle,
    unit_rows,
)
from dsnn.torch._graphs import graph, sparse_matrix
from dsnn.torch._memory import release as release_memory
from dsnn.torch._modules import DSNN, DirectedSheafConv

__all__ = [
    "DSNN",
    "DirectedSheafConv",
    "SparseMatrix",
    "bias_activation",
    "complex_bias_relu",
    "complex_planes",
    "dropout",
    "edge_attention",
    "edge_dot",
    "edge_softmax",
    "edge_spmm",
    "edge_sum",
    "edge_weights",
    "graph",
    "halves",
    "head_dot",
    "linear",
    "neighbour_max",
    "num_orthogonal_params",
    "orthogonal",
    "release_memory",
    "scaled_diffusion",
    "scaled_maps",
    "sheaf_diffusion",
    "sheaf_maps",
    "sparse_linear",
    "sparse_matrix",
    "spmm",
    "stalk_linear",
    "stalk_update",
    "sum_middle",
    "unit_rows",
]
