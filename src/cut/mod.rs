//! Cuts of texts: truncation to a limit, and splitting at characters, lines or grapheme clusters.

pub(crate) mod limit;
pub(crate) mod split;
pub(crate) mod truncate;
