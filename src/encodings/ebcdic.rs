//! The characters of the bytes in EBCDIC, the encodings of mainframes, in which even letters and digits differ from
//! ASCII.
//!
//! The tables are IBM's, as CPython's codecs have them. The controls are the same in all; those that text has are those
//! that CPython decodes to the same control in ASCII, and 15, the new line of IBM.

use core::array;

use super::high_half::with_changes;

/// An EBCDIC encoding: its changes to cp037 from the byte 40, pairs of a byte, as the character with this number, and
/// its character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ebcdic(&'static str);

impl Ebcdic {
    pub(crate) const CP037: Self = Self("");
    pub(crate) const CP273: Self = Self(CP273_CHANGES);
    pub(crate) const CP424: Self = Self(CP424_CHANGES);
    pub(crate) const CP500: Self = Self(CP500_CHANGES);
    pub(crate) const CP875: Self = Self(CP875_CHANGES);
    pub(crate) const CP1026: Self = Self(CP1026_CHANGES);
    pub(crate) const CP1140: Self = Self(CP1140_CHANGES);

    /// Returns the characters of all bytes; `None` for undefined ones.
    pub(crate) fn chars(self) -> [Option<char>; 256] {
        let mut own = CP037_CHARS.chars();
        let chars = array::from_fn(|byte| match byte {
            0x05 => Some('\t'),
            0x0D => Some('\r'),
            0x15 => Some(NEW_LINE),
            0x25 => Some('\n'),
            // Not the characters of CPython, but controls as well.
            0..FIRST => Some('\0'),
            _ => own.next(),
        });
        with_changes(chars, 0, self.0)
    }
}

/// The character that CPython has for 15.
pub(crate) const NEW_LINE: char = '\u{85}';

/// The byte of a space, and the first of a printable character.
pub(crate) const SPACE: u8 = 0x40;
const FIRST: usize = SPACE as usize;

/// Returns whether a byte is a control that text does not have.
pub(crate) fn is_control(byte: u8) -> bool {
    byte < SPACE && !matches!(byte, 0x05 | 0x0C | 0x0D | 0x15 | 0x25)
}

/// cp037: United States, Canada, the Netherlands, Portugal, Brazil.
const CP037_CHARS: &str = "\
    \u{20}\u{A0}âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_\
    >?øÉÊËÈÍÎÏÌ`:#@'=\"Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤µ~stu\
    vwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×{ABCDEFGHI\u{AD}ôöòóõ}JKLMNOP\
    QR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u{9F}";
/// International.
const CP500_CHANGES: &str = "J[O!Z]_^°¢º¬»|";
/// German.
const CP273_CHANGES: &str = "C{JÄO!Y~ZÜ_^c[jö|§¡ß°¢µ@º¬»|¼‾ÀäÌ¦ÐüÜ}àÖì\\ü]";
/// US with the euro sign.
const CP1140_CHANGES: &str = "\u{9F}€";
/// Turkish.
const CP1026_CHANGES: &str = "\
    H{JÇO!ZĞ[İ_^h[jşyı{Ö|Ş\u{7F}Ü\u{8C}}\u{8D}`\u{8E}¦¡ö¬]\u{AD}$®@°¢º¬»|ÀçÌ~ÐğÜ\\àüì#ü\"";
/// Hebrew.
const CP424_CHANGES: &str = "\
    A\u{5D0}B\u{5D1}C\u{5D2}D\u{5D3}E\u{5D4}F\u{5D5}G\u{5D6}H\u{5D7}I\u{5D8}Q\u{5D9}R\u{5DA}S\u{5DB}T\u{5DC}\
    U\u{5DD}V\u{5DE}W\u{5DF}X\u{5E0}Y\u{5E1}b\u{5E2}c\u{5E3}d\u{5E4}e\u{5E5}f\u{5E6}g\u{5E7}h\u{5E8}i\u{5E9}\
    p�q\u{5EA}r�s�t\u{A0}u�v�w�x‗\u{80}�\u{8C}�\u{8D}�\u{8E}�\u{9A}�\u{9B}�\u{9C}�\u{9E}�ª�«�¬�\u{AD}�®�Ë�Ì�\
    Í�Î�Ï�Û�Ü�Ý�Þ�ß�ë�ì�í�î�ï�û�ü�ý�þ�";
/// Greek.
const CP875_CHANGES: &str = "\
    AΑBΒCΓDΔEΕFΖGΗHΘIΙJ[O!QΚRΛSΜTΝUΞVΟWΠXΡYΣZ]_^bΤcΥdΦeΧfΨgΩhΪiΫj|p¨qΆrΈsΉt\u{A0}uΊvΌwΎxΏ\u{80}΅\u{8A}α\
    \u{8B}β\u{8C}γ\u{8D}δ\u{8E}ε\u{8F}ζ\u{9A}η\u{9B}θ\u{9C}ι\u{9D}κ\u{9E}λ\u{9F}μ\u{A0}´ªν«ξ¬ο\u{AD}π®ρ¯σ°£\
    ±ά²έ³ή´ϊµί¶ό·ύ¸ϋ¹ώºς»τ¼υ½φ¾χ¿ψËωÌΐÍΰÎ‘Ï―Ú±Û½Ü\u{1A}Ý·Þ’ß¦á\u{1A}ë§ì\u{1A}í\u{1A}î«ï¬û©ü\u{1A}ý\u{1A}þ»";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_changes_are_those_of_ibm() {
        assert_eq!(CP037_CHARS.chars().count(), 192);
        let text = |table: Ebcdic, bytes: &[u8]| -> String {
            bytes.iter().filter_map(|&byte| table.chars()[usize::from(byte)]).collect()
        };
        let hello = [0xC8, 0x85, 0x93, 0x93, 0x96, 0x40, 0xF1, 0x5A, 0x25];
        assert_eq!(text(Ebcdic::CP037, &hello), "Hello 1!\n");
        assert_eq!(text(Ebcdic::CP500, &hello), "Hello 1]\n");
        assert_eq!(text(Ebcdic::CP1140, &[0x9F]), "€");
        assert_eq!(text(Ebcdic::CP424, &[0x41, 0x70]), "א");
        assert_eq!(text(Ebcdic::CP875, &[0x8A]), "α");
    }
}
