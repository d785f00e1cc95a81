"""Learned weights of far neighbors."""

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from . import _core
from ._arguments import folder_name, setting_texts, thread_count
from ._core import InputError
from ._inputs import graph_data


@dataclass
class LearnedWeights:
    """What the solver found.

    Attributes
    ----------
    orders : dict of int to scipy.sparse.csr_matrix
        Row i of ``orders[k]`` holds what node i borrows from nodes at distance k: ``orders[k] @ X`` gathers their
        features, and a row sums to at most one.
    worst_gap : float
        The largest duality gap of all problems: the certificate of their exactness.
    """

    orders: dict
    worst_gap: float
    nodes: int

    def sum(self):
        """The weights of all orders in one matrix (at distances, they never overlap)."""
        if not self.orders:
            return sp.csr_matrix((self.nodes, self.nodes))
        return sum(self.orders.values())


def csr_matrix(arrays, shape):
    """The engine's arrays as a matrix of scipy, which wants offsets of the kind of the indices; only these few are copied."""
    indptr, indices, data = arrays
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    else:
        indices = indices.astype(np.int64)
    return sp.csr_matrix((data, indices, indptr), shape=shape, copy=False)


def learn_weights(A, X, order=2, *, n_jobs=0, cache_dir=None, scale="auto", edge_weight=None, **settings):
    """Learn which far nodes resemble a node's own neighborhood.

    Parameters
    ----------
    A : graph
        A scipy sparse or numpy adjacency matrix, an ``edge_index`` (2 x edges), a NetworkX or a DGL graph.
    X : array, scipy sparse matrix or pandas table of shape (nodes, features)
        nan where a number is missing. In a table, texts and truth values are categories.
    order : int
        The farthest ring: weights are learned for the distances 2..order.
    n_jobs : int or None
        Threads; None: one; 0 or -1: one per core; -2: all cores but one. Results do not depend on it.
    cache_dir : str or path, optional
        Where finished orders are kept and found again.
    scale : str
        What the features are scaled by: ``"rows"``, ``"standard"``, ``"unit"``, ``"none"``, or ``"auto"``.
    edge_weight : array of shape (edges,), optional
        The weights of the edges where `A` is an ``edge_index``.
    **settings
        Further settings of ``hwgcn weights``: ``weighting="lasso"``, ``max_ring=512``, ``keep=[...]`` ..

    Returns
    -------
    LearnedWeights
    """
    settings, threads, cache = setting_texts(order, settings), thread_count(n_jobs), folder_name(cache_dir)
    if X is None:
        raise InputError("X: expected features of two dimensions (nodes, features): weights are learned from them; got None")
    graph = graph_data(A, X, edge_weight=edge_weight)
    problem = graph.problem(np.full(graph.nodes, -1, dtype=np.int32), [], cache, scale)
    shape = (graph.nodes, graph.nodes)
    orders, worst = {}, 0.0
    learned, notes = problem.learn_weights(settings, threads)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    for arrays, facts in learned:
        if facts["unfinished"]:
            raise _core.RunError(f"order {facts['order']}: {facts['unfinished']} solves were not finished")
        orders[facts["order"]] = csr_matrix(arrays, shape)
        worst = max(worst, facts["worst_gap"])
    return LearnedWeights(orders, worst, graph.nodes)
