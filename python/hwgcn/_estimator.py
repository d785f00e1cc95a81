"""What scikit-learn expects of an estimator, without scikit-learn."""

import inspect

import numpy as np
import scipy.sparse as sp

from . import _core
from ._arguments import meant


class NotFittedError(ValueError, AttributeError):
    """A model is asked before it was fitted. The bases are those of scikit-learn's exception of this name."""


def _shown(value):
    """A parameter in a line: what is large or a graph is named by its type."""
    text = repr(value) if not sp.issparse(value) and not isinstance(value, np.ndarray) else ""
    if text and len(text) <= 200 and "\n" not in text:
        return text
    shape = f" of shape {value.shape}" if hasattr(value, "shape") else ""
    return f"<{type(value).__name__}{shape}>"


class Estimator:
    """Parameters of the constructor, and settings of the method as if they were some."""

    _estimator_type = "classifier"

    @classmethod
    def _parameters(cls):
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        parameters = inspect.signature(cls.__init__).parameters.values()
        return {one.name: one.default for one in parameters if one.kind in kinds and one.name != "self"}

    def _check_names(self, names, error):
        """Every name is a parameter or a setting of some method."""
        known = list(dict.fromkeys([*self._parameters(), *_core.settings()]))
        for name in names:
            if name not in known:
                hint = meant(name, known) or f"expected one of those that help({type(self).__name__}) and hwgcn info --parameters show"
                raise error(f"unknown parameter {name!r}; {hint}")

    def get_params(self, deep=True):
        """The parameters of the constructor; settings of the method are in ``settings``."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params):
        """Set parameters of the constructor, or settings of the method: ``set_params(epochs=50)``."""
        self._check_names(params, ValueError)
        own = self._parameters()
        more = {name: value for name, value in params.items() if name not in own}
        for name, value in params.items():
            if name in own:
                setattr(self, name, value)
        if more:
            self.settings = {**(self.settings or {}), **more}
        return self

    def __repr__(self):
        defaults = self._parameters()
        given = [
            f"{name}={_shown(value)}"
            for name, value in self.get_params().items()
            if value is not None or defaults[name] is not None
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_probabilities")

    def __sklearn_tags__(self):
        """For scikit-learn from version 1.6 on, which asks for it."""
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        tags = {"transformer_tags": None, "regressor_tags": None, "classifier_tags": ClassifierTags()}
        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True), **tags)

    def _check_fitted(self):
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")
