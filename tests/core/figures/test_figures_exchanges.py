"""What a model was asked and replied, as text; and a run's calls and tokens, by hand."""

from core.cara.steps import AssessStep, FailedStep, FinishStep, ReadQuestion
from core.figures.captions import caption, kind_of
from core.figures.exchanges import Part, answer_step, asked_in_all, decider, exchange_of, talks, tokens_in_words
from core.figures.tables import cost_rows, steps_table
from core.llm.answering import AnswerStep
from core.llm.exchange import Exchange, Replied, Said
from core.llm.usage import Count
from core.trace import Answer, DatasetRef, Trace, Usage

PROMPT = (Said(role="system", content="You judge."), Said(role="user", content="<b>Judge</b> this."))
GOOD = Exchange(prompt=PROMPT, replies=(Replied(raw='{"n": 1}'),), prompt_tokens=10, completion_tokens=4)
MENDED = Exchange(prompt=PROMPT, replies=(Replied(raw="{'n': 1}"),), repaired=True)
TWICE = Exchange(
    prompt=PROMPT,
    replies=(Replied(raw="no", problem="it holds no JSON object"), Replied(raw="{}")),
    prompt_tokens=20,
    completion_tokens=2,
    repaired=True,
)
READ = ReadQuestion(agent=1, index=1, decided_by="tiny at host")
WEIGHED = AssessStep(agent=1, index=4, lambda_=0.5, alpha=0.5, kept=0, exchange=GOOD)
FAILED = FailedStep(agent=0, index=2, action="an action", error="prose", exchange=TWICE)


def trace(*steps, **more):
    dataset = DatasetRef(content_id="sha256:x", name="x")
    return Trace(method="cara", question="q", dataset=dataset, steps=steps, **more)


def test_a_step_tells_what_was_asked_and_each_reply_letter_by_letter():
    assert exchange_of(READ) is None
    first, second = talks((FAILED, None, READ, WEIGHED, FAILED))  # each once, those without a model left out
    assert (first.title, second.title) == ("Agent 1, step 2: failed", "Agent 2, step 4: causal module")
    assert first.parts == (
        Part("Instructions", "You judge."),
        Part("Asked", "<b>Judge</b> this."),
        Part("Reply 1", "no", "it holds no JSON object"),
        Part("Reply 2", "{}"),
    )
    assert second.parts[-1] == Part("Reply", '{"n": 1}')
    assert (first.facts, second.facts) == ("2 calls, 22 tokens", "1 call, 14 tokens")


def test_a_reply_that_was_mended_says_so():
    facts = talks((FinishStep(exchange=MENDED),))[0].facts
    assert facts == "1 call, tokens not counted by the server; the reply had to be mended before it could be read"


def test_calls_of_a_whole_run_count_the_answers_where_the_model_wrote_it():
    answer = Answer(text="a", decided_by="tiny at host")
    whole = trace(
        FAILED,
        WEIGHED,
        decided_by="tiny at host",
        answer=answer,
        usage=Usage(prompt_tokens=50, completion_tokens=9),
    )
    assert asked_in_all(whole) == Count(calls=4, prompt_tokens=50, completion_tokens=9)
    stopped = trace(FAILED, WEIGHED, FinishStep(exchange=MENDED))
    assert asked_in_all(stopped) == Count(calls=4, prompt_tokens=30, completion_tokens=6, uncounted=1)
    offline = trace(READ, decided_by="offline policy", answer=Answer(text="a", decided_by="offline policy"))
    assert asked_in_all(offline) == Count()


def test_the_answers_exchange_is_counted_once_and_has_its_own_title():
    asked = AnswerStep(index=9, decided_by="tiny at host", exchange=GOOD)
    answer = Answer(text="a", decided_by="tiny at host")
    whole = trace(WEIGHED, asked, decided_by="tiny at host", answer=answer)
    assert asked_in_all(whole) == Count(calls=2, prompt_tokens=20, completion_tokens=8)
    assert answer_step(whole) is asked
    assert [t.title for t in talks((WEIGHED, answer_step(whole)))] == ["Agent 2, step 4: causal module", "The answer"]
    assert answer_step(trace(WEIGHED)) is None
    row = steps_table(whole).rows[-1]
    assert (row["Agent"], row["Action"]) == ("Answer", "answer")
    assert row["What happened"] == "tiny at host was asked to write it from the ranked list"
    assert caption(asked).startswith("Answer: tiny at host was asked")
    assert kind_of(asked.model_copy(update={"error": "no reply"})) == "failed"
    by_agent = {row["Who"]: row["Seconds"] for row in cost_rows(trace(asked.model_copy(update={"seconds": 9.0}))).rows}
    assert by_agent["The run"] == 0


def test_tokens_in_words():
    assert tokens_in_words(Count()) == "no call yet"
    assert tokens_in_words(Count(calls=1, prompt_tokens=1000, completion_tokens=234)) == "1 call, 1,234 tokens"
    assert tokens_in_words(Count(calls=3, prompt_tokens=1, uncounted=2)) == "3 calls, at least 1 token"
    assert tokens_in_words(Count(calls=3, uncounted=3)) == "3 calls, tokens not counted by the server"


def test_a_run_that_has_not_ended_names_the_decider_of_its_steps():
    assert decider(trace()) == ""
    assert decider(trace(READ)) == "tiny at host"
    assert decider(trace(READ, decided_by="another")) == "another"
