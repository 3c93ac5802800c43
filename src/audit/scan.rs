//! The search for findings.

use super::bidi::{Unpaired, has_scope};
use super::context::{Place, ZWNJ};
use super::finding::{Finding, Reason};
use super::policy::{Allowed, Kind, Only, Policy};
use super::properties::properties;
use super::syntax::{Lexer, Syntax};
use crate::allocation::AllocError;
use crate::kernels::candidates::{Candidates, FindCandidates, Patterns};
use crate::kernels::validate::search_start;
use crate::progress::{Progress, Stopped};
use crate::sequence::boundary::{head, without_truncated};
use crate::sequence::{ErrorKind, Sequence, decode_one, first_malformed};
use crate::simd::dispatch::Implementation;

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
    /// The stretch that was searched last, and its candidates, as offsets in it.
    start: usize,
    end: usize,
    candidates: Candidates,
    /// The start and the end of the next error, if it is known.
    error: Option<(usize, usize)>,
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
            error: None,
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
        (self.start, self.end, self.error) = (0, 0, None);
        self.candidates.clear();
        self.unpaired = Unpaired::default();
    }

    /// Returns the implementation that it runs on.
    pub fn implementation(&self) -> Implementation {
        self.by
    }

    /// Returns the next finding.
    pub fn next(&mut self, data: &[u8], progress: Progress<'_>) -> Result<Option<Finding>, Stopped> {
        loop {
            while let Some(place) = self.next_candidate() {
                let Some((code_point, length)) = decode_valid(data, place) else { continue };
                let place = Place { data, start: place, end: place + length };
                if let Some(finding) = self.check(place, code_point)? {
                    return Ok(Some(finding));
                }
            }
            if let Some((start, end)) = self.error
                && start == self.end
            {
                (self.end, self.error) = (end, None);
                self.candidates.restart();
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
        // One that is truncated at the end of the stretch is found again in the next.
        self.candidates.next().map(|at| self.start + at).filter(|&at| at < self.end)
    }

    /// Validates the next stretch and finds its candidates: up to those that are found first, at most up to the next
    /// error. Where that is not known, but after the stretch, it is searched for.
    #[inline(never)]
    fn find_candidates(&mut self, data: &[u8]) {
        let until_error = &data[..self.error.map_or(data.len(), |(start, _)| start)];
        let ahead = head(&until_error[self.end..], PIECE_BYTES);
        let kinds = self.policy.kinds;
        let patterns = if kinds.contains(Kind::Unassigned) {
            &Patterns::NON_ASCII
        } else if kinds.contains(Kind::FourByte) {
            &Patterns::HIDDEN_OR_FOUR_BYTES
        } else {
            &Patterns::HIDDEN
        };
        let found = self.by.run(FindCandidates { data: ahead, patterns, candidates: &mut self.candidates });
        let searched = without_truncated(&ahead[..found.counted]).len();
        (self.start, self.end) = (self.end, self.end + searched);
        // With enough candidates the pass ended without an error, or will find it again.
        if found.counted < ahead.len() && !self.candidates.are_enough() {
            self.find_error(data, self.start + found.valid);
        }
    }

    /// Finds the next error, for which a pass over the data from the start of the stretch on ended after `valid` bytes.
    #[cold]
    fn find_error(&mut self, data: &[u8], valid: usize) {
        let start = search_start(data, valid).max(self.end);
        self.error = first_malformed(data, start..data.len()).err().map(|(at, kind, length)| {
            let is_surrogate = self.generalized && kind == ErrorKind::Surrogate;
            (at, at + if is_surrogate { SURROGATE_BYTES.min(data.len() - at) } else { length })
        });
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
        // Most candidates in Persian.
        if code_point == ZWNJ && self.policy.allowed == Allowed::Text && place.separates_text() {
            return Ok(None);
        }
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
/// The size in bytes of the pieces that are searched at once; between them a caller can stop.
const PIECE_BYTES: usize = 128 << 10;
/// The length of a surrogate in generalized UTF-8.
const SURROGATE_BYTES: usize = 3;
const FOUR_BYTES: usize = 4;
