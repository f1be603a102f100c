"""English words by their part in a question, and small morphology: lemmas, stems, agent nouns.

These are closed classes and everyday words of English; no subject's vocabulary is here.
Not here: how a question is taken apart (`question`), or any meaning beyond a word's form.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache

import Stemmer

# Words that carry no need: articles, prepositions, pronouns, conjunctions, and verbs of asking.
FUNCTION_WORDS = frozenset(
    """
    a an the this that these those some any all each every either such
    of in on at to for by with from into onto than about under over between within through during per via
    and or but if as so not no
    i me my we us our you your he him his she her it its they them their one ones
    name list tell give show find identify please
    there here then
    """.split()
)
AUXILIARIES = frozenset(
    "is are was were be been being am do does did have has had can could will would should may might must".split()
)
QUESTION_WORDS = frozenset("what which who whom whose when where how why".split())

# Words that say: go out and come back by the same relation. The strong ones leave no other reading.
STRONG_CUES = frozenset("same share shares shared sharing common mutual fellow together co".split())
CUES = STRONG_CUES | frozenset("also another other others else both".split())

# What a question word, or a general noun, says of the answer.
KIND_OF_QUESTION_WORD = {"who": "person", "whom": "person", "when": "date", "where": "place"}
KIND_WORDS: dict[str, tuple[str, ...]] = {
    "person": tuple("person people human man woman child parent friend worker leader member".split()),
    "place": tuple("place city country town region area location address".split()),
    "date": tuple("date year day month time".split()),
    "number": tuple("number amount count quantity total".split()),
}
KIND_OF_NOUN = {word: kind for kind, words in KIND_WORDS.items() for word in words}

# "how long", "how old": the answer is a quantity, and the adjective is only its kind.
MEASURES = frozenset("many much long old far tall high big large fast often deep wide heavy young short".split())

# Frequent nouns, verbs and adjectives of English, over which the similarity of any text to a label is
# centred and scaled. General ones: concrete nouns alone would make every label look near to any general word.
EVERYDAY_WORDS: tuple[str, ...] = tuple(
    """
    time year people way day man thing woman life child world school state family student group country problem hand
    part place case week company system program question work government number night point home water room mother
    area money story fact month lot right study book eye job word business issue side kind head house service friend
    father power hour game line end member law car city community name president team minute idea body information
    back parent face level office door health person art war history party result change morning reason research
    moment air teacher force education foot boy age policy music market sense nation plan college interest death
    experience effect class control field development role effort rate heart light voice wife police mind price
    report decision view town road building action model season society tax position player record paper space
    ground form event matter center couple project activity table need course oil situation cost industry figure
    street image phone data picture practice piece land product doctor wall patient worker news test movement north
    love step hotel method be have do say go get make know think take see come want look use find give tell call try
    ask feel become leave put mean keep let begin seem help show hear play run move like live believe hold bring
    happen write provide sit stand lose pay meet include continue set learn lead understand watch follow stop create
    speak read allow add spend grow open walk win offer remember consider appear buy wait serve die send expect
    build stay fall cut reach good new first last long great little own other old big high different small large
    next early young important few public bad same able low late hard major better strong possible whole free
    military true federal international full special easy clear recent certain personal red difficult available
    likely short single medical current
    """.split()
)

# Irregular forms that no suffix rule reaches, with the base form or the noun a relation would use.
IRREGULAR = {
    "ate": "eat", "eaten": "eat", "began": "begin", "begun": "begin", "bought": "buy", "born": "birth",
    "broke": "break", "broken": "break", "brought": "bring", "built": "build", "came": "come", "caught": "catch",
    "chose": "choose", "chosen": "choose", "dealt": "deal", "died": "death", "done": "do", "drawn": "draw",
    "drew": "draw", "driven": "drive", "drove": "drive", "fed": "feed", "felt": "feel", "fought": "fight",
    "found": "find", "gave": "give", "given": "give", "gone": "go", "grew": "grow", "grown": "grow", "held": "hold",
    "kept": "keep", "knew": "know", "known": "know", "led": "lead", "left": "leave", "lent": "lend", "lost": "lose",
    "made": "make", "met": "meet", "paid": "pay", "ran": "run", "rose": "rise", "sang": "sing", "sung": "sing",
    "sat": "sit", "saw": "see", "seen": "see", "sent": "send", "shot": "shoot", "shown": "show", "sold": "sell",
    "spent": "spend", "spoke": "speak", "spoken": "speak", "stood": "stand", "stuck": "stick", "swam": "swim",
    "taken": "take", "taught": "teach", "thought": "think", "threw": "throw", "thrown": "throw", "told": "tell",
    "took": "take", "understood": "understand", "went": "go", "woke": "wake", "won": "win", "wore": "wear",
    "worn": "wear", "wrote": "write", "written": "write", "children": "child", "feet": "foot", "men": "man",
    "women": "woman", "mice": "mouse", "people": "person", "teeth": "tooth", "wives": "wife", "lives": "life",
    "series": "series", "species": "species",
}  # fmt: skip

_AGENT_SUFFIX = re.compile(r"(?:er|or|ist|ian|ers|ors|ists|ians)$")
_local = threading.local()


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The Snowball (English) stem of a lower-case word."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # a Stemmer object must not be shared between threads
        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(word))


@lru_cache(maxsize=100_000)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(stem(w) for w in text.split() if w not in FUNCTION_WORDS and w not in AUXILIARIES)


@lru_cache(maxsize=100_000)
def roots(text: str) -> frozenset[str]:
    """The stems of a text's content words, agent nouns taken back to what is done: "painters" -> paint."""
    return frozenset(_root(s) for s in stems(text))


def _root(stemmed: str) -> str:
    return stemmed[:-2] if len(stemmed) > 4 and stemmed.endswith(("er", "or")) else stemmed


def singular(word: str) -> str:
    """The singular of a plural noun; any other word as it is."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def lemma(word: str) -> str:
    """The base form where a small rule gives one (irregular forms, plurals), else the word itself."""
    return singular(word)


def agent_nouns(participle: str) -> tuple[str, ...]:
    """Who does it: "painted" -> painter, paintor; "driven" -> driver. Empty where no rule applies.

    The endings are guesses, of which an encoder or a stem recognises the right one.
    """
    base = IRREGULAR.get(participle)
    if base is None:
        if not participle.endswith("ed") or len(participle) < 5:
            return ()
        base = participle[:-2]
    if base.endswith("e"):
        return (base + "r",)
    return (base + "er", base + "or")


def looks_like_agent(word: str) -> bool:
    """Whether a word ends as nouns for people do (-er, -or, -ist, -ian)."""
    return len(word) > 4 and _AGENT_SUFFIX.search(word) is not None


def kind_of_noun(word: str) -> str:
    """person, place, date or number where a general noun says so, else ""."""
    return KIND_OF_NOUN.get(word) or KIND_OF_NOUN.get(singular(word), "")
