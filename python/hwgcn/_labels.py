"""Labels of nodes: which are known, and their classes as numbers."""

import warnings

import numpy as np

from ._arguments import found
from ._core import InputError
from ._inputs import as_numpy

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
        _warn_of_doubtful_texts(array)
    return array


def _warn_of_doubtful_texts(array):
    for word in ("-1", "nan", "None"):
        if (array == np.array(word, dtype=array.dtype.kind)).any():
            warnings.warn(f"y: the text {word!r} is taken for a class; '' means unknown", stacklevel=5)


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


def encode(y, nodes):
    """The classes, in order, and the number of its class for each node, -1 where it is not known."""
    labels = label_array(y)
    if labels.shape != (nodes,):
        raise InputError(f"y: expected a label per node ({nodes}), got {found(labels)}")
    known = is_known(labels)
    values = labels[known]
    if labels.dtype.kind == "f":
        wrong = np.isinf(values) | (values != np.floor(values))
        if wrong.any():
            raise InputError(f"y: {values[wrong][0]} is not a class; {EXPECTED}; turn fractions into texts")
    try:
        classes, numbers = np.unique(values, return_inverse=True)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in values}))
        raise TypeError(f"y: expected labels of one type, got {kinds}") from None
    if classes.size == 1:
        warnings.warn(f"y: all known labels are {found(classes[0])}; -1 means unlabelled", stacklevel=3)
    codes = np.full(nodes, -1, dtype=np.int32)
    codes[known] = numbers
    return classes, codes


def _family(array):
    return "texts" if array.dtype.kind in "US" else "objects" if array.dtype.kind == "O" else "numbers"


def share_of_equal(labels, predicted):
    """The share of known labels that were predicted."""
    known = is_known(labels)
    if not known.any():
        raise InputError("y: no node has a label to compare with; -1 means unlabelled")
    families = {_family(labels), _family(predicted)} - {"objects"}
    if len(families) > 1:
        raise InputError(f"y: holds {_family(labels)}, but the classes are {_family(predicted)}")
    return float(np.mean(predicted[known] == labels[known]))
