"""What exchanges used, counted from steps: by hand, with a failed call, and against the tokens of a failed reply."""

import pytest
from lying_server import LyingServer
from pydantic import BaseModel

from core.cara.steps import FinishStep, GlobalSearchStep
from core.errors import ModelError
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.exchange import Exchange, Replied, Said, ask_and_keep, spent
from core.llm.replay import LiveAsker
from core.llm.usage import Count

PROMPT = (Said(role="user", content="go on"),)


class Number(BaseModel):
    n: int


def test_worked_example():
    good = Exchange(prompt=PROMPT, replies=(Replied(raw="{}"),), prompt_tokens=10, completion_tokens=3)
    again = Exchange(prompt=PROMPT, replies=(Replied(raw="x", problem="no JSON"), Replied(raw="{}")), prompt_tokens=7,
                     completion_tokens=2, repaired=True)  # fmt: skip
    lost = Exchange(prompt=PROMPT, replies=(Replied(raw="", problem="HTTP 500"),))
    steps = [
        GlobalSearchStep(subquery="a", k=1, exchange=good),
        GlobalSearchStep(subquery="a", k=1),
        FinishStep(exchange=again),
        FinishStep(exchange=lost),
    ]
    assert spent(steps) == Count(calls=4, prompt_tokens=17, completion_tokens=5, uncounted=1)
    assert spent([]) == Count()


def test_replies_that_were_of_no_use_were_paid_for():
    kept = []
    with LyingServer("prose") as server:
        asker = LiveAsker(ChatClient(Endpoint(base_url=server.url, model="tiny")))
        with pytest.raises(ModelError):
            ask_and_keep(asker, [{"role": "user", "content": "go on"}], Number, agent=0, temperature=0.0, max_tokens=50,
                         seed=None, keep=kept.append)  # fmt: skip
    assert (len(kept[0].replies), kept[0].prompt_tokens, kept[0].completion_tokens) == (3, 33, 15)
