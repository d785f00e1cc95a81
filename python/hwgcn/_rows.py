"""Rows of X as scikit-learn hands them over, and the nodes of the graph that they belong to."""

import numpy as np
import scipy.sparse as sp

from ._arguments import found
from ._core import InputError
from ._inputs import as_numpy, features_csr, graph_data, node_numbers, whole_numbers
from ._labels import encode, sample_weights
from ._order import expect_index_of, expect_order_of_rows
from ._tables import TableEncoder, is_frame

FORMS = (
    "expected node numbers, or a pandas table without features= in the constructor, whose index holds node numbers "
    "(in a Pipeline: set_output(transform='pandas'))"
)


def nodes_of_rows(rows, count, name="X"):
    """The node of each row: an array of numbers, or of one column of them; a mask of all nodes."""
    array = as_numpy(rows, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{name}: {FORMS}; got {found(array)}")
    if count is not None:
        return node_numbers(array, count, name)
    if array.dtype == bool:
        raise InputError(f"{name}: expected node numbers, got a mask; how many nodes the graph has is not known")
    numbers = whole_numbers(array, name)
    if (numbers < 0).any():
        raise InputError(f"{name}: expected node numbers, got {numbers.min()}")
    return numbers


def nodes_of_table(table, count, name="X"):
    """The node of each row of a table: its index."""
    nodes = nodes_of_rows(table.index.to_numpy(), count, f"{name}'s index")
    if np.unique(nodes).size != nodes.size:
        repeated = np.flatnonzero(np.bincount(nodes) > 1)[0]
        raise InputError(f"{name}'s index: node {repeated} has several rows")
    return nodes


def expect_rows_of(rows, values, name):
    """Refuses labels or weights whose index says that they belong to other rows."""
    if hasattr(rows, "index") and not callable(rows.index):
        expect_index_of(rows, values, name)
        return
    nodes = as_numpy(rows, "X").reshape(-1)
    expect_order_of_rows(np.flatnonzero(nodes) if nodes.dtype == bool else nodes, values, name)


class RowFit:
    """What ``fit(rows, y)`` means for a graph: its data, and a class and a weight for each of its nodes."""

    def __init__(self, graph, features, edge_weight, rows, y, sample_weight):
        self.by_tables = False
        if features is not None:
            self.data = graph_data(graph, features, edge_weight=edge_weight, name="features")
            nodes = nodes_of_rows(rows, self.data.nodes)
        elif is_frame(rows):
            nodes = nodes_of_table(rows, None)
            self._spread(graph, edge_weight, rows, nodes)
        else:
            nodes = nodes_of_rows(rows, None)
            self.data = self._bare(graph, edge_weight, nodes)
        expect_rows_of(rows, y, "y")
        expect_rows_of(rows, sample_weight, "sample_weight")
        self.classes, codes = encode(y, nodes.size, "row")
        weights = None if sample_weight is None else sample_weights(sample_weight, nodes.size)
        self.codes, self.weights = _per_node(nodes, codes, weights, self.data.nodes)

    def _bare(self, graph, edge_weight, nodes):
        """The graph without features. An edge_index ends with the last node that it or the rows name."""
        data = graph_data(graph, None, edge_weight=edge_weight)
        last = int(nodes.max(initial=-1))
        if last >= data.nodes and not sp.issparse(graph) and np.ndim(graph) == 2 and np.shape(graph)[0] == 2:
            data = graph_data(graph, None, nodes=last + 1, edge_weight=edge_weight)
        node_numbers(nodes, data.nodes, "X")
        return data

    def _spread(self, graph, edge_weight, table, nodes):
        """The rows of the table at their nodes; the others have no features."""
        self.data = self._bare(graph, edge_weight, nodes)
        self.by_tables = True
        encoder = self.data.encoder = TableEncoder(table)
        rows = features_csr(encoder.encode(table))
        self.data.features = _spread_rows(rows, nodes, self.data.nodes)
        self.data.kinds = encoder.kinds()


def _spread_rows(rows, nodes, count):
    order = np.argsort(nodes)
    rows = rows[order]
    lengths = np.zeros(count, dtype=np.int64)
    lengths[nodes[order]] = np.diff(rows.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return sp.csr_matrix((rows.data, rows.indices, indptr), shape=(count, rows.shape[1]))


def _per_node(nodes, codes, weights, count):
    """Classes and weights of all nodes from those of rows. A node may have several rows, which count as often, but one
    class."""
    every = np.full(count, -1, dtype=np.int32)
    every[nodes] = codes
    different = every[nodes] != codes
    if different.any():
        node = nodes[different][0]
        raise InputError(f"X: node {node} has rows with different labels in y")
    if weights is None and np.unique(nodes).size == nodes.size:
        return every, None
    sums = np.bincount(nodes, weights=np.ones(nodes.size) if weights is None else weights, minlength=count)
    return every, np.where(every < 0, 1.0, sums)
