from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

__version__: str

class InputError(ValueError): ...
class RunError(RuntimeError): ...

class Problem:
    def __init__(
        self,
        nodes: int,
        offsets: NDArray[np.int64],
        neighbors: NDArray[np.int32],
        feature_offsets: NDArray[np.int64],
        feature_columns: NDArray[np.int32],
        feature_values: NDArray[np.float32],
        features: int,
        labels: NDArray[np.int32],
        class_names: Sequence[str],
        cache: Optional[Union[str, bytes]],
    ) -> None: ...
    def learn_weights(
        self, settings: Sequence[tuple[str, str]], threads: int
    ) -> tuple[list[tuple[tuple[Any, Any, Any], dict[str, Any]]], list[str]]: ...
    def train(
        self,
        method: str,
        settings: Sequence[tuple[str, str]],
        training: Optional[NDArray[np.int32]],
        validation: NDArray[np.int32],
        seed: int,
        threads: int,
    ) -> dict[str, Any]: ...

def split(labels: NDArray[np.int32], specification: str, seed: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
def methods() -> list[str]: ...
