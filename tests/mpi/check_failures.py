#!/usr/bin/env python3
"""Where a process fails, the whole job ends soon, with the right status and one message that says who it was.

    check_failures.py MPIEXEC CHECK_PEERS PROGRAM
"""

import signal
import subprocess
import sys
import time

import job

# kind: status, message
KINDS = {
    "input": (2, "a wrong option"),
    "run": (1, "no space left"),
    "memory": (1, "out of memory"),
    "interrupt": (130, "interrupted"),
}


def check_one_fails(jobs: job.Jobs) -> None:
    for kind, processes, rank in (("input", 3, 0), ("run", 2, 1), ("memory", 3, 1), ("interrupt", 2, 1)):
        status, message = KINDS[kind]
        what = f"{kind} on process {rank} of {processes}"
        done = jobs.run(processes, [jobs.checker, kind, str(rank)])
        jobs.expect(done.status == status, what, f"status {done.status}, expected {status}")
        jobs.expect(len(done.errors()) == 1 and f"error: process {rank} on " in done.errors()[0]
                    and message in done.errors()[0], what, f"said {done.errors()}")
        jobs.expect(done.seconds < 30, what, f"took {done.seconds:.1f} s")


def check_all_fail(jobs: job.Jobs) -> None:
    for processes, kind in ((1, "input"), (3, "input"), (3, "interrupt")):
        status, message = KINDS[kind]
        what = f"{kind} on all of {processes}"
        done = jobs.run(processes, [jobs.checker, kind, "all"])
        jobs.expect(done.status == status, what, f"status {done.status}, expected {status}")
        jobs.expect(len(done.errors()) == 1 and done.errors()[0].startswith(f"hwgcn-mpi: error: {message}"), what,
                    f"said {done.errors()}")


def check_death_and_nonsense(jobs: job.Jobs) -> None:
    done = jobs.run(3, [jobs.checker, "exit", "1"])
    jobs.expect(done.status == 3 and done.seconds < 30, "a process is gone", f"{done.status} {done.seconds:.1f} s")
    done = jobs.run(2, [jobs.checker, "size", "0"])
    jobs.expect(done.status == 1 and any("4 bytes, expected 8" in line for line in done.errors()),
                "a message of another size", f"{done.status} {done.errors()}")


def check_signals(jobs: job.Jobs) -> None:
    """mpirun passes them on; all processes end by themselves, with one message."""
    for number in (signal.SIGTERM, signal.SIGINT):
        process = jobs.start(3, [jobs.checker, "wait"], patience=3)
        for _ in range(3):  # one line from each
            process.stdout.readline()
        process.send_signal(number)
        started = time.monotonic()
        try:
            _, stderr = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            jobs.expect(False, f"signal {number}", "still running after 30 s")
            continue
        lines = [line for line in stderr.splitlines() if line.startswith("hwgcn-mpi: error: ")]
        jobs.expect(len(lines) == 1 and "interrupted" in lines[0], f"signal {number}", f"said {lines}")
        jobs.expect(time.monotonic() - started < 10, f"signal {number}", "took more than 10 s")
        jobs.expect(process.returncode != 0, f"signal {number}", "status 0")


def check_program(jobs: job.Jobs) -> None:
    done = jobs.run(3, [jobs.program, "--version"])
    jobs.expect(done.status == 0 and done.stdout.endswith(" (3 processes)\n"), "--version", done.stdout + done.stderr)
    done = jobs.run(3, [jobs.program, "wights"])
    jobs.expect(done.status == 2 and len(done.errors()) == 1, "a wrong command", f"{done.status} {done.stderr}")
    done = jobs.run(1, [jobs.program, "--version", ":", "-n", "1", jobs.program, "--help"])
    jobs.expect(done.status == 2 and done.errors() == [
        "hwgcn-mpi: error: process 1 has another command line than process 0"], "different options", done.stderr)


def main() -> int:
    jobs = job.Jobs(*sys.argv[1:])
    for check in (check_one_fails, check_all_fail, check_death_and_nonsense, check_signals, check_program):
        check(jobs)
    return jobs.report()


if __name__ == "__main__":
    sys.exit(main())
