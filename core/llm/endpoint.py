"""Where a model is and what it costs. Not its key: that lives in memory only, in the client that uses it."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from pydantic import Field

from core.errors import ConfigError
from core.trace import Frozen, Price

_APPENDED = ("/chat/completions", "/completions", "/models", "/embeddings", "/responses")


class Endpoint(Frozen):
    """A model on a server. Prices are per million tokens, in whatever currency the user thinks in."""

    base_url: str
    model: str
    timeout: float = Field(60.0, gt=0)  # seconds a call may take
    context_tokens: int = Field(8192, ge=512)  # what a prompt and its reply may fill together
    price_prompt: float | None = Field(None, ge=0)
    price_completion: float | None = Field(None, ge=0)

    @property
    def price(self) -> Price | None:
        """What it costs, as a trace keeps it; None when no price was given."""
        if self.price_prompt is None and self.price_completion is None:
            return None
        return Price(prompt=self.price_prompt, completion=self.price_completion)

    @property
    def label(self) -> str:
        """The model as the screen names it: the model and the host, never a path or a key."""
        return f"{self.model} at {urlsplit(self.base_url).netloc}"


def normalise_base_url(text: str) -> str:
    """The address as the client wants it: a scheme, no call's path at its end, /v1 where no path is given.

    ConfigError for what is no web address, or carries a name, a password or a query (a key would leak there).
    """
    url = text.strip()
    if url and "://" not in url:
        url = "http://" + url
    try:
        parts = urlsplit(url)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        port_is_valid = False
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_valid or len(url.split()) != 1:
        raise ConfigError("that is no web address", where="base URL", hint="For example http://127.0.0.1:11434/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "the address carries more than a place", where="base URL", hint="Put the key into its own field."
        )
    path = parts.path.rstrip("/")
    for call in _APPENDED:
        path = path.removesuffix(call).rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, path or "/v1", "", ""))
