//! Lines of UTF-8 that arrives in blocks, cut anywhere, split as text files of Python split them.
//!
//! A line end is one or two ASCII characters, which occur in UTF-8 nowhere else, so lines are found in the bytes, and
//! each is decoded by itself. A line that two blocks share is put together in a buffer of its own.

use crate::allocation::{AllocError, Grow};
use crate::kernels::marks::{BLOCK_BYTES, MarkEqual};
use crate::simd::dispatch::Implementation;

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// LF, CR LF or CR.
    Universal,
    /// LF.
    Lf,
    /// CR.
    Cr,
    /// CR LF.
    CrLf,
}

/// The bytes of a block that may end lines: a bit for each byte, which is set for the last one of each line end, and
/// for others.
#[derive(Default)]
pub struct LastBytes(Vec<u64>);

impl LastBytes {
    /// Finds the last bytes of `data`.
    pub fn find(
        &mut self,
        implementation: Implementation,
        data: &[u8],
        line_end: LineEnd,
    ) -> Result<(), AllocError> {
        let bytes = match line_end {
            LineEnd::Universal => *b"\n\r",
            LineEnd::Lf | LineEnd::CrLf => *b"\n\n",
            LineEnd::Cr => *b"\r\r",
        };
        let blocks = data.len().div_ceil(BLOCK_BYTES);
        self.0.clear();
        self.0.grow(blocks)?;
        self.0.resize(blocks, 0);
        implementation.run(MarkEqual { data, bytes, marks: &mut self.0 });
        Ok(())
    }

    /// Returns the index of the first one from `at` on.
    #[inline(always)]
    fn next(&self, at: usize) -> Option<usize> {
        let mut block = at / BLOCK_BYTES;
        let mut bits = self.0.get(block)? & (!0 << (at % BLOCK_BYTES));
        while bits == 0 {
            block += 1;
            bits = *self.0.get(block)?;
        }
        Some(block * BLOCK_BYTES + bits.trailing_zeros() as usize)
    }
}

impl LineEnd {
    /// Returns where the line of `data` that starts at `start` ends, after its line end; `None` if what follows `data`
    /// may belong to it.
    #[inline(always)]
    pub fn line_from(self, start: usize, data: &[u8], last_bytes: &LastBytes) -> Option<usize> {
        let mut last = last_bytes.next(start)?;
        match self {
            // After a CR at the end of the data, an LF may follow.
            Self::Universal if data[last] == b'\r' => last += usize::from(*data.get(last + 1)? == b'\n'),
            Self::CrLf => {
                while last == start || data[last - 1] != b'\r' {
                    last = last_bytes.next(last + 1)?;
                }
            }
            Self::Universal | Self::Lf | Self::Cr => {}
        }
        Some(last + 1)
    }

    /// Returns where the line ends that starts with `carry`, which is not empty and has no complete line, and continues
    /// with `data`, which is not empty; `None` if what follows `data` may belong to it, too.
    pub fn rest_of_line(self, carry: &[u8], data: &[u8], last_bytes: &LastBytes) -> Option<usize> {
        match (self, carry.last(), data.first()) {
            (Self::Universal | Self::CrLf, Some(b'\r'), Some(b'\n')) => Some(1),
            (Self::Universal, Some(b'\r'), _) => Some(0),
            _ => self.line_from(0, data, last_bytes),
        }
    }
}

/// Returns a line with CR LF or CR at its end replaced by LF, in `buffer`, or the line itself if it ends with neither.
#[inline(always)]
pub fn with_line_feed<'a>(line: &'a [u8], buffer: &'a mut Vec<u8>) -> Result<&'a [u8], AllocError> {
    let text = match line {
        [text @ .., b'\r', b'\n'] | [text @ .., b'\r'] => text,
        _ => return Ok(line),
    };
    buffer.clear();
    buffer.grow(text.len() + 1)?;
    buffer.extend_from_slice(text);
    buffer.push(b'\n');
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::LineEnd::{Cr, CrLf, Lf, Universal};
    use super::{LastBytes, LineEnd, with_line_feed};
    use crate::simd::dispatch::Implementation;

    /// Splits after each line end, found character by character.
    fn naive(line_end: LineEnd, data: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = vec![vec![]];
        for (index, &byte) in data.iter().enumerate() {
            let next = data.get(index + 1);
            let line: &mut Vec<u8> = lines.last_mut().unwrap();
            line.push(byte);
            let ended = match line_end {
                Universal => byte == b'\n' || byte == b'\r' && next != Some(&b'\n'),
                Lf => byte == b'\n',
                Cr => byte == b'\r',
                CrLf => line.ends_with(b"\r\n"),
            };
            if ended {
                lines.push(vec![]);
            }
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    fn lines_of_blocks(implementation: Implementation, line_end: LineEnd, blocks: &[&[u8]]) -> Vec<Vec<u8>> {
        let (mut lines, mut carry, mut last_bytes) = (vec![], vec![], LastBytes::default());
        for block in blocks.iter().filter(|block| !block.is_empty()) {
            last_bytes.find(implementation, block, line_end).unwrap();
            let mut at = 0;
            while at < block.len() {
                let end = match carry.is_empty() {
                    true => line_end.line_from(at, block, &last_bytes),
                    false => line_end.rest_of_line(&carry, block, &last_bytes),
                };
                carry.extend_from_slice(&block[at..end.unwrap_or(block.len())]);
                at = end.unwrap_or(block.len());
                if end.is_some() {
                    lines.push(std::mem::take(&mut carry));
                }
            }
        }
        lines.extend(Some(carry).filter(|carry| !carry.is_empty()));
        lines
    }

    #[test]
    fn lines_are_those_of_a_naive_search_wherever_blocks_are_cut() {
        // All texts of up to six of these characters.
        let active = Implementation::active();
        for number in 0..4_usize.pow(6) {
            let text: Vec<u8> = (0..6).map(|digit| b"\n\ra\0"[number / 4_usize.pow(digit) % 4]).collect();
            let text = text.split(|&byte| byte == 0).next().unwrap();
            for line_end in [Universal, Lf, Cr, CrLf] {
                let expected = naive(line_end, text);
                for first in 0..=text.len() {
                    for second in first..=text.len() {
                        let blocks = [&text[..first], &text[first..second], &text[second..]];
                        assert_eq!(
                            lines_of_blocks(active, line_end, &blocks),
                            expected,
                            "{line_end:?} {blocks:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_implementation_finds_the_lines() {
        let text = b"\n a\r\n\r line of some length \r\r\n".repeat(9);
        for implementation in crate::implementations() {
            for line_end in [Universal, Lf, Cr, CrLf] {
                for start in 0..64 {
                    for end in text.len() - 64..text.len() {
                        let block = &text[start..end];
                        let lines = lines_of_blocks(*implementation, line_end, &[block]);
                        assert_eq!(lines, naive(line_end, block), "{implementation:?} {line_end:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn line_ends_become_line_feeds() {
        let mut buffer = vec![];
        let lines: [(&[u8], &[u8]); 6] = [
            (b"a\r\n", b"a\n"),
            (b"a\r", b"a\n"),
            (b"\r\n", b"\n"),
            (b"a\n", b"a\n"),
            (b"a", b"a"),
            (b"", b""),
        ];
        for (line, expected) in lines {
            assert_eq!(with_line_feed(line, &mut buffer), Ok(expected));
        }
    }
}
