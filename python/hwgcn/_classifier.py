"""A classifier with scikit-learn's manners."""

import inspect
import warnings

import numpy as np

from . import _core
from ._inputs import as_numpy, problem_arrays
from ._weights import setting_texts


class HWGCNClassifier:
    """Classes of all nodes of a graph from the labels of a few.

    Parameters
    ----------
    method : str
        ``"auto"`` (default) chooses by held-out labels; ``"hwgcn"``, ``"hwgpr"``, ``"gcn"``, .. as on the command
        line.
    order : int, optional
        The farthest ring of learned neighbours; by default the method's own.
    random_state : int
        Seed of the first parameters and the dropout. The same seed gives the same bits.
    n_jobs : int
        Threads; 0: one per core. Results do not depend on it.
    cache_dir : str, optional
        Where learned weights are kept and found again.
    settings : dict, optional
        Further settings of ``hwgcn train``: ``{"epochs": 100, "hidden": 32}``.

    Attributes
    ----------
    classes_ : array of the class labels
    method_, order_ : what was trained, and its number of orders
    choice_ : why, where ``method="auto"``; else None
    temperature_ : that of the probabilities
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
            Labelled nodes that select the epoch (and the method) instead of being learned from.
        """
        arrays = problem_arrays(A, X)
        codes = self._encode(y, arrays[0])
        held_out = _node_numbers(validation, arrays[0])
        if (codes[held_out] < 0).any():
            raise ValueError("a validation node has no label")
        training = np.setdiff1d(np.flatnonzero(codes >= 0), held_out).astype(np.int32)
        if training.size == 0:
            raise ValueError("no node has a label to learn from: -1 means unlabelled")
        names = [str(label) for label in self.classes_]
        problem = _core.Problem(*arrays, codes, names, self.cache_dir)
        settings = {**({} if self.order is None else {"order": self.order}), **(self.settings or {})}
        result = problem.train(
            self.method, setting_texts(settings), training, held_out, self.random_state or 0, self.n_jobs
        )
        for note in result["notes"]:
            warnings.warn(note, stacklevel=2)
        self.n_features_in_ = arrays[6]
        self.method_, self.order_, self.choice_ = result["method"], result["order"], result["choice"]
        self.temperature_ = result["temperature"]
        self.best_epoch_ = result["best_epoch"]
        self._probabilities = result["probabilities"]
        return self

    def predict_proba(self, nodes=None):
        """Class probabilities, of all nodes or of those asked for, a column per class of ``classes_``."""
        self._check_fitted()
        return self._probabilities if nodes is None else self._probabilities[as_numpy(nodes)]

    def predict(self, nodes=None):
        """The most probable class, of all nodes or of those asked for."""
        probabilities = self.predict_proba(nodes)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def score(self, y, nodes=None):
        """The share of nodes whose class is predicted; unlabelled ones (-1) do not count."""
        y = as_numpy(y)
        predicted = self.predict(nodes)
        if nodes is not None and y.shape[0] != predicted.shape[0]:
            y = y[as_numpy(nodes)]
        known = _is_known(y)
        return float(np.mean(predicted[known] == y[known]))

    def get_params(self, deep=True):
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in inspect.signature(type(self).__init__).parameters if name != "self"}

    def set_params(self, **params):
        """Set parameters of the constructor."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"unknown parameter {name!r}; expected one of {sorted(self.get_params())}")
            setattr(self, name, value)
        return self

    def __repr__(self):
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items() if value is not None)
        return f"{type(self).__name__}({given})"

    def _encode(self, y, nodes):
        labels = as_numpy(y)
        if labels.shape != (nodes,):
            raise ValueError(f"expected a label per node ({nodes}), got an array of shape {labels.shape}")
        known = _is_known(labels)
        self.classes_, codes = np.unique(labels[known], return_inverse=True)
        result = np.full(nodes, -1, dtype=np.int32)
        result[known] = codes
        return result

    def _check_fitted(self):
        if not hasattr(self, "_probabilities"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit(A, X, y) first")


def _is_known(labels):
    if labels.dtype == object:
        return np.array([label is not None and label == label and label != -1 for label in labels])
    if np.issubdtype(labels.dtype, np.floating):
        return ~np.isnan(labels) & (labels != -1)
    return labels != -1 if np.issubdtype(labels.dtype, np.number) else labels != ""


def _node_numbers(nodes, count):
    if nodes is None:
        return np.empty(0, dtype=np.int32)
    nodes = as_numpy(nodes)
    if nodes.dtype == bool:
        if nodes.shape != (count,):
            raise ValueError(f"expected a mask of {count} nodes, got one of shape {nodes.shape}")
        nodes = np.flatnonzero(nodes)
    if nodes.size and (nodes.min() < 0 or nodes.max() >= count):
        raise ValueError(f"a validation node is outside of 0..{count - 1}")
    return np.unique(nodes).astype(np.int32)
