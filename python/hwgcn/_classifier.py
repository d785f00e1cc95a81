"""A classifier with the interface of scikit-learn."""

import numpy as np

from ._arguments import folder_name, found, seed_of, setting_texts, text_of, thread_count, threshold_text, whole
from ._core import InputError
from ._estimator import Estimator
from ._inputs import added_nodes, features_csr, graph_data, node_numbers
from ._labels import decided, encode, label_array, label_weights, share_of_equal
from ._notes import tell
from ._order import expect_index_of, expect_order, expect_order_of_rows, nodes_in_order
from ._rows import RowFit, expect_rows_of, nodes_of_rows, nodes_of_table
from ._saved import load_classifier, name_features, packed, save_classifier, unpacked
from ._scores import score_by, scoring_name
from ._tables import is_frame


class HWGCNClassifier(Estimator):
    """Classes of the nodes of a graph from the labels of a few.

    Either ``HWGCNClassifier().fit(A, X, y)``, where y has a label, or -1, for each node; or, for scikit-learn's tools,
    ``HWGCNClassifier(graph=A, features=X).fit(nodes, y)``, where y has the labels of the nodes of that list.

    Parameters
    ----------
    method : str
        ``"auto"`` (default) chooses by held-out labels; ``"hwgcn"``, ``"hwgpr"``, ``"gcn"``, .. as on the command
        line.
    order : int, optional
        The farthest ring of learned neighbors; by default the method's own.
    random_state : int, None or a random generator of numpy
        Seed of the first parameters and the dropout. The same seed gives the same bits; None draws a new one for
        each fit, which ``seed_`` tells.
    n_jobs : int or None
        Threads; None: one; 0 or -1: one per core; -2: all cores but one. Results do not depend on it.
    cache_dir : str or path, optional
        Where learned weights are kept and found again.
    settings : dict, optional
        Further settings of ``hwgcn train``: ``{"epochs": 100, "hidden": 32}``. None stands for the default.
    graph : graph, optional
        The graph, as for :func:`hwgcn.learn_weights`. Then ``fit``, ``predict`` and ``score`` take rows that say which
        node they belong to.
    features : array, scipy sparse matrix or pandas table, optional
        The features of all nodes of `graph`; the rows of X are node numbers. Without it, X may be a pandas table whose
        index holds node numbers, as a Pipeline hands it over.
    edge_weight : array of shape (edges,), optional
        The weights of the edges where the graph is an ``edge_index``.
    scale : str
        What the features are scaled by: ``"rows"``, ``"standard"``, ``"unit"``, ``"none"``, or ``"auto"``. Tables of a
        Pipeline are taken as they are unless it is ``"rows"``.
    class_weight : dict, "balanced" or None
        What the labels of each class count in the loss, as in scikit-learn. Probabilities stay calibrated: the weights
        are divided out of them again, and decide for a class.
    threshold : float, "f1", "balanced" or None
        Of two classes, the probability from which on the rarer one is predicted: a number, or the best one on the
        validation nodes for its F1 or for balanced accuracy.
    **more
        Settings of the method as parameters: ``HWGCNClassifier(epochs=100)`` is ``settings={"epochs": 100}``.

    Attributes
    ----------
    classes_ : array of the class labels
    method_, order_ : what was trained, and its number of orders
    choice_ : why, where ``method="auto"``; else None
    temperature_ : that of the probabilities
    decision_ : how they become classes: ``class_weights``, or ``threshold`` and the number of the ``positive`` class;
        empty where the most probable class is predicted
    split_ : the nodes that trained, validated and tested
    metrics_ : accuracy, macro-F1, ROC AUC and the other scores, log loss and calibration error on each part, in percent
        where they are shares
    seed_ : the seed that was used
    n_features_in_, feature_names_in_ : the columns of X (or `features`), and their names where it is a table
    encoded_feature_names_ : of a table, the names of what the model reads: a category of a column is a feature
    """

    def __init__(
        self,
        method="auto",
        order=None,
        random_state=0,
        n_jobs=0,
        cache_dir=None,
        settings=None,
        *,
        graph=None,
        features=None,
        edge_weight=None,
        scale="auto",
        class_weight=None,
        threshold=None,
        **more,
    ):
        self.method = method
        self.order = order
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.cache_dir = cache_dir
        self.settings = settings
        self.graph = graph
        self.features = features
        self.edge_weight = edge_weight
        self.scale = scale
        self.class_weight = class_weight
        self.threshold = threshold
        if more:
            self._check_names(more, TypeError)
            self.settings = {**(settings or {}), **more}

    def fit(self, A=None, X=None, y=None, validation=None, *, sample_weight=None):
        """Learn from the labelled nodes: ``fit(A, X, y)`` or, with a graph in the constructor, ``fit(nodes, y)``.

        Parameters
        ----------
        A, X
            Graph and features, as for :func:`hwgcn.learn_weights`; X None: no features. With a graph in the
            constructor: the nodes, and their labels y.
        y : array of shape (nodes,)
            A label per node; -1 (or None, or NaN) where it is not known.
        validation : array of node numbers or a mask, optional
            Labelled nodes that select the epoch (and the method) instead of being learned from. None: as `auto` does
            on the command line, whatever the method: all labels train where there are fewer than 50 per class on
            average; of more, 60 % train, 20 % validate and 20 % test, or 80 % train with a graph in the constructor,
            where scikit-learn has test nodes of its own. An empty list: all labels train.
        sample_weight : array, optional
            What each label of y counts in the loss, relative to the others.
        """
        method, scale = text_of(self.method, "method"), text_of(self.scale, "scale")
        settings = setting_texts(self.order, self.settings)
        threads, cache = thread_count(self.n_jobs), folder_name(self.cache_dir)
        seed = seed_of(self.random_state)
        by_tables = False
        if self.graph is None:
            data, classes, codes = self._whole(A, X, y, sample_weight, validation)
        else:
            rows, labels = self._rows_and_labels("fit", A, X, y)
            given = RowFit(self.graph, self.features, self.edge_weight, rows, labels, sample_weight)
            data, classes, codes, by_tables = given.data, given.classes, given.codes, given.by_tables
            sample_weight = given.weights
            scale = _scale_of_table(scale) if by_tables else scale
        weights, by_class = label_weights(self.class_weight, sample_weight, classes, codes)
        threshold = threshold_text(self.threshold)
        codes, training, held_out = _split(codes, weights, validation)
        names = [text_of(str(label), "y") for label in classes]
        problem = data.problem(codes, names, cache, scale)
        has_test = self.graph is None
        shares = None if weights is None else weights.astype(np.float32)
        parts = (training, held_out, has_test)
        result = problem.train(method, settings, *parts, shares, by_class, threshold, seed, threads)
        split = dict(zip(("train", "validation", "test"), result["split"]))
        if training is None and split["test"].size:
            counts = ", ".join(f"{nodes.size} {part}" for part, nodes in split.items())
            result["notes"].append(f"of {(codes >= 0).sum()} labels {counts}; validation=[] trains on all of them")
        tell(result["notes"], stacklevel=2)
        # Only now: a fit that fails leaves the model as it was.
        self.classes_, self.seed_ = classes, seed
        self.n_features_in_ = data.features.shape[1] if data.encoder is None else len(data.encoder.columns)
        self.method_, self.order_, self.choice_ = result["method"], result["order"], result["choice"]
        self.temperature_, self.decision_ = result["temperature"], result["decision"]
        self.split_, self.metrics_ = split, result["metrics"]
        self.best_epoch_ = result["best_epoch"]
        name_features(self, data.encoder)
        self._probabilities, self._width = result["probabilities"], data.features.shape[1]
        self._problem, self._encoder = problem, data.encoder
        self._by_rows, self._by_tables = self.graph is not None, by_tables
        self._nodes = nodes_in_order(A if self.graph is None else self.graph)
        self._kinds, self._scale = data.kinds, scale
        return self

    def _whole(self, A, X, y, sample_weight, validation):
        if A is None or y is None:
            raise InputError("fit: expected fit(A, X, y); or HWGCNClassifier(graph=A, features=X) and fit(nodes, y)")
        if self.features is not None:
            raise InputError("features: expected None without graph=; fit(A, X, y) takes the features")
        labels = label_array(y)
        data = graph_data(A, X, None if X is not None else labels.size, self.edge_weight)
        for values, name in ((y, "y"), (sample_weight, "sample_weight"), (validation, "validation")):
            if is_frame(X):
                expect_index_of(X, values, name)
            else:
                expect_order(values, name, nodes_in_order(A), data.nodes, "A")
        return (data, *encode(y, data.nodes))

    def _rows_and_labels(self, name, first, second, third):
        """The arguments (rows, y) of a method that scikit-learn calls by place, or by the names X and y."""
        given = [value for value in (first, second, third) if value is not None]
        if len(given) != 2:
            raise InputError(f"{name}: expected {name}(nodes, y), because the constructor was given a graph")
        return given

    def predict_proba(self, nodes=None, *, X=None):
        """Class probabilities, of all nodes or of those asked for (numbers or a mask), a column per class of
        ``classes_``. The array is the caller's own. A model of a Pipeline's tables takes such a table. scikit-learn
        calls the nodes X."""
        self._check_fitted()
        nodes = X if nodes is None else nodes
        if nodes is None:
            return self._probabilities.copy()
        count = len(self._probabilities)
        if self._by_tables:
            if not is_frame(nodes):
                expected = "a pandas table as in the fit, whose index holds node numbers"
                raise InputError(f"X: expected {expected}, got {found(nodes)}")
            numbers, rows = nodes_of_table(nodes, count), features_csr(self._encoder.encode(nodes))
            offsets, columns = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
            threads = thread_count(self.n_jobs)
            return self._problem.predict_rows(numbers.astype(np.int32), offsets, columns, rows.data, threads)[numbers]
        if self._by_rows:
            return self._probabilities[nodes_of_rows(nodes, count)]
        return self._probabilities[node_numbers(nodes, count, "nodes")]

    def predict(self, nodes=None, *, X=None):
        """The class of all nodes or of those asked for: the most probable one, or what ``class_weight`` and
        ``threshold`` decide for."""
        probabilities = self.predict_proba(nodes, X=X)
        return self.classes_[decided(probabilities, self.decision_)]

    def predict_new(self, X, edges, edge_weight=None, *, proba=False, update_neighbors=False):
        """The class of nodes that came after the fit, or with `proba` their class probabilities.

        The model stays as it is, and so do scaling, categories and learned weights; weights are learned for the new
        nodes, and with `update_neighbors` for old ones, too, where something new is within reach. A warning says
        where the new nodes are unlike those of the fit.

        Parameters
        ----------
        X
            A row of features for each new node, as in the fit: a table has the columns of the fit, in any order, or
            ``encoded_feature_names_``. None where the fit had none: then the number of new nodes is that in `edges`.
        edges : array of two rows
            Edges between any two nodes. New nodes are numbered behind the old ones.
        edge_weight : array, optional
            Their weights, where the edges of the graph have some.
        """
        self._check_fitted()
        count = len(self._probabilities)
        names = getattr(self, "encoded_feature_names_", None)
        added = added_nodes(X, edges, edge_weight, count, self._width, self._encoder, names)
        all_nodes, notes = self._problem.predict_added(*added, bool(update_neighbors), thread_count(self.n_jobs))
        tell(notes, stacklevel=2)
        probabilities = all_nodes[count:]
        return probabilities if proba else self.classes_[decided(probabilities, self.decision_)]

    def score(self, X=None, y=None, sample_weight=None, *, nodes=None, scoring="accuracy"):
        """The share of nodes whose class is predicted; unlabelled ones (-1) do not count.

        `scoring` may be another score: ``"macro_f1"``, ``"roc_auc"`` (of two classes, or the mean over the classes,
        each against the others), ``"average_precision"`` (of two classes that of the rarer one among the labels of
        the fit, else the mean), ``"balanced_accuracy"`` or ``"mcc"``. They count every node once.

        ``score(y)`` or ``score(y, nodes)``: ``y`` has a label for each node of the graph or, in the same order, for
        each of ``nodes``. With a graph in the constructor: ``score(nodes, y)``, as scikit-learn calls it.
        """
        self._check_fitted()
        if self._by_rows:
            rows, y = self._rows_and_labels("score", X if nodes is None else nodes, y, None)
            expect_rows_of(rows, y, "y")
            expect_rows_of(rows, sample_weight, "sample_weight")
            labels, predicted = label_array(y), self.predict(rows)
            if labels.size != predicted.size:
                raise InputError(f"y: expected a label per row ({predicted.size}), got {labels.size}")
            return self._judged(scoring, labels, rows, predicted, sample_weight)
        if X is not None:
            y, nodes = X, y if nodes is None else nodes
        labels, count = label_array(y), len(self._probabilities)
        numbers = np.arange(count) if nodes is None else node_numbers(nodes, count, "nodes")
        if labels.size == numbers.size == count and (numbers != np.arange(count)).any():
            raise InputError("y: could be labels of all nodes or of those given, which are as many; pass score(y)")
        if labels.size == count:
            expect_order(y, "y", self._nodes, count, "A")
            labels = labels[numbers]
        else:
            expect_order_of_rows(numbers, y, "y")
        if labels.size != numbers.size:
            either = f"{count} labels" if nodes is None else f"{count} labels, or {numbers.size} for the nodes given"
            raise InputError(f"y: expected {either}, got {labels.size}")
        return self._judged(scoring, labels, numbers, self.predict(numbers), sample_weight)

    def _judged(self, scoring, labels, nodes, predicted, sample_weight):
        name = scoring_name(scoring)
        if name == "accuracy":
            return share_of_equal(labels, predicted, sample_weight)
        if sample_weight is not None:
            raise InputError(f"sample_weight: only accuracy counts nodes by their weight, {name} does not")
        return score_by(name, labels, self.predict_proba(nodes), self.classes_, self._problem)

    def explain(self, node, top=10):
        """Why a node got its class: what each node and feature adds to the margin of its class over the next one.

        Returns the dictionary of ``hwgcn explain --json``: ``predicted``, ``runner_up``, ``margin``, ``by_distance``, the
        ``top`` nodes that add most in ``neighbors``, with their share in percent and their path, and the ``top``
        ``features``. Nodes are numbers and classes those of ``classes_``. ``kind`` is ``"exact"`` where the score is a sum
        of what single nodes add, ``"gradient"`` for other networks and ``"shapley"`` for boosted trees. Other classic
        methods have no explanation.
        """
        self._check_fitted()
        node = whole(node, "node", 0, len(self._probabilities) - 1, f"a node in 0..{len(self._probabilities) - 1}")
        top = whole(top, "top", 1, 10**6, "a whole number in 1..1000000")
        told = self._problem.explain(node, top, thread_count(self.n_jobs))
        class_of = dict(zip((str(label) for label in self.classes_), self.classes_.tolist()))
        class_of[None] = None
        for name in ("predicted", "runner_up", "label"):
            told[name] = class_of[told[name]]
        told["probabilities"] = {class_of[name]: share for name, share in told["probabilities"].items()}
        told["node"] = int(told["node"])
        for neighbor in told["neighbors"]:
            neighbor["id"], neighbor["label"] = int(neighbor["id"]), class_of[neighbor["label"]]
            neighbor["path"] = [int(step) for step in neighbor["path"]]
        return told

    def feature_importances(self, n_repeats=5, columns=100, random_state=0):
        """What the score on held-out nodes loses where a column of the features is permuted among all nodes.

        The columns are those of the X of the fit: the categories of a column of a table go together. At most `columns` of
        them are permuted, those that the model weighs most. Test nodes judge, or validation nodes where there are none.

        Returns a dictionary, largest losses first, with the names of scikit-learn's ``permutation_importance``:
        ``feature_names``, ``importances_mean``, ``importances_std`` and ``importances`` (a row per column, a number per
        permutation); and ``score``, ``metric``, ``on`` (``"test"`` or ``"validation"``) and ``nodes``. Scores are shares.
        """
        self._check_fitted()
        repeats = whole(n_repeats, "n_repeats", 1, 1000, "a whole number in 1..1000")
        most = whole(columns, "columns", 1, 10**6, "a whole number in 1..1000000")
        told = self._problem.importances(repeats, most, seed_of(random_state), thread_count(self.n_jobs))
        tell(told["notes"], stacklevel=2)
        found = told["columns"]
        return {
            "feature_names": np.array([column["name"] for column in found], dtype=object),
            "importances_mean": np.array([column["drop"] for column in found]) / 100,
            "importances_std": np.array([column["deviation"] for column in found]) / 100,
            "importances": np.array([column["drops"] for column in found]) / 100,
            "score": told["score"] / 100,
            "metric": told["metric"],
            "on": told["on"],
            "nodes": told["nodes"],
        }

    def save(self, path, overwrite=False):
        """Write the fitted model, with graph and features, into a folder: a run as ``hwgcn train --out`` writes it, which
        ``hwgcn predict``, ``explain`` and ``report`` read, too. A folder that holds something is refused, unless it is a
        run and `overwrite` is true."""
        self._check_fitted()
        save_classifier(self, path, overwrite)

    @classmethod
    def load(cls, path, n_jobs=0, cache_dir=None):
        """The model that :meth:`save` wrote. Every file is checked by its SHA-256; nothing is executed. It predicts,
        explains and can be saved again; `graph` and `features` of the constructor are not set again."""
        return load_classifier(cls, path, n_jobs, cache_dir)

    def __getstate__(self):
        return packed(self)

    def __setstate__(self, state):
        unpacked(self, state)


def _scale_of_table(scale):
    """A table comes in parts, which must be scaled alike whatever else is in them."""
    if scale in ("standard", "unit"):
        hint = "scale them in the Pipeline, or give features="
        raise InputError(f"scale: {found(scale)} needs the features of all nodes; {hint}")
    return "none" if scale == "auto" else scale


def _split(codes, weights, validation):
    """Labels to learn from or to judge by, and training and validation nodes; no training nodes where the engine is to
    split the labels. A label that counts nothing is none, unless it validates."""
    held_out = np.empty(0, dtype=np.int32)
    if validation is not None:
        held_out = np.unique(node_numbers(validation, codes.size, "validation")).astype(np.int32)
    without = held_out[codes[held_out] < 0]
    if without.size:
        raise InputError(f"validation: node {without[0]} has no label")
    if weights is not None:
        counts = weights > 0
        counts[held_out] = True
        codes = np.where(counts, codes, np.int32(-1)).astype(np.int32)
        weights[weights == 0] = 1  # the engine takes positive ones only, and reads those of training nodes only
    training = np.setdiff1d(np.flatnonzero(codes >= 0), held_out).astype(np.int32)
    if training.size == 0:
        rest = "; all labelled nodes are validation nodes" if held_out.size else ""
        raise InputError(f"y: no node has a label to learn from: -1 means unlabelled{rest}")
    return codes, None if validation is None else training, held_out
