"""Which language a text is in, as far as its script and its commonest words tell. A guess for a report and for
the choice of an encoder, not a linguistic finding.

Codes are ISO 639-1; "" where it cannot be told: a few words without a function word, digits, symbols.
"""

from __future__ import annotations

import re
from collections import Counter

LOOKED_AT = 4_000  # characters of a text
_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SCRIPTS = {  # several languages share some of these scripts; the commonest stands for all
    "ja": re.compile("[\u3041-\u30ff\u31f0-\u31ff]"),
    "ko": re.compile("[\uac00-\ud7a3\u1100-\u11ff]"),
    "zh": re.compile(f"[{_CJK}]"),
    "ar": re.compile("[\u0620-\u064a\u0671-\u06d3]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "th": re.compile("[\u0e01-\u0e4f]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u05d0-\u05ea]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "bn": re.compile("[\u0980-\u09ff]"),
    "latin": re.compile("[A-Za-z\u00c0-\u024f]"),
}
WESTERN = ("en", "de", "fr", "es", "it", "pt", "nl")  # all that the Western page of Windows has letters for
_SIGN_WORTH = 3  # a character that stands for a word or syllable, against letters: how many letters it counts for
_SIGNS = ("zh", "ja", "ko")
_FUNCTION_WORDS = {  # no words of one letter: most languages share them
    "en": "the of and to in is that for it with as was on are be this by from at or an which not have can how what do "
    "does my we our you your who when where why if has had were will their they there any should may must after before",
    "de": "der die das und ist nicht ein eine mit auf für den dem des von zu sich im auch werden oder wird sind wie",
    "fr": "le la les des et est une dans pour que qui sur pas avec au par sont du ce cette ou plus aux être comment",
    "es": "el la los las de es una en que por para con del se su al como más fue son este no qué cómo sin sobre",
    "it": "il la di che è un una per non in del della con sono si da dei le gli nel alla anche come quale",
    "pt": "os as de em um uma que para com não do da dos das por se no na mais como ou são pelo ao é",
    "nl": "de het een van in is dat op te voor met zijn niet aan er om ook als door bij naar worden hoe wat en",
    "pl": "na do się nie że jest to jak za od przez dla oraz są być lub tym który po był co nad przed we",
    "tr": "ve bir bu da de için ile olarak çok daha olan gibi ne kadar sonra var değil veya her nasıl",
}
_WORDS = {code: frozenset(words.split()) for code, words in _FUNCTION_WORDS.items()}
_NAMES = {
    **{"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese"},
    **{"nl": "Dutch", "pl": "Polish", "tr": "Turkish", "ru": "Cyrillic script", "el": "Greek", "he": "Hebrew"},
    **{"ar": "Arabic", "hi": "Devanagari script", "ta": "Tamil", "bn": "Bengali", "th": "Thai"},
    **{"zh": "Chinese", "ja": "Japanese", "ko": "Korean"},
}
_LATIN_WORD = re.compile("[a-z\u00e0-\u024f]+")
_FEWEST = 4  # words; fewer tell nothing
_DIFFERENT = 3  # so many of them in a text of 20 words: "et" alone makes no French
_COMMON = 0.06  # share of words that must be function words of the language; running text has a quarter or more


def language_of(text: str) -> str:
    """The language most of the text is in, "" where it cannot be told."""
    script = script_of(text)
    return _latin_language(text[:LOOKED_AT]) if script == "latin" else script


def script_of(text: str) -> str:
    """The language that stands for the script most of the text is in, or "latin"; "" where there is no letter."""
    sample = text[:LOOKED_AT]
    if sample.isascii():
        return "latin" if _SCRIPTS["latin"].search(sample) else ""
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS.items()}
    if counts["ja"] * 10 > counts["zh"]:  # Japanese writes with both
        counts["ja"], counts["zh"] = counts["ja"] + counts["zh"], 0
    weights = {name: count * (_SIGN_WORTH if name in _SIGNS else 1) for name, count in counts.items()}
    best = max(weights, key=lambda name: weights[name])
    return best if weights[best] else ""


def _latin_language(text: str) -> str:
    words = _LATIN_WORD.findall(text.lower())
    counts = Counter(words)
    hits = {code: sum(counts[word] for word in own & counts.keys()) for code, own in _WORDS.items()}
    best = max(hits, key=lambda code: hits[code])
    tied = sum(count == hits[best] for count in hits.values()) > 1
    different = sum(word in counts for word in _WORDS[best])
    needed = _DIFFERENT if len(words) >= 20 else 1 if best == "en" else 2
    enough = different >= needed and hits[best] >= _COMMON * len(words)
    return best if enough and not tied and len(words) >= _FEWEST else ""


def language_name(code: str) -> str:
    """A code for people: "English" for "en", "unknown" for ""."""
    return _NAMES.get(code, code or "unknown")
