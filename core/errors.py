"""The tree of errors a user can cause, each saying what happened, where, and what to do next.

CausewayError
├── InputError          a file, folder or upload cannot be read as asked
│   ├── EmptyGraphError     it was read, and holds no edge or no node
│   └── EmptyCorpusError    it was read, and holds no document with text
├── QuestionError       a question, or a question file, cannot be used
├── ConfigError         a setting is out of its range, or unknown
├── TraceError          a trace file is broken, too new, or of an unknown method
├── StoreError          the run store cannot be opened or written, or has no such run
├── EncoderError        a text encoder cannot be loaded, or cannot read this text
└── ModelError          a language model's server cannot be used, or its reply cannot
    └── StoppedError        the user stopped the run while a call was waiting

Not here: programming mistakes. They stay ordinary exceptions and reach the log.
"""

from __future__ import annotations


class CausewayError(Exception):
    """Something a user can cause and mend.

    what: what happened, in one sentence. where: file, line, column or step. hint: what to do next.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.where}: {self.words}" if self.where else self.words

    @property
    def words(self) -> str:
        """What happened and what to do, without the place."""
        if not self.hint:
            return self.what
        stop = "" if self.what.endswith((".", "!", "?")) else "."
        return f"{self.what}{stop} {self.hint}"

    def as_json(self) -> dict[str, dict[str, str]]:
        """The object the command line prints before it exits with 2."""
        return {"error": {"what": self.what, "where": self.where, "hint": self.hint}}


class InputError(CausewayError):
    """A file, folder or upload cannot be read as asked."""


class EmptyGraphError(InputError):
    """The input was read, and no usable edge or node was in it."""


class EmptyCorpusError(InputError):
    """The input was read, and no document with text was in it."""


class QuestionError(CausewayError):
    """A question, or a file of questions, cannot be used."""


class ConfigError(CausewayError):
    """A setting is unknown or out of its range."""


class TraceError(CausewayError):
    """A trace file is broken, of a newer format, or of an unknown method."""


class StoreError(CausewayError):
    """The run store cannot be opened or written, or has no such run."""


class EncoderError(CausewayError):
    """A text encoder cannot be loaded, or cannot read this text."""


class ModelError(CausewayError):
    """A language model's server cannot be reached or used, or what it replied cannot be used."""


class StoppedError(ModelError):
    """The user stopped the run while a call was waiting."""
