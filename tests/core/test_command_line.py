"""The command line: replies on standard output, everything else on standard error, mistakes with exit code 2."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_retriever import FakeRetriever, make_trace

from core import methods
from core.__main__ import main
from core.cara.contracts import CaraConfig
from core.commands.inputs import variants
from core.commands.reply import Progress, as_json, plain, table
from core.errors import ConfigError, EncoderError
from core.store import Store
from core.trace import Ranked, Trace

NODES = "id,name,type,text\nn1,Ada,person,wrote the first program\nn2,Bob,person,paints\nn3,Engine,machine,computes\n"
EDGES = "source,target,type\nn1,n3,described\nn2,n3,painted\n"
METRIC_KEYS = {
    "hit@1", "hit@5", "recall@20", "mrr", "seconds_per_question", "global_search", "neighbors", "assess", "nodes",
    "tokens",
}  # fmt: skip


class Obedient(FakeRetriever):
    """Finds Ada first, and keeps the settings it was given."""

    method = "obedient"

    def __init__(self, graph, source=None):
        super().__init__()
        self.dataset = graph.dataset

    def run(self, question, config=None, on_step=None, should_stop=None):
        trace = super().run(question, config, on_step, should_stop)
        ranked = (
            Ranked(id="n1", name="Ada", type="person", score=0.5),
            Ranked(id="n2", name="B\x1b[31mob", score=0.25),
        )
        return trace.model_copy(update={"ranked": ranked, "dataset": self.dataset})


class Blind(Obedient):
    method = "blind"

    def prepare(self, on_progress=None):
        raise EncoderError("no encoder is here", hint="Install one.")


class Faulty(Obedient):
    method = "faulty"

    def run(self, question, config=None, on_step=None, should_stop=None):
        print("a library that prints")
        on_step(make_trace().steps[0])
        raise ZeroDivisionError("a fault")


class Chatty(Obedient):
    method = "chatty"

    def prepare(self, on_progress=None):
        print("this library prints to standard output")


@pytest.fixture
def graph(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "nodes.csv").write_text(NODES)
    (folder / "edges.csv").write_text(EDGES)
    return str(folder)


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text("who described the [Engine]\tAda\nwho painted the [Engine]\tBob\n")
    return str(path)


@pytest.fixture(autouse=True)
def fake_methods(monkeypatch):
    for cls in (Obedient, Blind, Faulty, Chatty):
        info = methods.MethodInfo(cls.method, cls.method, "", "graph", CaraConfig, cls)
        monkeypatch.setitem(methods.METHODS, cls.method, info)


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = main(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return run


# --- ask --------------------------------------------------------------------------------------------------------


def test_ask_prints_one_object_with_the_agreed_keys_and_saves_the_run(run, graph):
    code, out, err = run("ask", "who?", "--graph", graph, "--method", "obedient", "--json")
    body = json.loads(out)
    assert code == 0
    assert set(body) == {"ranked", "answer", "citations", "trace"}
    assert body["ranked"][0] == {"id": "n1", "name": "Ada", "type": "person", "score": 0.5}
    assert (body["answer"], body["citations"]) == ("Ada.", ["n1"])
    trace = Trace.from_json(json.dumps(body["trace"]))
    assert Store().load(trace.run_id).same_content(trace)
    assert trace.run_id in err
    assert str(Store().path) in err
    assert [r.label for r in Store().list()] == [""]


def test_ask_for_people_shows_answer_evidence_and_cost(run, graph):
    code, out, _ = run("ask", "who?", "--graph", graph, "--method", "obedient")
    assert code == 0
    assert "Ada.\n  [Ada] Ada wrote it." in out
    assert "Decided by: offline policy" in out
    assert "\x1b" not in out  # a name cannot colour the terminal


def test_ask_without_saving_leaves_the_store_alone(run, graph):
    code, out, err = run("ask", "who?", "--graph", graph, "--method", "obedient", "--no-save", "--json")
    assert code == 0
    assert json.loads(out)["trace"]["run_id"] == ""
    assert "Saved" not in err
    assert Store().list() == []


def test_ask_hands_the_settings_over_and_leaves_the_others_to_the_method(run, graph):
    asked = ("ask", "who?", "--graph", graph, "--method", "obedient", "--json")
    _, out, _ = run(*asked, "--agents", "2", "--max-steps", "9", "--lambda", "0.25", "--alpha", "1", "--seed", "7",
                    "--no-assess", "--fusion", "count")  # fmt: skip
    assert json.loads(out)["trace"]["config"] == {
        "agents": 2, "max_steps": 9, "lambda_": 0.25, "alpha": 1.0, "seed": 7, "assess": False, "fusion": "count",
    }  # fmt: skip
    _, out, _ = run(*asked)
    assert json.loads(out)["trace"]["config"] == {}


def test_ask_works_on_samples_and_with_the_other_engine(run):
    code, out, _ = run("ask", "ColBERT", "--sample", "literature", "--method", "bm25", "--engine", "okapi", "--json")
    assert code == 0
    assert json.loads(out)["ranked"][0]["name"] == "ColBERT"


def test_lone_surrogates_in_arguments_do_not_break_the_run(run, graph):
    code, out, _ = run("ask", "who \udce9?", "--graph", graph, "--method", "obedient", "--json")
    assert code == 0
    assert json.loads(out)["trace"]["question"] == "who \ufffd?"


def test_what_a_library_prints_stays_out_of_the_object(run, graph):
    code, out, err = run("ask", "who?", "--graph", graph, "--method", "chatty", "--json")
    assert code == 0
    assert json.loads(out)["answer"] == "Ada."
    assert "this library prints" in err


# --- mistakes and faults ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "what", "where"),
    [
        (["ask", "who?"], "name a graph", "--graph, --sample"),
        (["ask", "who?", "--graph", "GRAPH", "--sample", "literature"], "not both", "--graph, --sample"),
        (["ask", "who?", "--sample", "nonsense", "--method", "bm25"], "no sample 'nonsense'", ""),
        (["ask", "who?", "--graph", "GRAPH", "--method", "nonsense"], "unknown method", ""),
        (["ask", "who?", "--graph", "GRAPH", "--method", "bm25,obedient"], "one method", "--method"),
        (["ask", "who?", "--graph", "GRAPH", "--method", "bm25", "--lambda", "0.2"], "bm25 cannot be set", "--lambda"),
        (["ask", "who?", "--graph", "GRAPH", "--method", "obedient[lambda=2]"], "lambda is not", "obedient[lambda=2]"),
        (["ask", "who?", "--graph", "GRAPH", "--method", "obedient[hue=1]"], "no setting 'hue'", "obedient[hue=1]"),
        (["ask", "who?", "--graph", "GRAPH", "--method", "obedient[seed]"], "is no setting", "obedient[seed]"),
        (["ask", "who?", "--graph", "GRAPH", "--method", "blind"], "no encoder is here", ""),
        (["ask", "who?", "--graph", "GRAPH", "--engine", "steam", "--method", "bm25"], "steam", ""),
        (["ask", "  ", "--graph", "GRAPH", "--method", "bm25"], "question is empty", ""),
        (["graph", "info", "GRAPH/nowhere"], "nowhere", ""),
        (["ask"], "question", "command line"),
        (["nonsense"], "nonsense", "command line"),
        (["ask", "who?", "--agents", "many"], "--agents", "command line"),
        (["evaluate", "--graph", "GRAPH", "--method", "bm25"], "file of questions", "--questions"),
        (["evaluate", "--graph", "GRAPH", "--questions", "GRAPH/none.txt", "--method", "bm25"], "cannot be read", None),
        (["evaluate", "--sample", "literature", "--method", ","], "is not a list", "--method"),
        (["evaluate", "--sample", "literature", "--method", ""], "name a method", "--method"),
        (["runs", "show", "nothing"], "no run nothing", None),
        (["runs", "delete", "nothing"], "no run nothing", None),
        (["runs", "list", "--status", "odd"], "no run is 'odd'", "--status"),
    ],
)  # fmt: skip
def test_a_mistake_exits_2_with_what_where_and_hint(run, graph, arguments, what, where):
    arguments = [a.replace("GRAPH", graph) for a in arguments]
    code, out, _ = run(*arguments, "--json")
    body = json.loads(out)
    assert code == 2
    assert set(body) == {"error"}
    assert set(body["error"]) == {"what", "where", "hint"}
    assert what in " ".join(body["error"].values())
    if where:
        assert body["error"]["where"] == where
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert what in err
    assert "Traceback" not in err


def test_a_fault_of_the_program_exits_1_without_a_traceback_and_keeps_the_run(run, graph, monkeypatch):
    code, out, err = run("ask", "who?", "--graph", graph, "--method", "faulty", "--json")
    assert (code, out) == (1, "")
    assert "A fault in Causeway" in err
    assert "Traceback" not in err
    (kept,) = Store().list()
    assert (kept.status, kept.steps, kept.error) == ("failed", 1, "ZeroDivisionError")
    monkeypatch.setenv("CAUSEWAY_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("ask", "who?", "--graph", graph, "--method", "faulty", "--json")


# --- graph info, runs, cache, bench -----------------------------------------------------------------------------


def test_graph_info(run, graph):
    code, out, _ = run("graph", "info", graph, "--json")
    body = json.loads(out)
    assert code == 0
    assert (body["nodes"], body["edges"], body["node_types"]) == (3, 2, {"person": 2, "machine": 1})
    assert body["relations"][0] == {
        "type": "described", "edges": 1, "from": ["person"], "to": ["machine"], "heads": 1, "tails": 1,
        "inverse_of": None,
    }  # fmt: skip
    assert body["report"]["nodes"] == 3
    code, out, _ = run("graph", "info", graph)
    assert code == 0
    assert "tiny: 3 nodes, 2 edges" in out
    assert "person" in out


def test_runs_list_show_export_delete(run, graph, tmp_path):
    run("ask", "who is it?", "--graph", graph, "--method", "obedient")
    _, out, _ = run("runs", "list", "--json")
    (line,) = json.loads(out)["runs"]
    run_id = line["run_id"]
    assert (line["method"], line["status"], line["steps"]) == ("obedient", "finished", 3)
    _, out, _ = run("runs", "list", "--text", "WHO IS")
    assert run_id in out
    _, out, _ = run("runs", "list", "--status", "failed")
    assert out.startswith("No run")
    _, out, _ = run("runs", "show", run_id)
    assert "who is it?" in out
    assert "global search" in out
    _, out, _ = run("runs", "show", run_id, "--json")
    assert set(json.loads(out)) == {"ranked", "answer", "citations", "trace"}
    _, out, _ = run("runs", "export", run_id)
    assert Trace.from_json(out).run_id == run_id
    file = tmp_path / "trace.json"
    code, out, _ = run("runs", "export", run_id, "-o", str(file), "--json")
    assert json.loads(out) == {"run": run_id, "file": str(file)}
    assert Trace.from_json(file.read_text()).run_id == run_id
    code, _, err = run("runs", "export", run_id, "-o", str(tmp_path))
    assert code == 2
    assert "cannot be written" in err
    _, out, _ = run("runs", "delete", run_id, "--json")
    assert json.loads(out) == {"deleted": [run_id]}
    assert Store().list() == []


def test_cache_info_and_clear(run, private_home):
    from core.disk_cache import DiskCache

    DiskCache().put_folder("bm25", "key", lambda folder: (folder / "x").write_bytes(b"12345") and None)
    _, out, _ = run("cache", "info", "--json")
    body = json.loads(out)
    assert (body["bytes"], body["entries"][0]["kind"]) == (5, "bm25")
    assert str(private_home) in body["folder"]
    _, out, _ = run("cache", "info")
    assert "bm25" in out
    _, out, _ = run("cache", "clear", "--kind", "vectors", "--json")
    assert json.loads(out) == {"freed_bytes": 0}
    _, out, _ = run("cache", "clear", "--json")
    assert json.loads(out) == {"freed_bytes": 5}


def test_bench_prints_ours_peers_and_ratio(run):
    code, out, _ = run("bench", "bm25", "--texts", "200", "--json")
    body = json.loads(out)
    assert code == 0
    assert {"bench", "ours", "peers", "ratio"} <= set(body)
    assert body["bench"] == "bm25"
    code, out, _ = run("bench", "bm25", "--texts", "200")
    assert code == 0
    assert "rank-bm25" in out


def test_bench_hands_its_options_over(run, monkeypatch):
    given = []

    def fake(*args, **more):
        more.pop("on_progress")
        given.append((args, more))
        return {
            "bench": "x",
            "ours": {"median_seconds": 0.5, "imported": ["a", "b"]},
            "peers": {"p": {}},
            "ratio": {"p": None},
        }

    monkeypatch.setattr("core.benchmarks.cara.bench_cara", fake)
    monkeypatch.setattr("core.benchmarks.start.bench_start", fake)
    code, out, _ = run("bench", "cara", "--sample", "films", "-n", "7")
    assert code == 0
    assert "median_seconds  0.5" in out
    assert run("bench", "start", "--repeats", "2", "--json")[0] == 0
    assert given == [((None, None, 7), {"sample": "films"}), ((2,), {})]


# --- evaluate ---------------------------------------------------------------------------------------------------


def test_evaluate_prints_one_object_with_the_agreed_keys(run, graph, questions):
    code, out, _ = run("evaluate", "--graph", graph, "--questions", questions, "--method", "obedient,bm25", "--json")
    body = json.loads(out)
    assert code == 0
    assert body["n"] == 2
    assert list(body["methods"]) == ["obedient", "bm25"]
    for method in body["methods"].values():
        assert set(method) >= METRIC_KEYS
        assert set(method["intervals"]) == {"hit@1", "hit@5", "recall@20", "mrr"}
    assert body["methods"]["obedient"]["hit@1"] == 0.5
    assert body["methods"]["bm25"]["global_search"] == 1.0
    assert Store().list() == []


def test_evaluate_for_people_compares_methods_question_by_question(run, graph, questions):
    code, out, _ = run("evaluate", "--graph", graph, "--questions", questions, "--method", "obedient,bm25")
    assert code == 0
    assert "obedient - bm25, question by question: hit@1" in out
    assert "warms it up" in out


def test_evaluate_takes_variants_limits_and_rows(run, graph, questions, tmp_path):
    rows = tmp_path / "rows.jsonl"
    methods = ["obedient", "obedient[assess=false,lambda=0.9]"]
    code, out, _ = run("evaluate", "--graph", graph, "--questions", questions, "--limit", "1", "--method",
                       ",".join(methods), "--rows", str(rows), "--save", "--json")  # fmt: skip
    assert code == 0
    assert list(json.loads(out)["methods"]) == methods
    lines = [json.loads(line) for line in rows.read_text().splitlines()]
    assert [line["question"] for line in lines] == ["who described the Engine"] * 2
    configs = [Store().load(line["run_id"]).config for line in lines]
    assert configs[0] == {"seed": 0}
    assert configs[1] == {"seed": 0, "assess": False, "lambda_": 0.9}


def test_evaluate_uses_a_samples_own_questions_and_shuffles_by_seed(run, tmp_path):
    def asked(*more):
        rows = tmp_path / "rows.jsonl"
        arguments = ("evaluate", "--sample", "literature", "--method", "bm25", "--limit", "3", "--rows", str(rows))
        assert run(*arguments, *more)[0] == 0
        return [json.loads(line)["question_id"] for line in rows.read_text().splitlines()]

    assert asked() == ["literature-01", "literature-02", "literature-03"]
    assert asked("--shuffle", "1") == asked("--shuffle", "1") != asked()


def test_evaluate_refuses_or_counts_unknown_answers(run, graph, tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text("who\tAda|Nobody\n")
    arguments = ("evaluate", "--graph", graph, "--questions", str(path), "--method", "obedient", "--json")
    code, out, _ = run(*arguments, "--strict")
    assert code == 2
    assert json.loads(out)["error"]["where"] == "odd.txt, line 1"
    code, out, _ = run(*arguments)
    body = json.loads(out)
    assert code == 0
    assert body["methods"]["obedient"]["recall@20"] == 0.5
    assert any(note.startswith("1 gold answers") for note in body["notes"])


def test_variants_are_parsed_and_common_settings_go_where_they_fit():
    chosen = variants(
        "bm25, obedient , obedient[ lambda = 0.3 , max-steps=4]", {"seed": 5, "assess": False, "agents": None}
    )
    assert [v.label for v in chosen] == ["bm25", "obedient", "obedient[lambda = 0.3 , max-steps=4]"]
    assert [v.settings for v in chosen] == [
        {},
        {"seed": 5, "assess": False},
        {"seed": 5, "assess": False, "lambda_": 0.3, "max_steps": 4},
    ]
    with pytest.raises(ConfigError, match="bm25 cannot be set by this"):
        variants("bm25", {"assess": False})


# --- speaking ---------------------------------------------------------------------------------------------------


def test_json_has_no_nan_and_text_no_control_characters():
    assert json.loads(as_json({"a": float("nan"), 1: (float("inf"), 2.0), "b": [{"c": None}]})) == {
        "a": None, "1": [None, 2.0], "b": [{"c": None}],
    }  # fmt: skip
    assert plain("a\x1b[31m\u202eb\n\tc\x07") == "a\ufffd[31m\ufffdb c\ufffd"
    assert plain("abcdef", 4) == "abc…"
    assert table(["n", "x"], [("a", 1), ("b", None)]) == "n  x\n-  -\na  1\nb  -"


def test_progress_is_quiet_for_short_work_and_speaks_for_long(capsys):
    Progress()("reading", 0.5)
    assert capsys.readouterr().err == ""
    Progress(every=0.0)("reading", 0.5)
    assert capsys.readouterr().err == "reading (50%)\n"


@pytest.mark.parametrize("arguments", [("--help",), ("ask", "--help"), ("runs", "--help"), ("bench", "--help")])
def test_help_goes_to_standard_output(run, arguments):
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert "Usage: python -m core" in out


def test_a_group_without_a_command_shows_its_help(run):
    code, out, err = run("runs")
    assert code == 2
    assert "export" in out + err


# --- as a process -----------------------------------------------------------------------------------------------


def start(*arguments, **more):
    return subprocess.Popen([sys.executable, "-m", "core", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, encoding="utf-8", **more)  # fmt: skip


def test_as_a_process_from_reading_to_the_store(graph):
    child = start("ask", "who paints", "--graph", graph, "--method", "bm25", "--json")
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    assert json.loads(out)["ranked"][0]["name"] == "Bob"
    child = start("ask", "who?", "--json")
    out, _ = child.communicate(timeout=120)
    assert child.returncode == 2
    assert json.loads(out)["error"]["where"] == "--graph, --sample"


def test_help_and_graph_info_load_nothing_heavy(graph):
    code = (
        "import sys; from core.__main__ import main; code = main(sys.argv[1:]); "
        "heavy = {'torch', 'pandas', 'sentence_transformers', 'plotly', 'streamlit', 'networkx'} & set(sys.modules); "
        "print(sorted(heavy), file=sys.stderr); sys.exit(code)"
    )
    for arguments in (["--help"], ["graph", "info", graph]):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120,
                              check=False)  # fmt: skip
        assert done.returncode == 0
        assert done.stderr.splitlines()[-1] == "[]"


def test_a_reader_that_goes_away_causes_no_traceback(graph):
    child = start("graph", "info", graph, "--json")
    child.stdout.close()
    err = child.stderr.read()
    child.stderr.close()
    assert child.wait(120) == 1
    assert "Traceback" not in err


def test_output_in_a_narrow_encoding_is_no_crash(tmp_path):
    folder = tmp_path / "g"
    folder.mkdir()
    (folder / "nodes.csv").write_text(NODES.replace("Ada", "Adá 北京"), encoding="utf-8")
    (folder / "edges.csv").write_text(EDGES)
    child = start(
        "ask", "program", "--graph", str(folder), "--method", "bm25", env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    assert "Ad? ??" in out


INTERRUPTED = """
import sys
sys.path[:0] = {paths!r}
from fake_retriever import FakeRetriever
from core import methods
from core.__main__ import main
from core.cara.contracts import CaraConfig

class Slow(FakeRetriever):
    method = "slow"
    def __init__(self, graph, source=None):
        super().__init__(steps=10_000, pause=0.01)
        self.dataset = graph.dataset
    def prepare(self, on_progress=None):
        print("ready", file=sys.stderr, flush=True)

methods.METHODS["slow"] = methods.MethodInfo("slow", "", "", "graph", CaraConfig, Slow)
sys.exit(main(["ask", "who?", "--graph", {graph!r}, "--method", "slow", "--json"]))
"""


def test_ctrl_c_keeps_what_was_done(graph):
    here = str(Path(__file__).parents[1])
    code = INTERRUPTED.format(paths=[os.getcwd(), here], graph=graph)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stderr.readline() == "ready\n"
    deadline = time.monotonic() + 60
    while not any(r.steps for r in Store().list()) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert child.returncode == 130, err
    assert json.loads(out)["trace"]["status"] == "stopped"
    (kept,) = Store().list()
    assert kept.status == "stopped"
    assert 0 < kept.steps < 10_000
