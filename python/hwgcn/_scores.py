"""What a model is judged by. Accuracy is `share_of_equal`; the others are here."""

import numpy as np

from . import _core
from ._arguments import found, meant, text_of
from ._core import InputError
from ._labels import is_known, same_kind

NAMES = ("accuracy", "macro_f1", "roc_auc", "average_precision", "balanced_accuracy", "mcc")


def scoring_name(scoring):
    """`scoring`, which must be one of the names."""
    name = text_of(scoring, "scoring")
    if name in NAMES:
        return name
    hint = meant(name, NAMES)
    raise InputError(f"scoring: expected one of {', '.join(NAMES)}, got {found(scoring)}" + (f"; {hint}" if hint else ""))


def score_by(name, labels, predicted, probabilities, classes, positive):
    """The score of that name over the nodes with a known label. `positive` is the number of the class that average
    precision is about, where there are two."""
    known = is_known(labels)
    if not known.any():
        raise InputError("y: no node has a label to compare with; -1 means unlabelled")
    same_kind(labels, predicted)
    codes = _codes(labels[known], classes, name)
    if name in ("roc_auc", "average_precision"):
        return _ranking(name, codes, probabilities[known], positive)
    confusion = np.zeros((classes.size, classes.size))
    np.add.at(confusion, (codes, np.searchsorted(classes, predicted[known])), 1)
    return {"macro_f1": _macro_f1, "balanced_accuracy": _balanced_accuracy, "mcc": _mcc}[name](confusion)


def _codes(labels, classes, name):
    """The number of the class of each label."""
    number = {label: place for place, label in enumerate(classes.tolist())}
    codes = np.array([number.get(label, -1) for label in labels.tolist()], dtype=np.int64)
    if (codes < 0).any():
        raise InputError(f"y: {found(labels[codes < 0][0])} is no class of the fit, which {name} needs")
    return codes


def _ranking(name, codes, probabilities, positive):
    judge = _core.roc_auc if name == "roc_auc" else _core.average_precision
    classes = [positive] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    values = []
    for number in classes:
        is_of_class = codes == number
        if is_of_class.any() and not is_of_class.all():
            values.append(judge(np.ascontiguousarray(probabilities[:, number], dtype=np.float32), is_of_class.astype(np.uint8)))
    if not values:
        raise InputError(f"y: all labels are of one class, and {name} needs two")
    return float(np.mean(values))


def _macro_f1(confusion):
    hits, both = np.diag(confusion), confusion.sum(axis=0) + confusion.sum(axis=1)
    return float(np.mean(2 * hits[both > 0] / both[both > 0]))


def _balanced_accuracy(confusion):
    support = confusion.sum(axis=1)
    return float(np.mean(np.diag(confusion)[support > 0] / support[support > 0]))


def _mcc(confusion):
    count, true, taken = confusion.sum(), confusion.sum(axis=1), confusion.sum(axis=0)
    spread = np.sqrt((count**2 - true @ true) * (count**2 - taken @ taken))
    return float((count * np.trace(confusion) - true @ taken) / spread) if spread > 0 else 0.0
