"""English."""

from leadbyte._explain.languages import Language

LANGUAGE = Language(
    code="en",
    name="English",
    plural=lambda number: 0 if number == 1 else 1,
    things={
        "bytes": ("byte", "bytes"),
        "characters": ("character", "characters"),
        "errors": ("error", "errors"),
        "octets": ("octet", "octets"),
        "octets_of": ("octet", "octets"),
        "ones": ("one", "ones"),
        "rows": ("row", "rows"),
        "signs": ("replacement character", "replacement characters"),
    },
    texts={
        # The table.
        "start": "byte",
        "symbol": "char",
        "number": "number",
        "code": "code",
        "binary": "binary",
        "bits": "UTF-8 in bits",
        "utf8": "UTF-8",
        "utf16": "UTF-16",
        "lengths": "bytes 8/16",
        "words": "name",
        "summary": "{characters}: {utf8} in UTF-8, {utf16} in UTF-16",
        "summary_invalid": "{summary}; {errors}",
        "summary_more": "{summary}; {rows} more not shown",
        "offset": "byte {offset}",
        # Short descriptions of characters and errors.
        "invalid": "not UTF-8: {what}",
        "byte_order_mark": "byte order mark",
        "lone_surrogate": "lone surrogate, not encodable in UTF-8",
        "noncharacter": "for internal use, valid in UTF-8",
        "unexpected_continuation": "unexpected continuation byte {data}",
        "overlong": "overlong encoding of {char}, whose valid form is {right}",
        "overlong_part": "{data} can only start an overlong encoding",
        "overlong_surrogate": "overlong encoding of surrogate {code}, which is not a character",
        "surrogate": "surrogate {code}, which is not a character",
        "surrogate_pair": "surrogates {high} and {low} (CESU-8) for {char}, whose valid form is {right}",
        "surrogate_part": "{data} can only start a surrogate",
        "too_large": "{code} is above U+10FFFF",
        "too_large_part": "{data} never occurs in UTF-8 (would start a sequence above U+10FFFF)",
        "long_form": "sequence of {octets} (RFC 2279) for the value {hex}, removed in RFC 3629",
        "long_form_part": "{data} starts a sequence of {octets} (RFC 2279), removed in RFC 3629",
        "invalid_start": "{data} never occurs in UTF-8",
        "truncated": "truncated sequence ({came} of {octets}): the data ends, expected a byte from {next}",
        "missing_continuation": (
            "truncated sequence ({came} of {octets}): expected a byte from {next}, found {follower}"
        ),
        "from_to": "{first} to {last}",
        "quoted": '{code} "{char}"',
        "reading": 'in {encodings} "{text}"',
        "readings": "{what}; {readings}",
        "and": " and ",
        "marked": "{what}; {mark} here is the byte order mark of {encoding}",
        # The steps.
        "to_utf8": "Encoding in UTF-8",
        "from_utf8": "Decoding from UTF-8",
        "to_utf16": "Encoding in UTF-16",
        "from_utf16": "Decoding from UTF-16",
        "reading_bytes": "Decoding as UTF-8",
        "range": "{hex} in hexadecimal, {number} in decimal, is in {first} to {last}: it takes {octets}.",
        "markers_one": "The octet starts with the marker bit 0. Its 7 other bits, x, are for the code point.",
        "markers": (
            "Marker bits: the lead byte starts with {ones}, one for each octet, and a 0; each"
            " continuation byte starts with 10. The other bits, x, are for the code point: {sum} bits."
        ),
        "padded": "{hex} in binary, most significant bit first, padded with zeros to {count} bits:",
        "fill_one": "These bits replace the x:",
        "fill": ("They replace the x from the low end: the last six bits go into the last octet, and so on."),
        "octet": "octet {at}",
        "utf8_is": "{code} in UTF-8 is {octets}: {utf8}.",
        "lead_one": "{octet} starts with 0: the octet is a whole character.",
        "lead": "The first octet, {octet}, starts with {ones} and a 0, which announces {octets}.",
        "continuations": "All others must start with 10, and they do:",
        "payload": "Without the marker bits, these bits remain:",
        "checked_one": "{hex} is in {first} to {last}. The character is {code}.",
        "checked": (
            "{hex} is in {first} to {last}, for which {octets} are the shortest form; it is not in D800"
            " to DFFF, the surrogates. The character is {code}."
        ),
        "unit": ("{unit} is less than 10000 and not in D800 to DFFF: it is a single code unit of 16 bits."),
        "pair": "{hex} is more than FFFF, so it takes two code units of 16 bits, a surrogate pair.",
        "subtract": "Subtract 10000: {hex} - 10000 = {rest}, in binary, padded with zeros to 20 bits:",
        "split": "Split them into the 10 high and the 10 low bits:",
        "high": "Add D800 to the high ones: D800 + {first} = {high}, the high surrogate.",
        "low": "Add DC00 to the low ones: DC00 + {second} = {low}, the low surrogate.",
        "utf16_is": "{code} in UTF-16 is {utf16}: the bytes {big} (big-endian) or {little} (little-endian).",
        "unit_back": (
            "{unit} is not in D800 to DFFF, so it is the code point itself. The character is {code}."
        ),
        "pair_back": (
            "{high} is in D800 to DBFF, a high surrogate, so a low one from DC00 to DFFF must follow,"
            " and does: {low}."
        ),
        "subtract_back": "{high} - D800 = {first} and {low} - DC00 = {second}, in binary with 10 bits each:",
        "together_back": "Concatenated:",
        "add_back": "Add 10000: {rest} + 10000 = {hex}. The character is {code}.",
        "no_utf8": (
            "{hex} is in D800 to DFFF, the surrogates. They are code units of UTF-16 that form pairs, not"
            " characters, and are not allowed in UTF-8 (RFC 3629, section 3)."
        ),
        "lone_high": "{unit} is a high surrogate, D800 to DBFF: it is valid only before a low one.",
        "lone_low": "{unit} is a low surrogate, DC00 to DFFF: it is valid only after a high one.",
        "lead_continuation": (
            "{octet} starts with 10, like every continuation byte, so no character starts with it."
        ),
        "lead_never": (
            "{octet} starts with {ones}: no lead byte has more than 4, and none ever had more than 6."
        ),
        "spelled": "Without the marker bits, the octets give the number:",
        "not_utf8": "It is not UTF-8: {what}.",
        "why_overlong": (
            "Each character has only one valid form, the shortest. If others were accepted, {data} would"
            " bypass a filter that searches for {right} (RFC 3629, section 10)."
        ),
        "why_surrogate": (
            "D800 to DFFF are reserved for UTF-16, where two of them encode one character. UTF-8 encodes"
            " the character as a whole (RFC 3629, section 3)."
        ),
        "why_too_large": "Unicode ends at 10FFFF, the largest value of UTF-16 (RFC 3629, section 3).",
        "replaced": "Decoders that replace errors (Python, browsers) insert {signs} (U+FFFD).",
    },
)
