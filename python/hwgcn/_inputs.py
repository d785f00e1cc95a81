"""Graphs, features and lists of nodes of any kind as the arrays that the engine reads."""

import numbers
from dataclasses import dataclass, field
from typing import Optional

import numpy as np
import scipy.sparse as sp

from . import _core
from ._arguments import found, text_of
from ._core import InputError
from ._notes import tell
from ._order import expect_order, nodes_in_order
from ._tables import TableEncoder, is_frame

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
        expect_order(nodes, name, None, count)
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


def adjacency(graph, nodes, edge_weight=None):
    """The edges of a graph as a CSR matrix, and their weights in the order of its entries, or None where all weigh the
    same: a scipy or numpy matrix (an entry other than zero is an edge, and weighs what it is), an ``edge_index`` of two
    rows (weights: `edge_weight`), a NetworkX graph (edge attribute ``weight``) or a DGL graph (edge data ``weight`` or
    ``w``). `nodes` is their number, or None where only the graph knows it."""
    is_edges = False
    if sp.issparse(graph):
        source, target, values, nodes = _entries(graph)
    elif hasattr(graph, "adjacency") and hasattr(graph, "number_of_nodes"):  # NetworkX
        source, target, values, nodes = _networkx_edges(graph)
    elif hasattr(graph, "num_nodes") and callable(getattr(graph, "edges", None)):  # DGL
        source, target = (as_numpy(ends, "A") for ends in graph.edges())
        values, nodes, is_edges = _dgl_weights(graph), int(graph.num_nodes()), True
    else:
        array = as_numpy(graph, "A")
        if array.ndim != 2:
            raise InputError(f"A: expected a graph ({KINDS_OF_GRAPHS}), got {found(graph)}")
        is_edges = array.shape[0] == 2 and array.shape != (nodes, nodes)
        if is_edges:
            source, target, values = array[0], array[1], None
        else:
            source, target, values, nodes = _entries(sp.coo_matrix(_real(array, "A")))
    if edge_weight is not None:
        if not is_edges:
            raise InputError("edge_weight: only for an edge_index; other graphs hold the weights of their edges themselves")
        values = as_numpy(edge_weight, "edge_weight")
        if values.shape not in (source.shape, (*source.shape, 1)):
            raise InputError(f"edge_weight: expected a number per edge ({source.size}), got {found(values)}")
        values = values.reshape(-1)
    return _from_edges(source, target, nodes, values)


def _has_directions(graph, edges):
    """Whether a graph says that its edges go one way: a directed NetworkX graph, or a matrix that is not symmetric.
    The edges of an edge_index go both ways, however they are listed."""
    if callable(getattr(graph, "is_directed", None)):
        return bool(graph.is_directed())
    shape = getattr(graph, "shape", ())
    is_matrix = sp.issparse(graph) or (len(shape) == 2 and shape == edges.shape and shape[0] != 2)
    return is_matrix and (edges != edges.T).nnz > 0


def _entries(graph):
    """Rows, columns and values of the entries of an adjacency matrix that are not zero, and the number of nodes."""
    if graph.shape[0] != graph.shape[1]:
        hint = "; an edge_index has two rows, not two columns" if graph.shape[1] == 2 else ""
        raise InputError(f"A: expected a square adjacency matrix, got one of shape {graph.shape}{hint}")
    if graph.format == "csr":
        graph = _checked_csr((_real(graph.data, "A"), graph.indices, graph.indptr), graph.shape, "A")
    matrix = graph.tocoo()
    values = _real(matrix.data, "A")
    if not np.isfinite(values).all():
        raise InputError(f"A: an entry is {values[~np.isfinite(values)][0]}, expected finite numbers; 0 means no edge")
    edges = values != 0  # stored zeros are none
    return matrix.row[edges], matrix.col[edges], values[edges], matrix.shape[0]


def _networkx_edges(graph):
    number = {node: i for i, node in enumerate(graph)}
    ends = list(graph.edges(data="weight", default=None))
    source = np.array([number[one] for one, _, _ in ends], dtype=np.int64)
    target = np.array([number[other] for _, other, _ in ends], dtype=np.int64)
    given = [weight for _, _, weight in ends]
    if all(weight is None for weight in given):
        return source, target, None, len(number)
    given = [1 if weight is None else weight for weight in given]  # as in NetworkX
    return source, target, as_numpy(given, "A"), len(number)


def _dgl_weights(graph):
    held = getattr(graph, "edata", None)
    for name in ("weight", "w"):
        if held is not None and name in held:
            return as_numpy(held[name], "A").reshape(-1)
    return None


def _from_edges(source, target, nodes, values):
    source, target = whole_numbers(source, "A"), whole_numbers(target, "A")
    if nodes is None:
        nodes = int(max(source.max(initial=-1), target.max(initial=-1))) + 1
    for ends in (source, target):
        outside = (ends < 0) | (ends >= nodes)
        if outside.any():
            raise InputError(f"A: an edge leads to node {ends[outside][0]}, outside of 0..{nodes - 1}")
    weights = _weights(values)
    if weights is not None:
        kept = weights != 0
        source, target, weights = source[kept], target[kept], weights[kept]
        matrix = sp.coo_matrix((weights, (source, target)), shape=(nodes, nodes)).tocsr()  # repeated edges add up
        return matrix, matrix.data.astype(np.float32)
    ones = np.ones(source.size, dtype=bool)  # booleans do not overflow where an edge is repeated
    return sp.coo_matrix((ones, (source, target)), shape=(nodes, nodes)).tocsr(), None


def _weights(values):
    """Weights of edges as numbers, or None where all edges weigh 1."""
    if values is None or values.dtype.kind == "b":
        return None
    values = _real(values, "A").astype(np.float64)
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        raise InputError(f"A: an edge weighs {values[wrong][0]:g}, expected a finite number of at least 0")
    return None if (values == 1).all() else values


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

    if np.isinf(values).any():
        fail(np.flatnonzero(np.isinf(values))[0], "a finite number, or nan where it is missing")
    too_large = np.abs(values) > np.finfo(np.float32).max
    if too_large.any():
        fail(np.flatnonzero(too_large)[0], "at most 3.4e+38, the largest 32-bit float")
    if values.dtype == np.float64:
        lost = np.count_nonzero(values) - np.count_nonzero(values.astype(np.float32))
        if lost:
            tell([f"X: {lost} values are too small for 32-bit floats and count as 0"], stacklevel=5)


@dataclass
class GraphData:
    """A graph with features as the engine reads it."""

    nodes: int
    edges: sp.csr_matrix
    weights: Optional[np.ndarray]
    features: sp.csr_matrix
    kinds: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint8))  # of the features; empty: not known
    directed: bool = False
    encoder: Optional[TableEncoder] = None  # of the table that the features were; None: they were none

    def problem(self, labels, class_names, cache, scale):
        """The engine's own copy of it, with the labels of its nodes."""
        weights = {} if self.weights is None else {"edge_weights": self.weights}
        return _core.Problem(
            self.nodes,
            self.edges.indptr.astype(np.int64, copy=False),
            self.edges.indices.astype(np.int32, copy=False),
            self.features.indptr.astype(np.int64, copy=False),
            self.features.indices.astype(np.int32, copy=False),
            self.features.data,
            self.features.shape[1],
            labels,
            class_names,
            cache,
            table=[] if self.encoder is None else self.encoder.named_columns(),
            feature_kinds=self.kinds,
            scale=text_of(scale, "scale"),
            **weights,
            directed=self.directed,
        )


def graph_data(graph, features, nodes=None, edge_weight=None, name="X"):
    """Graph and features of any kind; `features` None: there are none, and the graph has so many `nodes`."""
    if features is None:
        edges, weights = adjacency(graph, nodes, edge_weight)
        none = sp.csr_matrix((edges.shape[0], 0), dtype=np.float32)
        return GraphData(edges.shape[0], edges, weights, none, directed=_has_directions(graph, edges))
    encoder = None
    if is_frame(features):
        given = "A" if name == "X" else "graph"
        expect_order(features, name, nodes_in_order(graph), len(features), given)
        encoder = TableEncoder(features, name)
        x, kinds = encoder.encode(features), encoder.kinds()
    else:
        x, kinds = _feature_matrix(features, name), np.empty(0, np.uint8)
    edges, weights = adjacency(graph, x.shape[0], edge_weight)
    if x.shape[0] != edges.shape[0]:
        raise InputError(f"{name}: the graph has {edges.shape[0]} nodes, but the features have {x.shape[0]} rows")
    return GraphData(edges.shape[0], edges, weights, features_csr(x), kinds, _has_directions(graph, edges), encoder)


def _feature_matrix(features, name):
    if not sp.issparse(features):
        array = as_numpy(features, name)
        if array.ndim != 2:
            raise InputError(f"{name}: expected features of two dimensions (nodes, features), got {found(features)}")
        features = array
    if max(features.shape) > LARGEST_INDEX:
        raise InputError(f"{name}: expected at most {LARGEST_INDEX} nodes and features, got the shape {features.shape}")
    if features.shape[0] == 0:
        raise InputError(f"{name}: expected at least one node, got no row")
    return features


def _rows_of_table(table, encoder, names):
    """The features of a table: of the columns that the fit had, or of the features that these became, as numbers."""
    if encoder is not None and {label for label, _ in encoder.columns} == set(table.columns):
        return encoder.encode(table)
    if names is not None and list(table.columns) == list(names):
        return table.to_numpy()
    if encoder is None:
        raise InputError("X: expected an array, as in the fit, whose features had no names; pass X.to_numpy()")
    return encoder.encode(table)  # says what differs


def added_nodes(features, edges, edge_weight, count, width, encoder, names):
    """Features, ends of edges and their weights, of nodes that are added behind `count` old ones. A table is read by the
    `encoder` of the fit, or has its features, `names`, as columns."""
    ends = whole_numbers(as_numpy(edges, "edges"), "edges")
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise InputError(f"edges: expected two rows of node numbers, got {found(edges)}")
    if features is None:
        features = np.zeros((max(0, int(ends.max(initial=-1)) + 1 - count), 0))
    if is_frame(features):
        for first in (0, count):  # new nodes may have either numbers
            expect_order(features, "X", list(range(first, first + len(features))), len(features))
        features = _rows_of_table(features, encoder, names)
    rows = features_csr(_feature_matrix(features, "X"))
    if rows.shape[1] != width:
        raise InputError(f"X: expected {width} features, as in the fit, got {rows.shape[1]}")
    total = count + rows.shape[0]
    if ends.size and not 0 <= ends.min() <= ends.max() < total:
        raise InputError(f"edges: a node is outside of 0..{total - 1}: there are {count} old and {rows.shape[0]} new ones")
    weights = None
    if edge_weight is not None:
        weights = as_numpy(edge_weight, "edge_weight").astype(np.float32).reshape(-1)
        if weights.size != ends.shape[1]:
            raise InputError(f"edge_weight: expected a number per edge ({ends.shape[1]}), got {weights.size}")
    indices, offsets = rows.indices.astype(np.int32), rows.indptr.astype(np.int64)
    return offsets, indices, rows.data, ends[0].astype(np.int32), ends[1].astype(np.int32), weights
