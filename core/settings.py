"""The settings of a method, checked as a whole: one message for all methods when one of them is wrong.

Not here: which settings a method has; each states its own in a pydantic model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from core.errors import ConfigError

Settings = TypeVar("Settings", bound=BaseModel)


def checked_settings(shape: type[Settings], values: Mapping[str, Any] | None, where: str = "") -> Settings:
    """The values as settings of that shape, what is not given by default.

    ConfigError names the first that is wrong or unknown; `where`, if given, stands in front instead of its name.
    """
    try:
        return shape.model_validate(dict(values or {}))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])).rstrip("_")
        if first["type"] == "extra_forbidden":
            known = ", ".join(field.rstrip("_") for field in shape.model_fields)
            raise ConfigError(f"there is no setting {name!r}", where=where or name, hint=f"Known: {known}.") from None
        given = first["input"]
        reason = "it must be a finite number" if _endless(given) else first["msg"]
        raise ConfigError(f"the setting {name} is not valid: {reason}", where=where or name) from None


def _endless(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
