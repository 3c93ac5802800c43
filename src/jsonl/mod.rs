//! Errors in JSON lines, which programs refuse to load, with their records, fields and offsets.
//!
//! A JSON text may be well-formed (RFC 8259) and still be refused: an escape of a surrogate without its other half
//! (section 8.2) is not a character, and databases do not store U+0000. These, bytes that are not UTF-8, byte order
//! marks (section 8.1) and a truncated last record are found here. Nothing else is checked.
//!
//! 1. Whole lines are validated as UTF-8, and searched for the few escapes that may be of this kind (see
//!    [`json_escapes`](crate::kernels::json_escapes)), without knowing where strings start. Whether the backslash is
//!    escaped itself, and whether the other half follows, the bytes around it show.
//! 2. A line in which that finds something is read from its start on, string by string, with a stack of the keys and
//!    indices that lead to each value, and so is a line that continues in the next piece. So each byte is read once
//!    or twice, whatever the line, and no line has to be kept in memory.

mod escape;
mod finding;
mod lines;
mod record;
mod repair;

pub use finding::{Finding, Kind};
pub use lines::JsonLines;
pub use record::Record;
pub use repair::{Edit, Replacement, edited};
