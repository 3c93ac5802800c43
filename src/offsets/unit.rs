//! What offsets count, and what ends lines.

use core::fmt;
use core::str::FromStr;

use crate::kernels::offsets::{BYTES, CHARS, LineEnds, UTF16};

/// What an offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes of UTF-8.
    Byte,
    /// Characters; where the text is not valid, each error is one, U+FFFD.
    Char,
    /// UTF-16 code units of these characters.
    Utf16,
}

impl Unit {
    /// The names, and the names of the encodings in the Language Server Protocol.
    #[doc(hidden)]
    pub const NAMES: [(&str, Self); 6] = [
        ("byte", Self::Byte),
        ("char", Self::Char),
        ("utf16", Self::Utf16),
        ("utf-8", Self::Byte),
        ("utf-32", Self::Char),
        ("utf-16", Self::Utf16),
    ];

    /// Returns the name of one unit, for messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Char => "char",
            Self::Utf16 => "UTF-16 code unit",
        }
    }

    /// Returns what the index calls it.
    #[inline]
    pub(super) fn kind(self) -> usize {
        match self {
            Self::Byte => BYTES,
            Self::Char => CHARS,
            Self::Utf16 => UTF16,
        }
    }
}

impl FromStr for Unit {
    type Err = UnknownName;

    /// Parses "byte", "char" or "utf16", or a name of the Language Server Protocol: "utf-8", "utf-32" or "utf-16".
    ///
    /// ```
    /// use leadbyte::Unit;
    /// assert_eq!("utf-16".parse(), Ok(Unit::Utf16));
    /// let error = "line".parse::<Unit>().unwrap_err();
    /// assert!(error.to_string().starts_with("unknown unit \"line\"; choose one of byte, char, utf16"));
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named(name, "unit", &Self::NAMES)
    }
}

/// What ends a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Newlines {
    /// LF, CR LF and CR, as in the Language Server Protocol.
    #[default]
    Universal,
    /// LF alone.
    Lf,
}

impl Newlines {
    #[doc(hidden)]
    pub const NAMES: [(&str, Self); 2] =
        [(Self::Universal.name(), Self::Universal), (Self::Lf.name(), Self::Lf)];

    /// Returns the name.
    #[doc(hidden)]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Universal => "universal",
            Self::Lf => "lf",
        }
    }

    pub(super) fn line_ends(self) -> LineEnds {
        match self {
            Self::Universal => LineEnds::UNIVERSAL,
            Self::Lf => LineEnds::LF,
        }
    }
}

impl FromStr for Newlines {
    type Err = UnknownName;

    /// Parses "universal" or "lf".
    ///
    /// ```
    /// use leadbyte::Newlines;
    /// assert_eq!("lf".parse(), Ok(Newlines::Lf));
    /// assert!("crlf".parse::<Newlines>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named(name, "kind of newlines", &Self::NAMES)
    }
}

/// Returns the value of a name.
fn named<T: Copy>(name: &str, what: &'static str, known: &[(&'static str, T)]) -> Result<T, UnknownName> {
    known.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| UnknownName {
        what,
        name: name.to_owned(),
        choices: known.iter().map(|&(name, _)| name).collect(),
    })
}

/// A name of no [`Unit`] or no kind of [`Newlines`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    name: String,
    choices: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {:?}; choose one of {}", self.what, self.name, self.choices.join(", "))
    }
}

impl core::error::Error for UnknownName {}
