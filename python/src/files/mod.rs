//! The files of the command: found below paths, read and scanned on several threads, without the interpreter.

mod git_config;
mod in_order;
mod open;
mod patterns;
mod pool;
mod rules;
mod shared;
mod tables;
mod walk;

pub(crate) use pool::{FileOutcome, FileTask, Pool, PoolItem};
pub(crate) use tables::TableFormats;
pub(crate) use walk::{Selection, Walk};

/// The number of bytes read at once: they stay in the second-level cache until they are scanned.
const BLOCK_BYTES: usize = 512 << 10;
