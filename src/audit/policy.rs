//! Kinds of hidden characters, and the policies: which of them are findings.

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// U+0000.
    Nul,
    /// Another control (`Cc`), but a tab and the ends of lines.
    Control,
    /// A control of direction (`Bidi_Control`).
    BidiControl,
    /// A tag, U+E0000 to U+E007F.
    Tag,
    /// Another character that is not shown (`Default_Ignorable_Code_Point`), assigned or not, or a mark of an
    /// interlinear annotation.
    Invisible,
    /// A variation selector.
    VariationSelector,
    /// A noncharacter.
    Noncharacter,
    /// A character of private use.
    PrivateUse,
    /// A code point that the version of Unicode does not assign.
    Unassigned,
    /// A character of four bytes.
    FourByte,
    /// U+FEFF that is not at the start of the text.
    InnerBom,
    /// U+2028 or U+2029.
    LineSeparator,
    /// A surrogate, which only a str of Python can have.
    Surrogate,
    /// A line end that not all programs take for one: a carriage return alone, U+000B, U+000C or U+0085.
    ConfusableNewline,
    /// Bytes that are not UTF-8: an error, with its maximal subpart as the span.
    Invalid,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 15] = [
        Self::Nul,
        Self::Control,
        Self::BidiControl,
        Self::Tag,
        Self::Invisible,
        Self::VariationSelector,
        Self::Noncharacter,
        Self::PrivateUse,
        Self::Unassigned,
        Self::FourByte,
        Self::InnerBom,
        Self::LineSeparator,
        Self::Surrogate,
        Self::ConfusableNewline,
        Self::Invalid,
    ];

    /// Returns its name, `"bidi_control"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nul => "nul",
            Self::Control => "control",
            Self::BidiControl => "bidi_control",
            Self::Tag => "tag",
            Self::Invisible => "invisible",
            Self::VariationSelector => "variation_selector",
            Self::Noncharacter => "noncharacter",
            Self::PrivateUse => "private_use",
            Self::Unassigned => "unassigned",
            Self::FourByte => "four_byte",
            Self::InnerBom => "inner_bom",
            Self::LineSeparator => "line_separator",
            Self::Surrogate => "surrogate",
            Self::ConfusableNewline => "confusable_newline",
            Self::Invalid => "invalid",
        }
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(u16);

impl Kinds {
    /// Returns the set of these kinds. Surrogates and invalid bytes are in every set: text that has them cannot be
    /// stored as UTF-8.
    pub const fn of(kinds: &[Kind]) -> Self {
        let mut set = 1 << Kind::Surrogate as u16 | 1 << Kind::Invalid as u16;
        let mut at = 0;
        while at < kinds.len() {
            set |= 1 << kinds[at] as u16;
            at += 1;
        }
        Self(set)
    }

    /// Returns whether a kind is in the set.
    #[inline]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 >> kind as u16 & 1 != 0
    }
}

/// Characters that belong to a text, and are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Allowed {
    /// Nothing.
    Nothing,
    /// Emoji sequences, joiners where spelling uses them, standardized variation sequences, pairs of controls of
    /// direction, and a form feed that starts a line.
    Text,
    /// Joiners in the contexts of UAX 31.
    Joiners,
}

/// A policy: which characters are findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    pub(super) kinds: Kinds,
    pub(super) allowed: Allowed,
    pub(super) only: Only,
}

/// A restriction of the kinds of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Only {
    /// All characters.
    All,
    /// Those that XML 1.0 excludes.
    Xml,
    /// Those that JSON, or I-JSON, excludes.
    Json,
}

use Kind::{
    BidiControl, ConfusableNewline, Control, FourByte, InnerBom, Invisible, LineSeparator, Noncharacter, Nul,
    PrivateUse, Tag, Unassigned, VariationSelector,
};

impl Policy {
    /// Source code, by UTS 55 (Unicode Source Code Handling): what may show a program as another than it is. Pairs of
    /// controls of direction that are closed on their line are allowed, as are the marks U+200E, U+200F and U+061C.
    pub const SOURCE_CODE: Self = Self {
        kinds: Kinds::of(&[
            Nul,
            Control,
            BidiControl,
            Tag,
            Invisible,
            VariationSelector,
            Noncharacter,
            InnerBom,
            LineSeparator,
            ConfusableNewline,
        ]),
        allowed: Allowed::Text,
        only: Only::All,
    };

    /// Input of a language model: what a model reads and people do not see ("ASCII smuggling" by tags and variation
    /// selectors: OWASP LLM01:2025, Prompt Injection), terminal escapes, and private use.
    pub const LLM_INPUT: Self = Self {
        kinds: Kinds::of(&[
            Nul,
            Control,
            BidiControl,
            Tag,
            Invisible,
            VariationSelector,
            Noncharacter,
            PrivateUse,
            InnerBom,
        ]),
        allowed: Allowed::Text,
        only: Only::All,
    };

    /// PostgreSQL, whose text has no U+0000 (PostgreSQL's documentation, section 8.3).
    pub const POSTGRESQL: Self =
        Self { kinds: Kinds::of(&[Nul]), allowed: Allowed::Nothing, only: Only::All };

    /// MySQL's character set utf8mb3, whose characters have at most three bytes (MySQL's manual, "The utf8mb3 Character
    /// Set").
    pub const MYSQL_UTF8MB3: Self =
        Self { kinds: Kinds::of(&[FourByte]), allowed: Allowed::Nothing, only: Only::All };

    /// XML 1.0, fifth edition: what its production 2, `Char`, excludes.
    pub const XML_1_0: Self = Self {
        kinds: Kinds::of(&[Nul, Control, ConfusableNewline, Noncharacter]),
        allowed: Allowed::Nothing,
        only: Only::Xml,
    };

    /// JSON: controls, which RFC 8259 (section 7) has escaped in strings and nowhere else, byte order marks (section
    /// 8.1), and the noncharacters that RFC 7493, I-JSON, excludes (section 2.1).
    pub const JSON: Self = Self {
        kinds: Kinds::of(&[Nul, Control, ConfusableNewline, Noncharacter, InnerBom]),
        allowed: Allowed::Nothing,
        only: Only::Json,
    };

    /// Identifiers, by UAX 31 and the general security profile of UTS 39: all hidden characters but joiners in the
    /// contexts A1, A2 and B of UAX 31.
    pub const IDENTIFIER: Self = Self {
        kinds: Kinds::of(&[
            Nul,
            Control,
            BidiControl,
            Tag,
            Invisible,
            VariationSelector,
            Noncharacter,
            PrivateUse,
            Unassigned,
            InnerBom,
            LineSeparator,
            ConfusableNewline,
        ]),
        allowed: Allowed::Joiners,
        only: Only::All,
    };

    /// The policies with their names.
    pub const NAMED: [(&'static str, Self); 7] = [
        ("source-code", Self::SOURCE_CODE),
        ("llm-input", Self::LLM_INPUT),
        ("postgresql", Self::POSTGRESQL),
        ("mysql-utf8mb3", Self::MYSQL_UTF8MB3),
        ("xml-1.0", Self::XML_1_0),
        ("json", Self::JSON),
        ("identifier", Self::IDENTIFIER),
    ];

    /// Returns the policy by which every character of some kinds is a finding, wherever it is.
    pub const fn of(kinds: Kinds) -> Self {
        Self { kinds, allowed: Allowed::Nothing, only: Only::All }
    }

    /// Returns the kinds of its findings.
    pub const fn kinds(self) -> Kinds {
        self.kinds
    }
}
