"""Chinese text to words, by jieba. Not a tokeniser for other scripts: those have spaces (core/text/tokens.py).

jieba reads a dictionary of 5 MB once a process (about a second) and keeps it in a file that it loads with
`marshal` next time; that file is in our own cache folder, since one in /tmp could be anybody's.
"""

from __future__ import annotations

import logging
import re
import threading
import warnings
from typing import Any

from core.disk_cache import cache_root

HAN_RUN = re.compile("[\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
VERSION = "jieba-0.42.1"
_lock = threading.Lock()
_ready: list[Any] = []


def segment(run: str) -> list[str]:
    """The words of a run of Chinese characters, in order; together they are the run. A word may be one character."""
    words: list[str] = _jieba().lcut(run)
    return words


def _jieba() -> Any:
    if _ready:
        return _ready[0]
    with _lock:
        if not _ready:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it imports pkg_resources where that is installed
                import jieba
            jieba.setLogLevel(logging.WARNING)
            folder = cache_root() / "jieba"
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                jieba.dt.tmp_dir = str(folder)
            except OSError:
                # Nowhere of our own: a folder that cannot exist, so that nothing is read or kept.
                jieba.dt.tmp_dir = str(folder / "none")
                jieba.setLogLevel(logging.CRITICAL)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                jieba.initialize()
            _ready.append(jieba)
    return _ready[0]
