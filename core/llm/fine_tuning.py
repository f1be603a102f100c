"""Fine-tuning jobs on a server that offers them: upload the rows, start the job, and follow it to its end.

Most local servers offer none; they refuse in words, and the file of rows can still be used elsewhere.
Not here: what the rows are (`core.kerag.sft`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.errors import ConfigError, ModelError
from core.llm.client import ChatClient, RefusedError
from core.retriever import ShouldStop
from core.trace import Frozen

ENDED = frozenset({"succeeded", "failed", "cancelled"})
FEWEST_ROWS = 10  # that OpenAI's service accepts
EVERY = 5.0  # seconds between two looks at a job
STOP_SEEN = 0.1


class Job(Frozen):
    """A fine-tuning job as the server tells it. model: the fine-tuned one, once there is one."""

    id: str
    status: str
    model: str = ""
    trained_tokens: int | None = None
    error: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.status in ENDED


def launch(client: ChatClient, rows: Path, suffix: str = "causeway") -> Job:
    """Upload a JSONL file and start a job on the client's model.

    ConfigError for a file of too few rows; ModelError when the server has no fine-tuning, or refuses.
    """
    with rows.open(encoding="utf-8") as file:
        count = sum(1 for line in file if line.strip())
    if count < FEWEST_ROWS:
        raise ConfigError(f"{count} rows are too few to fine-tune on", where=rows.name, hint=f"{FEWEST_ROWS} at least.")
    try:
        with rows.open("rb") as body:
            uploaded = client.request(lambda c: c.files.create(file=(rows.name, body), purpose="fine-tune"))
        model, id_ = client.endpoint.model, str(getattr(uploaded, "id", "") or "")
        if not id_:
            raise ModelError("the server did not say what it calls the file", where=client.endpoint.label)
        return _job(client.request(lambda c: c.fine_tuning.jobs.create(training_file=id_, model=model, suffix=suffix)))
    except RefusedError as error:
        if error.status in (404, 405, 501):
            hint = "The file of rows is written; train on it elsewhere, for instance with TRL."
            raise ModelError("this server offers no fine-tuning", where=client.endpoint.label, hint=hint) from None
        raise


def look(client: ChatClient, id_: str) -> Job:
    """How a job stands. ModelError when the server does not say."""
    return _job(client.request(lambda c: c.fine_tuning.jobs.retrieve(id_)))


def follow(
    client: ChatClient,
    job: Job,
    on_change: Callable[[Job], None],
    should_stop: ShouldStop = lambda: False,
    every: float = EVERY,
) -> Job:
    """Look at a job until it ends, or until one stops looking: the job goes on. `on_change` hears of each change."""
    while not job.ended and not should_stop():
        until = time.monotonic() + every
        while time.monotonic() < until and not should_stop():
            time.sleep(min(STOP_SEEN, every))
        if should_stop():
            break
        now = look(client, job.id)
        if now != job:
            on_change(now)
        job = now
    return job


def _job(reply: Any) -> Job:
    id_, status = getattr(reply, "id", None), getattr(reply, "status", None)
    if not isinstance(id_, str) or not isinstance(status, str):
        raise ModelError("the server's word on the job cannot be read", hint="Does it offer fine-tuning?")
    tokens = getattr(reply, "trained_tokens", None)
    fault = getattr(getattr(reply, "error", None), "message", None)
    return Job(
        id=id_,
        status=status,
        model=str(getattr(reply, "fine_tuned_model", None) or ""),
        trained_tokens=tokens if isinstance(tokens, int) else None,
        error=str(fault or "")[:300],
    )
