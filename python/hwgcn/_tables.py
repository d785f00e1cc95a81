"""Tables of pandas as features: numbers as they are, texts and truth values as categories. pandas is not imported."""

import numbers
import re

import numpy as np
import scipy.sparse as sp

from ._arguments import found
from ._core import InputError
from ._notes import tell

CATEGORY, COLUMN = 2, 4  # as the engine numbers the kinds of features: a column of numbers may become logarithms
ID_NAME = re.compile(r"(?i:^(ids?|index|idx|uid|pk|row_?id|key|unnamed:.*)$)|(?i:[-_. ]id$)|[a-z]I[dD]$")


def is_frame(table):
    """Whether it is a table with named columns and an index, as pandas has them."""
    return all(hasattr(table, name) for name in ("columns", "dtypes", "iloc", "index"))


def _missing(value):
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


class TableEncoder:
    """What the columns of a table are: another table with the same columns is read in the same way.

    A column of numbers is a feature. Every other column is a feature per text (or truth value) that is in it: 1 where
    the row has it. A missing number is nan, a missing text is 0 everywhere.
    """

    def __init__(self, table, name="X", columns=None):
        self.name = name
        self.columns = columns  # per column: its label, and its categories or None
        if columns is None:
            labels = list(table.columns)
            repeated = {label for label in labels if labels.count(label) > 1} if len(set(labels)) < len(labels) else ()
            if repeated:
                raise InputError(f"{name}: expected distinct columns, got several called {found(next(iter(repeated)))}")
            self.columns = [(label, self._categories(label, table[label])) for label in labels]

    def _categories(self, label, column):
        kind = getattr(column.dtype, "kind", "O")
        if kind in "iuf":
            self._warn_of_ids(label, column)
            return None
        if kind in "Mmc":
            expected = "numbers, texts or truth values"
            raise TypeError(f"{self.name}: column {found(label)} holds {column.dtype}, expected {expected}")
        known = [value for value in column if not _missing(value)]
        if kind != "b" and all(_is_number(value) for value in known) and not hasattr(column.dtype, "categories"):
            return None
        texts = [str(value) for value in known]
        categories = sorted(set(texts))
        if len(categories) == len(texts) > 20:
            hint = "expected categories; leave it out, or make it the index"
            raise InputError(f"{self.name}: column {found(label)} has a text of its own in each of {len(texts)} rows, {hint}")
        return categories

    def _warn_of_ids(self, label, column):
        """Warns where a column of numbers looks like ids: whole, each another one, and called so or counting the rows."""
        if column.dtype.kind not in "iu" or len(column) <= 20 or column.isna().any():
            return
        numbers = np.asarray(column)
        counts = len(numbers) > 50 and bool((np.diff(numbers) == 1).all())
        if counts or (ID_NAME.search(str(label)) and np.unique(numbers).size == numbers.size):
            hint = "if it holds ids, leave it out, or make it the index"
            many = f"a whole number of its own in each of {len(numbers)} rows"
            tell([f"{self.name}: column {found(label)} is a feature, with {many}; {hint}"], stacklevel=6)

    def named_columns(self):
        """The columns as the engine takes them: names, and categories or None."""
        return [(str(label), categories) for label, categories in self.columns]

    def feature_names(self):
        names = []
        for label, categories in self.columns:
            names += [str(label)] if categories is None else [f"{label}={category}" for category in categories]
        return names

    def kinds(self):
        """The kinds of the features."""
        kinds = []
        for _, categories in self.columns:
            kinds += [COLUMN] if categories is None else [CATEGORY] * len(categories)
        return np.array(kinds, dtype=np.uint8)

    def encode(self, table):
        """The features of a table, whose columns may be in another order."""
        present = list(table.columns)
        lacking = [label for label, _ in self.columns if label not in present]
        if lacking:
            raise InputError(f"{self.name}: expected the columns of the fit, got none called {found(lacking[0])}")
        known = {label for label, _ in self.columns}
        more = [label for label in present if label not in known]
        if more:
            raise InputError(f"{self.name}: expected the columns of the fit, got {found(more[0])} in addition")
        if len(table) == 0:
            raise InputError(f"{self.name}: expected at least one row, got none")
        parts = [self._encoded(label, categories, table[label]) for label, categories in self.columns]
        return sp.hstack(parts, format="csr") if parts else sp.csr_matrix((len(table), 0))

    def _encoded(self, label, categories, column):
        if categories is None:
            try:
                values = np.array([np.nan if _missing(value) else float(value) for value in column])
            except (TypeError, ValueError):
                raise InputError(f"{self.name}: column {found(label)} had numbers in the fit, and has others now") from None
            return sp.csr_matrix(values[:, None])
        place = {category: number for number, category in enumerate(categories)}
        rows, columns, unknown = [], [], []
        for row, value in enumerate(column):
            if _missing(value):
                continue
            number = place.get(str(value))
            if number is None:
                unknown.append(str(value))
                continue
            rows.append(row)
            columns.append(number)
        if unknown:
            others = f"{len(unknown)} rows have categories that the fit did not have, such as {found(unknown[0])}"
            tell([f"{self.name}: column {found(label)}: {others}; they count as missing"], stacklevel=2)
        return sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(column), len(categories)))
