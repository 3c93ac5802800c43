//! Columns of bytes and strings in Arrow's layouts: what other modules do with a text, for each row.
//!
//! A column arrives through the Arrow C data interface ([`interface`]), is read as rows of bytes ([`layout`]), and
//! leaves as an array that shares all buffers that need no change.
//!
//! [`invalid`] finds the rows that are not UTF-8, in blocks of rows, and [`joined`] copies rows that are far apart.
//! [`operations`] map a row to its result, [`changes`] collects and applies that, [`column`] does so over threads,
//! dictionaries and runs, and [`gather`] copies the values of runs that are split; further operations are in
//! [`transcode`] and [`mojibake`]. [`measure`] counts, [`errors`] lists all errors, [`findings`] hidden characters,
//! and [`detect`] detects encodings. [`flatten`] makes plain rows of dictionaries and runs.

mod bitmap;
mod changes;
pub(crate) mod column;
pub mod detect;
pub(crate) mod error;
pub mod errors;
pub mod findings;
pub(crate) mod flatten;
mod gather;
pub(crate) mod interface;
mod invalid;
mod joined;
mod layout;
pub(crate) mod measure;
mod memory;
pub(crate) mod mojibake;
pub(crate) mod operations;
pub(crate) mod transcode;
