"""When a page of the app stands: told from the connection to the server and from what the page shows of it.

A press is answered a while after it, so a look at the page right after one can still find it as it was before. Tests
therefore wait for what they expect (`expect` polls); `settle` is for the looks that only read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

SETTLES = 120_000  # ms: a page's first script imports much, on a machine that may be busy
# What `settle` needs to know of the connection to the server: when the page last spoke, and when it last heard.
OVERHEAR = """
(() => {
  const talk = (window.overheard = { sent: 0, heard: 0 });
  window.WebSocket = class extends window.WebSocket {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", () => { talk.heard = performance.now(); });
    }
    send(data) {
      talk.sent = performance.now();
      super.send(data);
    }
  };
})();
"""
SETTLED = """
() => {
  const { sent, heard } = window.overheard, now = performance.now();
  window.settling ??= now;
  const quiet = now - window.settling > 3000 ? 50 : 200; // a page that watches a job speaks every 400 ms
  const app = document.querySelector("[data-testid=stApp]");
  const settled = app?.dataset.testConnectionState === "CONNECTED" && app.dataset.testScriptState === "notRunning"
    && heard >= sent && now - Math.max(window.settling, sent, heard) > quiet
    && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]");
  if (settled) window.settling = null;
  return settled;
}
"""


def settle(page: Page) -> None:
    """Wait until the app has answered all that the page asked, its script has ended, and nothing is stale or loading.

    What a press asks for is sent a tick later, and the script starts when the server has read it: so the connection,
    too, must have been quiet for a while, and the app's last word must have come after the page's.
    """
    page.wait_for_function(SETTLED, polling=50, timeout=SETTLES)
