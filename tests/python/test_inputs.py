"""Graphs, features and labels as users have them: nothing is lost on the way, and nothing is taken for something else."""

import warnings
from types import SimpleNamespace

import hwgcn
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hwgcn import HWGCNClassifier
from hwgcn._inputs import graph_data

PATH = np.array([[0, 1, 2], [1, 2, 3]])  # 0 - 1 - 2 - 3


def graph_of(A, nodes):
    """The edges that reach the engine."""
    edges = graph_data(A, np.ones((nodes, 1))).edges
    indptr, indices = edges.indptr, edges.indices
    return {tuple(sorted((i, int(j)))) for i in range(nodes) for j in indices[indptr[i] : indptr[i + 1]]}


def features_of(X):
    """The features that reach the engine."""
    matrix = graph_data(np.zeros((2, 0)), X).features
    assert matrix.dtype == np.float32 and matrix.has_canonical_format
    return matrix.toarray()


def predictions(A, X, y):
    return HWGCNClassifier(method="gcn", settings={"epochs": 3}).fit(A, X, y).predict_proba()


@pytest.mark.parametrize("times", [2, 128, 256, 512, 65536])
def test_an_edge_may_be_repeated_any_number_of_times(times):
    edges = np.concatenate([np.repeat(PATH[:, :1], times, axis=1), PATH[:, 1:]], axis=1)
    assert graph_of(edges, 4) == {(0, 1), (1, 2), (2, 3)}
    small = sp.coo_matrix((np.ones(edges.shape[1], np.int8), edges), shape=(4, 4))
    offsets = [0, times, times + 1, times + 2, times + 2]
    rows = sp.csr_matrix((small.data, small.col, offsets), shape=(4, 4))
    for matrix in (small, rows, rows.T, sp.csr_array(rows)):
        assert graph_of(matrix, 4) == {(0, 1), (1, 2), (2, 3)}
    far = hwgcn.learn_weights(edges, np.ones((4, 1)), order=2).orders[2]
    assert set(zip(*(ends.tolist() for ends in far.nonzero()))) == {(0, 2), (2, 0), (1, 3), (3, 1)}


def test_stored_zeros_are_no_edges():
    both = sp.coo_matrix(([1.0, 1.0, 0.0], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    assert graph_of(both, 3) == {(0, 1)}
    assert both.nnz == 3
    assert graph_of(both.astype(bool), 3) == {(0, 1)}
    assert graph_of(np.array([[0, 2.5, 0], [0, 0, 0], [0, 0, 1]]), 3) == {(0, 1), (2, 2)}


def test_only_the_used_part_of_a_csr_matrix_counts():
    A = broken_csr(data=np.array([1, 1, 1, 0, np.nan]), indices=np.array([1, 2, 3, 0, 9], np.int32))
    before = A.indices.copy(), A.data.copy()
    assert graph_of(A, 4) == {(0, 1), (1, 2), (2, 3)}
    assert (A.indices == before[0]).all() and A.data.size == 5


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.float32, ">i4", object])
def test_whole_numbers_of_any_type_are_edges(kind):
    assert graph_of(PATH.astype(kind), 4) == {(0, 1), (1, 2), (2, 3)}


def test_a_graph_without_edges_is_one():
    for none in (np.zeros((2, 0)), [[], []], np.zeros((3, 3)), sp.csr_matrix((3, 3)), nx.empty_graph(3)):
        assert graph_of(none, 3) == set()


def test_the_nodes_of_networkx_keep_the_order_of_the_graph():
    graph = nx.Graph()
    graph.add_nodes_from(["d", "a", "c", "b"])
    graph.add_edges_from([("d", "c"), ("c", "b"), ("a", "b")])
    assert graph_of(graph, 4) == {(0, 2), (2, 3), (1, 3)}
    X = np.array([[1, 0], [0, 1], [1, 1], [1, 2]])
    expected = hwgcn.learn_weights(nx.to_numpy_array(graph), X, order=2).orders[2].toarray()
    assert (hwgcn.learn_weights(graph, X, order=2).orders[2].toarray() == expected).all()
    numbers = nx.Graph([(3, 1), (1, 0)])
    assert graph_of(numbers, 3) == {(0, 1), (1, 2)}
    assert graph_of(nx.MultiDiGraph([(5, 2), (5, 2), (2, 5), (2, 9)]), 3) == {(0, 1), (1, 2)}


@pytest.mark.parametrize(
    "A, message",
    [
        (np.array([[0, 1.5], [1, 2], [0, 0]]).T, "A: expected whole numbers, got 1.5"),
        (np.array([[0, np.nan, 1], [1, 2, 0]]), "A: expected whole numbers, got nan"),
        (np.array([[0, 2**63, 1], [1, 2, 0]], np.uint64), "A: expected whole numbers, got 9223372036854775808"),
        (np.array([[0, 2**40, 1], [1, 2, 0]]), "an edge leads to node 1099511627776, outside of 0..3"),
        (np.array([[0, -1, 1], [1, 2, 0]]), "an edge leads to node -1, outside of 0..3"),
        (np.ones((2, 3), bool), "A: expected whole numbers, got an array .* bool"),
        (np.array([["0", "1", "2"], ["1", "2", "3"]]), "A: expected whole numbers, got an array"),
        (PATH.T, "an edge_index has two rows, not two columns"),
        (np.full((4, 4), np.nan), "A: an entry is nan, expected finite numbers"),
        (sp.csr_matrix(np.diag([np.inf] * 4)), "A: an entry is inf"),
        (np.eye(4) * 1j, "A: expected real numbers"),
        (np.eye(5), "the graph has 5 nodes, but the features have 4 rows"),
        (nx.path_graph(5), "the graph has 5 nodes, but the features have 4 rows"),
        (None, "A: expected a graph"),
        ("karate", "A: expected a graph .* got 'karate'"),
        ([[0, 1], [1]], "A: expected an array, got a list"),
    ],
)
def test_a_wrong_graph_is_named(A, message):
    with pytest.raises((ValueError, TypeError), match=message):
        hwgcn.learn_weights(A, np.ones((4, 1)), order=2)


def broken_csr(**change):
    matrix = sp.csr_matrix(np.eye(4))
    matrix.__dict__.update(change)
    return matrix


@pytest.mark.parametrize(
    "change",
    [
        {"indices": np.array([0, 1, 2, 4], np.int32)},
        {"indices": np.array([0, 1, 2, -1], np.int32)},
        {"indptr": np.array([0, 1, 2, 3, 9], np.int32)},
        {"indptr": np.array([0, 3, 2, 3, 4], np.int32)},
    ],
)
def test_broken_matrices_are_refused(change):
    with pytest.raises(ValueError, match="A: no valid CSR matrix"):
        hwgcn.learn_weights(broken_csr(**change), np.ones((4, 1)), order=2)
    with pytest.raises(ValueError, match="X: no valid CSR matrix"):
        hwgcn.learn_weights(PATH, broken_csr(**change), order=2)


def repeated(kind, times):
    """A CSR matrix of 2 x 3 whose entry (0, 1) is stored that often, and (0, 2) once."""
    indices = np.array([2] + [1] * times)
    return sp.csr_matrix((np.ones(times + 1, kind), indices, np.array([0, times + 1, times + 1])), shape=(2, 3))


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int8, np.uint8, bool])
@pytest.mark.parametrize("times", [2, 3, 256])
def test_repeated_features_are_added_as_scipy_does(kind, times):
    X = repeated(kind, times)
    indices = X.indices.copy()
    expected = [[0, 1 if kind == bool else times, 1], [0, 0, 0]]
    for form in (X, X.tocoo(), sp.csr_array(X)):
        assert (features_of(form) == expected).all()
    assert (X.indices == indices).all() and X.nnz == times + 1
    X.has_sorted_indices = X.has_canonical_format = True  # a flag is no proof
    assert (features_of(X) == expected).all()


def test_the_engine_itself_takes_no_repeated_features():
    data, labels = graph_data(PATH, np.ones((4, 2))), np.full(4, -1, np.int32)
    data.problem(labels, [], None, "auto")
    data.features.indices = np.array([0, 1, 0, 1, 1, 1, 0, 1], np.int32)
    with pytest.raises(hwgcn.InputError, match="row 2: column 1 is repeated"):
        data.problem(labels, [], None, "auto")


def test_repeated_features_learn_what_their_sum_learns():
    random = np.random.default_rng(0)
    A, X = random.integers(0, 30, (2, 60)), sp.random(30, 8, 0.4, format="csr", random_state=0, dtype=np.float32)
    twice = X.tocoo()
    parts = (np.tile(twice.data / 2, 2), (np.tile(twice.row, 2), np.tile(twice.col, 2)))
    doubled = sp.coo_matrix(parts, shape=X.shape)
    in_csr = sp.csr_matrix((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape)
    assert not in_csr.has_canonical_format
    y = np.full(30, -1)
    y[:6] = [0, 1, 2] * 2
    expected = predictions(A, X, y)
    assert (predictions(A, doubled, y) == expected).all() and (predictions(A, in_csr, y) == expected).all()


def test_features_of_any_type_and_layout_are_the_same():
    X = np.random.default_rng(0).integers(0, 5, (6, 4))
    frozen = X.astype(np.float64)
    frozen.setflags(write=False)
    wide = np.zeros((12, 8))
    wide[::2, ::2] = X
    kinds = [X.astype(kind) for kind in (np.float16, np.float32, np.float64, np.longdouble, np.uint8, ">f4", ">i8", object)]
    layouts = [frozen, np.asfortranarray(X), wide[::2, ::2], X.tolist(), np.matrix(X), np.ma.masked_array(X)]
    sparse = [sp.csr_matrix(X), sp.csc_matrix(X), sp.lil_matrix(X), sp.dok_matrix(X), sp.bsr_matrix(X), sp.coo_array(X)]
    sparse += [sp.csr_matrix(X.astype(">f8"))]
    for form in kinds + layouts + sparse:
        assert (features_of(form) == X).all()
    assert (features_of(X > 2) == (X > 2)).all()


class Frame:
    """Like a table of pandas: an array on request, and columns as attributes, whatever they are called."""

    cpu, numpy = "a column", "another one"

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return np.asarray(self.array, dtype)


def test_tables_are_read_as_arrays():
    X = np.arange(8.0).reshape(4, 2)
    assert (features_of(Frame(X)) == X).all()
    y = np.array([0, 1, -1, -1])
    assert (predictions(Frame(PATH), Frame(X), Frame(y)) == predictions(PATH, X, y)).all()


@pytest.mark.parametrize(
    "X, message",
    [
        (np.array([[1, 2], [np.inf, 4]]), "X: node 1: feature 0 is inf, expected a finite number, or nan where"),
        (np.array([[1, 2], [-np.inf, 4]]), "X: node 1: feature 0 is -inf, expected a finite number, or nan where"),
        (np.array([[1, 2], [-1e39, 4]]), r"X: node 1: feature 0 is -1e\+39, expected at most 3.4e\+38"),
        (np.array([[1, 2], [1e39, 4]]), r"X: node 1: feature 0 is 1e\+39, expected at most 3.4e\+38"),
        (np.array([["1", "2"], ["3", "4"]]), "X: expected real numbers"),
        (np.array([["a", 1], [2, 3]], dtype=object), "X: expected numbers: .*'a'"),
        (np.ones((2, 2)) * 1j, "X: expected real numbers"),
        (np.ones((2, 2), "M8[s]"), "X: expected real numbers"),
        (np.ma.masked_equal([[1, 2], [3, 4]], 3), "X: .*masked entries"),
        (sp.csr_matrix((2, 2**32)), "X: expected at most 2147483647 nodes and features"),
        (np.ones((0, 2)), "X: expected at least one node"),
        (np.ones(2), "X: expected features of two dimensions"),
        (None, "X: expected features of two dimensions .* got None"),
    ],
)
def test_wrong_features_are_named(X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        hwgcn.learn_weights(np.array([[0], [1]]), X, order=2)


def test_negative_and_missing_features_reach_the_engine():
    given = np.array([[1, -2.5, np.nan], [0, 4, None]], dtype=object)
    found = features_of(given)
    assert (found[:, :2] == [[1, -2.5], [0, 4]]).all() and np.isnan(found[:, 2]).all()
    assert (features_of(sp.csr_matrix([[0, -3.0], [2, 0]])) == [[0, -3], [2, 0]]).all()


def weights_of(A, nodes=3, edge_weight=None):
    """The weights that reach the engine, by edge, as they stand in the input."""
    data = graph_data(A, np.ones((nodes, 1)), edge_weight=edge_weight)
    if data.weights is None:
        return None
    edges = data.edges.tocoo()
    assert data.weights.dtype == np.float32
    return {(int(i), int(j)): float(w) for i, j, w in zip(edges.row, edges.col, data.weights)}


def dgl_like(edges, **data):
    return SimpleNamespace(num_nodes=lambda: 3, edges=lambda: edges, edata=data)


def test_weights_of_edges_are_read_from_every_kind_of_graph():
    expected = {(0, 1): 2.0, (1, 2): 0.5}
    dense = np.array([[0, 2, 0], [0, 0, 0.5], [0, 0, 0]])
    edges, weights = np.array([[0, 1], [1, 2]]), np.array([2, 0.5])
    weighted = nx.Graph()
    weighted.add_nodes_from(range(3))
    weighted.add_weighted_edges_from([(0, 1, 2), (1, 2, 0.5)])
    for graph in (dense, sp.csr_matrix(dense), sp.csc_matrix(dense), sp.coo_array(dense), weighted):
        assert weights_of(graph) == expected
    for shape in (-1, (2, 1)):
        assert weights_of(edges, edge_weight=weights.reshape(shape)) == expected
    for name in ("weight", "w"):
        assert weights_of(dgl_like(edges, **{name: weights})) == expected
    weighted.add_edge(0, 2)
    assert weights_of(weighted)[(0, 2)] == 1, "as in NetworkX"


def test_edges_that_all_weigh_one_have_no_weights():
    plain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    for graph in (plain, plain > 0, sp.csr_matrix(plain), nx.path_graph(3), dgl_like(PATH[:, :2])):
        assert weights_of(graph) is None
    twice = sp.coo_matrix((np.ones(3), ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    assert weights_of(twice) is None, "repeated edges without weights are one edge"
    repeated = sp.coo_matrix(([1, 2, 1], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    assert weights_of(repeated) == {(0, 1): 3, (1, 2): 1}, "weights of repeated edges add up"
    assert weights_of(PATH[:, :2], edge_weight=[2, 0]) == {(0, 1): 2}, "an edge that weighs nothing is none"


@pytest.mark.parametrize(
    "A, edge_weight, message",
    [
        (np.diag([1.0, -2.5, 0]), None, "A: an edge weighs -2.5, expected a finite number of at least 0"),
        (PATH[:, :2], [1, np.nan], "A: an edge weighs nan"),
        (PATH[:, :2], [1, -1], "A: an edge weighs -1"),
        (PATH[:, :2], [1], "edge_weight: expected a number per edge .2., got"),
        (PATH[:, :2], ["a", "b"], "A: expected real numbers"),
        (np.eye(3), [1, 1, 1], "edge_weight: only for an edge_index"),
    ],
)
def test_wrong_weights_are_named(A, edge_weight, message):
    with pytest.raises((ValueError, TypeError), match=message):
        hwgcn.learn_weights(A, np.ones((3, 1)), order=2, edge_weight=edge_weight)


def test_features_that_vanish_are_counted():
    with pytest.warns(UserWarning, match="X: 2 values are too small for 32-bit floats"):
        assert (features_of(np.array([[1e-60, 1.0], [1e-50, 0.0]])) == [[0, 1], [0, 0]]).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        features_of(np.array([[1e-30, 0.1]]))


class Missing:
    """As ambiguous as pandas.NA."""

    def __eq__(self, other):
        return self

    __ne__ = __eq__

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


def test_labels_may_be_mixed_with_what_means_unknown():
    expected = predictions(PATH, np.eye(4), np.array([0, 1, -1, -1]))
    for y in (
        ["a", "b", -1, -1],  # numpy would make texts of these
        ["a", "b", None, np.nan],
        ("a", "b", "", ""),
        np.array(["a", "b", "", None], dtype=object),
        np.array(["a", "b", Missing(), Missing()], dtype=object),
        np.array([7.0, 8.0, np.nan, -1]),
        np.array([b"a", b"b", b"", b""]),
        [0, 1, None, None],
    ):
        assert (predictions(PATH, np.eye(4), y) == expected).all()


def test_true_and_false_are_labels():
    model = HWGCNClassifier(method="gcn", settings={"epochs": 3}).fit(PATH, np.eye(4), np.array([True, False, True, False]))
    assert model.classes_.dtype == bool and model.score([True, False, True, False]) in (0, 0.25, 0.5, 0.75, 1)
    expected = predictions(PATH, np.eye(4), np.array([1, 0, 1, 0]))
    assert (model.predict_proba() == expected).all()


def test_texts_that_look_like_unknown_ones_are_doubted():
    for word in ("-1", "nan", "None"):
        with pytest.warns(UserWarning, match=f"y: the text '{word}' is taken for a class"):
            predictions(PATH, np.eye(4), np.array(["a", "b", word, ""]))


def test_minus_one_as_a_class_is_doubted():
    with pytest.warns(UserWarning, match="y: all known labels are 1; -1 means unlabelled"):
        predictions(PATH, np.eye(4), np.array([-1, 1, -1, 1]))


@pytest.mark.parametrize(
    "y, message",
    [
        ([0.5, 1, -1, -1], "y: 0.5 is not a class"),
        ([np.inf, 1, -1, -1], "y: inf is not a class"),
        (["a", 1, None, None], "y: expected labels of one type, got int, str"),
        (np.array([1j, 1, 1, 1]), "y: labels are numbers or texts"),
        (np.ma.masked_equal([0, 1, 9, 9], 9), "y: .*masked entries"),
        ([0, 1], "y: expected a label per node"),
        (np.zeros((4, 1)), "y: expected an array of one dimension"),
        (3, "y: expected an array of one dimension, got 3"),
    ],
)
def test_wrong_labels_are_named(y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        predictions(PATH, np.eye(4), y)
