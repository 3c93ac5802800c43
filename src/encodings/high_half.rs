//! The characters of the bytes 80 to FF in single-byte encodings.
//!
//! Most tables come from encoding_rs, which implements the WHATWG Encoding Standard. The tables below are encodings
//! that it lacks: the Unicode Consortium's mappings (VENDORS/MICSFT/PC and VENDORS/APPLE), from which CPython's codecs
//! are made.

use core::array;

use encoding_rs::Encoding;

static WINDOWS_1251: HighHalf = HighHalf::Standard(encoding_rs::WINDOWS_1251);
static WINDOWS_1252: HighHalf = HighHalf::Standard(encoding_rs::WINDOWS_1252);
static IBM866: HighHalf = HighHalf::Standard(encoding_rs::IBM866);
static MACINTOSH: HighHalf = HighHalf::Standard(encoding_rs::MACINTOSH);

/// The definition of the characters of the bytes 80 to FF in a single-byte encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HighHalf {
    /// The WHATWG Encoding Standard's.
    Standard(&'static Encoding),
    /// All 128 characters, in order; U+FFFD for an undefined byte.
    Table(&'static str),
    /// Another encoding with changes: pairs of a byte, as the character with this number, and its character.
    Variant(&'static HighHalf, &'static str),
    /// ISO 8859-1, where the Encoding Standard has Windows-1252: the bytes are the code points.
    Latin1,
}

impl HighHalf {
    pub(crate) const CP437: Self = Self::Table(CP437_CHARS);
    pub(crate) const CP850: Self = Self::Table(CP850_CHARS);
    pub(crate) const CP852: Self = Self::Table(CP852_CHARS);
    pub(crate) const CP855: Self = Self::Table(CP855_CHARS);
    pub(crate) const MAC_LATIN2: Self = Self::Table(MAC_LATIN2_CHARS);
    pub(crate) const CP720: Self = Self::Table(CP720_CHARS);
    pub(crate) const CP737: Self = Self::Table(CP737_CHARS);
    pub(crate) const CP775: Self = Self::Table(CP775_CHARS);
    pub(crate) const CP856: Self = Self::Table(CP856_CHARS);
    pub(crate) const CP857: Self = Self::Variant(&Self::CP850, CP857_CHANGES);
    pub(crate) const CP858: Self = Self::Variant(&Self::CP850, CP858_CHANGES);
    pub(crate) const CP860: Self = Self::Variant(&Self::CP437, CP860_CHANGES);
    pub(crate) const CP861: Self = Self::Variant(&Self::CP437, CP861_CHANGES);
    pub(crate) const CP862: Self = Self::Variant(&Self::CP437, CP862_CHANGES);
    pub(crate) const CP863: Self = Self::Variant(&Self::CP437, CP863_CHANGES);
    pub(crate) const CP864: Self = Self::Table(CP864_CHARS);
    pub(crate) const CP865: Self = Self::Variant(&Self::CP437, CP865_CHANGES);
    pub(crate) const CP869: Self = Self::Table(CP869_CHARS);
    pub(crate) const CP1006: Self = Self::Table(CP1006_CHARS);
    pub(crate) const CP1125: Self = Self::Variant(&IBM866, CP1125_CHANGES);
    pub(crate) const HP_ROMAN8: Self = Self::Table(HP_ROMAN8_CHARS);
    pub(crate) const KOI8_T: Self = Self::Table(KOI8_T_CHARS);
    pub(crate) const KZ1048: Self = Self::Variant(&WINDOWS_1251, KZ1048_CHANGES);
    pub(crate) const PTCP154: Self = Self::Variant(&WINDOWS_1251, PTCP154_CHANGES);
    pub(crate) const MAC_ARABIC: Self = Self::Table(MAC_ARABIC_CHARS);
    pub(crate) const MAC_CROATIAN: Self = Self::Variant(&MACINTOSH, MAC_CROATIAN_CHANGES);
    pub(crate) const MAC_FARSI: Self = Self::Variant(&Self::MAC_ARABIC, MAC_FARSI_CHANGES);
    pub(crate) const MAC_GREEK: Self = Self::Table(MAC_GREEK_CHARS);
    pub(crate) const MAC_ICELAND: Self = Self::Variant(&MACINTOSH, MAC_ICELAND_CHANGES);
    pub(crate) const MAC_ROMANIAN: Self = Self::Variant(&MACINTOSH, MAC_ROMANIAN_CHANGES);
    pub(crate) const MAC_TURKISH: Self = Self::Variant(&MACINTOSH, MAC_TURKISH_CHANGES);
    pub(crate) const PALMOS: Self = Self::Variant(&WINDOWS_1252, PALMOS_CHANGES);

    /// Returns the characters; `None` for undefined bytes.
    pub(crate) fn chars(self) -> [Option<char>; 128] {
        match self {
            Self::Standard(encoding) => of_standard(encoding),
            Self::Table(table) => {
                let mut chars = table.chars();
                array::from_fn(|_| chars.next().filter(is_defined))
            }
            Self::Variant(other, changes) => with_changes(other.chars(), 0x80, changes),
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
    units.map(|unit| char::from_u32(unit.into()).filter(is_defined))
}

/// Returns a table that starts at the byte `first` with changes: pairs of a byte, as the character with this number,
/// and its character.
pub(super) fn with_changes<const N: usize>(
    mut chars: [Option<char>; N],
    first: u32,
    changes: &str,
) -> [Option<char>; N] {
    let mut changes = changes.chars();
    while let (Some(byte), Some(character)) = (changes.next(), changes.next()) {
        if let Some(known) = chars.get_mut((u32::from(byte).saturating_sub(first)) as usize) {
            *known = Some(character).filter(is_defined);
        }
    }
    chars
}

/// Returns whether a character of a table is one, and not U+FFFD, which is there for an undefined byte.
fn is_defined(character: &char) -> bool {
    *character != char::REPLACEMENT_CHARACTER
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
/// MS-DOS, Arabic.
const CP720_CHARS: &str = "\
    \u{80}\u{81}éâ\u{84}à\u{86}çêëèïî\u{8D}\u{8E}\u{8F}\u{90}\u{651}\u{652}ô¤\u{640}ûù\u{621}\u{622}\u{623}\
    \u{624}£\u{625}\u{626}\u{627}\
    \u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}«»░▒▓│┤╡╢╖\
    ╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    \u{636}\u{637}\u{638}\u{639}\u{63A}\u{641}µ\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{649}\u{64A}≡\
    \u{64B}\u{64C}\u{64D}\u{64E}\u{64F}\u{650}≈°∙·√ⁿ²■\u{A0}";
/// MS-DOS, Greek.
const CP737_CHARS: &str = "\
    ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθ\
    ικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u{A0}";
/// MS-DOS, Baltic.
const CP775_CHARS: &str = "\
    ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤\
    ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐\
    └┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀\
    ÓßŌŃõÕµńĶķĻļņĒŅ’\u{AD}±“¾¶§÷„°∙·¹³²■\u{A0}";
/// IBM PC, Hebrew.
const CP856_CHARS: &str = "\
    \u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\
    \u{5DF}\u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}\u{5EA}�£�×�\
    ���������®¬½¼�«»░▒▓│┤���©╣║╗╝¢¥┐\
    └┴┬├─┼��╚╔╩╦╠═╬¤���������┘┌█▄¦�▀\
    ������µ�������¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}";
/// MS-DOS, Turkish.
const CP857_CHANGES: &str = "\u{8D}ı\u{98}İ\u{9E}Ş\u{9F}ş¦Ğ§ğÐºÑªÕ�ç�è×ììíÿò�";
/// MS-DOS, Western Europe with the euro sign.
const CP858_CHANGES: &str = "Õ€";
/// MS-DOS, Portuguese.
const CP860_CHANGES: &str = "\
    \u{84}ã\u{86}Á\u{89}Ê\u{8B}Í\u{8C}Ô\u{8E}Ã\u{8F}Â\u{91}À\u{92}È\u{94}õ\u{96}Ú\u{98}Ì\u{99}Õ\u{9D}Ù\u{9F}Ó©Ò";
/// MS-DOS, Icelandic.
const CP861_CHANGES: &str = "\u{8B}Ð\u{8C}ð\u{8D}Þ\u{95}þ\u{97}Ý\u{98}ý\u{9B}ø\u{9D}Ø¤Á¥Í¦Ó§Ú";
/// MS-DOS, Hebrew.
const CP862_CHANGES: &str = "\
    \u{80}\u{5D0}\u{81}\u{5D1}\u{82}\u{5D2}\u{83}\u{5D3}\u{84}\u{5D4}\u{85}\u{5D5}\u{86}\u{5D6}\u{87}\u{5D7}\
    \u{88}\u{5D8}\u{89}\u{5D9}\u{8A}\u{5DA}\u{8B}\u{5DB}\u{8C}\u{5DC}\u{8D}\u{5DD}\u{8E}\u{5DE}\u{8F}\u{5DF}\
    \u{90}\u{5E0}\u{91}\u{5E1}\u{92}\u{5E2}\u{93}\u{5E3}\u{94}\u{5E4}\u{95}\u{5E5}\u{96}\u{5E6}\u{97}\u{5E7}\
    \u{98}\u{5E8}\u{99}\u{5E9}\u{9A}\u{5EA}";
/// MS-DOS, Canadian French.
const CP863_CHANGES: &str = "\
    \u{84}Â\u{86}¶\u{8D}‗\u{8E}À\u{8F}§\u{91}È\u{92}Ê\u{94}Ë\u{95}Ï\u{98}¤\u{99}Ô\u{9D}Ù\u{9E}Û\u{A0}¦¡´¤¨¥¸¦³§¯\
    ¨Î\u{AD}¾";
/// IBM PC, Arabic, as presentation forms.
const CP864_CHARS: &str = "\
    °·∙√▒─│┼┤┬├┴┐┌└┘β∞φ±½¼≈«»\u{FEF7}\u{FEF8}��\u{FEFB}\u{FEFC}�\
    \u{A0}\u{AD}\u{FE82}£¤\u{FE84}��\u{FE8E}\u{FE8F}\u{FE95}\u{FE99}\u{60C}\u{FE9D}\u{FEA1}\u{FEA5}\u{660}\
    \u{661}\u{662}\u{663}\u{664}\u{665}\u{666}\u{667}\u{668}\u{669}\u{FED1}\u{61B}\u{FEB1}\u{FEB5}\u{FEB9}\
    \u{61F}\
    ¢\u{FE80}\u{FE81}\u{FE83}\u{FE85}\u{FECA}\u{FE8B}\u{FE8D}\u{FE91}\u{FE93}\u{FE97}\u{FE9B}\u{FE9F}\u{FEA3}\
    \u{FEA7}\u{FEA9}\u{FEAB}\u{FEAD}\u{FEAF}\u{FEB3}\u{FEB7}\u{FEBB}\u{FEBF}\u{FEC1}\u{FEC5}\u{FECB}\u{FECF}¦¬÷×\
    \u{FEC9}\
    \u{640}\u{FED3}\u{FED7}\u{FEDB}\u{FEDF}\u{FEE3}\u{FEE7}\u{FEEB}\u{FEED}\u{FEEF}\u{FEF3}\u{FEBD}\u{FECC}\
    \u{FECE}\u{FECD}\u{FEE1}\u{FE7D}\u{651}\u{FEE5}\u{FEE9}\u{FEEC}\u{FEF0}\u{FEF2}\u{FED0}\u{FED5}\u{FEF5}\
    \u{FEF6}\u{FEDD}\u{FED9}\u{FEF1}■�";
/// MS-DOS, Nordic.
const CP865_CHANGES: &str = "\u{9B}ø\u{9D}Ø¯¤";
/// MS-DOS, Greek.
const CP869_CHARS: &str = "\
    ������Ά�·¬¦‘’Έ―ΉΊΪΌ��ΎΫ©Ώ²³ά£έήί\
    ϊΐόύΑΒΓΔΕΖΗ½ΘΙ«»░▒▓│┤ΚΛΜΝ╣║╗╝ΞΟ┐\
    └┴┬├─┼ΠΡ╚╔╩╦╠═╬ΣΤΥΦΧΨΩαβγ┘┌█▄δε▀\
    ζηθικλμνξοπρσςτ΄\u{AD}±υφχ§ψ΅°¨ωϋΰώ■\u{A0}";
/// IBM, Urdu, as presentation forms.
const CP1006_CHARS: &str = "\
    \u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\
    \u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
    \u{A0}\u{6F0}\u{6F1}\u{6F2}\u{6F3}\u{6F4}\u{6F5}\u{6F6}\u{6F7}\u{6F8}\u{6F9}\u{60C}\u{61B}\u{AD}\u{61F}\
    \u{FE81}\u{FE8D}\u{FE8E}\u{FE8E}\u{FE8F}\u{FE91}\u{FB56}\u{FB58}\u{FE93}\u{FE95}\u{FE97}\u{FB66}\u{FB68}\
    \u{FE99}\u{FE9B}\u{FE9D}\u{FE9F}\
    \u{FB7A}\u{FB7C}\u{FEA1}\u{FEA3}\u{FEA5}\u{FEA7}\u{FEA9}\u{FB84}\u{FEAB}\u{FEAD}\u{FB8C}\u{FEAF}\u{FB8A}\
    \u{FEB1}\u{FEB3}\u{FEB5}\u{FEB7}\u{FEB9}\u{FEBB}\u{FEBD}\u{FEBF}\u{FEC1}\u{FEC5}\u{FEC9}\u{FECA}\u{FECB}\
    \u{FECC}\u{FECD}\u{FECE}\u{FECF}\u{FED0}\u{FED1}\
    \u{FED3}\u{FED5}\u{FED7}\u{FED9}\u{FEDB}\u{FB92}\u{FB94}\u{FEDD}\u{FEDF}\u{FEE0}\u{FEE1}\u{FEE3}\u{FB9E}\
    \u{FEE5}\u{FEE7}\u{FE85}\u{FEED}\u{FBA6}\u{FBA8}\u{FBA9}\u{FBAA}\u{FE80}\u{FE89}\u{FE8A}\u{FE8B}\u{FEF1}\
    \u{FEF2}\u{FEF3}\u{FBB0}\u{FBAE}\u{FE7C}\u{FE7D}";
/// IBM, Ukrainian.
const CP1125_CHANGES: &str = "òҐóґôЄõєöІ÷іøЇùї";
/// HP, Western Europe.
const HP_ROMAN8_CHARS: &str = "\
    \u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\
    \u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
    \u{A0}ÀÂÈÊËÎÏ´ˋˆ¨˜ÙÛ₤¯Ýý°ÇçÑñ¡¿¤£¥§ƒ¢\
    âêôûáéóúàèòùäëöüÅîØÆåíøæÄìÖÜÉïßÔ\
    ÁÃãÐðÍÌÓÒÕõŠšÚŸÿÞþ·µ¶¾—¼½ªº«■»±�";
/// KOI8, Tajik.
const KOI8_T_CHARS: &str = "\
    қғ‚Ғ„…†‡�‰ҳ‹ҲҷҶ�Қ‘’“”•–—�™�›����\
    �ӯӮё¤ӣ¦§���«¬\u{AD}®�°±²Ё�Ӣ¶·�№�»���©\
    юабцдефгхийклмнопярстужвьызшэщчъ\
    ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ";
/// Kazakh: STRK1048-2002.
const KZ1048_CHANGES: &str = "\u{8D}Қ\u{8E}Һ\u{98}�\u{9D}қ\u{9E}һ¡Ұ¢ұ£Ә¥ӨªҒ¯Ү´өºғ¼ә½Ң¾ң¿ү";
/// ParaType, Cyrillic of Asia.
const PTCP154_CHANGES: &str = "\
    \u{80}Җ\u{81}Ғ\u{82}Ӯ\u{83}ғ\u{86}Ҷ\u{87}Ү\u{88}Ҳ\u{89}ү\u{8A}Ҡ\u{8B}Ӣ\u{8C}Ң\u{8D}Қ\u{8E}Һ\u{8F}Ҹ\u{90}җ\
    \u{98}ҳ\u{99}ҷ\u{9A}ҡ\u{9B}ӣ\u{9C}ң\u{9D}қ\u{9E}һ\u{9F}ҹ¤Ө¥Ҙ¦ҰªӘ\u{AD}ӯ¯Ҝ±ұ´ҙµөºә½Ҫ¾ҫ¿ҝ";
/// Macintosh, Arabic.
const MAC_ARABIC_CHARS: &str = "\
    Ä\u{A0}ÇÉÑÖÜáàâä\u{6BA}«çéèêëí…îïñó»ôö÷úùûü\
    \u{20}!\"#$\u{66A}&'()*+\u{60C}-./\u{660}\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}\u{667}\u{668}\u{669}:\
    \u{61B}<=>\u{61F}\
    ❊\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}\
    \u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\u{638}\u{639}\u{63A}[\\]^_\
    \u{640}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{649}\u{64A}\u{64B}\u{64C}\u{64D}\u{64E}\
    \u{64F}\u{650}\u{651}\u{652}\u{67E}\u{679}\u{686}\u{6D5}\u{6A4}\u{6AF}\u{688}\u{691}{|}\u{698}\u{6D2}";
/// Macintosh, Croatian.
const MAC_CROATIAN_CHANGES: &str = "©Š®Ž´∆¹š¾žÆĆÈČÐĐØ\u{F8FF}Ù©ÞÆß»à–æćèčðđùπúËýÊþæ";
/// Macintosh, Persian.
const MAC_FARSI_CHANGES: &str = "\
    °\u{6F0}±\u{6F1}²\u{6F2}³\u{6F3}´\u{6F4}µ\u{6F5}¶\u{6F6}·\u{6F7}¸\u{6F8}¹\u{6F9}";
/// Macintosh, Greek.
const MAC_GREEK_CHARS: &str = "\
    Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü\
    †ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩ\
    άΝ¬ΟΡ≈Τ«»…\u{A0}ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏ\
    ύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u{AD}";
/// Macintosh, Icelandic.
const MAC_ICELAND_CHANGES: &str = "\u{A0}ÝÜÐÝðÞÞßþàý";
/// Macintosh, Romanian.
const MAC_ROMANIAN_CHANGES: &str = "®Ă¯Ș¾ă¿șÞȚßț";
/// Macintosh, Turkish.
const MAC_TURKISH_CHANGES: &str = "ÚĞÛğÜİÝıÞŞßşõ\u{F8A0}";
/// Palm OS, Western Europe.
const PALMOS_CHANGES: &str = "\u{8D}♦\u{8E}♣\u{8F}♥\u{90}♠\u{9B}\u{9B}\u{9E}\u{9E}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_replace_characters() {
        for (high, byte, character) in [
            (HighHalf::CP858, 0xD5, Some('€')),
            (HighHalf::CP858, 0xD6, Some('Í')),
            (HighHalf::CP857, 0xD5, None),
            (HighHalf::KZ1048, 0xBC, Some('ә')),
            (HighHalf::KZ1048, 0xE0, Some('а')),
            (HighHalf::MAC_FARSI, 0xB1, Some('۱')),
            (HighHalf::MAC_FARSI, 0xC1, Some('ء')),
            (HighHalf::MAC_TURKISH, 0xDD, Some('ı')),
            (HighHalf::HP_ROMAN8, 0xFF, None),
        ] {
            assert_eq!(high.chars()[byte - 0x80], character, "{byte:X}");
        }
    }

    #[test]
    fn tables_are_complete() {
        for high in [
            HighHalf::CP720,
            HighHalf::CP737,
            HighHalf::CP775,
            HighHalf::CP856,
            HighHalf::CP864,
            HighHalf::CP869,
            HighHalf::CP1006,
            HighHalf::HP_ROMAN8,
            HighHalf::KOI8_T,
            HighHalf::MAC_ARABIC,
            HighHalf::MAC_GREEK,
        ] {
            let HighHalf::Table(table) = high else { panic!("a table") };
            assert_eq!(table.chars().count(), 128);
        }
    }
}
