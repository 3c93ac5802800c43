//! ISO-2022-JP: ASCII in which escape sequences tell that Japanese follows (RFC 1468).

/// What the escape sequences of some ASCII tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Escapes {
    /// Katakana of half the width, or JIS X 0212.
    extended: bool,
    /// Characters that only the Encoding Standard has, from NEC and IBM.
    browsers: bool,
}

impl Escapes {
    pub(super) const NAMES: [&str; 2] = ["iso2022_jp", "iso2022_jp_ext"];

    /// `None` if there is no Japanese.
    pub(super) fn of(data: &[u8]) -> Option<Self> {
        let mut found = None;
        let mut places = memchr::memchr_iter(0x1B, data).peekable();
        while let Some(at) = places.next() {
            let rest = &data[at + 1..places.peek().copied().unwrap_or(data.len())];
            let mut switch = |extended, browsers| {
                let before = found.unwrap_or(Self { extended: false, browsers: false });
                found = Some(Self {
                    extended: before.extended || extended,
                    browsers: before.browsers || browsers,
                });
            };
            match rest {
                [b'$', b'@' | b'B', pairs @ ..] => {
                    switch(false, pairs.chunks_exact(2).any(|pair| matches!(pair[0], 0x2D | 0x79..=0x7C)));
                }
                [b'$', b'(', b'D', ..] | [b'(', b'I', ..] => switch(true, false),
                // Back to ASCII, or cut.
                [b'(', b'B' | b'J', ..] | [] | [b'$' | b'('] | [b'$', b'('] => {}
                _ => return None,
            }
        }
        found
    }

    /// The name of Python's codec.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES[usize::from(self.extended)]
    }

    /// Whether Python's codec lacks some characters.
    pub(super) fn is_browsers(self) -> bool {
        self.browsers
    }
}
