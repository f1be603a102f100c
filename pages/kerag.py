"""KERAG: plan which neighbourhood a question needs, retrieve it whole, reason over it; every step can be overruled."""

from __future__ import annotations

from core.figures.exchanges import decider
from core.figures.kerag.parts import parts_of
from core.trace import Trace
from pages.shared import datasets, keeping, model_cost, places, question, runs, shell, state
from pages.shared.kerag import asking, exports, form, opening, place, result
from pages.shared.messages import caught

shell.begin()
state.keep_address("kerag", place.ADDRESS)
run_id = state.param("run")
trace: Trace | None = None
running = False
if run_id:
    with caught(kept="the other runs"):
        trace, running = runs.opened(run_id)
    places.lead(trace, "kerag")
    if trace is None:
        state.forget_address("kerag", place.ADDRESS[2:])
    else:
        datasets.follow(trace)
form.fill(trace)
state.save_address("kerag", place.ADDRESS)
dataset = datasets.current() or datasets.first()
here = trace is not None and dataset is not None and dataset.graph.content_id == trace.dataset.content_id
without = place.current(parts_of(trace.steps)).without if trace else frozenset[int]()
shell.head(
    "KERAG",
    data=trace.dataset if trace else dataset.graph.dataset if dataset else None,
    decided_by=decider(trace) if trace else None,
    run_id=trace.run_id if trace else "",
    exports=exports.of(trace, without) if trace and not running else (),
    keep=lambda: keeping.draw(trace, can_run=here) if trace else None,
)
shell.style("kerag.css")
asked = form.draw(dataset, trace)
model_cost.before(question.Asked(asked.question, asking.METHOD, asked.config, "", asked.pressed))
by_hand = asking.wanted_again(trace) if trace is not None else None
wanted = form.wanted() or bool(state.param("go") and not run_id)
if dataset is not None and trace is not None and by_hand is not None:
    asking.again(dataset, trace, by_hand)
if dataset is not None and trace is not None and keeping.replay_was_pressed(trace):
    asking.again(dataset, trace, trace.config, replies_of=trace.run_id)
if dataset is not None and (asked.pressed or wanted):
    asking.ask(dataset, asked.question, asked.config, pressed=asked.pressed, reuse=not asked.pressed)

if trace is None:
    opening.draw(dataset)
elif running:
    result.watch(trace)
else:
    result.draw(trace, can_run=here)
