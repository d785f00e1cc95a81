"""What the user should know, as warnings of Python."""

import re
import sys
import warnings

KEY = "__hwgcn_told__"
# What the engine names and Python calls otherwise.
NAMES = (("`class_weights=", "`class_weight="), ("`ignore` leaves", "X.drop(columns=..) leaves"))


def _in_python(note):
    for engine, own in NAMES:
        note = note.replace(engine, own)
    return note


def _messages_of_search():
    """The notes that were told in the function of scikit-learn that was called from outside, such as
    ``cross_val_score``; None outside of any. They are kept in its frame, and end with it."""
    outermost, frame = None, sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("sklearn."):
            outermost = frame
        frame = frame.f_back
    return None if outermost is None else outermost.f_locals.setdefault(KEY, set())


def tell(notes, stacklevel):
    """Warns of each note, as the caller would at this level. The trainings of one cross-validation have one graph, and
    their notes differ in numbers only: each is told once."""
    told = _messages_of_search()
    notes = [_in_python(note) for note in notes]
    gists = [re.sub(r"\d+(\.\d+)?", "#", note) for note in notes]
    for note, gist in zip(notes, gists):
        if told is None or gist not in told:
            warnings.warn(note, stacklevel=stacklevel + 1)
    if told is not None:
        told.update(gists)
