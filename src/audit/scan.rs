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
    FindCandidates, GROUP_BYTES, Hidden, HiddenOrPrivate, MAX_BLOCKS, MAX_BYTES, NonAscii,
};
use crate::sequence::boundary::head;
use crate::sequence::{ErrorKind, Sequence, decode_one};
use crate::simd::dispatch::Implementation;

/// The number of bytes of a word of candidates.
const WORD_BYTES: usize = 64;
/// The number of words of a group.
const GROUP_WORDS: usize = GROUP_BYTES / WORD_BYTES;
/// The number of bytes that are searched after an error, as errors seldom come alone; then at most twice as many as
/// before.
const MIN_BLOCK_BYTES: usize = WORD_BYTES;
/// The maximum number of plain groups between others that are validated with them, as that takes less time than to
/// validate those in two parts.
const MAX_GAP_GROUPS: u32 = 3;

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
    /// The block whose candidates are known: a bit for each group of it that may have some, and for each of their
    /// bytes.
    start: usize,
    end: usize,
    groups: u64,
    words: [u64; MAX_BLOCKS],
    /// The size of the next block.
    block_bytes: usize,
    /// The end of the error that starts where the block ends.
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
            groups: 0,
            words: [0; MAX_BLOCKS],
            block_bytes: MAX_BYTES,
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
        (self.start, self.end, self.groups) = (0, 0, 0);
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
                let place = Place { data, start: place, end: place + length };
                if let Some(finding) = self.check(place, code_point)? {
                    return Ok(Some(finding));
                }
            }
            if let Some(end) = self.error_end.take() {
                let start = self.end;
                (self.start, self.end, self.groups) = (end, end, 0);
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

    /// Returns the offset of the next candidate of the block, and removes it.
    #[inline]
    fn next_candidate(&mut self) -> Option<usize> {
        while self.groups != 0 {
            let group = self.groups.trailing_zeros() as usize;
            let words = self.words.get_mut(group * GROUP_WORDS..(group + 1) * GROUP_WORDS)?;
            if let Some((number, word)) = words.iter_mut().enumerate().find(|(_, word)| **word != 0) {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                let at = self.start + group * GROUP_BYTES + number * WORD_BYTES + bit;
                // An error ends the block early.
                return (at < self.end).then_some(at);
            }
            self.groups &= self.groups - 1;
        }
        None
    }

    /// Finds the candidates of the next block, which ends at the first error in it.
    #[inline(never)]
    fn find_candidates(&mut self, data: &[u8]) {
        let from = self.end;
        let rest = &data[from..];
        let block = head(rest, self.block_bytes);
        let (by, kinds, length, words) = (self.by, self.policy.kinds, block.len(), &mut self.words);
        let groups = if kinds.contains(Kind::Unassigned) {
            by.run(FindCandidates { data: rest, length, words, patterns: PhantomData::<NonAscii> })
        } else if kinds.contains(Kind::PrivateUse) || kinds.contains(Kind::FourByte) {
            by.run(FindCandidates { data: rest, length, words, patterns: PhantomData::<HiddenOrPrivate> })
        } else {
            by.run(FindCandidates { data: rest, length, words, patterns: PhantomData::<Hidden> })
        };
        (self.start, self.end) = (from, from + block.len());
        self.block_bytes = MAX_BYTES.min(2 * self.block_bytes);
        self.groups = groups.candidates;
        let mut groups = groups.unknown;
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
            let part = &block[start..block.len().min(end as usize * GROUP_BYTES)];
            if !by.is_valid(part) {
                self.end_at_error(part, from + start);
                return;
            }
        }
    }

    /// Ends the block at the first error of a part of it.
    #[cold]
    fn end_at_error(&mut self, part: &[u8], from: usize) {
        let Some(error) = self.by.first_error(part) else { return };
        let (start, mut length) = (error.start() as usize, error.bytes().len());
        if self.generalized && error.kind() == ErrorKind::Surrogate {
            length = SURROGATE_BYTES.min(part.len() - start);
        }
        self.end = from + start;
        self.error_end = Some(self.end + length);
        self.block_bytes = MIN_BLOCK_BYTES;
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
/// The length of a surrogate in generalized UTF-8.
const SURROGATE_BYTES: usize = 3;
const FOUR_BYTES: usize = 4;
