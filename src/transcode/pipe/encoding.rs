//! Encodings as they are asked for by name.

use std::sync::Arc;

use super::scheme::Scheme;
use crate::kernels::order::Order;
use crate::transcode::Page;

/// An encoding: how its characters are bytes, and whether its texts begin with a byte order mark.
#[derive(Clone, Debug)]
pub(crate) struct Encoding {
    pub name: Arc<str>,
    /// The name that Python has for it in exceptions.
    pub told: Arc<str>,
    pub kind: Kind,
    /// Whether a mark at the start is read, and written, without being asked for. In UTF-16 and UTF-32 it then tells
    /// the byte order, too.
    pub marked: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Scheme(Scheme),
    /// One of several bytes a character, or with a state.
    Legacy(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// The encoding that Python's codec of this name has, if it is one of Unicode, or a part of it.
    pub(crate) fn unicode(name: &str) -> Option<Self> {
        let (scheme, marked) = match name {
            "ascii" => (Scheme::Ascii, false),
            "iso8859-1" => (Scheme::Latin1, false),
            "utf-8" => (Scheme::Utf8, false),
            "utf-8-sig" => (Scheme::Utf8, true),
            "utf-16" => (Scheme::Utf16(Order::NATIVE), true),
            "utf-16-le" => (Scheme::Utf16(Order::Little), false),
            "utf-16-be" => (Scheme::Utf16(Order::Big), false),
            "utf-32" => (Scheme::Utf32(Order::NATIVE), true),
            "utf-32-le" => (Scheme::Utf32(Order::Little), false),
            "utf-32-be" => (Scheme::Utf32(Order::Big), false),
            _ => return None,
        };
        let told = match scheme {
            Scheme::Utf8 => "utf-8",
            Scheme::Latin1 => "latin-1",
            _ => name,
        };
        Some(Self { name: name.into(), told: told.into(), kind: Kind::Scheme(scheme), marked })
    }

    /// The single-byte encoding whose bytes from 80 on are these characters.
    pub(crate) fn page(name: &str, high: &[Option<char>; 128]) -> Option<Self> {
        let page = Page::shared(high)?;
        let kind = Kind::Scheme(Scheme::Page(page));
        Some(Self { name: name.into(), told: "charmap".into(), kind, marked: false })
    }

    /// The encoding that the WHATWG's Encoding Standard has under this label.
    pub(crate) fn whatwg(label: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        let kind = if encoding == encoding_rs::UTF_8 {
            Kind::Scheme(Scheme::Utf8)
        } else if encoding == encoding_rs::UTF_16LE {
            Kind::Scheme(Scheme::Utf16(Order::Little))
        } else if encoding == encoding_rs::UTF_16BE {
            Kind::Scheme(Scheme::Utf16(Order::Big))
        } else {
            match Page::of(encoding) {
                Some(page) => Kind::Scheme(Scheme::Page(page)),
                None => Kind::Legacy(encoding),
            }
        };
        let name: Arc<str> = encoding.name().to_ascii_lowercase().into();
        Some(Self { name: name.clone(), told: name, kind, marked: false })
    }

    /// A byte order mark in this encoding; nothing if it has none.
    pub(crate) fn mark(&self) -> &'static [u8] {
        match self.kind {
            Kind::Scheme(scheme) => scheme.mark(),
            Kind::Legacy(encoding) if encoding == encoding_rs::GB18030 => b"\x84\x31\x95\x33",
            Kind::Legacy(_) => b"",
        }
    }

    /// The marks that may stand at the start of a text, and what each tells of the rest.
    pub(crate) fn marks(&self) -> Vec<(&'static [u8], Kind)> {
        let orders = match self.kind {
            Kind::Scheme(Scheme::Utf16(_)) if self.marked => [Order::Little, Order::Big].map(Scheme::Utf16),
            Kind::Scheme(Scheme::Utf32(_)) if self.marked => [Order::Little, Order::Big].map(Scheme::Utf32),
            _ if self.mark().is_empty() => return vec![],
            kind => return vec![(self.mark(), kind)],
        };
        orders.map(|scheme| (scheme.mark(), Kind::Scheme(scheme))).to_vec()
    }
}
