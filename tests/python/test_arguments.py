"""Every argument with every kind of wrong value: it works, or the message names the argument and what is expected."""

import datetime
import os
import pathlib
from types import SimpleNamespace

import hwgcn
import numpy as np
import pytest
import scipy.sparse as sp
from hwgcn import HigherOrderWeights, HWGCNClassifier, learn_weights
from hwgcn._arguments import seed_of, thread_count

RING = np.array([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
X = np.eye(6) + 0.5
Y = np.array([0, 1, 0, -1, -1, -1])
QUICK = {"method": "gcn", "settings": {"epochs": 2}}

ODD = [
    None, -1, 0, 1, 1.5, 3.0, float("nan"), float("inf"), 10**30, -(10**30), 2**63, True, 1j, np.int8(3), np.float32(1.5),
    np.uint64(2**64 - 1), "x", "", "\udc80", "a\0b", "two\nlines", b"x", [], [1], [None], ["x"], [-1], [6], [1.0], [0.5],
    [np.nan], [2**63], [2**70], [[1], [1, 2]], (), {}, {"a": 1}, {1: 2}, set(), {1}, object(), type, len, Ellipsis,
    range(3), slice(3), datetime.date(2020, 1, 1), np.array(3), np.array([1.5]), np.array([True]), np.array([[1]]),
    np.ones(6, bool), np.ones(5, bool), np.zeros(6, int), np.array([1], "M8[D]"), np.ma.masked_equal([1, 2], 2),
    np.zeros((2, 0)), np.zeros((0, 0)), np.zeros((6, 0)), np.zeros((1, 2, 3)), sp.eye(6), sp.csr_matrix((0, 0)),
]  # fmt: skip


def fit(**params):
    return HWGCNClassifier(**{**QUICK, **params}).fit(RING, X, Y)


def model():
    return fit()


def judged():
    return HWGCNClassifier(**QUICK).fit(RING, X, Y, validation=[2])


def transform(order=2, **data):
    return HigherOrderWeights(order)(SimpleNamespace(**{"edge_index": RING, "x": X, **data}))


USES = {
    "method": lambda odd: fit(method=odd),
    "order": lambda odd: fit(method="hwgcn", order=odd),
    "random_state": lambda odd: fit(random_state=odd),
    "n_jobs": lambda odd: fit(n_jobs=odd),
    "settings": lambda odd: fit(settings=odd),
    "epochs": lambda odd: fit(settings={"epochs": odd}),
    "A": lambda odd: HWGCNClassifier(**QUICK).fit(odd, X, Y),
    "X": lambda odd: HWGCNClassifier(**QUICK).fit(RING, odd, Y),
    "y": lambda odd: HWGCNClassifier(**QUICK).fit(RING, X, odd),
    "validation": lambda odd: HWGCNClassifier(**QUICK).fit(RING, X, Y, validation=odd),
    "predict": lambda odd: model().predict(odd),
    "predict_proba": lambda odd: model().predict_proba(odd),
    "score": lambda odd: model().score(odd),
    "score nodes": lambda odd: model().score(Y, odd),
    "weights A": lambda odd: learn_weights(odd, X),
    "weights X": lambda odd: learn_weights(RING, odd),
    "weights order": lambda odd: learn_weights(RING, X, odd),
    "weights n_jobs": lambda odd: learn_weights(RING, X, n_jobs=odd),
    "weights max_ring": lambda odd: learn_weights(RING, X, max_ring=odd),
    "weights keep": lambda odd: learn_weights(RING, X, keep=odd),
    "weights weighting": lambda odd: learn_weights(RING, X, weighting=odd),
    "weights tolerance": lambda odd: learn_weights(RING, X, tolerance=odd),
    "scale": lambda odd: fit(scale=odd),
    "class_weight": lambda odd: fit(class_weight=odd),
    "sample_weight": lambda odd: HWGCNClassifier(**QUICK).fit(RING, X, Y, sample_weight=odd),
    "edge_weight": lambda odd: fit(edge_weight=odd),
    "graph": lambda odd: HWGCNClassifier(graph=odd, features=X, **QUICK).fit([0, 1, 2], [0, 1, 0]),
    "features": lambda odd: HWGCNClassifier(graph=RING, features=odd, **QUICK).fit([0, 1, 2], [0, 1, 0]),
    "rows": lambda odd: HWGCNClassifier(graph=RING, features=X, **QUICK).fit(odd, [0, 1, 0]),
    "explain": lambda odd: model().explain(odd),
    "explain top": lambda odd: model().explain(0, odd),
    "importances n_repeats": lambda odd: judged().feature_importances(n_repeats=odd),
    "importances columns": lambda odd: judged().feature_importances(columns=odd),
    "transform weight": lambda odd: HigherOrderWeights(weight=odd)(SimpleNamespace(edge_index=RING, x=X)),
    "transform edge_weight": lambda odd: transform(edge_weight=odd),
    "transform edge_attr": lambda odd: transform(edge_attr=odd),
    "transform order": lambda odd: transform(order=odd),
    "transform data": lambda odd: HigherOrderWeights()(odd),
    "transform edge_index": lambda odd: transform(edge_index=odd),
    "transform x": lambda odd: transform(x=odd),
}

EXPLAINING = ("expected", "unknown", "outside", "not a class", "looks like", "no node", "has no", "but the features have")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("use", USES)
def test_odd_values_work_or_are_explained(use):
    refused = 0
    for odd in ODD:
        try:
            USES[use](odd)
        except (ValueError, TypeError) as error:
            refused += 1
            message = str(error)
            for of_the_machinery in ("incompatible", "Invoked with", "arg0", "unhashable", "ambiguous", "object is not"):
                assert of_the_machinery not in message, (odd, message)
            assert message.isprintable() and len(message) < 1000, (odd, message)
            assert any(word in message for word in EXPLAINING), (odd, message)
    assert refused > len(ODD) / 3


def test_a_cache_folder_may_be_any_path(tmp_path):
    name = os.fsdecode(b"caf\xe9")  # Latin-1, which is no UTF-8
    for number, path in enumerate([str(tmp_path / "a"), tmp_path / "b", os.fsencode(tmp_path / "c"), tmp_path / name]):
        learn_weights(RING, X, cache_dir=path)
        HWGCNClassifier(method="hwgcn", cache_dir=path, settings={"epochs": 2}).fit(RING, X, Y)
        assert len(list(tmp_path.iterdir())) == number + 1
        assert list(pathlib.Path(os.fsdecode(path)).iterdir())
    for wrong in (1, 1.5, True, [], {}, object(), "", "a\0b"):
        for use in (lambda: learn_weights(RING, X, cache_dir=wrong), lambda: fit(cache_dir=wrong)):
            with pytest.raises((ValueError, TypeError), match="cache_dir: expected the path of a folder or None"):
                use()


def test_jobs_are_counted_as_scikit_learn_does():
    cores = len(os.sched_getaffinity(0))
    assert thread_count(None) == 1
    assert thread_count(0) == thread_count(-1) == 0, "the engine's word for all cores"
    assert thread_count(3) == thread_count(np.int64(3)) == 3
    assert thread_count(-2) == max(1, cores - 1) and thread_count(-1000) == 1
    for wrong, kind in [(1.0, TypeError), ("2", TypeError), (True, TypeError), (1025, ValueError), (2**70, ValueError)]:
        with pytest.raises(kind, match="n_jobs: expected None .one thread., 0 or -1 .all cores., .* got"):
            thread_count(wrong)


def test_no_random_state_means_another_seed_each_time():
    np.random.seed(5)
    first, second = fit(random_state=None), fit(random_state=None)
    assert first.seed_ != second.seed_
    np.random.seed(5)
    assert fit(random_state=None).seed_ == first.seed_
    assert (fit(random_state=first.seed_).predict_proba() == first.predict_proba()).all()
    assert fit(random_state=7).seed_ == 7 and fit().seed_ == 0


def test_a_generator_may_be_the_random_state():
    for make in (np.random.RandomState, np.random.default_rng):
        assert seed_of(make(1)) == seed_of(make(1)) != seed_of(make(2))
    generator = np.random.default_rng(1)
    assert seed_of(generator) != seed_of(generator)
    for wrong, kind in [(-1, ValueError), (2**64, ValueError), (1.0, TypeError), ("1", TypeError), (True, TypeError)]:
        with pytest.raises(kind, match="random_state: expected a whole number in 0..18446744073709551615, None or .* got"):
            seed_of(wrong)


def test_settings_are_read_by_their_kind():
    expected = fit(settings={"epochs": 4, "layers": 2}).predict_proba()
    for settings in ({"epochs": np.int64(4)}, {"epochs": 4.0}, {"epochs": "4"}, {"epochs": 4, "hidden": None}):
        assert (fit(settings=settings).predict_proba() == expected).all()
    keep = learn_weights(RING, X, 3, keep=[0.5, 1.0]).sum()
    for same in ((0.5, 1), np.array([0.5, 1]), "0.5,1"):
        assert (learn_weights(RING, X, 3, keep=same).sum() != keep).nnz == 0


def test_a_scale_is_one_of_a_few():
    for scale in ("auto", "rows"):
        fit(scale=scale)
    with pytest.raises(hwgcn.InputError, match="unknown scale 'standrad', did you mean 'standard'|standrad.*standard"):
        fit(scale="standrad")
    with pytest.raises(hwgcn.InputError, match="standrad"):
        learn_weights(RING, X, scale="standrad")


def test_an_order_that_is_given_twice_or_not_read_is_refused():
    with pytest.raises(hwgcn.InputError, match="order: given twice, as 3 and in the settings as 2"):
        fit(method="hwgcn", order=3, settings={"order": 2})
    with pytest.raises(hwgcn.InputError, match="`order`: GCN reads it only with `operator=higher-order`"):
        fit(order=3)
    assert fit(method="hwgcn", order=3).order_ == fit(method="hwgcn", settings={"order": 3}).order_ == 3
