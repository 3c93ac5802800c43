//! Columns of bytes and strings in Arrow's layouts: validation, decoding and counting of each row.
//!
//! A column arrives through the Arrow C data interface ([`interface`]), is read as rows of bytes ([`layout`]), and
//! leaves as an array that shares all buffers that need no change.
//!
//! [`invalid`] finds the rows that are not UTF-8, in blocks of rows. [`operations`] say what becomes of a row,
//! [`changes`] collects and applies that, [`column`] does so over threads, dictionaries and runs. [`measure`] counts,
//! and [`errors`] lists all errors.

mod bitmap;
mod changes;
pub(crate) mod column;
pub(crate) mod error;
pub(crate) mod errors;
pub(crate) mod interface;
mod invalid;
mod layout;
pub(crate) mod measure;
pub(crate) mod operations;
