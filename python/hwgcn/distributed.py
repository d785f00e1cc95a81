"""Weights learned by the workers of a Dask cluster, one task per block of a sharded dataset.

Needs the package ``distributed`` (Debian: python3-distributed) on the caller and on all workers.
"""

import asyncio
import collections
import functools
import hashlib
import os
import queue
import time
import uuid
import warnings
from dataclasses import dataclass, field
from typing import NamedTuple

from . import _core
from ._arguments import folder_name, found, number, setting_texts, thread_count, whole
from ._core import InputError, RunError
from ._weights import LearnedWeights, csr_matrix

LEAST_GIVEN_OUT = 16  # tasks: clusters that grow with their work see some
LOST = "the connection to Dask's scheduler is lost; the same call goes on with the blocks that are there"
SECONDS_TO_APPEAR = 5  # machines keep what they know of a network folder for a while


@dataclass
class BlockWeights:
    """Weights that lie in files, a folder per order and in it a file per block.

    ``hwgcn train SHARDS --cache-dir FOLDER`` and ``hwgcn-mpi train SHARDS --cache-dir FOLDER`` read them.

    Attributes
    ----------
    folder : str
        Where they are.
    nodes, blocks : int
        Of the shards.
    learned, found : int
        Blocks that were learned by this call, and blocks that were there before.
    worst_gap : float
        The largest duality gap of all problems: the certificate of their exactness.
    orders : dict of int to dict
        What was counted in each order: ``problems``, ``ring_pairs``, ``largest_ring``, ``support`` ..
    """

    folder: str
    nodes: int
    blocks: int
    learned: int
    found: int
    worst_gap: float
    orders: dict
    _shards: _core.Shards = field(repr=False)
    _settings: list = field(repr=False)

    def load(self):
        """Read all blocks, compare them with their checksums and put them together as a `LearnedWeights`."""
        read = self._shards.read_weights(self._settings, os.fsencode(self.folder))
        shape = (self.nodes, self.nodes)
        return LearnedWeights({order: csr_matrix(arrays, shape) for order, arrays in read}, self.worst_gap, self.nodes)


class Job(NamedTuple):
    """What the tasks of a call have in common."""

    version: str
    shards: bytes
    list_hash: str
    sign: bytes  # a file in `out` that the caller has just written
    out: bytes
    settings: list
    memory: int
    threads: int


def _list_hash(shards):
    with open(os.path.join(shards, b"shards.json"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _appears(file):
    end = time.monotonic() + SECONDS_TO_APPEAR
    while not os.path.exists(file):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def difference(job):
    """On a worker: what is not as the caller sees it, in a sentence, or None."""
    if _core.__version__ != job.version:
        return f"has version {_core.__version__} of hwgcn, expected {job.version}"
    shards, out = os.fsdecode(job.shards), os.fsdecode(job.out)
    try:
        if _list_hash(job.shards) != job.list_hash:
            return f"{shards}: sees another shards.json there than the caller: expected a folder that all machines share"
    except OSError as error:
        return f"{shards}: cannot read shards.json there ({error.strerror}): expected a folder that all machines share"
    if not _appears(job.sign):
        return f"{out}: does not see what the caller writes there: expected a folder that all machines share"
    return None


@functools.lru_cache(maxsize=2)
def _opened(shards, list_hash):
    # Kept between tasks: the files are compared with their SHA-256 once per worker.
    return _core.Shards(shards)


def learn_block(job, block):
    """The task of a worker. Returns a few numbers; the weights go to a file."""
    wrong = difference(job)
    if wrong is not None:
        raise RunError(f"worker {_distributed().get_worker().address}: {wrong}")
    return _opened(job.shards, job.list_hash).learn_block_files([block], job.settings, job.out, job.memory, job.threads)


def _distributed():
    try:
        import distributed
    except ImportError as error:
        message = "hwgcn.distributed needs Dask's package distributed (Debian: python3-distributed; pip: distributed)"
        raise ImportError(f"{message}: {error}", name="distributed") from error
    return distributed


def _check_workers(client, job):
    # The function travels by value: it can say that a worker has no hwgcn.
    def look(fields):
        try:
            from hwgcn import distributed
        except ImportError as error:
            return f"cannot import hwgcn.distributed: {error}"
        return distributed.difference(distributed.Job(*fields))

    for worker, wrong in client.run(look, tuple(job), on_error="return").items():
        # One that is lost meanwhile is none of ours: tasks look again, on whatever worker they get.
        if wrong is not None and not isinstance(wrong, OSError):
            raise InputError(f"worker {worker}: {wrong}")


def _reason(error):
    if isinstance(error, _distributed().KilledWorker):
        return f"every worker that had it was lost ({error.allowed_failures + 1} in all), lastly {error.last_worker.address}"
    return str(error) or type(error).__name__


class _BlockTasks:
    """The blocks of a call: those that wait, and the tasks that were given out."""

    def __init__(self, client, job, blocks, retries, progress):
        self.client, self.job, self.retries, self.progress = client, job, retries, progress
        self.name = f"hwgcn_block-{uuid.uuid4().hex[:8]}"
        self.waiting = collections.deque(blocks)
        self.total = len(self.waiting)
        self.given = {}  # by the key of the task: future and block
        self.ended = queue.SimpleQueue()
        self.failures = collections.Counter()
        self.counts = collections.Counter()
        self.notes = []

    def run(self):
        try:
            self._submit_next()
            while self.given:
                self._take(self._next_ended())
                self._submit_next()
        finally:
            if self.given and self.client.status == "running":
                self.client.cancel([future for future, _ in self.given.values()])

    # Twice as many as there are threads: no worker is idle, and whichever is lost had few of them.
    def _submit_next(self):
        try:
            room = max(LEAST_GIVEN_OUT, 2 * sum(self.client.nthreads().values()))
        except OSError as error:
            raise RunError(LOST) from error
        while self.waiting and len(self.given) < room:
            block = self.waiting.popleft()
            key = f"{self.name}-{block}-{self.failures[block]}"
            future = self.client.submit(learn_block, self.job, block, key=key, pure=False)
            self.given[key] = future, block
            future.add_done_callback(self.ended.put)

    def _next_ended(self):
        while True:
            try:
                return self.ended.get(timeout=1)
            except queue.Empty:
                if self.client.status in ("closing", "closed"):
                    raise RunError(LOST) from None

    def _take(self, future):
        _, block = self.given.pop(future.key)
        if future.cancelled():
            return self._submit_again(block, RunError("the cluster cancelled the task"))
        try:
            outcome = future.result()  # where the worker is lost by now, Dask runs the task again
        except InputError:  # every worker would say so
            raise
        except (Exception, asyncio.CancelledError) as error:
            return self._submit_again(block, error)
        finally:
            future.release()  # tracebacks would keep it
        self.counts.update(learned=outcome["learned"], found=outcome["found"])
        self.notes += outcome["notes"]
        if self.progress is not None:
            self.progress(sum(self.counts.values()), self.total)

    # Dask gives a task up when several workers were lost that had it, whether or not they died of it.
    def _submit_again(self, block, error):
        self.failures[block] += 1
        if self.failures[block] > self.retries:
            message = f"block {block}: no attempt succeeded (retries={self.retries}); the last one: {_reason(error)}"
            raise RunError(message) from error
        self.notes.append(f"block {block}: given out again: {_reason(error)}")
        self.waiting.append(block)


def _check_client(client):
    if not isinstance(client, _distributed().Client):
        raise TypeError(f"client: expected a distributed.Client, got {found(client)}")
    if client.asynchronous:
        raise TypeError("client: expected a distributed.Client that waits for results, got an asynchronous one")
    if client.status != "running":
        raise InputError(f"client: expected one that is connected to a scheduler, got one that is {client.status}")


def _absolute(path, name):
    if path is None:
        raise TypeError(f"{name}: expected the path of a folder, got None")
    return os.path.abspath(folder_name(path, name))


def _check_solved(orders):
    for facts in orders:
        if facts["unfinished"]:
            raise RunError(f"order {facts['order']}: {facts['unfinished']} solves were not finished")


def learn_weights(shards, client, order=2, *, out=None, n_jobs=1, retries=3, memory=None, progress=None, **settings):
    """Learn the weights of a sharded dataset on the workers of a Dask cluster.

    Each block is a task: a worker reads what it needs from the shards and writes a file. The files have the bits of
    ``hwgcn weights``. Blocks that are there are not learned again: a call that ended early can be repeated.
    A worker that is lost costs the tasks that it had; workers may come and go.

    Parameters
    ----------
    shards : str or path
        A folder that ``hwgcn shard`` wrote, which all workers see at the same path.
    client : distributed.Client
        Connected to the cluster.
    order : int
        The farthest ring: weights are learned for the distances 2..order.
    out : str or path, optional
        Where the weights go, a folder that all workers see; by default the folder ``weights`` in that of the shards.
    n_jobs : int or None
        Threads of each task, as in `hwgcn.learn_weights`; a worker runs as many tasks at once as it has threads.
    retries : int
        How often a block is given out again that failed, or that Dask gave up because several workers were lost that
        had it (its setting ``distributed.scheduler.allowed-failures``).
    memory : float, optional
        Gigabytes for the rows around a block. A block that needs more is learned all the same, with a warning.
    progress : callable, optional
        Called as ``progress(done, blocks)`` when a block is there.
    **settings
        Further settings of ``hwgcn weights``: ``weighting="lasso"``, ``max_ring=512``, ``keep=[...]`` ..

    Returns
    -------
    BlockWeights
        ``load()`` reads the matrices.
    """
    _check_client(client)
    folder = _absolute(shards, "shards")
    out = os.path.join(folder, b"weights") if out is None else _absolute(out, "out")
    settings, threads = setting_texts(order, settings), thread_count(n_jobs)
    retries = whole(retries, "retries", 0, 1000, "a whole number in 0..1000")
    limit = 0 if memory is None else int(1e9 * number(memory, "memory", 0, 1e9, "gigabytes or None"))
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: expected a function of two numbers or None, got {found(progress)}")
    opened = _core.Shards(folder)
    opened.learn_block_files([], settings, out, limit, threads)  # a wrong setting is found here, not on the workers
    sign = os.path.join(out, f".seen-by-all-{uuid.uuid4().hex[:16]}".encode())
    job = Job(_core.__version__, folder, opened.list_hash, sign, out, settings, limit, threads)
    work = opened.block_work
    tasks = _BlockTasks(client, job, sorted(range(opened.blocks), key=lambda block: -work[block]), retries, progress)
    _core.write_file(sign, b"")
    try:
        _check_workers(client, job)
        tasks.run()
    finally:
        os.unlink(sign)
        for note in dict.fromkeys(tasks.notes):
            warnings.warn(note, stacklevel=2)
    orders = opened.finish_blocks(settings, out)["orders"]
    _check_solved(orders)
    worst = max(facts["worst_gap"] for facts in orders)
    counted = {facts["order"]: facts for facts in orders}
    counts = tasks.counts
    return BlockWeights(
        os.fsdecode(out), opened.nodes, opened.blocks, counts["learned"], counts["found"], worst, counted, opened, settings
    )
