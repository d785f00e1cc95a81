"""Jobs of several processes on this machine, and what went wrong in them."""

import os
import subprocess
import time


class Outcome:
    """How a job ended, and what it said."""

    def __init__(self, status: int, stdout: str, stderr: str, seconds: float):
        self.status, self.stdout, self.stderr, self.seconds = status, stdout, stderr, seconds

    def errors(self) -> list[str]:
        return [line for line in self.stderr.splitlines() if line.startswith("hwgcn-mpi: error: ")]


class Jobs:
    def __init__(self, mpiexec: str, checker: str, program: str):
        self.mpiexec, self.checker, self.program = mpiexec, checker, program
        self.checks, self.problems = 0, []

    def start(self, processes: int, command: list[str], **more) -> subprocess.Popen:
        # As many processes as are asked for, whatever the number of cores; and in a container the user is root.
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        return subprocess.Popen([self.mpiexec, "-n", str(processes), *command], env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def run(self, processes: int, command: list[str], timeout: float = 120, **more) -> Outcome:
        started = time.monotonic()
        process = self.start(processes, command, **more)
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpirun ends its processes
            process.communicate()
            return Outcome(-1000, "", f"still running after {timeout} s", timeout)
        return Outcome(process.returncode, stdout, stderr, time.monotonic() - started)

    def expect(self, holds: bool, what: str, found: str) -> None:
        self.checks += 1
        if not holds:
            self.problems.append(f"{what}: {found}")

    def report(self) -> int:
        for problem in self.problems:
            print(problem)
        print(f"{self.checks} checks, {len(self.problems)} failed")
        return 1 if self.problems else 0
