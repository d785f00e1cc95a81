"""Folders in which the program runs, and what of their files can be compared between two runs.

Times and memory differ from run to run, and so do the checksums that include them. Everything else is the same bit for
bit, whatever went wrong on the way: that is what these tests are about.
"""

import functools
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import zipfile

VARIES = {"seconds", "seconds_reading", "seconds_per_run", "peak_mb", "cached", "reused_runs"}
TIMES = re.compile(r"\s*(< )?\b\d[\d.,]* (ms|us|s|min|h|MB|GB)\b( *cached)?")
OWN_PLACE = re.compile(r'[^"\s]*/(?:template|case)(?=["/:\s])')  # where the folder itself is named in its files
TEMPORARY = re.compile(r"\.partial|\.tmp|\.npz\.[A-Za-z0-9]{6}$")
JOURNAL_TITLE = "hwgcn runs 2\n"


class Outcome:
    """How a run ended, and what it said."""

    def __init__(self, status: int, stdout: str, stderr: str):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    def errors(self) -> list[str]:
        return [line for line in self.stderr.splitlines() if line.startswith("hwgcn: error: ")]

    def remarks(self) -> list[str]:
        return [line for line in self.stderr.splitlines() if line.startswith(("hwgcn: note: ", "hwgcn: warning: "))]


def environment(folder: pathlib.Path, **more: str) -> dict[str, str]:
    """Nothing of the user's: the program finds its data, its cache and its home in the folder."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_DATA_HOME": str(folder / "data"), **more}


def run(program: str, arguments: list[str], folder: pathlib.Path, more: dict[str, str] | None = None,
        timeout: float = 60) -> Outcome:
    try:
        done = subprocess.run([program, *arguments], cwd=folder, env=environment(folder, **(more or {})),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return Outcome(-1000, "", f"still running after {timeout} s")
    return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def must_run(program: str, arguments: list[str], folder: pathlib.Path) -> Outcome:
    outcome = run(program, arguments, folder)
    if outcome.status != 0:
        raise SystemExit(f"hwgcn {' '.join(arguments)}: {outcome.status}: {outcome.stderr}")
    return outcome


def fresh_copy(template: pathlib.Path, folder: pathlib.Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder, symlinks=True)


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in VARIES}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def comparable_json(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return "broken JSON: " + text
    if isinstance(value, dict) and "sha256" in value:  # a run.json names its own checksum
        own = value.pop("sha256")
        if hashlib.sha256(text.replace(own, "0" * 64, 1).encode()).hexdigest() != own:
            return "wrong checksum: " + text
    return json.dumps(without_times(value), sort_keys=True)


def comparable_journal(text: str) -> str:
    """The finished runs of a journal, each once. The last line may be cut off; any other has to be whole."""
    lines = set()
    for line in text.removeprefix(JOURNAL_TITLE).splitlines(keepends=True):
        checksum, _, content = line.rstrip("\n").partition(" ")
        # The library's Sha256::text puts the length in front.
        framed = len(content.encode()).to_bytes(8, "little") + content.encode()
        if hashlib.sha256(framed).hexdigest()[:16] == checksum:
            lines.add(json.dumps(without_times(json.loads(content)), sort_keys=True))
        elif line.endswith("\n"):
            lines.add("foreign line: " + line)
    return "\n".join(sorted(lines))


def comparable_archive(content: bytes) -> str:
    """The arrays of an archive; of a cached order not the seconds that it took, nor the checksum over them."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, EOFError, OSError, ValueError) as error:
        return f"broken archive: {error}"
    if "measures.npy" in parts:
        parts["measures.npy"] = parts["measures.npy"][:-56] + parts["measures.npy"][-48:]
        del parts["checksum.npy"]
    return hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()


def comparable_text(text: str) -> str:
    if "/template" in text or "/case" in text:
        text = OWN_PLACE.sub("@", text)
    return re.sub(" +", " ", TIMES.sub(" ~", text))


def is_cached(name: str) -> bool:
    """Whether a file is learned weights, in the cache or in a run: without them there is more work, but no loss."""
    return name.startswith("cache/") or "/weights/" in name


@functools.lru_cache(maxsize=400)  # most cases leave the same files
def comparable(name: str, content: bytes) -> str:
    """What the same file has in every run of the same command."""
    if name.endswith(".npz"):
        return comparable_archive(content)
    text = content.decode("utf-8", "surrogateescape")
    if name.endswith("journal"):
        return comparable_journal(text)
    if name.endswith(".json"):
        text = comparable_json(text)
    if name.endswith(".html"):
        return re.sub(r'"seconds(_reading)?":\s*[-\d.e]+', "", text)
    return comparable_text(text)


def files_of(folder: pathlib.Path) -> dict[str, str]:
    """What every file below the folder holds, in comparable form."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = pathlib.Path(place, name)
            found[str(path.relative_to(folder))] = comparable(name, path.read_bytes())
    return found


def write_own_data(folder: pathlib.Path, half: int = 20) -> None:
    """A graph of one's own: two circles with chords, joined by one edge."""
    edges, nodes = ["from,to"], ["id,kind,size,weight_of_it,label"]
    for first in (0, half):
        for node in range(half):
            edges += [f"n{first + node},n{first + (node + step) % half}" for step in (1, 3)]
    edges.append(f"n0,n{half}")
    for node in range(2 * half):
        nodes.append(f"n{node},{'red' if node % 3 else 'blue'},{node % 7 + 1},{(node * 5) % 11},"
                     f"{'left' if node < half else 'right'}")
    (folder / "edges.csv").write_text("\n".join(edges) + "\n")
    (folder / "nodes.csv").write_text("\n".join(nodes) + "\n")
