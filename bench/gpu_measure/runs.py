"""Runs the programs that measure, each by itself: one that fails is said, and the others go on."""
import json
import os
import re
import shutil
import subprocess
import sys
import time


class Failed(Exception):
    """Why a measurement has no result. code: that of the process, where it ended with one."""

    def __init__(self, why, code=None):
        super().__init__(why)
        self.code = code


def reason(done):
    """What our programs say of an error, or the end of what another one printed."""
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    own = [line for line in lines if re.match(r"\[ *[0-9.]+s r\d+/\d+ E\]", line)]
    return "".join("\n  " + line for line in own or lines[-12:])


class Runs:
    """root: of the source tree or of a packed folder, whose script `run` then knows where its libraries are."""

    def __init__(self, root, build, timeout):
        packed = root / "run"
        self.start = [str(packed)] if packed.exists() else []
        self.packed_mpirun = root / "mpi" / "bin" / "mpirun"
        self.build = build
        self.timeout = timeout
        self.failures = []

    def has_mpirun(self):
        return self.packed_mpirun.exists() or shutil.which("mpirun") is not None

    def program(self, name, arguments, ranks=1, environment=None):
        """What a program of the build folder prints."""
        path = self.build / name
        if not path.exists():
            raise Failed(f"{path} is not built: cmake --preset cuda && cmake --build --preset cuda")
        mpirun = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)] if ranks > 1 else []
        return self.command(self.start + mpirun + [str(path)] + arguments, environment)

    def command(self, command, environment=None):
        values = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        values.update(environment or {})
        try:
            done = subprocess.run(command, env=values, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, errors="replace", timeout=self.timeout, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"no end after {self.timeout} s: {' '.join(command)}") from None
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from None
        if done.returncode != 0:
            raise Failed(f"code {done.returncode} of {' '.join(command)}{reason(done)}", done.returncode)
        return done.stdout

    def measure(self, what, call):
        """The call's result; None where it fails."""
        began = time.monotonic()
        print(f"bench/gpu: {what} ...", file=sys.stderr, flush=True)
        try:
            result = call()
        except Failed as failed:
            self.failures.append((what, str(failed)))
            print(f"bench/gpu: {what} FAILED: {failed}", file=sys.stderr, flush=True)
            return None
        print(f"bench/gpu: {what} took {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)
        return result


def json_lines(text):
    lines = []
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                lines.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise Failed(f"{error} in: {line[:200]}") from None
    if not lines:
        raise Failed("it printed no results")
    return lines
