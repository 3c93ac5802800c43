//! Reading the characters of a text in either direction.

/// A text whose characters can be read in either direction.
#[cfg_attr(not(feature = "unicode"), expect(dead_code))]
pub trait Characters: Copy {
    /// Returns the length in stored units: bytes, or the code units of a str.
    fn length(self) -> usize;

    /// Returns the character at an offset, U+FFFD for an error, and its end; `None` at the end of the text.
    fn next(self, at: usize) -> Option<(u32, usize)>;

    /// Returns the character that ends at an offset, U+FFFD for an error, and its start; `None` at the start.
    fn previous(self, at: usize) -> Option<(u32, usize)>;

    /// Returns the nearest boundary between characters at or before an offset.
    fn floor(self, at: usize) -> usize;
}
