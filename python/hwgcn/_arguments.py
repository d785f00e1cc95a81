"""Plain arguments, checked before the engine sees them. A message names the argument, what is expected and what was found."""

import numbers
import os
from collections.abc import Mapping

import numpy as np

from . import _core
from ._core import InputError

MOST_THREADS = 1024


def found(value):
    """What was given, in a few words."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and type {value.dtype}"
    text = repr(value)
    if len(text) > 60:
        return f"a {type(value).__name__}"
    return text if value is None or isinstance(value, (str, numbers.Number)) else f"{text} ({type(value).__name__})"


def meant(name, known):
    """The names that may have been meant, as a question, or an empty text."""
    likely = [repr(one) for one in _core.likely_names(name, known)]
    if not likely:
        return ""
    return f"did you mean {' or '.join(filter(None, [', '.join(likely[:-1]), likely[-1]]))}?"


def text_of(value, name):
    """`value`, which must be a text; what cannot be printed is escaped: messages can name it."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, got {found(value)}")
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in value)


def whole(value, name, lowest, highest, expected):
    """`value`, which must be a whole number in this range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}: expected {expected}, got {found(value)}")
    if not lowest <= value <= highest:
        raise InputError(f"{name}: expected {expected}, got {found(value)}")
    return int(value)


def number(value, name, lowest, highest, expected):
    """`value`, which must be a number in this range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: expected {expected}, got {found(value)}")
    if not lowest <= value <= highest:
        raise InputError(f"{name}: expected {expected}, got {found(value)}")
    return float(value)


def thread_count(n_jobs):
    """The engine's number of threads (0: one per core), from `n_jobs` as scikit-learn means it."""
    if n_jobs is None:
        return 1
    expected = f"None (one thread), 0 or -1 (all cores), -2 (all but one), .. or a number of threads up to {MOST_THREADS}"
    n_jobs = whole(n_jobs, "n_jobs", -MOST_THREADS, MOST_THREADS, expected)
    if n_jobs >= -1:
        return max(n_jobs, 0)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + n_jobs)


def seed_of(random_state):
    """The engine's seed, from `random_state` as scikit-learn means it: None draws from numpy's global generator."""
    if random_state is None or random_state is np.random:
        random_state = np.random.mtrand._rand
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32, dtype=np.uint64))
    expected = "a whole number in 0..18446744073709551615, None or a random generator of numpy"
    return whole(random_state, "random_state", 0, 2**64 - 1, expected)


def threshold_text(threshold):
    """A threshold as the engine reads it; empty for None."""
    if threshold is None:
        return ""
    expected = "None, 'f1', 'balanced' or a number between 0 and 1"
    if isinstance(threshold, (bool, np.bool_)) or not isinstance(threshold, (str, numbers.Real)):
        raise TypeError(f"threshold: expected {expected}, got {found(threshold)}")
    if isinstance(threshold, str) and threshold in ("f1", "balanced"):
        return threshold
    if isinstance(threshold, str) or not 0 < threshold < 1:
        raise InputError(f"threshold: expected {expected}, got {found(threshold)}")
    return repr(float(threshold))


def folder_name(path, name="cache_dir"):
    """The bytes of a path, or None. Bytes, because a path need not be UTF-8."""
    if path is None:
        return None
    try:
        encoded = os.fsencode(path)
    except TypeError:
        raise TypeError(f"{name}: expected the path of a folder or None, got {found(path)}") from None
    if not encoded or b"\0" in encoded:
        raise InputError(f"{name}: expected the path of a folder or None, got {found(path)}")
    return encoded


def _setting_text(name, value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return ",".join(_setting_text(name, item) for item in value)
    if isinstance(value, str):
        return text_of(value, name)
    if not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: expected a number, a text, or a list of them, got {found(value)}")
    return repr(float(value)) if isinstance(value, float) else str(value)


def setting_texts(order, settings):
    """Settings as the engine reads them: names and texts. None stands for the method's own value."""
    if settings is None:
        settings = {}
    if not isinstance(settings, Mapping):
        raise TypeError(f"settings: expected a dictionary such as {{'epochs': 100}} or None, got {found(settings)}")
    if order is not None and settings.get("order") is not None:
        raise InputError(f"order: given twice, as {found(order)} and in the settings as {found(settings['order'])}")
    given = {text_of(name, "a setting's name"): value for name, value in settings.items()}
    if order is not None:
        given["order"] = order
    return [(name, _setting_text(name, value)) for name, value in given.items() if value is not None]
