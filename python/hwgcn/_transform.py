"""The weights as a transform of PyTorch Geometric's Data."""

import copy

import numpy as np

from ._inputs import as_numpy
from ._weights import learn_weights


class HigherOrderWeights:
    """Add learned far neighbours to a graph as weighted edges.

    Called with an object that has ``edge_index`` and ``x``, as PyTorch Geometric's ``Data`` has, it returns a copy
    whose ``edge_index`` and ``edge_weight`` hold the edges (weight 1) and the learned weights of the distances
    2..order. Tensors come back as tensors of the same kind; torch is not imported.

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
        edges = as_numpy(data.edge_index)
        learned = learn_weights(edges, data.x, self.order, **self.settings).sum().tocoo()
        source = np.concatenate([edges[0], learned.row])
        target = np.concatenate([edges[1], learned.col])
        weight = np.concatenate([np.ones(edges.shape[1]), learned.data]).astype(np.float32)
        result = copy.copy(data)
        result.edge_index = _like(data.edge_index, np.stack([source, target]).astype(edges.dtype))
        result.edge_weight = _like(data.x, weight)
        return result

    def __repr__(self):
        return f"{type(self).__name__}(order={self.order})"


def _like(example, array):
    """`array` as what `example` is: itself, or a tensor on the same device."""
    if isinstance(example, np.ndarray) or not hasattr(example, "new_tensor"):
        return array
    return example.new_tensor(array)
