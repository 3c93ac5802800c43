//! The search for findings.

use core::marker::PhantomData;

use super::bidi::{Unpaired, has_scope};
use super::context::Place;
use super::finding::{Finding, Reason};
use super::policy::{Allowed, Kind, Only, Policy};
use super::properties::properties;
use super::syntax::{Lexer, Syntax};
use crate::allocation::AllocError;
use crate::kernels::candidates::{
    BLOCK_BYTES, Candidates, FindCandidates, GROUP_BYTES, Hidden, HiddenOrPrivate, MAX_BYTES, NonAscii,
    PatternSet,
};
use crate::sequence::boundary::head;
use crate::sequence::{ErrorKind, Sequence, decode_one};
use crate::simd::dispatch::Implementation;

/// The number of bytes that are searched after an error, as errors seldom come alone; then at most twice as many as
/// before.
const MIN_STRETCH_BYTES: usize = BLOCK_BYTES;
/// The maximum number of plain groups between others that are validated with them, as that takes less time than to
/// validate those in two parts.
const MAX_GAP_GROUPS: u32 = 3;

/// The number of stretches that are validated at once in text that is not mostly ASCII.
const AHEAD: usize = 8;

/// The state of a search, without the data: every call gets the same.
#[derive(Clone, Debug)]
pub struct Audit {
    by: Implementation,
    policy: Policy,
    /// Whether the data is the generalized UTF-8 of a str, which may have surrogates.
    generalized: bool,
    /// Whether the data starts where the text does.
    starts_text: bool,
    lexer: Option<Lexer>,
    unpaired: Unpaired,
    /// The stretch whose candidates are known.
    start: usize,
    end: usize,
    candidates: Candidates,
    /// The size of the next stretch.
    stretch_bytes: usize,
    /// An offset before which all is valid.
    valid_end: usize,
    /// The end of the error that starts where the stretch ends.
    error_end: Option<usize>,
}

impl Audit {
    /// Starts a search in bytes.
    pub fn of(by: Implementation, policy: Policy) -> Self {
        Self {
            by,
            policy,
            generalized: false,
            starts_text: true,
            lexer: None,
            unpaired: Unpaired::default(),
            start: 0,
            end: 0,
            candidates: Candidates::default(),
            stretch_bytes: MAX_BYTES,
            valid_end: 0,
            error_end: None,
        }
    }

    /// Makes it a search in the generalized UTF-8 of a str.
    pub fn generalized(self) -> Self {
        Self { generalized: true, ..self }
    }

    /// Makes it a search in source code of some languages.
    pub fn with_syntax(self, syntax: Option<&'static Syntax>) -> Self {
        Self { lexer: syntax.map(Lexer::of), ..self }
    }

    /// Continues in a piece of text that follows `data`, all of which was searched and which ends with a line.
    pub fn next_piece(&mut self, data: &[u8]) {
        if let Some(lexer) = &mut self.lexer {
            lexer.next_piece(data);
        }
        self.starts_text &= data.is_empty();
        (self.start, self.end, self.valid_end) = (0, 0, 0);
        self.candidates.clear();
        self.unpaired = Unpaired::default();
    }

    /// Returns the implementation that it runs on.
    pub fn implementation(&self) -> Implementation {
        self.by
    }

    /// Returns the next finding.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub fn next<E: From<AllocError>>(
        &mut self,
        data: &[u8],
        progress: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Finding>, E> {
        loop {
            while let Some(place) = self.next_candidate() {
                let Some((code_point, length)) = decode_valid(data, place) else { continue };
                // Among candidates the only one that is frequent, in French: no policy has it.
                if code_point == NARROW_NO_BREAK_SPACE {
                    continue;
                }
                let place = Place { data, start: place, end: place + length };
                if let Some(finding) = self.check(place, code_point)? {
                    return Ok(Some(finding));
                }
            }
            if let Some(end) = self.error_end.take() {
                let start = self.end;
                (self.start, self.end) = (end, end);
                self.candidates.clear();
                return Ok(Some(self.error(data, start, end)));
            }
            if self.end >= data.len() {
                return Ok(None);
            }
            let before = self.end;
            self.find_candidates(data);
            progress(self.end - before)?;
        }
    }

    /// Returns the offset of the next candidate of the stretch, and removes it.
    #[inline]
    fn next_candidate(&mut self) -> Option<usize> {
        // An error ends the stretch early.
        self.candidates.next().map(|at| self.start + at).filter(|&at| at < self.end)
    }

    /// Finds the candidates of the next stretch, which ends at the first error in it.
    #[inline(never)]
    fn find_candidates(&mut self, data: &[u8]) {
        let from = self.end;
        let rest = &data[from..];
        let stretch = head(rest, self.stretch_bytes);
        (self.start, self.end) = (from, from + stretch.len());
        self.stretch_bytes = MAX_BYTES.min(2 * self.stretch_bytes);
        let kinds = self.policy.kinds;
        if kinds.contains(Kind::Unassigned) {
            self.find::<NonAscii>(rest, stretch.len());
        } else if kinds.contains(Kind::PrivateUse) || kinds.contains(Kind::FourByte) {
            self.find::<HiddenOrPrivate>(rest, stretch.len());
        } else {
            self.find::<Hidden>(rest, stretch.len());
        }
        self.validate(data);
    }

    /// Ends the stretch at the first error in it.
    fn validate(&mut self, data: &[u8]) {
        let Candidates { unknown: mut groups, dense, .. } = self.candidates;
        if dense {
            // Text that is longer takes less time for each byte.
            if self.valid_end < self.end {
                let ahead = head(&data[self.start..], (self.end - self.start) * AHEAD);
                if self.validate_part(ahead, self.start) {
                    self.valid_end = self.start + ahead.len();
                }
            }
            return;
        }
        let stretch = &data[self.start..self.end];
        while groups != 0 {
            let first = groups.trailing_zeros();
            let mut end = first;
            while let Some(others) = groups.checked_shr(end).filter(|&others| others != 0)
                && others.trailing_zeros() <= MAX_GAP_GROUPS
            {
                end += others.trailing_zeros();
                end += groups.checked_shr(end).unwrap_or_default().trailing_ones();
            }
            groups &= u64::MAX.checked_shl(end).unwrap_or_default();
            let start = first as usize * GROUP_BYTES;
            let part = &stretch[start..stretch.len().min(end as usize * GROUP_BYTES)];
            if !self.validate_part(part, self.start + start) {
                return;
            }
        }
    }

    /// Returns whether a part of the data from some offset on is valid, and if not, ends the stretch at the error,
    /// unless that is behind it.
    #[inline]
    fn validate_part(&mut self, part: &[u8], from: usize) -> bool {
        self.by.is_valid(part) || self.end_at_error(part, from)
    }

    /// Finds the candidates among the first bytes of some data.
    fn find<P: PatternSet>(&mut self, data: &[u8], length: usize) {
        let candidates = &mut self.candidates;
        self.by.run(FindCandidates { data, length, candidates, patterns: PhantomData::<P> });
    }

    /// Ends the stretch at the first error of a part of the data. Returns false.
    #[cold]
    fn end_at_error(&mut self, part: &[u8], from: usize) -> bool {
        let Some(error) = self.by.first_error(part) else { return true };
        let (start, mut length) = (error.start() as usize, error.bytes().len());
        self.valid_end = from + start;
        if self.valid_end >= self.end {
            return false;
        }
        if self.generalized && error.kind() == ErrorKind::Surrogate {
            length = SURROGATE_BYTES.min(part.len() - start);
        }
        self.end = from + start;
        self.error_end = Some(self.end + length);
        self.stretch_bytes = MIN_STRETCH_BYTES;
        false
    }

    /// Returns the finding that an error is: a surrogate of a str, or invalid bytes.
    #[cold]
    fn error(&self, data: &[u8], start: usize, end: usize) -> Finding {
        match data.get(start..end) {
            Some(&[_, second, third]) if self.generalized && end - start == SURROGATE_BYTES => {
                let code_point = 0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F);
                Finding { kind: Kind::Surrogate, start, end, code_point, reason: Reason::Kind }
            }
            _ => Finding { kind: Kind::Invalid, start, end, code_point: 0, reason: Reason::Kind },
        }
    }

    /// Returns the finding that a character is, if it is one.
    fn check(&mut self, place: Place<'_>, code_point: u32) -> Result<Option<Finding>, AllocError> {
        let kinds = self.policy.kinds;
        let found =
            |kind, reason| Some(Finding { kind, start: place.start, end: place.end, code_point, reason });
        let kind = properties(code_point).kind.filter(|&kind| kinds.contains(kind));
        if let Some(kind) = kind
            && let Some(reason) = self.reason(place, kind, code_point)?
        {
            return Ok(found(kind, reason));
        }
        if place.end - place.start == FOUR_BYTES && kinds.contains(Kind::FourByte) {
            return Ok(found(Kind::FourByte, Reason::Kind));
        }
        Ok(None)
    }

    /// Returns why a character of a kind is a finding, if it is one.
    fn reason(
        &mut self,
        place: Place<'_>,
        kind: Kind,
        code_point: u32,
    ) -> Result<Option<Reason>, AllocError> {
        let Policy { allowed, only, .. } = self.policy;
        let is_return = code_point == u32::from('\r');
        let is_allowed = match kind {
            _ if is_return && place.data.get(place.end) == Some(&b'\n') => true,
            Kind::InnerBom if place.start == 0 && self.starts_text => {
                return Ok((only == Only::Json).then_some(Reason::Bom));
            }
            Kind::Control | Kind::ConfusableNewline if only != Only::All => code_point >= 0x20 || is_return,
            Kind::Noncharacter if only == Only::Xml => !matches!(code_point, 0xFFFE | 0xFFFF),
            Kind::BidiControl if allowed == Allowed::Text && has_scope(code_point) => {
                return self.unpaired.find(place.data, place.start, &mut self.lexer);
            }
            Kind::BidiControl if allowed == Allowed::Text => place.is_single_mark(),
            Kind::ConfusableNewline if allowed == Allowed::Text => {
                code_point == FORM_FEED && place.starts_line()
            }
            _ => match allowed {
                Allowed::Nothing => false,
                Allowed::Text => place.belongs(kind, code_point),
                Allowed::Joiners => place.joins_identifier(code_point),
            },
        };
        Ok((!is_allowed).then_some(Reason::Kind))
    }
}

/// Returns the code point at an offset of valid data, and its length in bytes.
#[inline]
fn decode_valid(data: &[u8], at: usize) -> Option<(u32, usize)> {
    let rest = data.get(at..)?;
    let Some(&[first, second, third, fourth]) = rest.first_chunk() else {
        return match decode_one(rest)? {
            Sequence::Char(character, length) => Some((u32::from(character), length)),
            Sequence::Malformed(..) => None,
        };
    };
    let bits = |byte: u8, shift: u32| u32::from(byte & 0x3F) << shift;
    Some(match first {
        0..0x80 => (u32::from(first), 1),
        0x80..0xE0 => (u32::from(first & 0x1F) << 6 | bits(second, 0), 2),
        0xE0..0xF0 => (u32::from(first & 0xF) << 12 | bits(second, 6) | bits(third, 0), 3),
        0xF0.. => (u32::from(first & 7) << 18 | bits(second, 12) | bits(third, 6) | bits(fourth, 0), 4),
    })
}

const FORM_FEED: u32 = 0x0C;
const NARROW_NO_BREAK_SPACE: u32 = 0x202F;
/// The length of a surrogate in generalized UTF-8.
const SURROGATE_BYTES: usize = 3;
const FOUR_BYTES: usize = 4;
