"""Which process owns a running run, and whether it is still there.

On Linux a process is known by host, id and start time (ids are used again, start times are not), and
its end is seen at once. Elsewhere, or from another host, only the heartbeat tells: an owner that has
not been heard of for `SILENCE` seconds counts as gone. No signal is sent to find out: on Windows
`os.kill(pid, 0)` would end the process.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

BEAT = 5.0  # seconds between heartbeats
SILENCE = 30.0
_UNKNOWN = "?"


def current_owner() -> str:
    """The running process, as stored beside the runs it owns: `host|pid|start`."""
    return f"{_host()}|{os.getpid()}|{_started(os.getpid()) or _UNKNOWN}"


def is_alive(owner: str, heartbeat: float, now: float | None = None) -> bool:
    """Whether the process written down as `owner` still runs. heartbeat, now: seconds since 1970."""
    host, _, rest = owner.partition("|")
    pid, _, start = rest.partition("|")
    if host == _host() and start != _UNKNOWN and pid.isdecimal():
        return _started(int(pid)) == start
    return (time.time() if now is None else now) - heartbeat < SILENCE


@cache
def _host() -> str:
    # The boot id tells a machine from itself before a restart; the namespace, containers that share a name.
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        boot, space = "", ""
    return f"{socket.gethostname()}/{boot}/{space}".replace("|", "_")


def _started(pid: int) -> str | None:
    """The start time of a process in clock ticks since boot; None when there is no such process, or no /proc.

    A process that has ended and was not yet waited for by its parent (a zombie) counts as gone.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold spaces and brackets
    return None if fields[0] in "ZX" else fields[19]


class Heart:
    """Calls `beat(run ids)` every `BEAT` seconds from a thread of its own while there are runs to speak for."""

    def __init__(self, beat: Callable[[list[str]], None]) -> None:
        self._beat = beat
        self._guard = threading.Lock()
        self._runs: set[str] = set()
        self._end: threading.Event | None = None  # of the thread that beats now

    def watch(self, run_id: str) -> None:
        """Speak for this run, too."""
        with self._guard:
            self._runs.add(run_id)
            if self._end is None:
                self._end = threading.Event()
                threading.Thread(target=self._live, args=(self._end,), name="causeway-heart", daemon=True).start()

    def forget(self, run_id: str) -> None:
        """Speak for this run no longer; without runs the thread ends."""
        with self._guard:
            self._runs.discard(run_id)
        if not self._runs:
            self.stop()

    def stop(self) -> None:
        """End the thread."""
        with self._guard:
            if self._end is not None:
                self._end.set()
                self._end = None

    def _live(self, end: threading.Event) -> None:
        while not end.wait(BEAT):
            with self._guard:
                runs = sorted(self._runs)
            self._beat(runs)
