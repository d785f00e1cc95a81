"""A classifier with the interface of scikit-learn."""

import inspect
import warnings

import numpy as np

from . import _core
from ._arguments import folder_name, seed_of, setting_texts, text_of, thread_count
from ._core import InputError
from ._inputs import node_numbers, problem_arrays
from ._labels import encode, label_array, share_of_equal


class NotFittedError(ValueError, AttributeError):
    """A model is asked before it was fitted. The bases are those of scikit-learn's exception of this name."""


class HWGCNClassifier:
    """Classes of all nodes of a graph from the labels of a few.

    Parameters
    ----------
    method : str
        ``"auto"`` (default) chooses by held-out labels; ``"hwgcn"``, ``"hwgpr"``, ``"gcn"``, .. as on the command
        line.
    order : int, optional
        The farthest ring of learned neighbours; by default the method's own.
    random_state : int, None or a random generator of numpy
        Seed of the first parameters and the dropout. The same seed gives the same bits; None draws a new one for
        each fit, which ``seed_`` tells.
    n_jobs : int or None
        Threads; None: one; 0 or -1: one per core; -2: all cores but one. Results do not depend on it.
    cache_dir : str or path, optional
        Where learned weights are kept and found again.
    settings : dict, optional
        Further settings of ``hwgcn train``: ``{"epochs": 100, "hidden": 32}``. None stands for the default.

    Attributes
    ----------
    classes_ : array of the class labels
    method_, order_ : what was trained, and its number of orders
    choice_ : why, where ``method="auto"``; else None
    temperature_ : that of the probabilities
    split_ : the nodes that trained, validated and tested
    metrics_ : accuracy, macro-F1, log loss and calibration error on each part, in percent where they are shares
    seed_ : the seed that was used
    """

    def __init__(self, method="auto", order=None, random_state=0, n_jobs=0, cache_dir=None, settings=None):
        self.method = method
        self.order = order
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.cache_dir = cache_dir
        self.settings = settings

    def fit(self, A, X, y, validation=None):
        """Learn from the labelled nodes.

        Parameters
        ----------
        A, X
            Graph and features, as for :func:`hwgcn.learn_weights`.
        y : array of shape (nodes,)
            A label per node; -1 (or None, or NaN) where it is not known.
        validation : array of node numbers or a mask, optional
            Labelled nodes that select the epoch (and the method) instead of being learned from. None: as `auto` does
            on the command line, whatever the method: all labels train where there are fewer than 50 per class on
            average; of more, 60 % train, 20 % validate and 20 % test. An empty list: all labels train.
        """
        method = text_of(self.method, "method")
        settings = setting_texts(self.order, self.settings)
        threads, cache = thread_count(self.n_jobs), folder_name(self.cache_dir)
        seed = seed_of(self.random_state)
        arrays = problem_arrays(A, X)
        classes, codes = encode(y, arrays[0])
        training, held_out = _split(codes, validation)
        names = [text_of(str(label), "y") for label in classes]
        problem = _core.Problem(*arrays, codes, names, cache)
        result = problem.train(method, settings, training, held_out, seed, threads)
        split = dict(zip(("train", "validation", "test"), result["split"]))
        if training is None and split["test"].size:
            counts = ", ".join(f"{nodes.size} {part}" for part, nodes in split.items())
            result["notes"].append(f"of {(codes >= 0).sum()} labels {counts}; validation=[] trains on all of them")
        for note in result["notes"]:
            warnings.warn(note, stacklevel=2)
        # Only now: a fit that fails leaves the model as it was.
        self.classes_, self.n_features_in_, self.seed_ = classes, arrays[6], seed
        self.method_, self.order_, self.choice_ = result["method"], result["order"], result["choice"]
        self.temperature_ = result["temperature"]
        self.split_, self.metrics_ = split, result["metrics"]
        self.best_epoch_ = result["best_epoch"]
        self._probabilities = result["probabilities"]
        return self

    def predict_proba(self, nodes=None):
        """Class probabilities, of all nodes or of those asked for (numbers or a mask), a column per class of
        ``classes_``. The array is the caller's own."""
        self._check_fitted()
        if nodes is None:
            return self._probabilities.copy()
        return self._probabilities[node_numbers(nodes, len(self._probabilities), "nodes")]

    def predict(self, nodes=None):
        """The most probable class, of all nodes or of those asked for."""
        probabilities = self.predict_proba(nodes)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def score(self, y, nodes=None):
        """The share of nodes whose class is predicted; unlabelled ones (-1) do not count.

        ``y`` has a label for each node of the graph or, in the same order, for each of ``nodes``.
        """
        self._check_fitted()
        labels, count = label_array(y), len(self._probabilities)
        numbers = np.arange(count) if nodes is None else node_numbers(nodes, count, "nodes")
        if labels.size == numbers.size == count and (numbers != np.arange(count)).any():
            raise InputError("y: could be labels of all nodes or of those given, which are as many; pass score(y)")
        if labels.size == count:
            labels = labels[numbers]
        if labels.size != numbers.size:
            either = f"{count} labels" if nodes is None else f"{count} labels, or {numbers.size} for the nodes given"
            raise InputError(f"y: expected {either}, got {labels.size}")
        return share_of_equal(labels, self.predict(numbers))

    def get_params(self, deep=True):
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in inspect.signature(type(self).__init__).parameters if name != "self"}

    def set_params(self, **params):
        """Set parameters of the constructor."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise ValueError(f"unknown parameter {name!r}; expected one of {sorted(known)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self):
        defaults = inspect.signature(type(self).__init__).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not None or defaults[name].default is not None
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def _check_fitted(self):
        if not hasattr(self, "_probabilities"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(A, X, y) first")


def _split(codes, validation):
    """Training and validation nodes; no training nodes where the engine is to split the labels."""
    held_out = np.empty(0, dtype=np.int32)
    if validation is not None:
        held_out = np.unique(node_numbers(validation, codes.size, "validation")).astype(np.int32)
    without = held_out[codes[held_out] < 0]
    if without.size:
        raise InputError(f"validation: node {without[0]} has no label")
    training = np.setdiff1d(np.flatnonzero(codes >= 0), held_out).astype(np.int32)
    if training.size == 0:
        rest = "; all labelled nodes are validation nodes" if held_out.size else ""
        raise InputError(f"y: no node has a label to learn from: -1 means unlabelled{rest}")
    return None if validation is None else training, held_out
