//! What happens to each row.

use super::error::{ColumnError, RowError};
use super::invalid::is_valid;
use super::layout::CHANGED;
use crate::allocation::try_extend;
use crate::audit::{Audit, Policy, sanitize_with};
use crate::cut::limit::Utf8Text;
use crate::cut::truncate::Limit;
use crate::encodings::error_handler::escape_sequence;
use crate::error_iter::ErrorIter;
use crate::progress::Progress;
use crate::repair::{MeasuredRepair, REPLACEMENT, Replacement};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::try_append;
use crate::unicode::{Form, normalize_text};

/// Which rows an operation must be asked about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Affects {
    /// Those that are not UTF-8.
    Invalid,
    /// Those that are not ASCII.
    NonAscii,
    All,
}

/// An operation on rows.
pub trait Operation: Sync {
    /// Returns which rows may change or fail.
    fn affects(&self) -> Affects;

    /// Returns the outcome for a row that is not null. If it changes, its new text is appended to the text of
    /// `changes`. `copy` is memory for a copy of the row.
    fn outcome(
        &self,
        by: Implementation,
        row: &[u8],
        copy: &mut Vec<u8>,
        changes: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<RowOutcome, ColumnError>;
}

/// The outcome of an operation on a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RowOutcome {
    Same,
    Changed,
    Null,
    /// It is not UTF-8, and the operation requires that.
    Invalid,
}

/// Returns the error of a row that is not UTF-8.
#[cold]
pub(super) fn row_error(by: Implementation, row: usize, bytes: &[u8]) -> Result<ColumnError, ColumnError> {
    let mut data = Vec::new();
    try_extend(&mut data, bytes)?;
    Ok(match ErrorIter::new(by, &data).next_error() {
        Some(error) => ColumnError::Row(Box::new(RowError { row, data, error })),
        None => CHANGED,
    })
}

/// What happens to rows that are not UTF-8.
#[derive(Clone, Copy)]
pub enum Errors<'a> {
    /// An error of the first row with invalid UTF-8.
    Strict,
    /// Each error is replaced.
    Replace(&'a str),
    /// Each byte of an error becomes `\x` with its two hexadecimal digits, as CPython's `backslashreplace` does.
    Escape,
    /// Null for a row with invalid UTF-8.
    Null,
}

impl Errors<'_> {
    /// U+FFFD for each maximal subpart.
    pub const REPLACE: Self = Errors::Replace(REPLACEMENT);
}

impl Operation for Errors<'_> {
    fn affects(&self) -> Affects {
        Affects::Invalid
    }

    fn outcome(
        &self,
        by: Implementation,
        row: &[u8],
        _: &mut Vec<u8>,
        changes: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<RowOutcome, ColumnError> {
        match self {
            Self::Strict => return Ok(RowOutcome::Invalid),
            Self::Null => return Ok(RowOutcome::Null),
            Self::Replace(replacement) => {
                let repair = MeasuredRepair::of(by, row, Replacement::by(replacement.as_bytes()), progress)?;
                let mut outcome = Ok(0);
                try_append(changes, repair.length(), |out| {
                    outcome = repair.write(out, progress);
                    outcome.as_ref().ok().copied()
                })?;
                outcome?;
            }
            Self::Escape => {
                let mut kept = 0;
                for error in ErrorIter::new(by, row) {
                    let (start, end) = (error.start() as usize, error.end() as usize);
                    try_extend(changes, row.get(kept..start).unwrap_or_default())?;
                    for &byte in error.bytes() {
                        try_extend(changes, &escape_sequence(byte))?;
                    }
                    progress(end - kept)?;
                    kept = end;
                }
                try_extend(changes, row.get(kept..).unwrap_or_default())?;
            }
        }
        Ok(RowOutcome::Changed)
    }
}

/// A limit of the length of rows, and what replaces the rest.
pub struct TruncateRows<'a> {
    /// The length that rows may have.
    pub limit: Limit,
    /// The text in place of a removed part.
    pub ellipsis: &'a str,
    /// Whether rows must be UTF-8.
    pub is_text: bool,
}

impl Operation for TruncateRows<'_> {
    fn affects(&self) -> Affects {
        Affects::All
    }

    fn outcome(
        &self,
        by: Implementation,
        row: &[u8],
        _: &mut Vec<u8>,
        changes: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<RowOutcome, ColumnError> {
        if self.is_text && !is_valid(by, row) {
            return Ok(RowOutcome::Invalid);
        }
        let Some(removed) = self.limit.removed(by, Utf8Text(row), progress)? else {
            return Ok(RowOutcome::Same);
        };
        for part in [&row[..removed.start], self.ellipsis.as_bytes(), &row[removed.end..]] {
            try_extend(changes, part)?;
        }
        Ok(RowOutcome::Changed)
    }
}

/// A normalization form of rows, which must be UTF-8.
pub struct NormalizeRows(pub Form);

impl Operation for NormalizeRows {
    fn affects(&self) -> Affects {
        Affects::NonAscii
    }

    fn outcome(
        &self,
        by: Implementation,
        row: &[u8],
        copy: &mut Vec<u8>,
        changes: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<RowOutcome, ColumnError> {
        let Some(text) = own_text(by, row, copy)? else { return Ok(RowOutcome::Invalid) };
        match normalize_text(by, self.0, text, progress)? {
            Some(normalized) => {
                try_extend(changes, &normalized)?;
                Ok(RowOutcome::Changed)
            }
            None => Ok(RowOutcome::Same),
        }
    }
}

/// Rows without what a policy finds in them.
pub struct SanitizeRows<'a> {
    /// The policy.
    pub policy: Policy,
    /// The replacement of each finding, in which the policy finds nothing.
    pub replacement: &'a str,
}

impl Operation for SanitizeRows<'_> {
    fn affects(&self) -> Affects {
        Affects::All
    }

    fn outcome(
        &self,
        by: Implementation,
        row: &[u8],
        copy: &mut Vec<u8>,
        changes: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<RowOutcome, ColumnError> {
        if Audit::of(by, self.policy).next(row, progress)?.is_none() {
            return Ok(RowOutcome::Same);
        }
        // The borrowed row might change meanwhile.
        copy.clear();
        try_extend(copy, row)?;
        let sanitized = sanitize_with(
            &mut Audit::of(by, self.policy),
            copy,
            self.replacement.as_bytes(),
            progress,
            |_| Ok(()),
        )?;
        try_extend(changes, sanitized.text.as_deref().unwrap_or(copy))?;
        Ok(RowOutcome::Changed)
    }
}

/// Returns a copy of a row, made in `copy`, if it is UTF-8. The borrowed row might change meanwhile.
pub(super) fn own_text<'a>(
    by: Implementation,
    row: &[u8],
    copy: &'a mut Vec<u8>,
) -> Result<Option<&'a str>, ColumnError> {
    copy.clear();
    try_extend(copy, row)?;
    if !is_valid(by, copy) {
        return Ok(None);
    }
    // SAFETY: the copy was just validated.
    Ok(Some(unsafe { str::from_utf8_unchecked(copy) }))
}
