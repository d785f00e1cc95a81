"""Weights learned by a real cluster of worker processes, some of which are killed."""

import json
import os
import signal
import subprocess
import sys
import time

import hwgcn
import hwgcn.distributed
import numpy as np
import pytest

distributed = pytest.importorskip("distributed", reason="needs Debian's python3-distributed")

ORDER = 3


def run(*command):
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


@pytest.fixture(scope="module")
def shards(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("distributed") / "shards"
    run(program, "shard", "synthetic", "--synthetic", "nodes=2000,vocabulary=300,words=12,seed=5", "--out", folder)
    return folder


@pytest.fixture(scope="module")
def expected(program, shards):
    """The matrices that one process learns, by order."""
    run(program, "weights", shards, "--order", ORDER, "--no-cache", "--out-orders", f"{shards.parent}/w")
    return {order: np.load(f"{shards.parent}/w{order}.npz") for order in range(2, ORDER + 1)}


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None, "memory_limit": 0}
    with distributed.LocalCluster(**options, silence_logs=50) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def expect_bits(weights, expected):
    loaded = weights.load()
    assert sorted(loaded.orders) == sorted(expected)
    for order, matrix in loaded.orders.items():
        for name in ("indptr", "indices", "data"):
            assert getattr(matrix, name).tobytes() == expected[order][name].astype(getattr(matrix, name).dtype).tobytes(), (order, name)


class Killer:
    """Kills the first worker while it has a task, some times, and waits for the next one in its place."""

    def __init__(self, cluster, times):
        self.scheduler, self.nanny, self.left, self.killed_at = cluster.scheduler, cluster.workers[0], times, []

    def __call__(self, done, blocks):
        address = self.nanny.worker_address
        worker = self.scheduler.workers.get(address)
        if not self.left or worker is None or not worker.processing or done == blocks:
            return
        os.kill(self.nanny.pid, signal.SIGKILL)
        self.left -= 1
        self.killed_at.append(done)
        end = time.monotonic() + 30
        # Until then the scheduler may still have the one that was killed.
        while self.nanny.worker_address == address or self.nanny.worker_address not in self.scheduler.workers:
            assert time.monotonic() < end, "the worker did not come back"
            time.sleep(0.02)


def test_a_worker_killed_three_times_costs_no_block_and_no_bit(cluster, client, shards, expected, tmp_path):
    killer, told = Killer(cluster, 3), []

    def progress(done, blocks):
        told.append((done, blocks))
        killer(done, blocks)

    weights = hwgcn.distributed.learn_weights(shards, client, ORDER, out=tmp_path / "w", progress=progress)
    assert len(killer.killed_at) == 3 and killer.killed_at[-1] < weights.blocks
    assert weights.blocks > 30
    assert told == [(done, weights.blocks) for done in range(1, weights.blocks + 1)]
    assert weights.learned + weights.found == weights.blocks and weights.learned > weights.blocks - 10
    assert sorted(weights.orders) == [2, 3]
    assert weights.worst_gap == max(facts["worst_gap"] for facts in weights.orders.values()) < 1e-6
    expect_bits(weights, expected)
    for order in (tmp_path / "w").glob("weights-*"):
        assert len(list(order.glob("rows-*.npz"))) == weights.blocks
    assert not list((tmp_path / "w").glob(".seen*")) and (tmp_path / "w" / "weights.json").exists()


def test_the_program_trains_with_them_and_what_is_damaged_is_learned_again(client, program, shards, expected):
    first = hwgcn.distributed.learn_weights(str(shards), client, ORDER)
    assert first.folder == str(shards / "weights") and first.learned == first.blocks
    block = sorted((shards / "weights").rglob("rows-*.npz"))[3]
    content = bytearray(block.read_bytes())
    content[len(content) // 2] ^= 1
    block.write_bytes(content)
    with pytest.warns(UserWarning, match=f"damaged.*{block.name}"):
        again = hwgcn.distributed.learn_weights(shards, client, ORDER, n_jobs=2)
    assert (again.learned, again.found) == (1, first.blocks - 1)
    expect_bits(again, expected)
    command = [program, "weights", shards, "--order", str(ORDER), "--cache-dir", first.folder, "--json", "-"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert all(order["cached"] for order in found["orders"])


def test_a_block_that_dask_gave_up_is_given_out_again_as_often_as_asked(cluster, client, shards, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(hwgcn.RunError, match=r"block \d+: no attempt succeeded .retries=0.; the last one: every worker that had it was lost"):
        hwgcn.distributed.learn_weights(shards, client, ORDER, out=tmp_path, retries=0, progress=Killer(cluster, 1))
    with pytest.warns(UserWarning, match="given out again: every worker that had it was lost"):
        weights = hwgcn.distributed.learn_weights(shards, client, ORDER, out=tmp_path, progress=Killer(cluster, 1))
    assert weights.found > 0
    expect_bits(weights, expected)


def test_ctrl_c_cancels_the_tasks(cluster, client, shards, tmp_path):
    def stop(done, blocks):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hwgcn.distributed.learn_weights(shards, client, ORDER, out=tmp_path, progress=stop)
    end = time.monotonic() + 10
    while left := [task for key, task in list(cluster.scheduler.tasks.items()) if "hwgcn_block" in key]:
        assert time.monotonic() < end, f"tasks are left: {left}"
        time.sleep(0.02)
    assert not list(tmp_path.glob(".seen*"))


def test_workers_must_see_the_same_folders(client, shards, tmp_path, monkeypatch):
    monkeypatch.chdir(shards.parent)  # not that of the workers
    with pytest.raises(hwgcn.InputError, match=r"worker tcp://.*: cannot read shards.json there .*all machines share"):
        hwgcn.distributed.learn_weights("/proc/self/cwd/shards", client, out=tmp_path)
    with pytest.raises(hwgcn.InputError, match=r"worker tcp://.*: does not see what the caller writes there"):
        hwgcn.distributed.learn_weights(shards, client, out="/proc/self/cwd/out")
    job = hwgcn.distributed.Job("0.0", b"", "", b"", b"", [], 0, 1)
    assert "expected 0.0" in hwgcn.distributed.difference(job)
    job = job._replace(version=hwgcn.__version__, shards=os.fsencode(shards))
    assert "another shards.json" in hwgcn.distributed.difference(job)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"shards": "nowhere"}, hwgcn.InputError, "nowhere"),
        ({"shards": None}, TypeError, "shards: expected the path of a folder"),
        ({"order": 1}, hwgcn.InputError, "from order 2 on"),
        ({"max_rings": 3}, hwgcn.InputError, "max_ring"),
        ({"epochs": 3}, hwgcn.InputError, "epochs"),
        ({"retries": -1}, hwgcn.InputError, "retries: expected a whole number"),
        ({"memory": "1 GB"}, TypeError, "memory: expected gigabytes"),
        ({"memory": -1.0}, hwgcn.InputError, "memory: expected gigabytes"),
        ({"progress": 3}, TypeError, "progress: expected a function"),
        ({"client": "tcp://localhost:8786"}, TypeError, "client: expected a distributed.Client"),
    ],
)
def test_wrong_arguments_are_named(client, shards, tmp_path, arguments, error, message):
    given = {"shards": shards, "client": client, "out": tmp_path / "out", **arguments}
    with pytest.raises(error, match=message):
        hwgcn.distributed.learn_weights(**given)
    assert not (tmp_path / "out").exists()


def test_a_client_that_is_closed_is_refused(cluster, shards):
    with distributed.Client(cluster) as closed:
        pass
    with pytest.raises(hwgcn.InputError, match="client: .*closed"):
        hwgcn.distributed.learn_weights(shards, closed)


def test_the_missing_package_is_named(shards, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match="python3-distributed"):
        hwgcn.distributed.learn_weights(shards, None)
