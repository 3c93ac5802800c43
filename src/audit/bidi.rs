//! Controls of direction that are not paired, by the explicit levels of UAX 9 (rules X1 to X8).
//!
//! An embedding or override is closed by a PDF, an isolate by a PDI, at the latest at the end of the paragraph. A
//! control that nothing closes changes how the rest of its line is shown. (UTS 55, section 4.) The direction of a first
//! strong isolate, which only matters for the depth, is not looked up: it is taken as from left to right.

use super::finding::Reason;
use super::syntax::Lexer;
use crate::allocation::{AllocError, try_push};

const LRE: u32 = 0x202A;
const RLE: u32 = 0x202B;
const PDF: u32 = 0x202C;
const RLO: u32 = 0x202E;
const LRI: u32 = 0x2066;
const RLI: u32 = 0x2067;
const PDI: u32 = 0x2069;

/// The largest explicit level (`max_depth` of UAX 9).
const MAX_LEVEL: u8 = 125;

/// The length of a control in bytes.
const CONTROL_BYTES: usize = 3;

/// Returns whether a control has a scope: it starts or ends an embedding, an override or an isolate.
pub(super) fn has_scope(code_point: u32) -> bool {
    matches!(code_point, LRE..=RLO | LRI..=PDI)
}

/// The controls of a paragraph that are not paired.
#[derive(Clone, Debug, Default)]
pub(super) struct Unpaired {
    /// Their offsets, each with the partner that is missing.
    found: Vec<(usize, Reason)>,
    /// The offset of the end of the paragraph.
    end: usize,
}

/// An entry of the directional status stack.
#[derive(Clone, Copy)]
struct Status {
    level: u8,
    is_isolate: bool,
    /// The offset of the control that made the entry.
    at: usize,
}

/// The state of the rules X1 to X8.
struct Levels<'a> {
    stack: Vec<Status>,
    overflow_isolates: usize,
    overflow_embeddings: usize,
    found: &'a mut Vec<(usize, Reason)>,
}

impl Levels<'_> {
    /// Returns the level of a new entry, odd or even; `None` if it exceeds the largest.
    fn next_level(&self, is_odd: bool) -> Option<u8> {
        let level = self.stack.last().map_or(0, |status| status.level);
        let next = level + 1 + u8::from((level % 2 == 1) == is_odd);
        (next <= MAX_LEVEL && self.overflow_isolates == 0 && self.overflow_embeddings == 0).then_some(next)
    }

    /// Adds an entry, or finds that it has no effect.
    fn open(&mut self, at: usize, code_point: u32) -> Result<(), AllocError> {
        let is_isolate = code_point >= LRI;
        match self.next_level(matches!(code_point, RLE | RLO | RLI)) {
            Some(level) => try_push(&mut self.stack, Status { level, is_isolate, at }),
            None => {
                if is_isolate {
                    self.overflow_isolates += 1;
                } else if self.overflow_isolates == 0 {
                    self.overflow_embeddings += 1;
                }
                try_push(self.found, (at, Reason::Unclosed))
            }
        }
    }

    /// Ends an isolate, and the embeddings in it.
    fn end_isolate(&mut self, at: usize) -> Result<(), AllocError> {
        if self.overflow_isolates > 0 {
            self.overflow_isolates -= 1;
        } else if self.stack.iter().any(|status| status.is_isolate) {
            self.overflow_embeddings = 0;
            while let Some(status) = self.stack.pop()
                && !status.is_isolate
            {
                try_push(self.found, (status.at, Reason::Unclosed))?;
            }
            return Ok(());
        }
        try_push(self.found, (at, Reason::Unopened))
    }

    /// Ends an embedding or override.
    fn end_embedding(&mut self, at: usize) -> Result<(), AllocError> {
        if self.overflow_isolates == 0 {
            if self.overflow_embeddings > 0 {
                self.overflow_embeddings -= 1;
            } else if self.stack.pop_if(|status| !status.is_isolate).is_some() {
                return Ok(());
            }
        }
        try_push(self.found, (at, Reason::Unopened))
    }

    /// Ends the paragraph, a string or a comment.
    fn end_all(&mut self) -> Result<(), AllocError> {
        (self.overflow_isolates, self.overflow_embeddings) = (0, 0);
        while let Some(status) = self.stack.pop() {
            try_push(self.found, (status.at, Reason::Unclosed))?;
        }
        Ok(())
    }
}

impl Unpaired {
    /// Returns what the control at an offset lacks, if it is not paired. Offsets must not decrease from call to call;
    /// the first one in a paragraph must be its first control with a scope.
    pub(super) fn find(
        &mut self,
        data: &[u8],
        at: usize,
        lexer: &mut Option<Lexer>,
    ) -> Result<Option<Reason>, AllocError> {
        if at >= self.end {
            self.find_all(data, at, lexer)?;
        }
        let found = self.found.binary_search_by_key(&at, |&(found, _)| found);
        Ok(found.ok().and_then(|place| self.found.get(place)).map(|&(_, reason)| reason))
    }

    /// Finds all of a paragraph, given its first control.
    fn find_all(&mut self, data: &[u8], first: usize, lexer: &mut Option<Lexer>) -> Result<(), AllocError> {
        self.found.clear();
        let mut levels =
            Levels { stack: vec![], overflow_isolates: 0, overflow_embeddings: 0, found: &mut self.found };
        let mut at = first;
        while let Some(&byte) = data.get(at) {
            let rest = &data[at..];
            match byte {
                b'\n' | b'\r' | 0x1C..=0x1E => break,
                // U+0085 and U+2029.
                0xC2 if rest.starts_with(b"\xC2\x85") => break,
                0xE2 if rest.starts_with(b"\xE2\x80\xA9") => break,
                0xE2 => {
                    let control = control(rest);
                    if control != 0 && lexer.as_mut().is_some_and(|lexer| lexer.crosses(data, at)) {
                        levels.end_all()?;
                    }
                    match control {
                        0 => {}
                        PDF => levels.end_embedding(at)?,
                        PDI => levels.end_isolate(at)?,
                        control => levels.open(at, control)?,
                    }
                }
                _ => {}
            }
            at += 1;
        }
        levels.end_all()?;
        self.end = at.max(first + CONTROL_BYTES);
        self.found.sort_unstable_by_key(|&(at, _)| at);
        Ok(())
    }
}

/// Returns the control with a scope that some bytes start with, or 0.
fn control(bytes: &[u8]) -> u32 {
    match *bytes {
        [0xE2, 0x80, last @ 0xAA..=0xAE, ..] => 0x2000 + u32::from(last - 0x80),
        [0xE2, 0x81, last @ 0xA6..=0xA9, ..] => 0x2040 + u32::from(last - 0x80),
        _ => 0,
    }
}
