import pytest

from core.figures.palette import DASHES, PATTERNS, ROLES, agent_colour, colours, plotly_template

TABLE = {  # as the design page has them
    "current": ("star", "#F3680F", "#EF6404"),
    "visited": ("dot", "#337AEF", "#4E7FF9"),
    "document": ("square", "#814D0D", "#EADD8E"),
    "attribute": ("triangle", "#016440", "#8CE8C9"),
    "answer": ("diamond", "#4E054C", "#F695EE"),
    "idle": ("dot", "#8A8F98", "#6B7280"),
}


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    bright, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_roles_are_those_of_the_design():
    assert {role: (s.shape, s.light, s.dark) for role, s in ROLES.items()} == TABLE


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_roles_stand_out_from_the_background_and_text_is_readable(theme):
    c = colours(theme)
    assert all(contrast(getattr(c, role), c.background) >= 3 for role in ROLES)
    assert contrast(c.ink, c.background) >= 7
    assert contrast(c.muted, c.background) >= 4.5
    assert contrast(c.muted, c.panel) >= 4.5


def test_a_small_dot_is_much_smaller_than_a_dot():
    assert ROLES["idle"].size * 1.8 <= ROLES["visited"].size


def test_agents_differ_by_pattern_even_where_colours_repeat():
    looks = [(agent_colour(a, "light"), PATTERNS[a % len(PATTERNS)]) for a in range(8)]
    assert len(set(looks)) == 8
    assert len(set(DASHES)) == len(DASHES) == len(PATTERNS)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_charts_are_transparent_and_large_enough_to_read(theme):
    layout = plotly_template(theme).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.font.size >= 13
    assert layout.xaxis.tickfont.size >= 12
    assert layout.font.color == colours(theme).ink
    assert set(layout.colorway) <= set(colours(theme))
