//! ISO-2022-JP: ASCII with escape sequences that switch to Japanese (RFC 1468).

/// The character sets to which escape sequences in ASCII switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Escapes {
    /// Halfwidth katakana, or JIS X 0212.
    extended: bool,
    /// Characters of NEC and IBM that only the Encoding Standard has.
    whatwg_only: bool,
}

impl Escapes {
    pub(super) const NAMES: [&str; 2] = ["iso2022_jp", "iso2022_jp_ext"];

    /// Examines ASCII; `None` if no escape sequence switches to Japanese.
    pub(super) fn of(data: &[u8]) -> Option<Self> {
        let mut found = None;
        let mut places = memchr::memchr_iter(0x1B, data).peekable();
        while let Some(at) = places.next() {
            let rest = &data[at + 1..places.peek().copied().unwrap_or(data.len())];
            let mut switch = |extended, whatwg_only| {
                let before = found.unwrap_or(Self { extended: false, whatwg_only: false });
                found = Some(Self {
                    extended: before.extended || extended,
                    whatwg_only: before.whatwg_only || whatwg_only,
                });
            };
            match rest {
                [b'$', b'@' | b'B', pairs @ ..] => {
                    switch(false, pairs.chunks_exact(2).any(|pair| matches!(pair[0], 0x2D | 0x79..=0x7C)));
                }
                [b'$', b'(', b'D', ..] | [b'(', b'I', ..] => switch(true, false),
                // A switch to ASCII, or an incomplete sequence.
                [b'(', b'B' | b'J', ..] | [] | [b'$' | b'('] | [b'$', b'('] => {}
                _ => return None,
            }
        }
        found
    }

    /// Returns the name of Python's codec.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES[usize::from(self.extended)]
    }

    /// Returns whether Python's codec lacks some of the characters.
    pub(super) fn is_whatwg_only(self) -> bool {
        self.whatwg_only
    }
}
