"""Pointing at what is drawn: a node of a graph, a point of a chart. A drawing is fitted to its place after it appears.

So a place is asked for until it has stood still, and a chart is clicked when it says what is under the mouse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Locator, Page

LOOKS = 200
PLACE = "node => window.causeway?.point(node) ?? null"
NEXT_LOOK = "new Promise(done => setTimeout(done, 150))"


def place_of(drawing: Page | Frame, node: str) -> dict[str, Any]:
    """Where a graph's page draws a node, in px of that page, once two looks agree."""
    before = None
    for _ in range(LOOKS):
        now = drawing.evaluate(PLACE, node)
        if now is not None and now == before:
            return {"x": now["x"], "y": now["y"]}
        before = now
        drawing.evaluate(NEXT_LOOK)
    raise AssertionError(f"the drawing of {node!r} never stood still")


def drawing_in(page: Page, frame: str) -> Frame:
    """The document of the one frame of this selector."""
    found = page.locator(frame).element_handle().content_frame()
    assert found is not None, frame
    return found


def click_node(page: Page, frame: str, node: str) -> None:
    """Click a node of the graph in the frame of this selector."""
    page.frame_locator(frame).locator("body").click(position=place_of(drawing_in(page, frame), node))


def click_point(page: Page, point: Locator, says: Locator) -> None:
    """Click a point of a plotly chart. says: what the chart shows while the mouse is on it."""
    for _ in range(LOOKS):
        point.scroll_into_view_if_needed()
        box = point.bounding_box()
        if box is not None:
            page.mouse.move(box["x"], box["y"])
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        page.wait_for_timeout(150)
        if says.count() and point.bounding_box() == box:
            page.mouse.down()
            page.mouse.up()
            return
    raise AssertionError("the chart never said that the mouse is on its point")
