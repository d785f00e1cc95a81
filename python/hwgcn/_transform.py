"""The weights as a transform of PyTorch Geometric's Data."""

import copy
import numbers

import numpy as np

from ._arguments import found
from ._core import InputError
from ._inputs import as_numpy, whole_numbers
from ._weights import learn_weights


class HigherOrderWeights:
    """Add learned far neighbors to a graph as weighted edges.

    Called with an object that has ``edge_index`` and ``x``, as PyTorch Geometric's ``Data`` has, it returns a copy with
    the given edges first and the learned ones of the distances 2..order behind them:

    ``edge_index``
        Messages go from ``edge_index[0]`` to ``edge_index[1]``, as everywhere in PyTorch Geometric: what node i
        borrows from node j, ``W[i, j]``, is the weight of an edge from j to i: adding up messages gives
        ``W @ x``.
    ``edge_weight``
        The given weights divided by their mean, or 1 where there are none; the learned weights.
    ``edge_attr``, where there are some
        The given rows, and rows of `fill` for the learned edges. With ``weight="edge_attr"``: the weights.
    ``edge_order``
        1 for the given edges, the distance for the learned ones.

    Tensors come back as tensors of the same device; torch is not imported.

    Parameters
    ----------
    order : int
        The farthest ring.
    weight : str
        Where the weights of the given edges are: ``"edge_weight"``, or ``"edge_attr"`` of shape (edges,) or (edges, 1).
    fill : number
        The attributes of learned edges.
    **settings
        As for :func:`learn_weights`.
    """

    def __init__(self, order=2, *, weight="edge_weight", fill=0, **settings):
        self.order = order
        self.weight = weight
        self.fill = fill
        self.settings = settings

    def __call__(self, data):
        edges = _edges_of(data)
        if not isinstance(self.weight, str) or self.weight not in ("edge_weight", "edge_attr"):
            raise InputError(f"weight: expected 'edge_weight' or 'edge_attr', got {found(self.weight)}")
        given = _weights_of(data, self.weight, edges.shape[1])
        weights = learn_weights(edges, data.x, self.order, edge_weight=given, **self.settings)
        far = {order: matrix.tocoo() for order, matrix in weights.orders.items()}
        near = np.ones(edges.shape[1]) if given is None else given / given.mean()
        result = copy.copy(data)
        source = np.concatenate([edges[0], *(matrix.col for matrix in far.values())])
        target = np.concatenate([edges[1], *(matrix.row for matrix in far.values())])
        result.edge_index = _like(data.edge_index, np.stack([source, target]).astype(edges.dtype))
        weight = np.concatenate([near, *(matrix.data for matrix in far.values())]).astype(np.float32)
        result.edge_weight = _like(_floating(data.x), weight)
        orders = np.concatenate([np.ones(edges.shape[1]), *(np.full(one.nnz, order) for order, one in far.items())])
        result.edge_order = _like(data.edge_index, orders.astype(edges.dtype))
        attributes = getattr(data, "edge_attr", None)
        if attributes is not None:
            result.edge_attr = self._attributes(attributes, weight, edges.shape[1])
        return result

    def _attributes(self, attributes, weight, edges):
        given = as_numpy(attributes, "data.edge_attr")
        if given.ndim == 0 or given.shape[0] != edges:
            raise InputError(f"data.edge_attr: expected a row per edge ({edges}), got {found(given)}")
        if self.weight == "edge_attr":
            return _like(_floating(attributes), weight.reshape(-1, *given.shape[1:]))
        if isinstance(self.fill, bool) or not isinstance(self.fill, numbers.Real):
            raise TypeError(f"fill: expected a number, got {found(self.fill)}")
        more = np.full((weight.size - edges, *given.shape[1:]), self.fill, dtype=given.dtype)
        return _like(attributes, np.concatenate([given, more]))

    def __repr__(self):
        return f"{type(self).__name__}(order={self.order})"


def _weights_of(data, name, edges):
    """The weights of the given edges, or None where they have none."""
    if getattr(data, name, None) is None:
        if name == "edge_attr":
            raise InputError("weight: expected data with edge_attr, got one without")
        return None
    weights = as_numpy(getattr(data, name), f"data.{name}")
    if weights.shape not in ((edges,), (edges, 1)):
        raise InputError(f"data.{name}: expected a weight per edge ({edges}), got {found(weights)}")
    if weights.dtype.kind not in "biuf":
        raise TypeError(f"data.{name}: expected numbers, got {found(weights)}")
    weights = weights.reshape(-1).astype(np.float64)
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise InputError(f"data.{name}: expected finite weights of at least 0, got {weights[wrong][0]:g}")
    if weights.size and weights.mean() == 0:
        raise InputError(f"data.{name}: expected some weight above 0, got none")
    return weights if weights.size else None


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
