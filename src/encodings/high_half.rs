//! The characters of the bytes 80 to FF in single-byte encodings.
//!
//! Most are those of the WHATWG Encoding Standard, from encoding_rs. The tables below are encodings that it lacks: the
//! Unicode Consortium's mappings (VENDORS/MICSFT/PC and VENDORS/APPLE), from which CPython's codecs are made.

use core::array;

use encoding_rs::Encoding;

/// The definition of the characters of the bytes 80 to FF in a single-byte encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HighHalf {
    /// The WHATWG Encoding Standard's.
    Standard(&'static Encoding),
    /// All 128 characters, in order.
    Table(&'static str),
    /// ISO 8859-1, where the Encoding Standard has Windows-1252: the bytes are the code points.
    Latin1,
}

impl HighHalf {
    pub(crate) const CP437: Self = Self::Table(CP437_CHARS);
    pub(crate) const CP850: Self = Self::Table(CP850_CHARS);
    pub(crate) const CP852: Self = Self::Table(CP852_CHARS);
    pub(crate) const CP855: Self = Self::Table(CP855_CHARS);
    pub(crate) const MAC_LATIN2: Self = Self::Table(MAC_LATIN2_CHARS);

    /// Returns the characters; `None` for undefined bytes.
    pub(crate) fn chars(self) -> [Option<char>; 128] {
        match self {
            Self::Standard(encoding) => of_standard(encoding),
            Self::Table(table) => {
                let mut chars = table.chars();
                array::from_fn(|_| chars.next())
            }
            Self::Latin1 => array::from_fn(|index| Some(char::from(index as u8 | 0x80))),
        }
    }

    /// Returns the characters that CPython's codec has.
    ///
    /// CPython leaves those bytes of Windows code pages undefined for which the Encoding Standard has a C1 control, and
    /// lacks one Hebrew point.
    pub(crate) fn python_chars(self) -> [Option<char>; 128] {
        let mut chars = self.chars();
        if matches!(self, Self::Standard(encoding) if encoding.name().starts_with("windows")) {
            for (known, byte) in chars.iter_mut().zip(0x80..=u8::MAX) {
                let lacks = |&character: &char| {
                    character == char::from(byte) && byte < 0xA0 || character == '\u{5BA}'
                };
                *known = known.filter(|character| !lacks(character));
            }
        }
        chars
    }
}

/// Returns the characters that the WHATWG Encoding Standard has for the bytes 80 to FF of a single-byte encoding;
/// `None` for undefined ones.
pub(super) fn of_standard(encoding: &'static Encoding) -> [Option<char>; 128] {
    let bytes: [u8; 128] = array::from_fn(|index| index as u8 | 0x80);
    let mut units = [0; 128];
    // One code unit for each byte, U+FFFD for an undefined one.
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let _ = decoder.decode_to_utf16(&bytes, &mut units, true);
    units
        .map(|unit| char::from_u32(unit.into()).filter(|&character| character != char::REPLACEMENT_CHARACTER))
}

/// IBM PC.
const CP437_CHARS: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ\
    áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}";
/// MS-DOS, Western Europe.
const CP850_CHARS: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
    áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
    ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}";
/// MS-DOS, Central Europe.
const CP852_CHARS: &str = "\
    ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×č\
    áíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
    └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀\
    ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}";
/// MS-DOS, Cyrillic.
const CP855_CHARS: &str = "\
    ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪ\
    аАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐\
    └┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀\
    ЯрРсСтТуУжЖвВьЬ№\u{AD}ыЫзЗшШэЭщЩчЧ§■\u{A0}";
/// Macintosh, Central Europe.
const MAC_LATIN2_CHARS: &str = "\
    ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü\
    †°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅ\
    ņŃ¬√ńŇ∆«»…\u{A0}ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖ\
    ŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ";
