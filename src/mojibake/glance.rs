//! A quick look that tells what is surely good.

/// Whether a line may be damaged.
pub(super) fn suspicious(line: &str) -> bool {
    !line.is_ascii()
}
