from __future__ import annotations

import math

import pytest
from pydantic import BaseModel, ConfigDict, Field

from core.errors import ConfigError
from core.settings import checked_settings


class Made(BaseModel):
    model_config = ConfigDict(extra="forbid")

    beta: float = Field(1.0, gt=0.0, le=10.0)
    from_: int = 1


def test_what_is_not_given_is_the_default() -> None:
    assert checked_settings(Made, None) == Made()
    assert checked_settings(Made, {"beta": 2}) == Made(beta=2.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_setting_that_is_no_finite_number_is_said_to_be_none(value: float) -> None:
    with pytest.raises(ConfigError, match="the setting beta is not valid: it must be a finite number") as caught:
        checked_settings(Made, {"beta": value})
    assert caught.value.where == "beta"


def test_the_first_that_is_wrong_is_named_without_its_underscore() -> None:
    with pytest.raises(ConfigError, match="the setting from is not valid: Input should be a valid integer"):
        checked_settings(Made, {"from_": "x"})
    with pytest.raises(ConfigError, match="the setting beta is not valid") as caught:
        checked_settings(Made, {"beta": 11}, where="cara[beta=11]")
    assert caught.value.where == "cara[beta=11]"


def test_an_unknown_setting_is_answered_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"there is no setting 'gamma'. Known: beta, from\."):
        checked_settings(Made, {"gamma": 1})
