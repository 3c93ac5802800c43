//! What is looked at closely: some windows of the data, and of them what stands around bytes that are not
//! ASCII.

use std::borrow::Cow;

use crate::boundary::chunks;

/// A window's length, and how many are looked at before all are.
const WINDOW: usize = 1 << 10;
const SPREAD: usize = 32;
/// So many bytes that are not ASCII are enough to tell.
const ENOUGH: usize = 2048;
/// So many bytes of plain ASCII are kept beside others, and windows end within so many.
const CONTEXT: usize = 32;
/// So much is looked through for one that is not ASCII at a time.
const STEP: usize = 32 << 10;

/// A part of the data, in order, that tells what the whole is. Characters of several bytes are not cut,
/// except where no line and no word ends.
pub(super) fn of(data: &[u8]) -> Cow<'_, [u8]> {
    if data.len() <= 4 * CONTEXT {
        return Cow::Borrowed(data);
    }
    let mut sample = Sample { bytes: Vec::with_capacity(data.len().min(2 * ENOUGH)), telling: 0 };
    let count = data.len().div_ceil(WINDOW);
    if count <= SPREAD {
        sample.condensed(data);
        return Cow::Owned(sample.bytes);
    }
    // Halves, quarters, eighths: all over the data.
    let spread = (1..SPREAD as u32).map(|index| {
        let part = f64::from(index.reverse_bits()) / f64::from(u32::MAX);
        (part * count as f64) as usize
    });
    for index in [0, count - 1].into_iter().chain(spread) {
        sample.window(data, index.min(count - 1));
    }
    if sample.telling < ENOUGH / 16 {
        for (number, step) in chunks(data, STEP).enumerate() {
            if sample.telling >= ENOUGH {
                break;
            }
            if !crate::is_ascii(step) {
                for (index, window) in step.chunks(WINDOW).enumerate() {
                    if !crate::is_ascii(window) {
                        sample.window(data, number * (STEP / WINDOW) + index);
                    }
                }
            }
        }
    }
    Cow::Owned(sample.bytes)
}

struct Sample {
    bytes: Vec<u8>,
    /// How many of them are not ASCII.
    telling: usize,
}

impl Sample {
    /// Adds what tells something in a window, from the start of a word on to the end of one.
    fn window(&mut self, data: &[u8], index: usize) {
        if self.telling >= ENOUGH {
            return;
        }
        let (start, end) = (index * WINDOW, data.len().min((index + 1) * WINDOW));
        let word = data[start.saturating_sub(WINDOW)..start].iter().rev().position(is_end);
        let start = match word {
            Some(back) => start - back,
            None if index == 0 => 0,
            None => return,
        };
        let last = data[start..end].iter().rposition(is_end);
        let end = last.filter(|_| end < data.len()).map_or(end, |at| start + at + 1);
        if !self.bytes.is_empty() {
            self.bytes.push(b'\n');
        }
        self.condensed(&data[start..end]);
    }

    /// Adds bytes but for the inner parts of long runs of ASCII.
    fn condensed(&mut self, mut window: &[u8]) {
        while !window.is_empty() && self.telling < ENOUGH {
            let (gap, rest) = window.split_at(ascii_length(window));
            if gap.len() > 2 * CONTEXT {
                // Behind a byte that cannot be a part of a character, and up to one.
                let head = gap[..CONTEXT].iter().rposition(is_end).map_or(CONTEXT, |at| at + 1);
                let tail = gap.len() - CONTEXT;
                let tail = tail + gap[tail..].iter().position(is_end).unwrap_or(0);
                self.bytes.extend_from_slice(&gap[..head]);
                self.bytes.extend_from_slice(&gap[tail..]);
            } else {
                self.bytes.extend_from_slice(gap);
            }
            let telling = rest.iter().position(u8::is_ascii).unwrap_or(rest.len()).min(ENOUGH);
            self.bytes.extend_from_slice(&rest[..telling]);
            self.telling += telling;
            window = &rest[telling..];
        }
    }
}

/// How many bytes of ASCII stand at the start.
pub(super) fn ascii_length(data: &[u8]) -> usize {
    let blocks = CONTEXT * data.chunks_exact(CONTEXT).take_while(|block| block.is_ascii()).count();
    blocks + data[blocks..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Whether a byte ends a word, and is no part of a character of several bytes in any encoding.
fn is_end(&byte: &u8) -> bool {
    byte < 0x30 && byte != 0x1B
}
