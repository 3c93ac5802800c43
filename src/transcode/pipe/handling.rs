//! Error handlers: what CPython's own ones put in the place of what cannot be decoded or encoded.

use super::scheme::{Broken, Scheme};

/// A built-in error handler, in Python's words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handling {
    Strict,
    Ignore,
    Replace,
    BackslashReplace,
    XmlCharRefReplace,
    /// It asks for the names of characters.
    NameReplace(fn(char) -> Option<String>),
    SurrogateEscape,
    SurrogatePass,
}

/// What is written instead of a character.
pub(crate) enum Instead {
    Text(String),
    Bytes(Vec<u8>),
}

impl Handling {
    /// The handler of this name; `name_of` tells the names of characters.
    pub(crate) fn named(name: &str, name_of: fn(char) -> Option<String>) -> Option<Self> {
        Some(match name {
            "strict" => Self::Strict,
            "ignore" => Self::Ignore,
            "replace" => Self::Replace,
            "backslashreplace" => Self::BackslashReplace,
            "xmlcharrefreplace" => Self::XmlCharRefReplace,
            "namereplace" => Self::NameReplace(name_of),
            "surrogateescape" => Self::SurrogateEscape,
            "surrogatepass" => Self::SurrogatePass,
            _ => return None,
        })
    }

    /// Whether it mends what cannot be decoded; the others only know how to encode.
    pub(crate) fn decodes(self) -> bool {
        !matches!(self, Self::XmlCharRefReplace | Self::NameReplace(_))
    }

    /// Puts into `text` what stands for what is broken at the start of `rest`, in generalized UTF-8, which has
    /// surrogates. Returns how many bytes that stands for; `None` if this handler does not mend it. `scheme` is none
    /// for encodings that have no surrogates.
    pub(crate) fn decode(
        self,
        scheme: Option<Scheme>,
        rest: &[u8],
        broken: Broken,
        text: &mut Vec<u8>,
    ) -> Option<usize> {
        let mut push = |value| Scheme::Utf8.push(value, true, text);
        match self {
            Self::Strict | Self::XmlCharRefReplace | Self::NameReplace(_) => return None,
            Self::Ignore => {}
            Self::Replace => {
                push(char::REPLACEMENT_CHARACTER.into());
            }
            Self::BackslashReplace => {
                for byte in &rest[..broken.length] {
                    text.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
                }
            }
            Self::SurrogateEscape => {
                // As many as CPython's handler takes at once.
                let escaped = rest[..broken.length.min(4)].iter().take_while(|byte| !byte.is_ascii());
                let length = escaped.map(|&byte| push(0xDC00 | u32::from(byte))).count();
                return (length > 0).then_some(length);
            }
            Self::SurrogatePass => {
                let (value, length) = scheme?.surrogate(rest)?;
                push(value);
                return Some(length);
            }
        }
        Some(broken.length)
    }

    /// What is written instead of a code point that `scheme` lacks; `None` if this handler does not mend that.
    pub(crate) fn encode(self, scheme: Option<Scheme>, value: u32) -> Option<Instead> {
        let text = |text: &str| Some(Instead::Text(text.to_owned()));
        match self {
            Self::Strict => None,
            Self::Ignore => text(""),
            Self::Replace => text("?"),
            Self::BackslashReplace => text(&escaped(value)),
            Self::XmlCharRefReplace => text(&format!("&#{value};")),
            Self::NameReplace(name_of) => match char::from_u32(value).and_then(name_of) {
                Some(name) => text(&format!("\\N{{{name}}}")),
                None => text(&escaped(value)),
            },
            Self::SurrogateEscape => match value {
                0xDC80..=0xDCFF if scheme.is_none_or(|scheme| scheme.unit() == 1) => {
                    Some(Instead::Bytes(vec![value as u8]))
                }
                _ => None,
            },
            Self::SurrogatePass => {
                let mut bytes = vec![];
                scheme?.push(value, true, &mut bytes).then_some(Instead::Bytes(bytes))
            }
        }
    }
}

/// A code point as Python escapes it.
fn escaped(value: u32) -> String {
    match value {
        ..0x100 => format!("\\x{value:02x}"),
        0x100..0x1_0000 => format!("\\u{value:04x}"),
        _ => format!("\\U{value:08x}"),
    }
}
