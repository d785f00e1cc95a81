"""Graphs, features and lists of nodes of any kind as the arrays that the engine reads."""

import numbers
import warnings

import numpy as np
import scipy.sparse as sp

from ._arguments import found
from ._core import InputError

LARGEST_INDEX = np.iinfo(np.int32).max
KINDS_OF_GRAPHS = "a scipy or numpy matrix, an edge_index of two rows, a NetworkX or a DGL graph"


def as_numpy(array, name):
    """A numpy array from anything that has one: tensors are asked for theirs, torch is never imported."""
    given = array
    try:
        for method in ("detach", "cpu", "numpy"):
            if not isinstance(array, np.ndarray) and callable(getattr(array, method, None)):
                array = getattr(array, method)()
        if np.ma.isMaskedArray(array) and np.ma.is_masked(array):
            raise ValueError("it has masked entries; fill them in first")
        return np.asarray(array)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{name}: expected an array, got a {type(given).__name__}: {error}") from None


def whole_numbers(array, name):
    """The numbers of an array as 64-bit integers. 3.0 is a whole number, 1.5, nan and True are none."""
    kind = array.dtype.kind
    if array.size == 0:
        return np.empty(array.shape, dtype=np.int64)
    wrong = None
    if kind == "f":
        wrong = ~np.isfinite(array) | (np.floor(array) != array) | (np.abs(array) > 2.0**53)
    elif kind == "u":
        wrong = array > np.iinfo(np.int64).max
    elif kind == "O":
        flat = [isinstance(n, numbers.Integral) and not isinstance(n, bool) and abs(n) < 2**63 for n in array.flat]
        wrong = ~np.array(flat).reshape(array.shape)
    elif kind != "i":
        raise TypeError(f"{name}: expected whole numbers, got {found(array)}")
    if wrong is not None and wrong.any():
        raise InputError(f"{name}: expected whole numbers, got {found(array[wrong].flat[0])}")
    return array.astype(np.int64)


def node_numbers(nodes, count, name):
    """Numbers of nodes, given as such or as a mask."""
    array = as_numpy(nodes, name)
    if array.ndim != 1:
        raise InputError(f"{name}: expected a list of node numbers or a mask, got {found(nodes)}")
    if array.dtype == bool:
        if array.shape != (count,):
            raise InputError(f"{name}: expected a mask of {count} nodes, got one of {array.size}")
        return np.flatnonzero(array)
    array = whole_numbers(array, name)
    outside = (array < 0) | (array >= count)
    if outside.any():
        raise InputError(f"{name}: node {array[outside][0]} is outside of 0..{count - 1}")
    if array.size == count > 2 and array.max() <= 1:
        raise InputError(f"{name}: {count} times 0 or 1 looks like a mask; a mask is of type bool")
    return array


def _real(array, name):
    """A numpy array of real numbers in a type that scipy takes; texts and complex numbers are refused."""
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: expected numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name}: expected real numbers, got {found(array)}")
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _checked_csr(parts, shape, name):
    """A CSR matrix of these arrays, none of them copied; broken ones are refused."""
    try:
        matrix = sp.csr_matrix(parts, shape=shape, copy=False)
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise InputError(f"{name}: no valid CSR matrix: {error}") from None
    return matrix


def adjacency(graph, nodes):
    """The adjacency of a graph of so many nodes as a CSR matrix: a scipy or numpy matrix, an ``edge_index`` of two
    rows, a NetworkX or a DGL graph. Directions and weights do not matter: an entry other than zero is an edge."""
    if sp.issparse(graph):
        return _from_sparse(graph)
    if hasattr(graph, "adjacency") and hasattr(graph, "number_of_nodes"):  # NetworkX
        return _from_networkx(graph)
    if hasattr(graph, "num_nodes") and callable(getattr(graph, "edges", None)):  # DGL
        source, target = (as_numpy(ends, "A") for ends in graph.edges())
        return _from_edges(source, target, int(graph.num_nodes()))
    array = as_numpy(graph, "A")
    if array.ndim != 2:
        raise InputError(f"A: expected a graph ({KINDS_OF_GRAPHS}), got {found(graph)}")
    if array.shape[0] == 2 and array.shape != (nodes, nodes):
        return _from_edges(array[0], array[1], nodes)
    return _from_sparse(sp.coo_matrix(_real(array, "A")))


def _from_sparse(graph):
    if graph.shape[0] != graph.shape[1]:
        hint = "; an edge_index has two rows, not two columns" if graph.shape[1] == 2 else ""
        raise InputError(f"A: expected a square adjacency matrix, got one of shape {graph.shape}{hint}")
    if graph.format == "csr":
        matrix = _checked_csr((_real(graph.data, "A"), graph.indices, graph.indptr), graph.shape, "A")
    else:
        matrix = graph.tocoo()
    values = _real(matrix.data, "A")
    if not np.isfinite(values).all():
        raise InputError(f"A: an entry is {values[~np.isfinite(values)][0]}, expected finite numbers; 0 means no edge")
    edges = values != 0
    if matrix.format == "coo":  # repeated entries are not summed, which could cancel or overflow: they stay an edge
        return sp.coo_matrix((edges[edges], (matrix.row[edges], matrix.col[edges])), shape=matrix.shape).tocsr()
    # Stored zeros are no edges; taking them out needs arrays of its own.
    matrix = sp.csr_matrix((edges, matrix.indices, matrix.indptr), shape=matrix.shape, copy=not edges.all())
    matrix.eliminate_zeros()
    return matrix


def _from_networkx(graph):
    number = {node: index for index, node in enumerate(graph)}
    source = [number[node] for node, neighbors in graph.adjacency() for _ in neighbors]
    target = [number[other] for _, neighbors in graph.adjacency() for other in neighbors]
    return _from_edges(np.asarray(source), np.asarray(target), len(number))


def _from_edges(source, target, nodes):
    source, target = whole_numbers(source, "A"), whole_numbers(target, "A")
    for ends in (source, target):
        outside = (ends < 0) | (ends >= nodes)
        if outside.any():
            raise InputError(f"A: an edge leads to node {ends[outside][0]}, outside of 0..{nodes - 1}")
    ones = np.ones(source.size, dtype=bool)  # booleans do not overflow where an edge is repeated
    return sp.coo_matrix((ones, (source, target)), shape=(nodes, nodes)).tocsr()


def features_csr(features):
    """Features as CSR of 32-bit floats. What has that form already is not copied."""
    if not sp.issparse(features):
        matrix = sp.csr_matrix(_real(features, "X"))
    elif features.format == "csr":
        matrix = _checked_csr((_real(features.data, "X"), features.indices, features.indptr), features.shape, "X")
    else:
        matrix = features.tocoo()
        parts = (_summable(_real(matrix.data, "X")), (matrix.row, matrix.col))
        matrix = sp.coo_matrix(parts, shape=matrix.shape).tocsr()
    if not matrix.has_canonical_format:
        # Repeated entries are added, as scipy does; small integers would overflow.
        matrix = sp.csr_matrix((_summable(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape, copy=True)
        matrix.sum_duplicates()
    _check_values(matrix)
    return matrix.astype(np.float32, copy=False)


def _summable(values):
    if values.dtype.kind == "b":  # for scipy, true twice is true
        return values
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _check_values(matrix):
    """Refuses features that the engine cannot take, and says which."""
    values = matrix.data
    if not values.size:
        return

    def fail(place, expected):
        node = np.searchsorted(matrix.indptr, place, side="right") - 1
        raise InputError(f"X: node {node}: feature {matrix.indices[place]} is {values[place]:g}, expected {expected}")

    good = np.isfinite(values) & (values >= 0)
    if not good.all():
        place = np.flatnonzero(~good)[0]
        hint = "; np.maximum(X, 0) and np.maximum(-X, 0) side by side keep the sign" if values[place] < 0 else ""
        fail(place, f"a finite number of at least 0{hint}")
    largest = np.argmax(values)
    if values[largest] > np.finfo(np.float32).max:
        fail(largest, "at most 3.4e+38, the largest 32-bit float")
    if values.dtype == np.float64:
        lost = np.count_nonzero(values) - np.count_nonzero(values.astype(np.float32))
        if lost:
            warnings.warn(f"X: {lost} values are too small for 32-bit floats and count as 0", stacklevel=4)


def problem_arrays(graph, features):
    """The arguments of ``_core.Problem`` that describe graph and features."""
    if not sp.issparse(features):
        array = as_numpy(features, "X")
        if array.ndim != 2:
            raise InputError(f"X: expected features of two dimensions (nodes, features), got {found(features)}")
        features = array
    if max(features.shape) > LARGEST_INDEX:
        raise InputError(f"X: expected at most {LARGEST_INDEX} nodes and features, got the shape {features.shape}")
    if features.shape[0] == 0:
        raise InputError("X: expected at least one node, got no row")
    matrix = adjacency(graph, features.shape[0])
    nodes = matrix.shape[0]
    if features.shape[0] != nodes:
        raise InputError(f"X: the graph has {nodes} nodes, but the features have {features.shape[0]} rows")
    x = features_csr(features)
    return (
        nodes,
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        x.indptr.astype(np.int64, copy=False),
        x.indices.astype(np.int32, copy=False),
        x.data,
        x.shape[1],
    )
