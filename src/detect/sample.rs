//! The sample from which a legacy encoding is detected: windows of the data, reduced to the surroundings of non-ASCII
//! bytes.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::validate::is_ascii;

/// The length of a window in bytes, and the number of windows that are sampled first.
const WINDOW_BYTES: usize = 1 << 10;
const SPREAD_WINDOWS: usize = 32;
/// The most non-ASCII bytes in a sample.
const MAX_NON_ASCII_BYTES: usize = 2048;
/// The number of ASCII bytes that are kept beside non-ASCII ones.
const CONTEXT_BYTES: usize = 32;
/// The most equal non-ASCII bytes in a row: an even number, as characters of two bytes are repeated, too.
const MAX_EQUAL: usize = 8;
/// How often a word that is not ASCII is evidence.
const MAX_EQUAL_WORDS: u8 = 2;
/// The first byte, in ASCII or EBCDIC, of a printable character that is worth adding to a sample without it.
const FIRST_PRINTABLE: u8 = 0x40;
/// The number of bytes at the start of long data in which rare ones are searched, one by one.
const RARE_SEARCHED_BYTES: usize = 1 << 20;
/// The number of bytes in which a non-ASCII byte is searched at once.
const STEP_BYTES: usize = 32 << 10;

/// Returns the sample of data. Multi-byte characters are not cut, except where no line or word ends.
pub(super) fn of(data: &[u8]) -> Cow<'_, [u8]> {
    if data.len() <= 4 * CONTEXT_BYTES {
        return Cow::Borrowed(data);
    }
    let sample = sampled(data);
    Cow::Owned(without_repetitions(&sample).unwrap_or(sample))
}

/// Returns a sample without the words that are not ASCII and that occur [`MAX_EQUAL_WORDS`] times before, and without
/// the ASCII around these: a name on each line is hardly more evidence than one. Returns `None` if there are no such
/// words.
fn without_repetitions(sample: &[u8]) -> Option<Vec<u8>> {
    let (mut kept, mut met) = (Vec::with_capacity(sample.len()), HashMap::new());
    for piece in sample.split_inclusive(is_end) {
        let word = piece.split_last().filter(|(last, _)| is_end(last)).map_or(piece, |(_, word)| word);
        let is_repeated = !word.is_ascii() && {
            let number = met.entry(word).or_insert(0_u8);
            *number = number.saturating_add(1);
            *number > MAX_EQUAL_WORDS
        };
        kept.extend_from_slice(if is_repeated { &piece[word.len()..] } else { piece });
    }
    (kept.len() < sample.len()).then(|| {
        let mut sample = Sample { bytes: Vec::with_capacity(kept.len()), non_ascii: 0 };
        sample.condensed(&kept);
        sample.bytes
    })
}

/// Returns windows of data, reduced to the surroundings of non-ASCII bytes.
fn sampled(data: &[u8]) -> Vec<u8> {
    let mut sample =
        Sample { bytes: Vec::with_capacity(data.len().min(2 * MAX_NON_ASCII_BYTES)), non_ascii: 0 };
    let count = data.len().div_ceil(WINDOW_BYTES);
    if count <= SPREAD_WINDOWS {
        sample.condensed(data);
        if sample.non_ascii >= MAX_NON_ASCII_BYTES {
            sample.rare(data);
        }
        return sample.bytes;
    }
    // At halves, quarters, eighths: evenly over the data.
    let spread = (1..SPREAD_WINDOWS as u32).map(|index| {
        let part = f64::from(index.reverse_bits()) / f64::from(u32::MAX);
        (part * count as f64) as usize
    });
    let spread: Vec<_> = [0, count - 1].into_iter().chain(spread).map(|index| index.min(count - 1)).collect();
    for &index in &spread {
        sample.window(data, index);
    }
    if sample.non_ascii < MAX_NON_ASCII_BYTES / 16 {
        for (number, step) in data.chunks(STEP_BYTES).enumerate() {
            if sample.non_ascii >= MAX_NON_ASCII_BYTES {
                break;
            }
            if !is_ascii(step) {
                let first = number * (STEP_BYTES / WINDOW_BYTES);
                for index in first..first + step.len().div_ceil(WINDOW_BYTES) {
                    // Twice the same evidence would make a guess sure.
                    if !spread.contains(&index) {
                        sample.window(data, index);
                    }
                }
            }
        }
    }
    if sample.non_ascii >= MAX_NON_ASCII_BYTES {
        sample.rare(&data[..data.len().min(RARE_SEARCHED_BYTES)]);
    }
    sample.bytes
}

struct Sample {
    bytes: Vec<u8>,
    /// The number of non-ASCII bytes.
    non_ascii: usize,
}

impl Sample {
    /// Adds a window, from the start of a word to the end of one.
    fn window(&mut self, data: &[u8], index: usize) {
        if self.non_ascii >= MAX_NON_ASCII_BYTES {
            return;
        }
        let (start, end) = (index * WINDOW_BYTES, data.len().min((index + 1) * WINDOW_BYTES));
        if is_ascii(&data[start..end]) {
            return; // it would only add to the evidence for one language
        }
        let word = data[start.saturating_sub(WINDOW_BYTES)..start].iter().rev().position(is_end);
        let start = match word {
            Some(back) => start - back,
            None if index == 0 => 0,
            None => return,
        };
        // In EBCDIC hardly a word ends in this sense.
        let half = start + (end - start) / 2;
        let last = data[half..end].iter().rposition(is_end);
        let end = last.filter(|_| end < data.len()).map_or(end, |at| half + at + 1);
        if !self.bytes.is_empty() {
            self.bytes.push(b'\n');
        }
        self.condensed(&data[start..end]);
    }

    /// Adds the surroundings of bytes that are not in the sample yet: they may be all that distinguishes an encoding.
    fn rare(&mut self, data: &[u8]) {
        let mut seen = [false; 256];
        for &byte in &self.bytes {
            seen[usize::from(byte)] = true;
        }
        let mut added = 0;
        for (index, &byte) in data.iter().enumerate() {
            if seen[usize::from(byte)] || index < added || byte < FIRST_PRINTABLE {
                continue;
            }
            let before =
                data[..index].iter().rev().take(CONTEXT_BYTES).take_while(|byte| !is_end(byte)).count();
            let after = data[index..].iter().take(CONTEXT_BYTES).take_while(|byte| !is_end(byte)).count();
            added = index + after;
            self.bytes.push(b'\n');
            for &byte in &data[index - before..added] {
                seen[usize::from(byte)] = true;
                self.bytes.push(byte);
            }
        }
    }

    /// Adds bytes without the inner parts of long runs of ASCII.
    fn condensed(&mut self, mut window: &[u8]) {
        while !window.is_empty() && self.non_ascii < MAX_NON_ASCII_BYTES {
            let (gap, rest) = window.split_at(ascii_length(window));
            if gap.len() > 2 * CONTEXT_BYTES {
                // After a byte that is never part of a multi-byte character, and before one.
                let head = gap[..CONTEXT_BYTES].iter().rposition(is_end).map_or(CONTEXT_BYTES, |at| at + 1);
                let tail = gap.len() - CONTEXT_BYTES;
                let tail = tail + gap[tail..].iter().position(is_end).unwrap_or(0);
                self.bytes.extend_from_slice(&gap[..head]);
                self.bytes.extend_from_slice(&gap[tail..]);
            } else {
                self.bytes.extend_from_slice(gap);
            }
            let non_ascii = rest.iter().position(u8::is_ascii).unwrap_or(rest.len()).min(MAX_NON_ASCII_BYTES);
            let mut equal = 0;
            for (index, &byte) in rest[..non_ascii].iter().enumerate() {
                equal = if index > 0 && byte == rest[index - 1] { equal + 1 } else { 1 };
                // A line of equal signs is as much evidence as a few.
                if equal <= MAX_EQUAL {
                    self.bytes.push(byte);
                }
            }
            self.non_ascii += non_ascii;
            window = &rest[non_ascii..];
        }
    }
}

/// Returns the number of ASCII bytes at the start.
pub fn ascii_length(data: &[u8]) -> usize {
    let blocks =
        CONTEXT_BYTES * data.chunks_exact(CONTEXT_BYTES).take_while(|block| block.is_ascii()).count();
    blocks + data[blocks..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Returns whether a byte ends a word, and is not part of a multi-byte character in any encoding.
pub(super) fn is_end(&byte: &u8) -> bool {
    byte < 0x30 && byte != 0x1B
}
