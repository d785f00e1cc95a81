from typing import Any, Callable, Optional, Sequence, Union, overload

import numpy as np
from numpy.typing import NDArray

__version__: str

class InputError(ValueError): ...
class RunError(RuntimeError): ...

class Problem:
    @overload
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
        table: Sequence[tuple[str, Optional[Sequence[str]]]] = ...,
        feature_kinds: NDArray[np.uint8] = ...,
        scale: str = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        folder: Union[str, bytes],
        cache: Optional[Union[str, bytes]],
        table: Sequence[tuple[str, Optional[Sequence[str]]]],
        feature_kinds: NDArray[np.uint8],
        scale: str,
        probabilities: NDArray[np.float32],
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
        test: bool,
        weights: Optional[NDArray[np.float32]],
        class_weights: Sequence[float],
        threshold: str,
        seed: int,
        threads: int,
    ) -> dict[str, Any]: ...
    def explain(self, node: int, top: int, threads: int) -> dict[str, Any]: ...
    def importances(self, repeats: int, columns: int, seed: int, threads: int) -> dict[str, Any]: ...
    def predict_added(
        self,
        offsets: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[np.float32],
        source: NDArray[np.int32],
        target: NDArray[np.int32],
        edge_weights: Optional[NDArray[np.float32]],
        update_neighbors: bool,
        threads: int,
    ) -> tuple[NDArray[np.float32], list[str]]: ...
    def predict_rows(
        self,
        nodes: NDArray[np.int32],
        offsets: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[np.float32],
        threads: int,
    ) -> NDArray[np.float32]: ...
    def metrics(self, probabilities: NDArray[np.float32], labels: NDArray[np.int32]) -> dict[str, Optional[float]]: ...
    def save(self, folder: Union[str, bytes], write_more: Callable[[], dict[str, str]]) -> None: ...

class Shards:
    def __init__(self, folder: Union[str, bytes]) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def list_hash(self) -> str: ...
    @property
    def block_work(self) -> list[int]: ...
    def learn_block_files(
        self,
        blocks: Sequence[int],
        settings: Sequence[tuple[str, str]],
        folder: Union[str, bytes],
        memory: int,
        threads: int,
    ) -> dict[str, Any]: ...
    def finish_blocks(self, settings: Sequence[tuple[str, str]], folder: Union[str, bytes]) -> dict[str, Any]: ...
    def read_weights(
        self, settings: Sequence[tuple[str, str]], folder: Union[str, bytes]
    ) -> list[tuple[int, tuple[Any, Any, Any]]]: ...

def split(labels: NDArray[np.int32], specification: str, seed: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
def metric_names() -> list[str]: ...
def methods() -> list[str]: ...
def settings() -> list[str]: ...
def likely_names(word: str, names: Sequence[str]) -> list[str]: ...
def write_file(file: Union[str, bytes], content: bytes) -> None: ...
def run_file(folder: Union[str, bytes], name: str) -> bytes: ...
