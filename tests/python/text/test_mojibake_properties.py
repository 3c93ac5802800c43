"""leadbyte.mojibake: properties of every repair."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from damaged import damaged, good, once
from hypothesis import example, given
from hypothesis import strategies as st
from leadbyte.mojibake import explain, garble, repair, repair_many

STRANGE = {"Cc", "Cn", "Co"}
SENTENCES = [
    sentence for language in ("de", "fr", "tr", "cs", "el", "ru", "he") for sentence in good(language)[:30]
]
PAGES = ["cp437", "mac-roman", "koi8-r", *(f"whatwg:windows-{number}" for number in range(1250, 1255))]
SWAPPED = [
    f"{start}{sentence.encode('cp1251', 'replace').decode('cp1252', 'replace')}"
    for start in ("", "a")
    for sentence in good("ru")[:30]
]
MIXED = st.text(st.sampled_from("ÃÂâ€™Ð°Ñ\x81\x98\xa0ÅÄ aeР’СЂ╨░├╝"), max_size=12)


def strange(text: str) -> set[str]:
    """Return the controls, and the unassigned and private characters of a text."""
    return {char for char in text if unicodedata.category(char) in STRANGE}


UNITS = [
    *["µm", "µF", "µs", "µmol", "kΩ", "MΩ", "Ω", "Ω·m", "Ω/km", "°C", "°F"],
    *["m²", "m³", "cm²", "µg/m³", "kN·m", "V²", "±", "½", "√x", "rⁿ", "≤x", "‰"],
]
# Names of genes and proteins, and formulas.
SYMBOLS = [
    *["TNFα", "IL-1β", "IFNγ", "NF-κB", "PKCδ", "GSK3β", "HIF1α", "PPARγ", "TGFβ1", "IκBα", "RORγt", "Gβγ"],
    *["αvβ3", "FcγRIIb", "TCRαβ", "β-catenin", "cosφ", "sinθ", "tanδ", "dσ", "ΔT", "Δpmax", "ΔTmax", "σmax"],
    *["ηges", "λeff", "Φeff", "kΩcm", "MΩcm", "ωt", "x + yβ", "dβ/dτ", "λ = c/ν", "n = 5 ± 1 µm", "χ²"],
]
CYRILLIC_UNITS = ["20С°", "до 30С°", "+25С°", "от 2С° до 8С°", "Режим 40С°", "10 мкФ ±5%", "100 пФ ± 5 %"]
ABBREVIATIONS = [
    "США СССР РФ КПСС РСФСР ЦРУ ФСБ МВД ГРУ КГБ НКВД ООН НАТО ЕС РЖД ЖКХ НДС ИНН МГУ МЧС ДТП ГОСТ АЭС ЭВМ",
    "ЗСУ СБУ США ЄС ООН НАТО УНР УПА КНУ КПІ МВС МОЗ НБУ ДБР НАБУ",
    "НАТО БАН БНБ НАП НОИ НЗОК ДАНС МВР ЕС САЩ БСП ГЕРБ ДПС СДС",
]


@given(st.one_of(st.text(), MIXED))
def test_no_strange_characters_come_out(text: str) -> None:
    assert strange(repair(text)) <= strange(text)


def mixtures(text: str) -> int:
    """Return how often a Latin letter is beside one of an alphabet whose words have none."""
    alphabets = [unicodedata.name(char, "?").split()[0] if char.isalpha() else "" for char in text]
    return sum(
        "LATIN" in pair and bool({"CYRILLIC", "GREEK", "HEBREW", "ARABIC"} & set(pair))
        for pair in pairwise(alphabets)
    )


@given(st.one_of(st.text(), MIXED, st.sampled_from(SWAPPED)))
def test_no_word_gets_letters_of_another_alphabet(text: str) -> None:
    repaired = explain(text)
    # A sequence of UTF-8 is evidence of any letter.
    if not any(step.encoding == "utf-8" for step in repaired.steps):
        # Longer texts may have a few: Ukrainian is typed with a Latin i.
        assert mixtures(repaired.text) <= mixtures(text) + len(repaired.text) // 10


@given(st.one_of(st.text(), MIXED, st.sampled_from(SENTENCES)))
def test_no_repair_is_less_likely(text: str) -> None:
    assert all(step.before >= step.after for step in explain(text).steps)


@given(st.sampled_from(SENTENCES), st.sampled_from(PAGES))
def test_a_second_repair_changes_nothing(sentence: str, page: str) -> None:
    try:
        repaired = repair(garble(sentence, encoding="utf-8", misread_as=page))
    except UnicodeDecodeError:
        return
    assert repair(repaired) == repaired


@given(st.lists(MIXED, max_size=5))
@example(["â\x80\x99", "Âµâ€F"])
@example(["╨░ aÖ€Fы", "Îµ Ď„Î·Î˝ ÎşĎ\x81Î­ÎĽÎ± ÎłÎ¬Î»Î±ÎşĎ„ÎżĎ‚, Ď„"])
@example(["\xa0™ ╝’Ñщщ", "▀С€Ä"])
@example(["tќШвИЩl", "─░ ┼"])
def test_a_second_repair_of_lines_changes_nothing(lines: list[str]) -> None:
    repaired = repair("\n".join(lines))
    assert repair(repaired) == repaired


@pytest.mark.parametrize(
    "typed", ["25 m²", "10 kΩ", "Δt", "β-", "20 ˚C", "(1)¹", "3†", "\xa05", "·", "…", "´", "¶"]
)
def test_signs_that_are_typed(typed: str) -> None:
    for sentence in SENTENCES:
        words = [word for word in sentence.split() if word.isascii()]
        text = f"{' '.join(words)} {typed}"
        assert repair(text) == text
        text = f"{typed} {chr(0xA0).join(words)}"
        assert repair(text) == text


def check_left_alone(parts: list[str], between: str, start: str, end: str) -> None:
    """Check that parts are unchanged together, in a sentence, and as the cells of a column."""
    text = between.join(parts)
    for correct in (text, f"{start} {text}{end}"):
        assert repair(correct) == correct
    assert repair_many(parts) == parts


@given(st.lists(st.sampled_from(UNITS), min_size=1, max_size=4), st.sampled_from([", ", "; ", " / ", "\n"]))
def test_quantities_are_left_alone(signs: list[str], between: str) -> None:
    quantities = [f"{7 * number + 3} {sign}" for number, sign in enumerate(signs)]
    check_left_alone(quantities, between, "The values are", " at most.")


@given(
    st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=6), st.sampled_from([", ", " and ", " / ", "\n"])
)
def test_greek_symbols_are_left_alone(symbols: list[str], between: str) -> None:
    """They may be misread letters of Windows-1252, but rarely stand where those do."""
    check_left_alone(symbols, between, "The role of", " in vitro.")


@pytest.mark.parametrize(
    ("damaged", "text"),
    [
        ("Minstens ΘΘn ticket met check-in", "Minstens één ticket met check-in"),
        ("Vis ogsσ listebeskrivelsene", "Vis også listebeskrivelsene"),
        ("L'assignΘ du plan", "L'assigné du plan"),
        ("Le rιsumι est prκt", "Le résumé est prêt"),
        ("Die Grφίe der Stδdte", "Die Größe der Städte"),
    ],
)
def test_greek_letters_of_words_are_repaired(damaged: str, text: str) -> None:
    assert repair(damaged) == text


@given(st.lists(st.sampled_from(CYRILLIC_UNITS), min_size=1, max_size=6), st.sampled_from([", ", "; ", "\n"]))
def test_cyrillic_units_are_left_alone(units: list[str], between: str) -> None:
    check_left_alone(units, between, "Температура", ".")


@given(
    st.sampled_from(ABBREVIATIONS).flatmap(
        lambda known: st.lists(st.sampled_from(known.split()), min_size=1)
    ),
    st.sampled_from([", ", "/", " ", ";", "\n", '", "']),
)
def test_abbreviations_are_left_alone(words: list[str], between: str) -> None:
    check_left_alone(words, between, "see", " (1)")


@pytest.mark.parametrize(
    "text",
    [
        *["Das GerĂµt wiegt 2,5 kg", "10 ╬®┬Àm; 25 ┬░C;", "Ô¹´ÕÚ ¸Ó■", "a’’˜ab’", "aÆÆÿabÆ"],
        "Testfall ist nicht Teil des Âł\x1abergeordneten Testplans",
    ],
)
def test_half_a_repair_is_none(text: str) -> None:
    assert repair(repair(text)) == repair(text)


@pytest.mark.parametrize("pair", once(), ids=str)
def test_steps_garble_again(pair: tuple[tuple[str, str], ...]) -> None:
    for each in damaged(5, [pair]):
        repaired = explain(each.text)
        again = repaired.text
        for step in reversed(repaired.steps):
            if step.undamaged or (step.start, step.end) != (0, len(each.text)):
                return
            again = garble(again, encoding=step.encoding, misread_as=step.misread_as)
        assert again == each.text


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("Zw├╢lf Boxk├ñmpfer", "Zwölf Boxkämpfer"),
        ("Zw√∂lf Boxk√§mpfer", "Zwölf Boxkämpfer"),
        ("Ýstanbul'da yaþýyor", "İstanbul'da yaşıyor"),
        ("voilÃ\xa0 le 10Â\xa0mai", "voilà le 10\xa0mai"),
        ("lâ\x80\x99Ã©tÃ©", "l’été"),
        ("<b>Íåïîçíàò ðà÷óíàð</b>", "<b>Непознат рачунар</b>"),
        ("10Ã—15", "10×15"),
        ("кото\xd1", "кото\xd1"),
        ("Р˜РІР°РЅ", "Иван"),
        ("оПХБЕР", "Привет"),
        ("TekijÐ“Â¤t", "Tekijät"),
        ("Pøidává podporu pro ètení dokumentù", "Přidává podporu pro čtení dokumentů"),
        ("БГК", "БГК"),
        ("_ÃƒÂ’c", "_Òc"),
    ],
)
def test_defects_of_before(text: str, repaired: str) -> None:
    assert repair(text) == repaired
