import os
import signal
import subprocess
import threading
import time
from types import SimpleNamespace

import hwgcn
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hwgcn._inputs import graph_data
from scipy.sparse.csgraph import shortest_path


def same(a, b):
    return (a.indptr == b.indptr).all() and (a.indices == b.indices).all() and (a.data == b.data).all()


def test_weights_lie_at_their_distance(graph):
    learned = hwgcn.learn_weights(graph.A, graph.X, order=3)
    distance = shortest_path(graph.A.astype(float), unweighted=True, directed=False)
    assert sorted(learned.orders) == [2, 3]
    assert learned.worst_gap < 1e-6
    for order, weights in learned.orders.items():
        row, column = weights.nonzero()
        assert len(row) > 0
        assert (distance[row, column] == order).all()
        assert (weights.data > 0).all()
    assert learned.sum().nnz == sum(weights.nnz for weights in learned.orders.values())


def test_they_are_those_of_the_command_line_to_the_bit(graph, program, tmp_path):
    out = tmp_path / "W.npz"
    command = [program, "weights", graph.path, "--order", "3", "--no-cache", "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    expected = sp.load_npz(out)
    found = hwgcn.learn_weights(graph.A, graph.X, order=3).sum().tocsr()
    found.sort_indices()
    expected.sort_indices()
    assert same(found, expected)


def test_the_number_of_threads_changes_no_bit(graph):
    one, three = (hwgcn.learn_weights(graph.A, graph.X, order=2, n_jobs=jobs).orders[2] for jobs in (1, 3))
    assert same(one, three)


def test_the_worst_gap_is_that_of_the_worst_order():
    places = set()
    for seed in range(6):
        random = np.random.default_rng(seed)
        edges, X = random.integers(0, 60, (2, 120)), random.random((60, 10))
        problem = graph_data(edges, X).problem(np.full(60, -1, np.int32), [], None, "auto")
        found, _ = problem.learn_weights([("order", "4"), ("tolerance", "0.01")], 1)
        gaps = [facts["worst_gap"] for _, facts in found]
        assert hwgcn.learn_weights(edges, X, order=4, tolerance=0.01).worst_gap == max(gaps) > 0
        places.add(np.argmax(gaps))
    assert places == {0, 1, 2}, "the worst order is the first, the last and one between"


def test_the_sum_is_a_matrix_of_its_own(graph):
    learned = hwgcn.learn_weights(graph.A, graph.X, order=2)
    total = learned.sum()
    total.data[:] = 7
    assert learned.orders[2].data.max() < 7
    nothing = hwgcn.learn_weights(graph.A, graph.X, order=1)
    assert nothing.orders == {} and nothing.worst_gap == 0
    assert nothing.sum().shape == (300, 300) and nothing.sum().nnz == 0


def dgl_like(matrix):
    coo = matrix.tocoo()
    return SimpleNamespace(num_nodes=lambda: matrix.shape[0], edges=lambda: (coo.row, coo.col))


def test_every_kind_of_graph_and_features_is_the_same_graph(graph):
    expected = hwgcn.learn_weights(graph.A, graph.X, order=2).orders[2]
    half = sp.triu(graph.A).tocoo()
    graphs = {
        "dense": graph.A.toarray(),
        "coo": graph.A.tocoo(),
        "one direction": half.tocsr(),
        "edge_index": np.stack([half.row, half.col]),
        "networkx": nx.from_scipy_sparse_array(graph.A),
        "dgl": dgl_like(graph.A),
    }
    for name, kind in graphs.items():
        assert same(hwgcn.learn_weights(kind, graph.X, order=2).orders[2], expected), name
    for features in (graph.X.toarray(), graph.X.tocsc(), graph.X.astype(np.float64), graph.X.toarray().astype(int)):
        assert same(hwgcn.learn_weights(graph.A, features, order=2).orders[2], expected)


def test_inputs_are_left_as_they_were_and_an_explicit_zero_is_no_edge():
    X = np.ones((3, 2))
    A = sp.csr_matrix((np.array([1.0, 0.0]), (np.array([0, 1]), np.array([1, 2]))), shape=(3, 3))
    assert hwgcn.learn_weights(A, X, order=2).orders[2].nnz == 0
    assert A.nnz == 2 and (A.data == [1, 0]).all()
    A.data[1] = 1.0
    assert hwgcn.learn_weights(A, X, order=2).orders[2].nnz == 2
    unsorted = sp.csr_matrix((np.ones(2, np.float32), np.array([1, 0]), np.array([0, 2, 2, 2])), shape=(3, 2))
    hwgcn.learn_weights(A, unsorted, order=2)
    assert (unsorted.indices == [1, 0]).all()


def test_two_edges_are_an_edge_index_unless_there_are_two_nodes():
    assert hwgcn.learn_weights(np.array([[0, 1], [1, 2]]), np.ones((3, 1)), order=2).orders[2].nnz == 2
    assert hwgcn.learn_weights(np.array([[0, 1], [1, 0]]), np.ones((2, 1)), order=2).orders[2].nnz == 0


def test_settings_reach_the_solver(graph):
    plain = hwgcn.learn_weights(graph.A, graph.X, order=2).orders[2]
    uniform = hwgcn.learn_weights(graph.A, graph.X, order=2, weighting="uniform").orders[2]
    capped = hwgcn.learn_weights(graph.A, graph.X, order=2, max_ring=3).orders[2]
    assert uniform.nnz > plain.nnz
    assert np.diff(capped.indptr).max() <= 3
    sampled = hwgcn.learn_weights(graph.A, graph.X, order=2, sample_ring=3, weighting="uniform").orders[2]
    assert np.diff(sampled.indptr).max() == 3
    with pytest.raises(hwgcn.InputError, match="sample_ring"):
        hwgcn.learn_weights(graph.A, graph.X, order=2, sample_ring=3, neighborhood="power")


def test_results_are_cached_where_asked(graph, tmp_path):
    first = hwgcn.learn_weights(graph.A, graph.X, order=2, cache_dir=str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1
    assert same(hwgcn.learn_weights(graph.A, graph.X, order=2, cache_dir=str(tmp_path)).orders[2], first.orders[2])


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda g: (g.A[:10], g.X), "square"),
        (lambda g: (g.A, g.X[:10]), "300 nodes, but the features have 10 rows"),
        (lambda g: (g.A, np.full((300, 2), np.inf)), "finite"),
        (lambda g: (g.A, np.zeros(300)), "two dimensions"),
        (lambda g: (np.zeros(4), g.X), "expected a graph"),
        (lambda g: (np.array([[0, 5], [1, 900], [2, 3]]).T, g.X), "outside of 0..299"),
    ],
)
def test_wrong_input_is_named(graph, change, message):
    with pytest.raises(ValueError, match=message):
        hwgcn.learn_weights(*change(graph), order=2)


def test_an_unknown_setting_suggests_the_nearest(graph):
    with pytest.raises(hwgcn.InputError, match="max_ring"):
        hwgcn.learn_weights(graph.A, graph.X, order=2, max_rings=3)


@pytest.mark.parametrize("settings, message", [({"epochs": 3}, "epochs"), ({"lambda": 0.1}, "`lambda`: HWGCN reads it only with `weighting=lasso`")])
def test_a_setting_without_effect_is_refused(graph, settings, message):
    with pytest.raises(hwgcn.InputError, match=message):
        hwgcn.learn_weights(graph.A, graph.X, order=2, **settings)


def test_ctrl_c_ends_it_and_the_gil_is_free_meanwhile():
    random = np.random.default_rng(0)
    edges = random.integers(0, 20000, size=(2, 300000))
    X = sp.random(20000, 400, density=0.1, format="csr", dtype=np.float32, random_state=0)
    turns = 0
    done = threading.Event()

    def turn():
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.01)

    threading.Thread(target=turn, daemon=True).start()
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        hwgcn.learn_weights(edges, X, order=3)
    done.set()
    assert turns > 10, "other threads went on"


def test_a_damaged_cache_entry_is_told(graph, tmp_path):
    first = hwgcn.learn_weights(graph.A, graph.X, order=2, cache_dir=tmp_path)
    entry = next(path for path in tmp_path.rglob("*.npz"))
    content = bytearray(entry.read_bytes())
    content[len(content) // 2] ^= 1
    entry.write_bytes(content)
    with pytest.warns(UserWarning, match=entry.name):
        again = hwgcn.learn_weights(graph.A, graph.X, order=2, cache_dir=tmp_path)
    assert (first.orders[2] != again.orders[2]).nnz == 0
