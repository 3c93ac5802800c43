//! Encodings by name.

use std::sync::Arc;

use super::scheme::Scheme;
use super::{SingleByteEncoding, bom};
use crate::kernels::order::Order;

/// An encoding with its name: how characters become bytes, and whether texts begin with a byte order mark.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// The name of the encoding.
    pub name: Arc<str>,
    /// The name in Python's exceptions.
    pub exception_name: Arc<str>,
    /// How characters are encoded.
    pub mapping: Mapping,
    /// Whether a byte order mark is consumed and written by default. In UTF-16 and UTF-32 it also determines the byte
    /// order.
    pub has_signature: bool,
}

/// The mapping between characters and bytes.
#[derive(Clone, Copy, Debug)]
pub enum Mapping {
    /// An encoding of this crate.
    Scheme(Scheme),
    /// A multi-byte or stateful legacy encoding.
    Legacy(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// Returns the encoding of Python's codec of this name if it is a Unicode encoding scheme, ASCII or Latin-1.
    pub fn unicode(name: &str) -> Option<Self> {
        let (scheme, has_signature) = match name {
            "utf-8-sig" => (Scheme::Utf8, true),
            "utf-16" => (Scheme::Utf16(Order::NATIVE), true),
            "utf-32" => (Scheme::Utf32(Order::NATIVE), true),
            _ => {
                let mut schemes =
                    [Scheme::Ascii, Scheme::Latin1, Scheme::Utf8].into_iter().chain(Scheme::WIDE);
                (schemes.find(|scheme| scheme.name() == Some(name))?, false)
            }
        };
        let exception_name = match scheme {
            Scheme::Utf8 => "utf-8",
            Scheme::Latin1 => "latin-1",
            _ => name,
        };
        let mapping = Mapping::Scheme(scheme);
        Some(Self { name: name.into(), exception_name: exception_name.into(), mapping, has_signature })
    }

    /// Returns the single-byte encoding whose bytes 80 to FF are these characters, or `None` if one of them is ASCII or
    /// beyond U+FFFF.
    pub fn single_byte(name: &str, high: &[Option<char>; 128]) -> Option<Self> {
        let mapping = Mapping::Scheme(Scheme::SingleByte(SingleByteEncoding::shared(high)?));
        Some(Self { name: name.into(), exception_name: "charmap".into(), mapping, has_signature: false })
    }

    /// Returns the encoding that the WHATWG Encoding Standard has for a label.
    pub fn whatwg(label: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        let mapping = if encoding == encoding_rs::UTF_8 {
            Mapping::Scheme(Scheme::Utf8)
        } else if encoding == encoding_rs::UTF_16LE {
            Mapping::Scheme(Scheme::Utf16(Order::Little))
        } else if encoding == encoding_rs::UTF_16BE {
            Mapping::Scheme(Scheme::Utf16(Order::Big))
        } else {
            match SingleByteEncoding::of(encoding) {
                Some(encoding) => Mapping::Scheme(Scheme::SingleByte(encoding)),
                None => Mapping::Legacy(encoding),
            }
        };
        let name: Arc<str> = encoding.name().to_ascii_lowercase().into();
        Some(Self { name: name.clone(), exception_name: name, mapping, has_signature: false })
    }

    /// Returns the byte order mark; it is empty if the encoding has none.
    pub fn bom(&self) -> &'static [u8] {
        match self.mapping {
            Mapping::Scheme(scheme) => scheme.bom(),
            Mapping::Legacy(encoding) if encoding == encoding_rs::GB18030 => bom::GB18030,
            Mapping::Legacy(_) => b"",
        }
    }

    /// Returns the byte order marks with which a text may begin, and the mapping that each implies for the rest.
    pub fn boms(&self) -> Vec<(&'static [u8], Mapping)> {
        let by_order = |wide: fn(Order) -> Scheme| {
            [Order::Little, Order::Big]
                .map(wide)
                .map(|scheme| (scheme.bom(), Mapping::Scheme(scheme)))
                .to_vec()
        };
        match self.mapping {
            Mapping::Scheme(Scheme::Utf16(_)) if self.has_signature => by_order(Scheme::Utf16),
            Mapping::Scheme(Scheme::Utf32(_)) if self.has_signature => by_order(Scheme::Utf32),
            _ if self.bom().is_empty() => vec![],
            mapping => vec![(self.bom(), mapping)],
        }
    }
}
