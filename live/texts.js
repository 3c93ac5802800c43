// The texts of the page. Those in index.html are replaced by these, by the names in its attributes.

const announced = (row) => row.utf8_bits[0][0].length - 1;

// Two encoded surrogates, of three bytes each.
const isPair = (row) => row.kind === "surrogate" && row.utf8_bits.length === 6;

export const TEXTS = {
  en: {
    page_title: "leadbyte live: text and its bytes",
    site: "leadbyte",
    languages: "Language",
    title: "Text and its bytes",
    intro:
      "Type text or bytes, and see how UTF-8 encodes each character, which bytes are not UTF-8 and why, which " +
      "encoding they may be in, and what text was decoded with the wrong encoding. What you type stays in this page.",
    mode: "What you type",
    text: "text",
    bytes: "bytes in hexadecimal",
    text_label: "Text",
    bytes_label: "Bytes",
    examples: "Examples",
    example_lengths: "1 to 4 bytes",
    example_mojibake: "mojibake",
    example_errors: "errors",
    example_legacy: "another encoding",
    example_clusters: "emoji and marks",
    loading: "Loading…",
    failed: "This browser cannot run the page: it needs WebAssembly.",
    not_hexadecimal: (character) => `“${character}” is not a hexadecimal digit (0 to 9, A to F).`,
    odd_digits: "The last byte has one digit, and needs two.",
    too_long: (count) => `Only the first ${count} are explained.`,
    empty: "Nothing typed yet.",
    summary: (characters, utf8, utf16) => `${characters}: ${utf8} in UTF-8${utf16 ? `, ${utf16} in UTF-16` : ""}`,
    with_errors: (summary, errors) => `${summary}; ${errors}`,
    mojibake: "Repaired mojibake",
    step: (encoding, misread) => `${encoding} decoded as ${misread}`,
    steps: (steps) => `Reversed: ${steps.join(", then ")}.`,
    characters: "Characters and errors",
    marker: "marker bits",
    payload: "bits of the code point",
    start: "byte",
    character: "character",
    code: "code point",
    bits: "UTF-8 in bits",
    error: "error",
    omitted: (rows) => `${rows} more not shown.`,
    sizes: "Sizes",
    size_characters: "characters",
    size_graphemes: "grapheme clusters",
    size_lines: "line feeds",
    single_byte: (encodings) => `Also in encodings with a byte for each character: ${encodings}.`,
    encodings: "Encodings",
    encodings_note: "In which encoding the bytes are text, by a model of languages, the most likely first.",
    found: (encoding, percent, language) => `${encoding}, ${percent}${language ? `, ${language}` : ""}`,
    not_text: (kind) => `no text: ${kind}`,
    footer: "Computed in your browser by the Rust crate leadbyte, compiled to WebAssembly. Nothing is sent.",
    units: {
      bytes: { one: "byte", other: "bytes" },
      characters: { one: "character", other: "characters" },
      errors: { one: "error", other: "errors" },
      rows: { one: "row", other: "rows" },
    },
    // The crate's own sentence, which is about the first error of a pair.
    describe: (row) => (isPair(row) ? `surrogate pair (CESU-8) in the place of ${row.decoded_value}` : row.message),
  },
  ru: {
    page_title: "leadbyte: текст и его байты",
    site: "leadbyte",
    languages: "Язык",
    title: "Текст и его байты",
    intro:
      "Наберите текст или байты, и будет видно, как UTF-8 кодирует каждый символ, какие байты — не UTF-8 и почему, " +
      "в какой они могут быть кодировке и какой текст был декодирован не в той. Набранное остаётся на этой странице.",
    mode: "Что набирается",
    text: "текст",
    bytes: "байты в шестнадцатеричной записи",
    text_label: "Текст",
    bytes_label: "Байты",
    examples: "Примеры",
    example_lengths: "от 1 до 4 байт",
    example_mojibake: "кракозябры",
    example_errors: "ошибки",
    example_legacy: "другая кодировка",
    example_clusters: "эмодзи и знаки",
    loading: "Загрузка…",
    failed: "Этот браузер не может показать страницу: ей нужен WebAssembly.",
    not_hexadecimal: (character) => `«${character}» — не шестнадцатеричная цифра (от 0 до 9, от A до F).`,
    odd_digits: "У последнего байта одна цифра, а нужны две.",
    too_long: (count) => `Объясняются только первые ${count}.`,
    empty: "Пока ничего не набрано.",
    summary: (characters, utf8, utf16) => `${characters}: ${utf8} в UTF-8${utf16 ? `, ${utf16} в UTF-16` : ""}`,
    with_errors: (summary, errors) => `${summary}; ${errors}`,
    mojibake: "Исправленные кракозябры",
    step: (encoding, misread) => `декодирование ${encoding} как ${misread}`,
    steps: (steps) => `Отменено: ${steps.join(", затем ")}.`,
    characters: "Символы и ошибки",
    marker: "маркерные биты",
    payload: "биты кодовой позиции",
    start: "байт",
    character: "символ",
    code: "код",
    bits: "UTF-8 в битах",
    error: "ошибка",
    omitted: (rows) => `Не показано: ${rows}.`,
    sizes: "Размеры",
    size_characters: "символы",
    size_graphemes: "графемные кластеры",
    size_lines: "переводы строки",
    single_byte: (encodings) => `Также в кодировках с одним байтом на символ: ${encodings}.`,
    encodings: "Кодировки",
    encodings_note: "В какой кодировке эти байты — текст, по модели языков; самая вероятная — первая.",
    found: (encoding, percent, language) => `${encoding}, ${percent}${language ? `, ${language}` : ""}`,
    not_text: (kind) => `не текст: ${kind}`,
    footer: "Вычислено в вашем браузере крейтом leadbyte на Rust, скомпилированным в WebAssembly. Ничего не отправляется.",
    units: {
      bytes: { one: "байт", few: "байта", many: "байт", other: "байта" },
      characters: { one: "символ", few: "символа", many: "символов", other: "символа" },
      errors: { one: "ошибка", few: "ошибки", many: "ошибок", other: "ошибки" },
      rows: { one: "строка", few: "строки", many: "строк", other: "строки" },
    },
    // As `leadbyte explain --lang ru`.
    describe: (row) => ERRORS_IN_RUSSIAN[row.kind](row),
  },
};

export const ERRORS_IN_RUSSIAN = {
  unexpected_continuation: (row) => `неожиданный байт продолжения ${row.utf8_hex}`,
  overlong: (row) =>
    row.decoded_value
      ? `избыточно длинная запись ${row.decoded_value}`
      : `${row.utf8_hex} может начинать только избыточно длинную запись`,
  surrogate: (row) => {
    if (!row.decoded_value) return `${row.utf8_hex} может начинать только суррогат`;
    return isPair(row)
      ? `суррогатная пара (CESU-8) вместо символа ${row.decoded_value}`
      : `суррогат ${row.decoded_value}, который не является символом`;
  },
  too_large: (row) =>
    row.decoded_value
      ? `${row.decoded_value} больше U+10FFFF`
      : `${row.utf8_hex} в UTF-8 не встречается (начинал бы последовательность больше U+10FFFF)`,
  invalid_start: (row) => `${row.utf8_hex} в UTF-8 не встречается`,
  truncated: (row) => `незавершённая последовательность (${row.utf8_bits.length} из ${announced(row)}): данные закончились`,
  missing_continuation: (row) =>
    `незавершённая последовательность (${row.utf8_bits.length} из ${announced(row)}): нет байта продолжения`,
};
