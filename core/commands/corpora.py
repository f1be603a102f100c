"""What the corpus commands share: opening a corpus or a judged collection, and making it ready for re-ranking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.commands.reply import Progress, say
from core.errors import ConfigError

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex
    from core.causal_attention.keyword_table import TableExtractor
    from core.causal_attention.steps import CarConfig, Mode
    from core.corpus.document import Corpus

CorpusPath = Annotated[Path, typer.Option("--corpus", help="A file, folder or zip of documents.", metavar="PATH")]
BeirPath = Annotated[
    Path, typer.Option("--corpus", help="A BEIR folder, or the folder of Cranfield's files.", metavar="BEIR_DIR")
]
EncoderName = Annotated[
    str | None, typer.Option("--encoder", help="minilm, use or letters; chosen by the corpus's script by default.")
]
ExtractorName = Annotated[str, typer.Option("--keywords", help="tf-idf, textrank or keybert.")]
Tau = Annotated[float | None, typer.Option(help="Absorption threshold; the encoder's own by default.")]
Window = Annotated[int | None, typer.Option(help="Candidates that are re-ranked (default 20).")]
Weight = Annotated[float | None, typer.Option(help="Weight of similarity in the hybrid (default 0.5).")]
SharedWeight = Annotated[float | None, typer.Option(help="Signed weight of |A| in the hybrid (default 0).")]
CrossEncoderFolder = Annotated[
    Path | None, typer.Option("--cross-encoder", help="A local folder with a cross-encoder.", metavar="FOLDER")
]


def open_index(corpus: Corpus, encoder: str | None, extractor: str, shown: Progress) -> CausalIndex:
    """The corpus made ready, with the encoder that was asked for or the one that fits; which is said."""
    from core.causal_attention.index import build_index
    from core.corpus.vectors import choose_encoder
    from core.text.embedding import get_encoder

    name = encoder
    if name is None:
        choice = choose_encoder(corpus)
        name = choice.name
        say(choice.reason)
    return build_index(corpus, get_encoder(name), table_extractor(extractor), shown)


def table_extractor(name: str) -> TableExtractor:
    """An extractor by name. ConfigError lists them."""
    known: dict[str, TableExtractor] = {"tf-idf": "tf-idf", "textrank": "textrank", "keybert": "keybert"}
    if name not in known:
        raise ConfigError(f"unknown keyword extractor {name!r}", where="--keywords", hint=f"Known: {', '.join(known)}.")
    return known[name]


def settings(**given: object) -> CarConfig:
    """Settings from options, those that were not given left at their defaults. ConfigError: out of range."""
    from core.causal_attention.rescore import checked

    chosen = {name: value for name, value in given.items() if value is not None}
    for name, keeps in (("window", "pool"), ("keywords", "kept")):
        if isinstance(chosen.get(name), int) and keeps not in chosen:
            from core.causal_attention.steps import CarConfig

            chosen[keeps] = max(int(str(chosen[name])), int(CarConfig.model_fields[keeps].default))
    return checked(chosen)


def modes_of(text: str) -> list[Mode]:
    """Rankings from a list with commas, each once. ConfigError for an unknown one."""
    from core.causal_attention.experiment import MODES

    named = {mode: mode for mode in MODES}
    chosen = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in chosen if name not in named]
    if unknown or not chosen:
        what = f"unknown ranking {unknown[0]!r}" if unknown else "name a ranking"
        raise ConfigError(what, where="--modes", hint=f"Known: {', '.join(MODES)}.")
    return [mode for name, mode in named.items() if name in chosen]
