"""What a model is judged by. Accuracy is `share_of_equal`; the engine measures the others."""

import numpy as np

from . import _core
from ._arguments import found, meant, text_of
from ._core import InputError
from ._labels import is_known, same_kind

NAMES = tuple(_core.metric_names())


def scoring_name(scoring):
    """`scoring`, which must be one of the names."""
    name = text_of(scoring, "scoring")
    if name in NAMES:
        return name
    hint = meant(name, NAMES)
    raise InputError(f"scoring: expected one of {', '.join(NAMES)}, got {found(scoring)}" + (f"; {hint}" if hint else ""))


def score_by(name, labels, probabilities, classes, problem):
    """The score of that name over the nodes with a known label, by the decision of the problem's model."""
    known = is_known(labels)
    if not known.any():
        raise InputError("y: no node has a label to compare with; -1 means unlabelled")
    same_kind(labels, classes)
    codes = _codes(labels[known], classes, name)
    score = problem.metrics(np.ascontiguousarray(probabilities[known], dtype=np.float32), codes)[name]
    if score is None:
        raise InputError(f"y: all labels are of one class, and {name} needs two")
    return score


def _codes(labels, classes, name):
    """The number of the class of each label."""
    number = {label: place for place, label in enumerate(classes.tolist())}
    codes = np.array([number.get(label, -1) for label in labels.tolist()], dtype=np.int32)
    if (codes < 0).any():
        raise InputError(f"y: {found(labels[codes < 0][0])} is no class of the fit, which {name} needs")
    return codes
