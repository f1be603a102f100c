"""diagnose, evaluate-sgur and bench sgur on the sample with diagnoses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lying_server import LyingServer

from core.__main__ import main
from core.sgur.sources.catalogue import load
from core.store import Store
from core.trace import Trace


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAUSEWAY_HOME", str(tmp_path / "home"))
    return tmp_path


def reply(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0):
    assert main([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def ids() -> list[str]:
    graph = load("devices")
    row = graph.reported[0].indices
    return [graph.observations.ids[o] for o in row[:2]]


def test_diagnose_by_ids_prints_belief_and_questions_and_keeps_the_session(capsys) -> None:
    body = reply(capsys, "diagnose", "--source", "devices", "--observations", ",".join([*ids(), "nowhere"]))
    assert {"observations", "unmatched", "beliefs", "entropy_bits", "questions", "trace"} <= set(body)
    assert [o["id"] for o in body["observations"]] == ids()
    assert body["unmatched"] == ["nowhere"]
    assert {"id", "name", "probability"} <= set(body["beliefs"][0])
    assert {"id", "name", "eig_bits"} <= set(body["questions"][0])
    trace = Trace.from_json(json.dumps(body["trace"]))
    store = Store()
    assert store.load(trace.run_id).same_content(trace)
    store.close()


def test_diagnose_by_words_speaks_to_people(capsys) -> None:
    name = load("devices").observations.names[load("devices").reported[0].indices[0]]
    assert main(["diagnose", "--source", "devices", "--text", f"It has this: {name}.", "--no-save"]) == 0
    text = capsys.readouterr().out
    assert f"Observed: {name}" in text
    assert "bits of uncertainty" in text
    assert "worth asking" in text


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["diagnose"], "nothing was told"),
        (["diagnose", "--source", "devices", "--observations", "nowhere"], "nothing of this is an observation"),
        (["diagnose", "--observations", "a,b", "--excluded", "b"], "said to be there and not to be there"),
        (["diagnose", "--text", "x", "--source", "no such"], "neither a source nor a file"),
        (["diagnose", "--text", "x", "--alpha", "7"], "alpha"),
        (["evaluate-sgur", "--protocol", "magic"], "unknown protocol"),
        (["evaluate-sgur", "--regime", "magic"], "unknown regime"),
        (["evaluate-sgur", "--protocol", "cases"], "a file of cases"),
        (["evaluate-sgur", "--small-model", "s"], "smaller than what"),
        (["evaluate-sgur", "--protocol", "acquisition", "--model", "m"], "no model takes part"),
        (["evaluate-sgur", "--source", "devices", "--methods", "llm-summary", "-n", "1"], "needs a model"),
        (["evaluate-sgur", "--source", "devices", "--methods", "magic", "-n", "1"], "unknown method"),
        (["evaluate-sgur", "--source", "devices", "--protocol", "text", "--methods", "resnik", "-n", "1"], "who speak"),
        (
            ["evaluate-sgur", "--source", "devices", "--protocol", "text", "--methods", "sgur-routed"],
            "needs an encoder",
        ),
        (["evaluate-sgur", "--source", "devices", "--methods", "sgur", "-n", "1", "--ours", "x"], "was not run"),
    ],
)
def test_mistakes_are_told(capsys, words: list[str], what: str) -> None:
    assert what in reply(capsys, *words, code=2)["error"]["what"]


def test_a_protocol_prints_what_it_promises(capsys) -> None:
    body = reply(capsys, "evaluate-sgur", "--source", "devices", "-n", "4", "--methods", "sgur,shared-terms")
    assert (body["n"], body["rounds"], body["ours"]) == (4, [2, 4, 6], "sgur")
    for made in body["methods"].values():
        assert all(len(made[f"hit@{k}"]) == 3 for k in (1, 2, 3, 10))
        assert {"mrr", "mttc", "seconds_per_round"} <= set(made)
    assert len(body["differences"]["shared-terms"]["hit@3"]) == 3


def test_questions_and_cases_are_protocols_too(capsys, home: Path) -> None:
    body = reply(capsys, "evaluate-sgur", "--source", "devices", "-n", "3", "--protocol", "acquisition")
    assert set(body["methods"]) == {"eig", "random", "rarest"}
    assert body["rounds"] == [0, 4, 10]
    graph = load("devices")
    case = {
        "id": "1",
        "observed": ids(),
        "disease_id": graph.hypotheses.ids[0],
        "excluded": [graph.observations.ids[-1]],
    }
    (home / "cases.jsonl").write_text(json.dumps(case) + "\n")
    words = ["--protocol", "cases", "--cases", str(home / "cases.jsonl"), "--methods", "sgur,sgur-denied,sgur-tuned"]
    body = reply(capsys, "evaluate-sgur", "--source", "devices", *words)
    assert set(body["methods"]) == {"sgur", "sgur-denied", "sgur-tuned"}
    assert body["rounds"] == [2, 4, 6, "all"]
    assert len(body["tuned"]) == 5


def test_patients_who_speak_are_read_and_diagnosed(capsys) -> None:
    words = ["evaluate-sgur", "--source", "devices", "--protocol", "text", "-n", "3"]
    body = reply(capsys, *words)
    assert (list(body["methods"]), body["ours"], body["rounds"]) == (["sgur", "sgur-ids"], "sgur", [2, 4, 6])
    assert len(body["differences"]["sgur-ids"]["hit@3"]) == 3
    assert set(body["extraction"]) == {"sgur"}
    assert body["extraction"]["sgur"]["recall"] > 0.5
    assert any("sgur-routed was left out" in notice for notice in body["notices"])
    assert main(words) == 0
    assert "terms read by" in capsys.readouterr().out


def first_of_all(body):
    """The large model ranks the list as it stands and reads nothing; what the small one says cannot be used."""
    if body["model"] == "small":
        return {"nothing": 1}
    if body["response_format"]["json_schema"]["name"] == "SummaryReply":
        return {"summary": "seen", "ranking": ["h1", "h2"]}
    return {"symptoms": []}


def test_a_model_that_is_gone_leaves_the_other_methods_their_results(capsys, monkeypatch) -> None:
    monkeypatch.setattr("core.llm.client.FIRST_WAIT", 0.01)
    with LyingServer("500") as server:
        words = ["evaluate-sgur", "--source", "devices", "-n", "2", "--base-url", server.url, "--model", "gone"]
        body = reply(capsys, *words, "--methods", "shared-terms,llm-summary")
        alone = main([*words, "--methods", "llm-summary", "--json"])
    assert list(body["methods"]) == ["shared-terms"]
    assert body["n"] == 2
    assert any(notice.startswith("llm-summary was asked no more") for notice in body["notices"])
    assert body["models"]["llm-summary"]["failed"] == 3
    assert alone != 0
    assert "500" in capsys.readouterr().out


def test_a_large_and_a_small_model_take_part(capsys) -> None:
    with LyingServer(answers=first_of_all) as server:
        words = ["evaluate-sgur", "--source", "devices", "-n", "2", "--base-url", server.url]
        words += ["--model", "large", "--small-model", "small"]
        body = reply(capsys, *words, "--methods", "shared-terms,llm-summary")
        spoken = reply(capsys, *words, "--protocol", "text")
    assert list(body["methods"]) == ["shared-terms", "llm-summary", "llm-summary-small"]
    assert body["methods"]["llm-summary-small"]["hit@1"] == body["methods"]["shared-terms"]["hit@1"]
    assert [body["models"][m]["failed"] for m in ("llm-summary", "llm-summary-small")] == [0, 6]
    assert len(body["models"]["llm-summary"]["prompt_tokens_per_round"]) == 3
    assert len(body["retention"]["llm-summary"]["hit@10"]) == 3
    assert {"sgur", "sgur-ids", "sgur-model", "sgur-model-small"} == set(spoken["methods"])
    assert spoken["models"]["sgur-model-small"]["failed"] == 6
    assert spoken["extraction"]["sgur-model"]["recall"] == 0.0
    assert set(spoken["retention"]) == {"sgur-model"}


def test_bench_measures_rounds_and_pots_own_call(capsys) -> None:
    body = reply(capsys, "bench", "sgur", "--source", "devices", "--patients", "1")
    assert body["ours"]["rounds"] == 3
    # The same problem, so neither finds what the other could not: both end in an optimum nearby.
    assert body["ours"]["mean_cost"] == pytest.approx(
        body["peers"]["POT partial_fused_gromov_wasserstein"]["mean_cost"], abs=0.05
    )


TURNED = "\u202egoes backwards\x1b[31m\x9b"


def test_marks_that_a_terminal_obeys_come_out_of_no_command_raw(capsys, home: Path) -> None:
    (home / "nodes.csv").write_text(f"id,name,type\ns,Brown{TURNED},symptom\nf,Rust{TURNED},fault\n", encoding="utf-8")
    (home / "edges.csv").write_text("head,relation,tail\nf,shows,s\n", encoding="utf-8")
    words = ["diagnose", "--graph", str(home), "--no-save"]
    assert main([*words, "--observations", "s"]) == 0
    spoken = capsys.readouterr()
    body = reply(capsys, *words, "--observations", "s")
    assert main([*words, "--text", "purple \u202e\x1b[31m elephants"]) == 2
    refused = capsys.readouterr()
    assert main([*words, "--text", "purple \u202e\x1b[31m elephants", "--json"]) == 2
    as_object = capsys.readouterr()
    assert main(["diagnose", "--observations", f"a{TURNED}", "--excluded", f"a{TURNED}"]) == 2
    both = capsys.readouterr()
    for said in (spoken, refused, as_object, both):
        assert not set("\u202e\x1b\x9b") & set(said.out + said.err)
    assert "\ufffdgoes backwards" in spoken.out
    assert "elephants" in refused.err
    assert "goes backwards" in both.err
    assert body["beliefs"][0]["name"] == f"Rust{TURNED}"  # in JSON they are escapes: the object stays what it is


GARDEN = ["--layers", "observation=y,hypothesis=x,reported=comes with"]


@pytest.fixture
def garden(home: Path) -> list[str]:
    """A graph whose types have names that say nothing, as the options that open it."""
    folder = home / "garden"
    folder.mkdir()
    (folder / "nodes.csv").write_text("id,name,type\na,Rust,x\nb,Frost,x\ns,Brown spots,y\nt,Black tips,y\nu,Leaf,z\n")
    (folder / "edges.csv").write_text(
        "head,relation,tail\na,comes with,s\nb,comes with,t\ns,sits on,u\na,may come with,t\n"
    )
    return ["diagnose", "--graph", str(folder), "--no-save"]


def test_a_graph_of_ones_own_is_diagnosed_by_a_map_of_its_layers(capsys, garden: list[str], home: Path) -> None:
    body = reply(capsys, *garden, *GARDEN, "--observations", "s")
    assert body["beliefs"][0]["name"] == "Rust"
    file = home / "layers.json"
    layers = {"observation": "y", "hypothesis": "x", "localisation": "z", "located": ["sits on"]}
    file.write_text(json.dumps({**layers, "reported": ["comes with", "may come with"]}))
    body = reply(capsys, *garden, "--layers", str(file), "--observations", "t")
    assert {b["name"] for b in body["beliefs"]} == {"Rust", "Frost"}
    assert body["trace"]["dataset"]["size"]["localisations"] == 1
    written = "observation=y, hypothesis=x, reported=comes with + may come with, localisation=z, located=sits on"
    assert reply(capsys, *garden, "--layers", written, "--observations", "t")["beliefs"] == body["beliefs"]


@pytest.mark.parametrize(
    ("layers", "what", "hint"),
    [
        (None, "the type of the observations is not chosen", "types x, y, z; relations comes with"),
        ("observation=y,hypothesis=x", "a relation between hypotheses and observations is not chosen", "--layers"),
        ("observation=y,hypothesis=q,reported=comes with", "the graph has no type 'q'", "It has: x, y, z"),
        ("observation=y,hypothesis=x,reported=grows", "the graph has no relation 'grows'", "comes with"),
        ("observation=y,symptom=x", "there is no layer or link 'symptom'", "Known: observation"),
        ("observation=y,observation=x", "observation is mapped twice", "+"),
        ("observation=y,hypothesis", "'hypothesis' maps nothing", "Write observation=TYPE"),
        ("nowhere.json", "the map of layers cannot be read", "JSON file"),
        ("BROKEN", "the map of layers is not JSON", "JSON file"),
        ("LIST", "should be an object", "JSON file"),
        ("WRONG", "reported is not valid", "JSON file"),
    ],
)
def test_a_map_of_layers_that_cannot_be_used_says_why(
    capsys, garden: list[str], home: Path, layers: str | None, what: str, hint: str
) -> None:
    for name, text in (("BROKEN", "{"), ("LIST", "[]"), ("WRONG", '{"reported": 7}')):
        (home / f"{name}.json").write_text(text)
    file = home / f"{layers}.json"
    given = [] if layers is None else ["--layers", str(file) if file.is_file() else layers]
    error = reply(capsys, *garden, *given, "--observations", "s", code=2)["error"]
    assert what in error["what"]
    assert hint in error["hint"]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--source", "devices", "--graph", "x"], "a source or a graph, not both"),
        (["--source", "devices", *GARDEN], "layers of devices are known"),
        ([*GARDEN], "layers of hpo are known"),
        (["--source", "devices", "--beta", "nan"], "the setting beta is not valid: it must be a finite number"),
        (["--source", "devices", "--alpha", "inf"], "the setting alpha is not valid: it must be a finite number"),
    ],
)
def test_options_that_do_not_go_together_are_told(capsys, words: list[str], what: str) -> None:
    assert what in reply(capsys, "diagnose", "--text", "x", *words, code=2)["error"]["what"]


def test_ids_of_another_source_say_which_one(capsys) -> None:
    words = ["diagnose", "--source", "devices", "--observations", "HP:0001250"]
    assert "use --source hpo" in reply(capsys, *words, code=2)["error"]["hint"]
