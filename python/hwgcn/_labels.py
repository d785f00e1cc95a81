"""Labels of nodes: which are known, and their classes as numbers."""

import numbers
from collections.abc import Mapping

import numpy as np

from ._arguments import found
from ._core import InputError
from ._inputs import as_numpy
from ._notes import tell

EXPECTED = "labels are numbers or texts; -1, None, nan or '' where unknown"


def label_array(y):
    """Labels as an array of one dimension."""
    array = as_numpy(y, "y")
    if isinstance(y, (list, tuple)) and array.dtype.kind in "US" and not all(isinstance(one, str) for one in y):
        array = np.array(y, dtype=object)  # numpy would turn -1 and None into texts
    if array.ndim != 1:
        raise InputError(f"y: expected an array of one dimension, got {found(y)}")
    if array.dtype.kind not in "biufUSO":
        raise TypeError(f"y: {EXPECTED}; got {found(array)}")
    if array.dtype.kind in "US":
        _warn_of_texts_for_unknown(array)
    return array


def _warn_of_texts_for_unknown(array):
    for word in ("-1", "nan", "None"):
        if (array == np.array(word, dtype=array.dtype.kind)).any():
            tell([f"y: the text {word!r} is taken for a class; '' means unknown"], stacklevel=5)


def is_known(labels):
    """A mask of the labels that are known."""
    kind = labels.dtype.kind
    if kind == "O":
        return np.array([_is_known_object(label) for label in labels], dtype=bool)
    if kind == "f":
        return ~np.isnan(labels) & (labels != -1)
    if kind in "US":
        return labels != np.array("", dtype=kind)
    return labels != -1 if kind == "i" else np.ones(labels.shape, dtype=bool)


def _is_known_object(label):
    if label is None or (isinstance(label, (str, bytes)) and not label):
        return False
    try:
        return bool(label == label) and bool(label != -1)
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return False


def encode(y, count, what="node"):
    """The classes, in order, and the number of its class for each node (or row), -1 where it is not known."""
    labels = label_array(y)
    if labels.shape != (count,):
        raise InputError(f"y: expected a label per {what} ({count}), got {found(labels)}")
    known = is_known(labels)
    values = labels[known]
    if labels.dtype.kind == "f":
        wrong = np.isinf(values) | (values != np.floor(values))
        if wrong.any():
            raise InputError(f"y: {values[wrong][0]} is not a class; {EXPECTED}; turn fractions into texts")
    try:
        classes, places = np.unique(values, return_inverse=True)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in values}))
        raise TypeError(f"y: expected labels of one type, got {kinds}") from None
    if classes.size == 1:
        tell([f"y: all known labels are {found(classes[0])}; -1 means unlabelled"], stacklevel=3)
    codes = np.full(count, -1, dtype=np.int32)
    codes[known] = places
    return classes, codes


def _family(array):
    return "texts" if array.dtype.kind in "US" else "objects" if array.dtype.kind == "O" else "numbers"


def same_kind(labels, predicted):
    """Texts are never equal to numbers: who compares them made a mistake."""
    families = {_family(labels), _family(predicted)} - {"objects"}
    if len(families) > 1:
        raise InputError(f"y: holds {_family(labels)}, but the classes are {_family(predicted)}")


def share_of_equal(labels, predicted, weights=None):
    """The share of known labels that were predicted, each counted by its weight where there are some."""
    known = is_known(labels)
    if not known.any():
        raise InputError("y: no node has a label to compare with; -1 means unlabelled")
    same_kind(labels, predicted)
    right = predicted[known] == labels[known]
    if weights is None:
        return float(np.mean(right))
    weights = sample_weights(weights, labels.size)[known]
    if weights.sum() == 0:
        raise InputError("sample_weight: expected a positive weight for some labelled node, got none")
    return float(np.average(right, weights=weights))


def sample_weights(sample_weight, count):
    """Weights, one per row or node, as numbers."""
    weights = as_numpy(sample_weight, "sample_weight")
    if weights.shape != (count,):
        raise InputError(f"sample_weight: expected {count} numbers, one per label, got {found(weights)}")
    if weights.dtype.kind not in "biuf":
        raise TypeError(f"sample_weight: expected numbers, got {found(weights)}")
    weights = weights.astype(np.float64)
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise InputError(f"sample_weight: expected finite numbers of at least 0, got {weights[wrong][0]:g}")
    return weights


def class_weights(class_weight, classes, codes):
    """A weight per class: of a dictionary (1 where it has none), or with "balanced" n / (classes * n_c), as in
    scikit-learn."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(codes[codes >= 0], minlength=classes.size)
        return counts.sum() / (classes.size * np.maximum(counts, 1))
    if not isinstance(class_weight, Mapping):
        expected = "None, 'balanced' or a dictionary from class to weight"
        raise TypeError(f"class_weight: expected {expected}, got {found(class_weight)}")
    weights = np.ones(classes.size)
    for label, weight in class_weight.items():
        place = [number for number, known in enumerate(classes.tolist()) if known == label]
        if not place:
            raise InputError(f"class_weight: {found(label)} is no class of y; expected some of {found(classes.tolist())}")
        if isinstance(weight, (bool, np.bool_)) or not isinstance(weight, numbers.Real) or not 0 <= weight < np.inf:
            raise InputError(f"class_weight: expected a finite number of at least 0 for {found(label)}, got {found(weight)}")
        weights[place] = weight
    return weights


def label_weights(class_weight, sample_weight, classes, codes):
    """What each label counts in the loss, or None where all count the same, and the same for each class, or an empty
    list. Unlabelled nodes have the weight 1, and labels of a class that counts nothing the weight 0."""
    weights = np.ones(codes.size)
    if sample_weight is not None:
        weights = sample_weights(sample_weight, codes.size)
    by_class = []
    if class_weight is not None:
        by_class = class_weights(class_weight, classes, codes)
        weights = np.where((codes >= 0) & (by_class[codes] == 0), 0, weights)
        by_class = np.where(by_class == 0, 1, by_class).tolist()
    if len(set(by_class)) == 1:
        by_class = []
    known = weights[codes >= 0]
    same = known.size == 0 or (known == known[0]).all() and known[0] > 0
    return None if same else np.where(codes < 0, 1, weights), by_class


def decided(probabilities, decision):
    """The number of the class of each row: what a threshold says, or the most probable one, by weights where there are
    some."""
    if "threshold" in decision:
        positive = decision["positive"]
        return np.where(probabilities[:, positive] >= decision["threshold"], positive, 1 - positive)
    if "class_weights" in decision:
        probabilities = probabilities * np.array(decision["class_weights"])
    return np.argmax(probabilities, axis=1)
