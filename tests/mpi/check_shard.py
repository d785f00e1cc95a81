#!/usr/bin/env python3
"""hwgcn-mpi shard: the files of hwgcn shard, byte for byte, at any number of processes and in every order.

    check_shard.py MPIEXEC PROGRAM HWGCN
"""

import fcntl
import gzip
import pathlib
import subprocess
import sys
import tempfile

import job

SYNTHETIC = ["synthetic", "--synthetic", "nodes=3000,mean_degree=3,vocabulary=40,words=5"]


def hwgcn(program: str, folder: pathlib.Path, *arguments: str) -> None:
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"hwgcn {' '.join(arguments)}: {done.returncode}: {done.stderr}")


def content(folder: pathlib.Path) -> dict:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def check_orders(jobs: job.Jobs, program: str, folder: pathlib.Path) -> None:
    """Greedy is the default of both programs."""
    tables = ["--edges", "csv/edges.csv", "--nodes", "csv/nodes.csv", "--block-size", "70"]
    for name, options in (("default", []), ("greedy", ["--order", "greedy"]), ("keep", ["--order", "keep"]),
                          ("directed", ["--directed"])):
        hwgcn(program, folder, "shard", *tables, *options, "--out", name)
        for processes in job.COUNTS if name != "greedy" else [2]:
            out = f"{name}-{processes}"
            done = jobs.run(processes, [jobs.program, "shard", *tables, *options, "--out", out], cwd=folder)
            jobs.expect(done.status == 0, out, f"{done.status}: {done.stderr}")
            jobs.expect(content(folder / out) == content(folder / name), out, "other files than those of hwgcn")
    jobs.expect(content(folder / "default") == content(folder / "greedy"), "default", "is not greedy")
    jobs.expect(content(folder / "keep") != content(folder / "greedy"), "greedy", "is the order of the data")


def check_packed(jobs: job.Jobs, folder: pathlib.Path) -> None:
    """Tables that one process unpacks, and edges that are sorted on the disk."""
    for table in ("edges", "nodes"):
        (folder / f"csv/{table}.csv.gz").write_bytes(gzip.compress((folder / f"csv/{table}.csv").read_bytes()))
    tables = ["--edges", "csv/edges.csv.gz", "--nodes", "csv/nodes.csv.gz", "--block-size", "70"]
    done = jobs.run(3, [jobs.program, "shard", *tables, "--memory", "0.00001", "--out", "packed"], cwd=folder)
    jobs.expect(done.status == 0, "packed", f"{done.status}: {done.stderr}")
    jobs.expect(content(folder / "packed") == content(folder / "default"), "packed", "other files than those of hwgcn")


def check_refusals(jobs: job.Jobs, folder: pathlib.Path) -> None:
    for order, error in (("metis", "--order metis: several processes cannot find this order; hwgcn shard does, on one machine"),
                         ("gredy", "--order: expected greedy, metis or keep, got 'gredy'")):
        done = jobs.run(2, [jobs.program, "shard", "--edges", "csv/edges.csv", "--order", order, "--out", "refused"],
                        cwd=folder)
        jobs.expect(done.status == 2 and done.errors() == [f"hwgcn-mpi: error: {error}"], order,
                    f"{done.status}: {done.stderr}")


def check_replacing(jobs: job.Jobs, program: str, folder: pathlib.Path) -> None:
    """Old parts go, other folders are refused, and one job at a time writes."""
    tables = ["shard", "--edges", "csv/edges.csv", "--nodes", "csv/nodes.csv", "--out", "again"]
    hwgcn(program, folder, *tables, "--block-size", "40")
    refused = jobs.run(2, [jobs.program, *tables], cwd=folder)
    jobs.expect(refused.status == 2 and refused.errors() == [
        "hwgcn-mpi: error: again/shards.json is there already; --force replaces it"], "again", refused.stderr)
    done = jobs.run(2, [jobs.program, *tables, "--block-size", "70", "--force"], cwd=folder)
    jobs.expect(done.status == 0, "again", done.stderr)
    jobs.expect(content(folder / "again") == content(folder / "default"), "again", "files of the old shards are left")
    part = jobs.run(2, [jobs.program, *tables[:-1], "again/part-0000", "--force"], cwd=folder)
    jobs.expect(part.status == 2 and "holds other files" in part.stderr, "a part", f"{part.status}: {part.stderr}")
    with (folder / "again" / "shards.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        busy = jobs.run(2, [jobs.program, *tables, "--force"], cwd=folder)
    jobs.expect(busy.status == 2 and len(busy.errors()) == 1 and "again: is in use by" in busy.errors()[0], "a lock",
                f"{busy.status}: {busy.stderr}")


def main() -> int:
    mpiexec, mpi_program, program = sys.argv[1:]
    jobs = job.Jobs(mpiexec, "", mpi_program)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hwgcn(program, folder, "data", "export", *SYNTHETIC, "--format", "csv", "--out", "csv")
        check_orders(jobs, program, folder)
        check_packed(jobs, folder)
        check_refusals(jobs, folder)
        check_replacing(jobs, program, folder)
    return jobs.report()


if __name__ == "__main__":
    sys.exit(main())
