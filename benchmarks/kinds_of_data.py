"""The kinds of data of benchmarks/data_kinds and benchmarks/few_labels: seeded generators, and benchmark graphs."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp


class Case:
    """A graph (weights in its matrix), features (None: there are none) and the classes of all nodes."""

    def __init__(self, graph, features, classes, labels_per_class=None, split=None, directed=False):
        self.graph, self.features, self.classes = graph, features, classes
        self.labels_per_class, self.split, self.directed = labels_per_class, split, directed


def symmetric(nodes, source, target, weight=None):
    weight = np.ones(len(source)) if weight is None else weight
    keep = source != target
    half = sp.coo_matrix((weight[keep], (source[keep], target[keep])), (nodes, nodes)).tocsr()
    return half.maximum(half.T).tocsr()


def planted_edges(random, classes, degree, within):
    """Edges of a planted partition: `degree` per node on average, a share `within` of them in a class."""
    nodes = classes.size
    members = [np.flatnonzero(classes == c) for c in range(classes.max() + 1)]
    source = random.integers(nodes, size=nodes * degree // 2)
    target = random.integers(nodes, size=source.size)
    for e in np.flatnonzero(random.random(source.size) < within):
        target[e] = random.choice(members[classes[source[e]]])
    return source, target


def benchmark_words(data, name):
    with np.load(os.path.join(data, "npz", name + ".npz"), allow_pickle=False) as file:
        matrix = lambda key: sp.csr_matrix(
            (file[key + "_data"], file[key + "_indices"], file[key + "_indptr"]), file[key + "_shape"])
        graph = matrix("adj")
        graph = (graph.maximum(graph.T) > 0).astype(float).tocsr()
        return graph, matrix("attr"), file["labels"].astype(int)


def planetoid_words(program, data, name):
    """Exported by the program itself: Planetoid's pickles need not be opened here."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "data.npz")
        subprocess.run([program, "data", "export", name, "--data-dir", data, "--format", "npz", "--out", file], check=True,
                       capture_output=True)
        os.makedirs(os.path.join(folder, "npz"))
        os.rename(file, os.path.join(folder, "npz", name + ".npz"))
        return benchmark_words(folder, name)


def projected(words, random):
    signs = random.choice([-1.0, 1.0], size=(words.shape[1], 128)) / np.sqrt(128)
    rows = sp.diags(1 / np.maximum(1, np.asarray(words.sum(1)).ravel())) @ words
    return np.asarray(rows @ signs).astype(np.float32)


def cora_ml_projected(random, options):
    graph, words, classes = benchmark_words(options.data, "cora_ml")
    return Case(graph, projected(words, random), classes, 10)


def pubmed_projected(random, options):
    graph, words, classes = planetoid_words(options.program, options.data, "pubmed")
    return Case(graph, projected(words, random), classes, 10)


def small_table(random, options):
    """Age and income of 1,000 customers of three kinds, and who knows whom."""
    classes = random.integers(3, size=1000)
    age = random.normal(np.array([33, 45, 57])[classes], 14).clip(16, 95).round()
    income = np.exp(random.normal(np.array([10.3, 10.8, 10.3])[classes], 0.6)).round()
    source, target = planted_edges(random, classes, 4, 0.7)
    return Case(symmetric(1000, source, target), np.column_stack([age, income]), classes, 10)


def wide_floats(random, options):
    """50,000 nodes with 128 floats each."""
    classes = random.integers(8, size=50000)
    centres = random.normal(size=(8, 128))
    features = (centres[classes] + 4 * random.normal(size=(50000, 128))).astype(np.float32)
    source, target = planted_edges(random, classes, 10, 0.8)
    return Case(symmetric(50000, source, target), features, classes, 100)


def weighted_graph(random, options):
    """Heavy edges join nodes of a class, light ones are noise; features say little."""
    classes = random.integers(4, size=2000)
    near, near_end = planted_edges(random, classes, 6, 1.0)
    far, far_end = random.integers(2000, size=(2, 12000))
    weight = np.concatenate([random.uniform(5, 10, near.size), random.uniform(0.01, 0.2, far.size)])
    graph = symmetric(2000, np.concatenate([near, far]), np.concatenate([near_end, far_end]), weight)
    features = np.eye(4)[classes] + 1.5 * random.normal(size=(2000, 4))
    return Case(graph, features, classes, 10)


def no_features(random, options):
    classes = random.integers(5, size=2000)
    source, target = planted_edges(random, classes, 10, 0.8)
    return Case(symmetric(2000, source, target), None, classes, 10)


def mines(random, options):
    """A board of 100 x 100 fields with 20 % mines; how many are around a field is hidden for half of them."""
    side = 100
    field = np.arange(side * side).reshape(side, side)
    pairs = [(field[:, :-1], field[:, 1:]), (field[:-1], field[1:]), (field[:-1, :-1], field[1:, 1:]),
             (field[:-1, 1:], field[1:, :-1])]
    graph = symmetric(field.size, *(np.concatenate([pair[k].ravel() for pair in pairs]) for k in (0, 1)))
    mined = (random.random(field.size) < 0.2).astype(int)
    around = np.asarray(graph @ mined).astype(int)
    features = np.zeros((field.size, 10))
    hidden = random.random(field.size) < 0.5
    features[np.arange(field.size), np.where(hidden, 9, around)] = 1
    return Case(graph, features, mined, split="shares:50:25")


def followed(random, options):
    """The class is the commonest topic among those that a node follows."""
    nodes, topics = 3000, 5
    topic = random.integers(topics, size=nodes)
    interest = random.integers(topics, size=nodes)
    source = np.repeat(np.arange(nodes), 12)
    target = random.integers(nodes, size=source.size)
    members = [np.flatnonzero(topic == t) for t in range(topics)]
    for e in np.flatnonzero(random.random(source.size) < 0.5):
        target[e] = random.choice(members[interest[source[e]]])
    graph = sp.coo_matrix((np.ones(source.size), (source, target)), (nodes, nodes)).tocsr()
    graph.data[:] = 1
    features = np.eye(topics)[topic]
    return Case(graph, features, np.argmax(graph @ features, axis=1), split="shares:50:25", directed=True)


def crowd_workers(random, options):
    """A dense graph of 11,758 nodes with ten numbers each; 22 % of them are of the class looked for."""
    nodes, edges = 11758, 519000
    trait, activity = random.normal(size=nodes), random.pareto(1.5, nodes) + 0.2
    source, target = (random.choice(nodes, 2 * edges, p=activity / activity.sum()) for _ in range(2))
    near = np.flatnonzero(np.abs(trait[source] - trait[target]) < 1.2)[:edges]
    graph = symmetric(nodes, source[near], target[near])
    graph.data[:] = 1
    features = random.normal(size=(nodes, 10))
    features[:, 0] = 0.6 * trait + 0.8 * features[:, 0]
    features[:, 1] = np.log1p(np.asarray(graph.sum(1)).ravel())
    mean = sp.diags(1 / np.maximum(1, np.asarray(graph.sum(1)).ravel())) @ graph @ features
    score = (1.2 * features[:, 0] * features[:, 2] + features[:, 3] + 6 * mean[:, 2] + 2 * trait
             - 0.3 * features[:, 1] + 1.5 * random.normal(size=nodes))
    return Case(graph, features, (score > np.quantile(score, 0.78)).astype(int), split="shares:50:25")


def web_pages(random, options):
    """192 pages of five kinds, whose words tell what they are and whose links lead to other kinds."""
    classes = random.permutation(np.repeat(np.arange(5), [33, 10, 18, 101, 30]))
    kinds, common = random.random((5, 1700)) ** 6 * 0.3, random.random(1700) ** 4 * 0.25
    words = (random.random((classes.size, 1700)) < 0.5 * kinds[classes] + 0.8 * common).astype(float)
    source, target = random.integers(classes.size, size=(2, 300))
    for e in np.flatnonzero(random.random(source.size) < 0.8):
        target[e] = random.choice(np.flatnonzero(classes != classes[source[e]]))
    return Case(symmetric(classes.size, source, target), words, classes, split="shares:48:32")


def rare_class(random, options):
    """1,000 nodes, 1 % of them of the class looked for."""
    classes = np.zeros(1000, dtype=int)
    classes[random.choice(1000, 10, replace=False)] = 1
    features = random.normal(size=(1000, 6)) + 1.5 * classes[:, None] * np.array([1, 1, 0, 0, 0, 0])
    source, target = planted_edges(random, classes, 6, 0.6)
    return Case(symmetric(1000, source, target), features, classes, split="shares:50:25")


def raw_counts(random, options):
    """3,000 accounts, 4 % of them of the class looked for; what they do is counted, and most counts are heavy-tailed."""
    nodes = 3000
    classes = np.zeros(nodes, dtype=int)
    classes[random.choice(nodes, 120, replace=False)] = 1
    rate = random.lognormal(1, 1.2, size=(nodes, 8))
    rate[:, :3] *= np.where(classes == 1, 3.0, 1.0)[:, None]
    features = random.poisson(rate)
    source, target = planted_edges(random, classes, 8, 0.5)
    return Case(symmetric(nodes, source, target), features, classes, split="shares:30:20")


def citations(random, options):
    """2,000 papers of eight fields with some words, that cite papers of their own field; directed, few labels."""
    nodes, fields, words = 2000, 8, 300
    classes = random.integers(fields, size=nodes)
    topic = random.random((fields, words)) ** 8 * 0.5
    features = (random.random((nodes, words)) < 0.4 * topic[classes] + 0.01).astype(float)
    members = [np.flatnonzero(classes == c) for c in range(fields)]
    source = np.repeat(np.arange(nodes), 4)
    target = random.integers(nodes, size=source.size)
    for e in np.flatnonzero(random.random(source.size) < 0.6):
        target[e] = random.choice(members[classes[source[e]]])
    graph = sp.coo_matrix((np.ones(source.size), (source, target)), (nodes, nodes)).tocsr()
    graph.data[:] = 1
    return Case(graph, features, classes, 5, directed=True)


def noise_features(random, options):
    """The graph tells the class, and 64 numbers tell nothing."""
    classes = random.integers(4, size=1500)
    source, target = planted_edges(random, classes, 6, 0.75)
    return Case(symmetric(1500, source, target), random.normal(size=(1500, 64)), classes, 5)


def customers(random, options):
    """Twelve columns whose rules only trees find easily, and friends that are a little alike; many labels."""
    nodes = 3000
    features = random.normal(size=(nodes, 12))
    features[:, 6:9] = random.integers(4, size=(nodes, 3))
    score = (2.0 * (features[:, 0] > 0.5) * (features[:, 1] < 0) + (features[:, 6] == 2) * features[:, 2]
             + 1.5 * np.abs(features[:, 3]) + 0.7 * random.normal(size=nodes))
    classes = np.digitize(score, np.quantile(score, [0.4, 0.75]))
    source, target = planted_edges(random, classes, 6, 0.25)
    return Case(symmetric(nodes, source, target), features, classes, split="shares:50:25")


def dense_graph(random, options):
    """A mean degree of 150, neighbors hardly more alike than strangers, 16 numbers that say something."""
    classes = random.integers(6, size=2500)
    features = np.eye(6)[classes] @ random.normal(size=(6, 16)) + 2.0 * random.normal(size=(2500, 16))
    source, target = planted_edges(random, classes, 150, 0.1)
    return Case(symmetric(2500, source, target), features, classes, 10)


def traders(random, options):
    """Two sides that trade with the other side; a node's own numbers say little."""
    classes = random.integers(2, size=3000)
    features = 0.5 * (2 * classes[:, None] - 1) * np.array([1, 0.5, 0, 0]) + random.normal(size=(3000, 4))
    source, target = random.integers(3000, size=(2, 9000))
    sides = [np.flatnonzero(classes == c) for c in (0, 1)]
    for e in np.flatnonzero(random.random(source.size) < 0.7):
        target[e] = random.choice(sides[1 - classes[source[e]]])
    return Case(symmetric(3000, source, target), features, classes, split="shares:30:20")


def many_classes(random, options):
    """2,400 pages of 20 kinds with words; five labels each."""
    classes = random.integers(20, size=2400)
    topic = random.random((20, 500)) ** 10 * 0.6
    features = (random.random((2400, 500)) < 0.35 * topic[classes] + 0.015).astype(float)
    source, target = planted_edges(random, classes, 5, 0.6)
    return Case(symmetric(2400, source, target), features, classes, 5)


def mixed_table(random, options):
    """Categories, amounts with missing values and yes or no, of 1,200 members of four clubs who know each other."""
    classes = random.integers(4, size=1200)
    city = np.where(random.random(1200) < 0.5, classes, random.integers(4, size=1200))
    amount = np.exp(random.normal(np.array([2, 2.6, 3.2, 2.6])[classes], 0.9))
    amount[random.random(1200) < 0.2] = np.nan
    flag = (random.random(1200) < np.array([0.2, 0.5, 0.5, 0.8])[classes]).astype(float)
    source, target = planted_edges(random, classes, 4, 0.5)
    return Case(symmetric(1200, source, target), np.column_stack([np.eye(4)[city], amount, flag]), classes, 8)


def actor(random, options):
    return Case(*benchmark_words(options.data, "actor"), split="shares:48:32")


def chameleon(random, options):
    return Case(*benchmark_words(options.data, "chameleon_filtered"), split="shares:50:25")


CASES = {
    "cora-ml-projected": cora_ml_projected,
    "pubmed-projected": pubmed_projected,
    "small-table": small_table,
    "wide-floats": wide_floats,
    "weighted-graph": weighted_graph,
    "no-features": no_features,
    "mines": mines,
    "followed": followed,
    "crowd-workers": crowd_workers,
    "web-pages": web_pages,
    "rare-class": rare_class,
    "raw-counts": raw_counts,
    "citations": citations,
    "noise-features": noise_features,
    "customers": customers,
    "dense-graph": dense_graph,
    "traders": traders,
    "many-classes": many_classes,
    "mixed-table": mixed_table,
    "actor": actor,
    "chameleon": chameleon,
}


def written_labels(random, case):
    if case.split is not None:
        return case.classes
    chosen = np.concatenate([
        random.choice(np.flatnonzero(case.classes == c), case.labels_per_class, replace=False)
        for c in np.unique(case.classes)])
    labels = np.full(case.classes.size, -1)
    labels[chosen] = case.classes[chosen]
    return labels


def write(file, case, labels):
    """The layout of PyTorch Geometric's npz files."""
    arrays = {"adj_data": case.graph.data.astype(np.float32), "adj_indices": case.graph.indices,
              "adj_indptr": case.graph.indptr, "adj_shape": np.array(case.graph.shape), "labels": labels}
    if sp.issparse(case.features):
        words = case.features.tocsr()
        arrays.update(attr_data=words.data.astype(np.float32), attr_indices=words.indices, attr_indptr=words.indptr,
                      attr_shape=np.array(words.shape))
    elif case.features is not None:
        arrays["attr_matrix"] = np.asarray(case.features, dtype=np.float32)
    np.savez(file, **arrays)


def predictions_of(options, case, labels, seed, method=None):
    """What `hwgcn train` makes of the case, by default its own choice."""
    with tempfile.TemporaryDirectory() as folder:
        file, run = os.path.join(folder, "graph.npz"), os.path.join(folder, "run")
        write(file, case, labels)
        command = [options.program, "train", file, "--out", run, "--seed", str(seed), "--json", "-"]
        command += ["--method", method, "--no-baselines"] if method else options.more
        command += ["--split", case.split] if case.split is not None else []
        command += ["--directed"] if case.directed else []
        started = time.time()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        seconds = time.time() - started
        told = json.loads(done.stdout)
        with open(os.path.join(run, "predictions.csv"), newline="") as table:
            rows = list(csv.DictReader(table))
        result = {"predicted": np.array([int(row["prediction"]) for row in rows]), "told": told, "seconds": seconds,
                  "notes": done.stderr, "part": np.array([row["split"] for row in rows])}
        if case.classes.max() == 1:
            result["positive"] = np.array([float(row["1"]) for row in rows])
        return result
