from __future__ import annotations

import pytest

from core.corpus.language import language_of, script_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The harbour was closed for a week, and ships had to wait.", "en"),
        ("Der Hafen war eine Woche geschlossen, und die Schiffe mussten warten.", "de"),
        ("Le port est resté fermé une semaine, et les navires ont dû attendre dans la baie.", "fr"),
        ("El puerto estuvo cerrado una semana y los barcos esperaron en la bahía.", "es"),
        ("Il porto è rimasto chiuso per una settimana e le navi hanno atteso nella baia.", "it"),
        ("O porto ficou fechado uma semana e os navios não puderam entrar.", "pt"),
        ("De haven was een week dicht en de schepen moesten op zee wachten.", "nl"),
        ("Port był zamknięty przez tydzień i statki nie mogły wejść do zatoki.", "pl"),
        ("Liman bir hafta kapalı kaldı ve gemiler bu koyda beklemek için durdu.", "tr"),
        ("港口关闭了一周。", "zh"),
        ("港は一週間閉鎖された。", "ja"),
        ("항구가 일주일 동안 폐쇄되었다.", "ko"),
        ("Порт был закрыт неделю.", "ru"),
        ("أغلق الميناء لمدة أسبوع", "ar"),
        ("ท่าเรือปิดหนึ่งสัปดาห์", "th"),
        ("数据出境安全评估 data export", "zh"),  # a sign counts for several letters
        ("How do I get my travel expenses reimbursed?", "en"),
        ("What do I do in case of a fire?", "en"),
        ("Como faço para pedir férias no portal da empresa?", "pt"),
        ("12, 13 😀 !", ""),
        ("", ""),
        ("xylophone quartz", ""),
    ],
)
def test_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_script() -> None:
    assert [script_of(text) for text in ("abc", "é", "中", "7")] == ["latin", "latin", "zh", ""]


def test_latin_itself_is_no_french() -> None:
    text = "Lorem ipsum dolor sit amet et consetetur sadipscing elitr et sed diam nonumy eirmod tempor et invidunt " * 3
    assert language_of(text) == ""
