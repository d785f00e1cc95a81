"""Learned weights of far neighbours."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from . import _core
from ._inputs import problem_arrays


@dataclass
class LearnedWeights:
    """What the solver found.

    Attributes
    ----------
    orders : dict of int to scipy.sparse.csr_matrix
        Row i of ``orders[k]`` holds the weights that node i gives to nodes at distance k; it sums to at most one.
    worst_gap : float
        The largest duality gap of all problems: the certificate of their exactness.
    """

    orders: dict
    worst_gap: float

    def sum(self):
        """The weights of all orders in one matrix (they never overlap)."""
        return sum(self.orders.values())


def setting_texts(settings):
    """Settings as the engine reads them: names and texts."""
    def text(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, tuple, np.ndarray)):
            return ",".join(text(item) for item in value)
        return repr(float(value)) if isinstance(value, float) else str(value)

    return [(name, text(value)) for name, value in settings.items() if value is not None]


def learn_weights(A, X, order=2, *, n_jobs=0, cache_dir=None, **settings):
    """Learn which far nodes resemble a node's own neighbourhood.

    Parameters
    ----------
    A : graph
        A scipy sparse or numpy adjacency matrix, an ``edge_index`` (2 x edges), a NetworkX or a DGL graph.
    X : array or scipy sparse matrix of shape (nodes, features)
        Non-negative features.
    order : int
        The farthest ring: weights are learned for the distances 2..order.
    n_jobs : int
        Threads; 0: one per core. Results do not depend on it.
    cache_dir : str, optional
        Where finished orders are kept and found again.
    **settings
        Further settings of ``hwgcn weights``: ``weighting="lasso"``, ``max_ring=512``, ``keep=[...]`` ..

    Returns
    -------
    LearnedWeights
    """
    arrays = problem_arrays(A, X)
    labels = np.full(arrays[0], -1, dtype=np.int32)
    problem = _core.Problem(*arrays, labels, [], cache_dir)
    shape = (arrays[0], arrays[0])
    orders, worst = {}, 0.0
    for (indptr, indices, data), facts in problem.learn_weights(
        setting_texts({"order": order, **settings}), n_jobs
    ):
        if facts["unfinished"]:
            raise _core.RunError(f"order {facts['order']}: {facts['unfinished']} solves were not finished")
        # scipy wants offsets of the kind of the indices; only these few are copied.
        if indptr[-1] <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        else:
            indices = indices.astype(np.int64)
        orders[facts["order"]] = sp.csr_matrix((data, indices, indptr), shape=shape, copy=False)
        worst = max(worst, facts["worst_gap"])
    return LearnedWeights(orders, worst)
