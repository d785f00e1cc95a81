"""What is told: warnings of a cross-validation, and names that do not exist."""

import re
import warnings

import numpy as np
import pytest
from hwgcn import HWGCNClassifier, InputError
from sklearn.model_selection import GridSearchCV, cross_val_score


def classifier(source, /, **params):
    return HWGCNClassifier(**{"method": "gcn", "epochs": 30, "graph": source.A, "features": source.X, **params})


def test_a_cross_validation_tells_each_note_once(graph):
    y = np.where(graph.y == 0, "rare", "common")
    model = classifier(graph, epochs=2, scale="standard")  # every training finds the same wrong with the data

    def told_by(work):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            work()
        return [str(one.message) for one in caught if "predicted as" in str(one.message) or "selection" in str(one.message)]

    alone = told_by(lambda: model.fit(np.arange(300), y))
    assert alone and len(alone) == len(set(alone)) and told_by(lambda: model.fit(np.arange(300), y)) == alone
    for _ in range(2):  # another one tells them again
        folds = told_by(lambda: cross_val_score(model, np.arange(300), y, cv=4))
        kinds = [re.sub(r"\d+", "#", note) for note in folds]
        assert 0 < len(kinds) == len(set(kinds)), folds
    search = told_by(lambda: GridSearchCV(model, {"rate": [0.01, 0.02]}, cv=2).fit(np.arange(300), y))
    assert 0 < len(search) == len({re.sub(r"\d+", "#", note) for note in search})


def test_unknown_settings_name_those_that_may_be_meant(graph):
    for call in (lambda: HWGCNClassifier(dropout=0.5), lambda: HWGCNClassifier().set_params(dropout=0.5)):
        with pytest.raises((TypeError, ValueError), match="unknown parameter 'dropout'; did you mean .*'hidden_dropout'.*'input_dropout'") as told:
            call()
        assert len(str(told.value)) < 200
    with pytest.raises(InputError, match="unknown setting 'dropout', did you mean 'input_dropout'.*'hidden_dropout'") as told:
        classifier(graph, settings={"dropout": 0.5}).fit(np.arange(300), graph.y)
    assert len(str(told.value)) < 200
    with pytest.raises(TypeError, match="unknown parameter 'learning_rate'; did you mean 'rate'"):
        HWGCNClassifier(learning_rate=0.1)
    with pytest.raises(TypeError, match="unknown parameter 'xyzzy'; expected one of those that help.* and hwgcn info --parameters show$"):
        HWGCNClassifier(xyzzy=0.1)
