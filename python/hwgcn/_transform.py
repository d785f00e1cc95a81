"""The weights as a transform of PyTorch Geometric's Data."""

import copy
import warnings

import numpy as np

from ._arguments import found
from ._core import InputError
from ._inputs import as_numpy, whole_numbers
from ._weights import learn_weights


class HigherOrderWeights:
    """Add learned far neighbours to a graph as weighted edges.

    Called with an object that has ``edge_index`` and ``x``, as PyTorch Geometric's ``Data`` has, it returns a copy
    whose ``edge_index`` and ``edge_weight`` hold the edges (weight 1) and the learned weights of the distances
    2..order. Messages go from ``edge_index[0]`` to ``edge_index[1]``, as everywhere in PyTorch Geometric: what node i
    borrows from node j, ``W[i, j]``, is the weight of an edge from j to i, so that adding up messages gives
    ``W @ x``. Tensors come back as tensors of the same device; torch is not imported.

    Parameters
    ----------
    order : int
        The farthest ring.
    **settings
        As for :func:`learn_weights`.
    """

    def __init__(self, order=2, **settings):
        self.order = order
        self.settings = settings

    def __call__(self, data):
        edges = _edges_of(data)
        learned = learn_weights(edges, data.x, self.order, **self.settings).sum().tocoo()
        source = np.concatenate([edges[0], learned.col])
        target = np.concatenate([edges[1], learned.row])
        weight = np.concatenate([np.ones(edges.shape[1]), learned.data]).astype(np.float32)
        result = copy.copy(data)
        result.edge_index = _like(data.edge_index, np.stack([source, target]).astype(edges.dtype))
        result.edge_weight = _like(_floating(data.x), weight)
        if getattr(data, "edge_weight", None) is not None:
            warnings.warn("data.edge_weight is replaced: the given edges weigh 1", stacklevel=2)
        if getattr(data, "edge_attr", None) is not None:
            warnings.warn("data.edge_attr is left out: the learned edges have no attributes", stacklevel=2)
            result.edge_attr = None
        return result

    def __repr__(self):
        return f"{type(self).__name__}(order={self.order})"


def _edges_of(data):
    """The edge_index of `data`, checked; whole numbers of whatever type they came in, if it was one for them."""
    for name in ("edge_index", "x"):
        if getattr(data, name, None) is None:
            raise InputError(f"data: expected an object with edge_index and x, got one without {name}")
    edges = as_numpy(data.edge_index, "data.edge_index")
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise InputError(f"data.edge_index: expected two rows, got {found(edges)}")
    numbers = whole_numbers(edges, "data.edge_index")
    return edges if edges.dtype.kind in "iu" else numbers


def _floating(example):
    """`example`, or an empty tensor of floats in its place: a tensor of another type would cut the weights off."""
    if hasattr(example, "is_floating_point") and not example.is_floating_point():
        return example[:0].float()
    return example


def _like(example, array):
    """`array` as what `example` is: itself, or a tensor on the same device."""
    if isinstance(example, np.ndarray) or not hasattr(example, "new_tensor"):
        return array
    return example.new_tensor(array)
