from types import SimpleNamespace

import hwgcn
import numpy as np
import pytest
import scipy.sparse as sp


class Tensor:
    """Has of a torch tensor what the transform may use, and its habits: a new tensor has the type of the old one."""

    def __init__(self, array, device="cpu"):
        self.array, self.device = np.asarray(array), device

    shape = property(lambda self: self.array.shape)

    def __getitem__(self, place):
        return Tensor(self.array[place], self.device)

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.array)

    def numpy(self):
        return self.array

    def float(self):
        return Tensor(self.array.astype(np.float32), self.device)

    def is_floating_point(self):
        return self.array.dtype.kind == "f"

    def new_tensor(self, array):
        return Tensor(np.asarray(array).astype(self.array.dtype), self.device)


def data_of(graph, kind=np.asarray):
    coo = graph.A.tocoo()
    edges = np.stack([coo.row, coo.col]).astype(np.int64)
    return SimpleNamespace(edge_index=kind(edges), x=kind(graph.X.toarray()), y="untouched")


def test_far_neighbors_become_weighted_edges(graph):
    data = data_of(graph)
    result = hwgcn.HigherOrderWeights(order=3)(data)
    assert result is not data and result.y == "untouched" and not hasattr(data, "edge_weight")
    assert result.edge_index.dtype == np.int64 and result.edge_weight.dtype == np.float32
    source, target = result.edge_index
    matrix = sp.coo_matrix((result.edge_weight, (target, source)), shape=graph.A.shape).tocsr()
    learned = hwgcn.learn_weights(graph.A, graph.X, order=3).sum()
    expected = (graph.A > 0).astype(np.float32) + learned.astype(np.float32)
    assert abs(matrix - expected).max() == 0


def messages(data, x):
    """A layer of PyTorch Geometric that adds up messages from edge_index[0] to edge_index[1], written by hand."""
    gathered = np.zeros(x.shape)
    for source, target, weight in zip(*data.edge_index, data.edge_weight):
        gathered[target] += weight * x[source]
    return gathered


def test_passing_messages_multiplies_by_the_weights_and_not_by_their_transpose(graph):
    x = graph.X.toarray().astype(float)
    W = (graph.A > 0).astype(float) + hwgcn.learn_weights(graph.A, graph.X, order=3).sum()
    gathered = messages(hwgcn.HigherOrderWeights(order=3)(data_of(graph)), x)
    np.testing.assert_allclose(gathered, W @ x, atol=1e-4)
    assert abs(gathered - W.T @ x).max() > 0.1


def test_a_node_hears_from_those_it_borrows_from():
    # On the path 0 - 1 - 2 - 3 - 4, node 2 borrows from 4, and 4, which has nothing in common with 2, from nobody.
    edges, x = np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]])
    result = hwgcn.HigherOrderWeights(order=2)(SimpleNamespace(edge_index=edges, x=x))
    assert (result.edge_index[:, :4] == edges).all() and (result.edge_weight[:4] == 1).all()
    far = {(source, target): weight for source, target, weight in zip(*result.edge_index[:, 4:], result.edge_weight[4:])}
    assert far[(4, 2)] == pytest.approx(1 / 3) and (2, 4) not in far


def test_tensors_come_back_as_tensors_of_the_same_device(graph):
    result = hwgcn.HigherOrderWeights(order=2)(data_of(graph, lambda array: Tensor(array, "accelerator")))
    assert isinstance(result.edge_index, Tensor) and result.edge_index.device == "accelerator"
    assert isinstance(result.edge_weight, Tensor)
    plain = hwgcn.HigherOrderWeights(order=2)(data_of(graph))
    assert (result.edge_index.array == plain.edge_index).all()
    assert (result.edge_weight.array == plain.edge_weight).all()


def test_settings_are_passed_on(graph):
    capped = hwgcn.HigherOrderWeights(order=2, max_ring=2)(data_of(graph))
    assert capped.edge_index.shape[1] < hwgcn.HigherOrderWeights(order=2)(data_of(graph)).edge_index.shape[1]
    assert repr(hwgcn.HigherOrderWeights(order=4)) == "HigherOrderWeights(order=4)"


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float16])
def test_features_of_any_type_leave_the_weights_whole(graph, kind):
    data = data_of(graph)
    plain = hwgcn.HigherOrderWeights(order=2)(data)
    tensors = SimpleNamespace(edge_index=Tensor(data.edge_index), x=Tensor(data.x.astype(kind)))
    result = hwgcn.HigherOrderWeights(order=2)(tensors)
    assert result.edge_weight.array.dtype == (np.float16 if kind == np.float16 else np.float32)
    np.testing.assert_allclose(result.edge_weight.array, plain.edge_weight, atol=1e-3)


def test_an_edge_index_of_whole_floats_becomes_one_of_integers(graph):
    data = data_of(graph)
    expected = hwgcn.HigherOrderWeights(order=2)(data).edge_index
    data.edge_index = data.edge_index.astype(np.float64)
    result = hwgcn.HigherOrderWeights(order=2)(data)
    assert result.edge_index.dtype == np.int64 and (result.edge_index == expected).all()


@pytest.mark.filterwarnings("ignore:A. edge weights are not used")
def test_given_weights_are_kept_in_units_of_their_mean(graph):
    data = data_of(graph)
    given = np.random.default_rng(0).integers(1, 9, graph.A.nnz).astype(float)
    for shape in (-1, (graph.A.nnz, 1)):
        data.edge_weight = given.reshape(shape)
        result = hwgcn.HigherOrderWeights(order=3)(data)
        near, far = result.edge_weight[: given.size], result.edge_weight[given.size :]
        np.testing.assert_allclose(near, given / given.mean(), rtol=1e-6)
        learned = hwgcn.learn_weights(data.edge_index, graph.X, order=3, edge_weight=given)
        assert far.size == learned.sum().nnz and abs(far.sum() - learned.sum().sum()) < 1e-3
        x = graph.X.toarray().astype(float)
        W = sp.csr_matrix((given / given.mean(), data.edge_index[::-1]), shape=graph.A.shape) + learned.sum()
        np.testing.assert_allclose(messages(result, x), W @ x, atol=1e-4)
    assert (data.edge_weight.reshape(-1) == given).all(), "the given data stay as they were"


def test_attributes_are_kept_and_filled_up(graph):
    data = data_of(graph)
    data.edge_attr = np.arange(2 * graph.A.nnz, dtype=np.int64).reshape(-1, 2)
    for fill, expected in ((0, 0), (-1, -1)):
        result = hwgcn.HigherOrderWeights(order=2, fill=fill)(data)
        assert (result.edge_attr[: graph.A.nnz] == data.edge_attr).all() and result.edge_attr.dtype == np.int64
        assert result.edge_attr.shape == (result.edge_weight.size, 2)
        assert (result.edge_attr[graph.A.nnz :] == expected).all()
        assert (result.edge_weight[: graph.A.nnz] == 1).all(), "attributes are no weights unless asked for"
    assert data.edge_attr.shape[0] == graph.A.nnz


@pytest.mark.filterwarnings("ignore:A. edge weights are not used")
def test_attributes_are_weights_where_asked_for(graph):
    data, weights = data_of(graph), np.random.default_rng(1).random(graph.A.nnz) + 0.5
    data.edge_weight = weights
    expected = hwgcn.HigherOrderWeights(order=2)(data).edge_weight
    del data.edge_weight
    for shape in ((-1,), (-1, 1)):
        data.edge_attr = weights.reshape(shape)
        result = hwgcn.HigherOrderWeights(order=2, weight="edge_attr")(data)
        assert (result.edge_weight == expected).all() and (result.edge_attr == expected.reshape(shape)).all()
    tensors = SimpleNamespace(edge_index=Tensor(data.edge_index), x=Tensor(data.x), edge_attr=Tensor(weights[:, None]))
    result = hwgcn.HigherOrderWeights(order=2, weight="edge_attr")(tensors)
    np.testing.assert_allclose(result.edge_attr.array, expected[:, None], rtol=1e-6)


def test_the_order_of_each_edge_is_told(graph):
    result = hwgcn.HigherOrderWeights(order=3)(data_of(graph))
    learned = hwgcn.learn_weights(graph.A, graph.X, order=3)
    assert result.edge_order.dtype == np.int64
    counts = [(result.edge_order == order).sum() for order in (1, 2, 3)]
    assert counts == [graph.A.nnz, learned.orders[2].nnz, learned.orders[3].nnz]


@pytest.mark.parametrize(
    "settings, change, message",
    [
        ({}, {"edge_weight": [1.0]}, "data.edge_weight: expected a weight per edge"),
        ({}, {"edge_weight": -1}, "data.edge_weight: expected finite weights of at least 0, got -1"),
        ({}, {"edge_weight": np.nan}, "data.edge_weight: expected finite weights of at least 0, got nan"),
        ({}, {"edge_weight": 0}, "data.edge_weight: expected some weight above 0"),
        ({}, {"edge_attr": np.zeros((2, 2))}, "data.edge_attr: expected a row per edge"),
        ({"weight": "edge_attr"}, {}, "weight: expected data with edge_attr"),
        ({"weight": "edge_attr"}, {"edge_attr": "two columns"}, "data.edge_attr: expected a weight per edge"),
        ({"weight": "x"}, {}, "weight: expected 'edge_weight' or 'edge_attr', got 'x'"),
        ({"fill": "a"}, {"edge_attr": "two columns"}, "fill: expected a number, got 'a'"),
    ],
)
def test_weights_and_attributes_that_do_not_fit_are_named(graph, settings, change, message):
    data = data_of(graph)
    for name, value in change.items():
        if np.isscalar(value):
            value = np.zeros((graph.A.nnz, 2)) if value == "two columns" else np.full(graph.A.nnz, float(value))
        setattr(data, name, value)
    with pytest.raises((ValueError, TypeError), match=message):
        hwgcn.HigherOrderWeights(order=2, **settings)(data)


def test_without_far_orders_the_edges_stay(graph):
    result = hwgcn.HigherOrderWeights(order=1)(data_of(graph))
    assert result.edge_index.shape == (2, graph.A.nnz) and (result.edge_weight == 1).all()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": None}, "without x"),
        ({"edge_index": None}, "without edge_index"),
        ({"edge_index": np.zeros((3, 2), int)}, "edge_index: expected two rows"),
        ({"edge_index": np.array([[0.5], [1]])}, "edge_index: expected whole numbers, got 0.5"),
        ({"edge_index": np.array([[0], [300]])}, "node 300, outside of 0..299"),
    ],
)
def test_wrong_data_is_named(graph, change, message):
    data = data_of(graph)
    data.__dict__.update(change)
    with pytest.raises(ValueError, match=message):
        hwgcn.HigherOrderWeights(order=2)(data)
