"""Fitted classifiers in folders and in pickles. Both are the files of a run, checked by SHA-256 when they are read."""

import hashlib
import io
import json
import os
import tempfile

import numpy as np

from . import _core
from ._arguments import folder_name, found
from ._core import InputError
from ._tables import TableEncoder

OWN_FILE = "python.npz"  # what Python adds to the files of the run
DATA_FILE = "data.npz"
PARAMETERS = ("method", "order", "settings", "class_weight", "threshold")
FITTED = ("n_features_in_", "seed_", "method_", "order_", "choice_", "temperature_", "decision_", "metrics_", "best_epoch_")
FORM = ("_scale", "_by_rows", "_by_tables", "_width")


def _plain(value):
    """Numpy's numbers and arrays as JSON has them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"save: expected numbers and texts, got {found(value)}")


def _classes_array(classes):
    """Classes as an array that needs no pickle."""
    if classes.dtype != object:
        return classes
    texts = np.array([str(label) for label in classes])
    if all(isinstance(label, str) for label in classes):
        return texts
    numbers = np.array(classes.tolist())
    if numbers.dtype.kind in "biuf":
        return numbers
    raise InputError(f"save: expected classes that are numbers or texts, got {found(classes[0])}")


def _plain_names(names):
    """Names as JSON gives them back: a text or a number is itself, and so is a tuple; others become texts."""
    def plain(name):
        name = name.item() if isinstance(name, np.generic) else name
        if isinstance(name, tuple):
            return [plain(part) for part in name]
        return name if name is None or isinstance(name, (str, int, float, bool)) else str(name)

    return [plain(name) for name in names]


def _names_again(names):
    return [tuple(_names_again(name)) if isinstance(name, list) else name for name in names]


def name_features(model, encoder):
    """The columns of the input and the features that they became, by their names, where it was a table."""
    for name in ("feature_names_in_", "encoded_feature_names_"):
        model.__dict__.pop(name, None)
    if encoder is None:
        return
    columns = np.empty(len(encoder.columns), dtype=object)
    columns[:] = [label for label, _ in encoder.columns]
    model.feature_names_in_ = columns
    model.encoded_feature_names_ = np.array(encoder.feature_names(), dtype=object)


def _own_content(model):
    """What Python adds to a run, as the content of an .npz file without pickled objects."""
    params = {name: getattr(model, name) for name in PARAMETERS}
    if isinstance(params["class_weight"], dict):
        params["class_weight"] = [list(pair) for pair in params["class_weight"].items()]
    encoder = model._encoder
    columns = None if encoder is None else [label for label, _ in encoder.columns]
    facts = {
        "parameters": params,
        "fitted": {name: getattr(model, name) for name in FITTED + FORM},
        "objects": model.classes_.dtype == object,
        "columns": None if encoder is None else list(zip(_plain_names(columns), (known for _, known in encoder.columns))),
        "nodes": model._nodes if model._nodes is None else _plain_names(model._nodes),
    }
    arrays = {f"split_{part}": nodes for part, nodes in model.split_.items()}
    content = io.BytesIO()
    np.savez(
        content,
        facts=np.array(json.dumps(facts, default=_plain)),
        classes=_classes_array(model.classes_),
        probabilities=model._probabilities,
        kinds=model._kinds,
        **arrays,
    )
    return content.getvalue()


def _write(model, folder):
    own = _own_content(model)

    def write_more():
        _core.write_file(os.path.join(folder, OWN_FILE.encode()), own)
        data = _content(folder, DATA_FILE.encode())
        return {OWN_FILE: hashlib.sha256(own).hexdigest(), DATA_FILE: hashlib.sha256(data).hexdigest()}

    model._problem.save(folder, write_more)


def _read(model, folder, cache):
    """Fills in what a fit leaves behind, from a folder."""
    own = np.load(io.BytesIO(_core.run_file(folder, OWN_FILE)), allow_pickle=False)
    facts = json.loads(str(own["facts"]))
    model.classes_ = own["classes"].astype(object) if facts["objects"] else own["classes"]
    model._probabilities, model._kinds = own["probabilities"], own["kinds"]
    model.split_ = {part: own[f"split_{part}"] for part in ("train", "validation", "test")}
    model.decision_ = {}  # of models that were saved before there was another one
    columns = facts["columns"]
    model._by_tables, model._width = columns is not None, facts["fitted"]["n_features_in_"]  # of earlier versions
    for name, value in facts["fitted"].items():
        setattr(model, name, value)
    if columns is not None:
        columns = [(label, known) for label, (_, known) in zip(_names_again([label for label, _ in columns]), columns)]
    model._encoder = None if columns is None else TableEncoder(None, columns=columns)
    name_features(model, model._encoder)
    if columns is None and facts.get("feature_names"):  # of a table, saved by an earlier version without its columns
        model.encoded_feature_names_ = np.array(facts["feature_names"], dtype=object)
    nodes = facts.get("nodes", [])  # earlier versions did not keep them: an order that nothing contradicts
    model._nodes = nodes if nodes is None else _names_again(nodes)
    table = [] if model._encoder is None else model._encoder.named_columns()
    model._problem = _core.Problem(folder, cache, table, model._kinds, model._scale, model._probabilities)
    return facts["parameters"]


def save_classifier(model, path, overwrite):
    folder = folder_name(path, "path")
    if folder is None:
        raise TypeError("path: expected the path of a folder, got None")
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError(f"path: expected a folder, got the file {found(path)}")
    if os.path.isdir(folder) and os.listdir(folder):
        is_run = os.path.exists(os.path.join(folder, b"run.json"))
        if not is_run or not overwrite:
            hint = "; overwrite=True replaces the run that is there" if is_run else ", and it holds no run"
            raise InputError(f"path: expected a new or an empty folder: {found(os.fsdecode(folder))} is not empty{hint}")
    _write(model, folder)


def load_classifier(kind, path, n_jobs, cache_dir):
    folder, cache = folder_name(path, "path"), folder_name(cache_dir)
    if folder is None:
        raise TypeError("path: expected the path of a folder, got None")
    model = kind(n_jobs=n_jobs, cache_dir=cache_dir)
    params = _read(model, folder, cache)
    if isinstance(params["class_weight"], list):
        params["class_weight"] = {label: weight for label, weight in params["class_weight"]}
    for name, value in params.items():
        setattr(model, name, value)
    model.random_state = model.seed_
    return model


def packed(model):
    """The attributes of a model for pickle and copy: the engine's part as the files of a run."""
    state = {name: value for name, value in model.__dict__.items() if name != "_problem"}
    if "_problem" not in model.__dict__:
        return state
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(os.fsencode(place), b"run")
        _write(model, folder)
        state["_files"] = {name: _content(folder, name) for name in os.listdir(folder)}
    return state


def _content(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def unpacked(model, state):
    files = state.pop("_files", None)
    if files is not None:
        with tempfile.TemporaryDirectory() as place:
            for name, content in files.items():
                with open(os.path.join(os.fsencode(place), os.path.basename(name)), "wb") as file:
                    file.write(content)
            _read(model, os.fsencode(place), folder_name(state.get("cache_dir")))
    model.__dict__.update(state)
