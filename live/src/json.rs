//! JSON (RFC 8259), written in the order of the calls.

use core::fmt::{Display, Write};

/// A JSON text that is being written.
#[derive(Default)]
pub(crate) struct Json {
    text: String,
    /// Whether the next value of an array or member of an object follows another.
    follows: bool,
}

impl Json {
    /// Writes an object with the members that `members` writes.
    pub(crate) fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.enclosed('{', '}', members);
    }

    /// Writes an array with the values that `values` writes.
    pub(crate) fn array(&mut self, values: impl FnOnce(&mut Self)) {
        self.enclosed('[', ']', values);
    }

    /// Writes the name of a member, whose value has to follow.
    pub(crate) fn name(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.text.push(':');
        self.follows = false;
        self
    }

    /// Writes a string.
    pub(crate) fn string(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        for character in value.chars() {
            match character {
                '"' | '\\' => self.text.extend(['\\', character]),
                '\0'..='\x1F' => self.add(format_args!("\\u{:04x}", u32::from(character))),
                _ => self.text.push(character),
            }
        }
        self.text.push('"');
    }

    /// Writes a string, or `null`.
    pub(crate) fn optional(&mut self, value: Option<impl AsRef<str>>) {
        match value {
            Some(value) => self.string(value.as_ref()),
            None => self.plain("null"),
        }
    }

    /// Writes a number, or `null`.
    pub(crate) fn optional_plain(&mut self, value: Option<impl Display>) {
        match value {
            Some(value) => self.plain(value),
            None => self.plain("null"),
        }
    }

    /// Writes a number, `true`, `false` or `null`.
    pub(crate) fn plain(&mut self, value: impl Display) {
        self.separate();
        self.add(format_args!("{value}"));
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn enclosed(&mut self, open: char, close: char, inside: impl FnOnce(&mut Self)) {
        self.separate();
        self.text.push(open);
        self.follows = false;
        inside(self);
        self.text.push(close);
        self.follows = true;
    }

    fn separate(&mut self) {
        if self.follows {
            self.text.push(',');
        }
        self.follows = true;
    }

    fn add(&mut self, value: core::fmt::Arguments<'_>) {
        self.text.write_fmt(value).expect("a String takes everything");
    }
}
