"""Higher-order weighted graph convolutional networks.

``HWGCNClassifier`` predicts the classes of all nodes from a few labels; ``learn_weights`` and
``HigherOrderWeights`` give the learned weights of far neighbors for use elsewhere.
"""

from ._core import InputError, RunError, __version__
from ._classifier import HWGCNClassifier
from ._estimator import NotFittedError
from ._transform import HigherOrderWeights
from ._weights import LearnedWeights, learn_weights

__all__ = [
    "HWGCNClassifier",
    "HigherOrderWeights",
    "InputError",
    "LearnedWeights",
    "NotFittedError",
    "RunError",
    "__version__",
    "learn_weights",
]
