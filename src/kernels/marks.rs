//! Marks of bytes: a bit for each byte that equals one of two.
//!
//! A search from each mark for the next, as memchr makes it, takes four times as long where marks are some 100 bytes
//! apart: each search starts and ends with branches that are predicted wrongly.

use super::kernel::{Backend, Kernel, Task};

/// Bytes with a word of marks.
pub(crate) const BLOCK_BYTES: usize = 64;

/// Sets `marks`, a word for each block, to a bit for each byte of `data` that equals one of `bytes`; the lowest bit is
/// for the first byte.
pub(crate) struct MarkEqual<'a> {
    pub data: &'a [u8],
    pub bytes: [u8; 2],
    pub marks: &'a mut [u64],
}

impl Kernel for MarkEqual<'_> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) {
        let Self { data, bytes: [one, other], marks } = self;
        let equal = |block: &[u8; BLOCK_BYTES]| isa.equal_in(block, one) | isa.equal_in(block, other);
        let (blocks, rest) = data.as_chunks();
        for (marks, block) in marks.iter_mut().zip(blocks) {
            *marks = equal(block);
        }
        if let Some(marks) = marks.get_mut(blocks.len()) {
            let mut last = [0; BLOCK_BYTES];
            last[..rest.len()].copy_from_slice(rest);
            *marks = equal(&last) & !(!0 << rest.len());
        }
    }
}
