"""`themes`: the table of a diagnostic corpus, target and stuffing ranks in each ranking (CAR-8)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.commands.corpora import EncoderName, Tau, settings
from core.commands.reply import Json, Reply, progress, table


def themes(
    corpus: Annotated[
        Path, typer.Option("--corpus", help="A BEIR folder whose documents name theme and role.", metavar="DIR")
    ],
    encoder: EncoderName = None,
    tau: Tau = None,
    maxsim: Annotated[bool, typer.Option("--maxsim", help="MaxSim, too, on English themes.")] = False,
    as_json: Json = False,
) -> Reply:
    """Rank each theme's documents for its query; print where the target and the stuffed documents stand."""
    config = settings(tau=tau)
    from core.causal_attention.diagnostic import means, theme_table
    from core.causal_attention.neural import max_sim

    with progress() as shown:
        made = theme_table(corpus, config, [max_sim()] if maxsim else [], encoder, shown)
    languages = sorted({theme.language for theme in made})
    averages = {language: means([theme for theme in made if theme.language == language]) for language in languages}
    body = {
        "themes": [
            {
                "theme": theme.name,
                "language": theme.language,
                "encoder": theme.encoder,
                "tau": theme.tau,
                "query": theme.query,
                "target": {mode: ranks.target for mode, ranks in theme.ranks.items()},
                "stuffed": {mode: ranks.stuffed for mode, ranks in theme.ranks.items()},
                "helps": theme.helps,
            }
            for theme in made
        ],
        "mean": {
            language: {mode: {"target": r.target, "stuffed": r.stuffed} for mode, r in own.items()}
            for language, own in averages.items()
        },
    }
    modes = list(dict.fromkeys(mode for theme in made for mode in theme.ranks))
    rows: list[list[object]] = [
        [t.name, t.language, *(_said(t.ranks.get(mode)) for mode in modes), "yes" if t.helps else "no"] for t in made
    ]
    rows += [["mean", language, *(_said(own.get(mode)) for mode in modes), ""] for language, own in averages.items()]
    text = table(["theme", "language", *modes, "helps"], rows)
    return Reply(body, f"{text}\n\nrank of the target / mean rank of the stuffed documents; helps: semantic", as_json)


def _said(ranks: tuple[float, float] | None) -> str:
    return "" if ranks is None else f"{ranks[0]:g} / {ranks[1]:.2f}"
