from types import SimpleNamespace

import hwgcn
import numpy as np
import scipy.sparse as sp


class Tensor:
    """Has of a torch tensor what the transform may use."""

    def __init__(self, array, device="cpu"):
        self.array, self.device = np.asarray(array), device

    shape = property(lambda self: self.array.shape)

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.array)

    def numpy(self):
        return self.array

    def new_tensor(self, array):
        return Tensor(array, self.device)


def data_of(graph, kind=np.asarray):
    coo = graph.A.tocoo()
    edges = np.stack([coo.row, coo.col]).astype(np.int64)
    return SimpleNamespace(edge_index=kind(edges), x=kind(graph.X.toarray()), y="untouched")


def test_far_neighbours_become_weighted_edges(graph):
    data = data_of(graph)
    result = hwgcn.HigherOrderWeights(order=3)(data)
    assert result is not data and result.y == "untouched" and not hasattr(data, "edge_weight")
    assert result.edge_index.dtype == np.int64 and result.edge_weight.dtype == np.float32
    matrix = sp.coo_matrix((result.edge_weight, result.edge_index), shape=graph.A.shape).tocsr()
    learned = hwgcn.learn_weights(graph.A, graph.X, order=3).sum()
    expected = (graph.A > 0).astype(np.float32) + learned.astype(np.float32)
    assert abs(matrix - expected).max() == 0


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
