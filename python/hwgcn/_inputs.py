"""Graphs and features of any kind as the arrays that the engine reads."""

import numpy as np
import scipy.sparse as sp


def adjacency(graph, nodes):
    """The adjacency of a graph of so many nodes as a CSR matrix: a scipy or numpy matrix, an ``edge_index`` of two
    rows, a NetworkX or a DGL graph. Directions and weights do not matter: an entry is an edge."""
    if sp.issparse(graph):
        matrix = graph.tocsr()
    elif hasattr(graph, "adjacency") and hasattr(graph, "number_of_nodes"):  # NetworkX
        matrix = _from_networkx(graph)
    elif hasattr(graph, "num_nodes") and callable(getattr(graph, "edges", None)):  # DGL
        source, target = (as_numpy(ends) for ends in graph.edges())
        matrix = _from_edges(source, target, int(graph.num_nodes()))
    else:
        array = as_numpy(graph)
        if array.ndim != 2:
            raise ValueError(f"expected a graph, got an array of {array.ndim} dimensions")
        if array.shape[0] == 2 and array.shape != (nodes, nodes):
            matrix = _from_edges(array[0], array[1], nodes)
        else:
            matrix = sp.csr_matrix(array)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"expected a square adjacency matrix, got one of shape {matrix.shape}")
    return matrix


def _from_networkx(graph):
    number = {node: index for index, node in enumerate(graph)}
    source = [number[node] for node, neighbors in graph.adjacency() for _ in neighbors]
    target = [number[other] for _, neighbors in graph.adjacency() for other in neighbors]
    return _from_edges(np.asarray(source), np.asarray(target), len(number))


def _from_edges(source, target, nodes):
    source, target = np.asarray(source, dtype=np.int64), np.asarray(target, dtype=np.int64)
    if source.size and (min(source.min(), target.min()) < 0 or max(source.max(), target.max()) >= nodes):
        raise ValueError(f"an edge leads to a node outside of 0..{nodes - 1}")
    ones = np.ones(source.size, dtype=np.int8)
    return sp.coo_matrix((ones, (source, target)), shape=(nodes, nodes)).tocsr()


def as_numpy(array):
    """A numpy array from anything that has one: tensors are asked for theirs, torch is never imported."""
    for method in ("detach", "cpu", "numpy"):
        if hasattr(array, method) and not isinstance(array, np.ndarray):
            array = getattr(array, method)()
    return np.asarray(array)


def features_csr(features, nodes):
    """Features as CSR of 32-bit floats. What has that form already is not copied."""
    if not sp.issparse(features) and not np.issubdtype(features.dtype, np.number):
        features = features.astype(np.float64)
    matrix = sp.csr_matrix(features)
    if matrix.shape[0] != nodes:
        raise ValueError(f"the graph has {nodes} nodes, but the features have {matrix.shape[0]} rows")
    if not matrix.has_sorted_indices or not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix.astype(np.float32, copy=False)


def problem_arrays(graph, features):
    """The arguments of ``_core.Problem`` that describe graph and features."""
    if not sp.issparse(features):
        features = as_numpy(features)
        if features.ndim != 2:
            raise ValueError(f"expected features of two dimensions, got {features.ndim}")
    matrix = adjacency(graph, features.shape[0])
    if not matrix.data.all():  # stored zeros are no edges
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    x = features_csr(features, matrix.shape[0])
    return (
        matrix.shape[0],
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        x.indptr.astype(np.int64, copy=False),
        x.indices.astype(np.int32, copy=False),
        x.data,
        x.shape[1],
    )
