//! Allocation that fails instead of aborting, and lengths that fail instead of wrapping.
//!
//! Everything that Python calls allocates in this way wherever the size depends on the input: the bindings raise
//! MemoryError. The functions of the crate behave as std's functions do, by [`AllocError::raise`]: they panic if a
//! capacity overflows, and abort if memory is exhausted.
//!
//! Infallible allocation is left only where its size is bounded, whatever the input:
//!
//! - by this crate: blocks and tables of some KiB, the text of up to 256 KiB that `mojibake` scores at once, the table
//!   of 50 KiB that `search` filters by, and messages of exceptions;
//! - by encoding_rs: nothing, as decoders and encoders write into buffers of this crate;
//! - by ICU4X: the decomposition of a single character;
//! - by PyO3: a box for each exception, and the str, int and tuple objects of fixed size that results are made of.

use std::alloc::{Layout, handle_alloc_error};

/// Why an allocation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocError {
    /// The size exceeds the maximum that can be allocated.
    CapacityOverflow,
    /// The allocator is out of memory.
    Exhausted(Layout),
}

impl AllocError {
    /// Panics or aborts, as the collections of std do.
    #[cold]
    pub(crate) fn raise(self) -> ! {
        match self {
            Self::CapacityOverflow => panic!("capacity overflow"),
            Self::Exhausted(layout) => handle_alloc_error(layout),
        }
    }
}

/// Returns the value, or panics or aborts as std does if memory is exhausted.
pub(crate) fn or_raise<T>(outcome: Result<T, AllocError>) -> T {
    outcome.unwrap_or_else(|error| error.raise())
}

/// Adds two lengths.
#[inline]
pub fn sum(length: usize, more: usize) -> Result<usize, AllocError> {
    length.checked_add(more).ok_or(AllocError::CapacityOverflow)
}

/// Returns the length of `count` items of `size` each.
#[inline]
pub fn product(count: usize, size: usize) -> Result<usize, AllocError> {
    count.checked_mul(size).ok_or(AllocError::CapacityOverflow)
}

/// A collection that can reserve capacity fallibly.
pub trait Grow {
    /// Reserves capacity for at least `additional` more items, or more to avoid frequent reallocations.
    fn grow(&mut self, additional: usize) -> Result<(), AllocError>;
}

impl<T> Grow for Vec<T> {
    #[inline]
    fn grow(&mut self, additional: usize) -> Result<(), AllocError> {
        self.try_reserve(additional).map_err(|_| refused::<T>(self.len(), additional))
    }
}

impl Grow for String {
    #[inline]
    fn grow(&mut self, additional: usize) -> Result<(), AllocError> {
        self.try_reserve(additional).map_err(|_| refused::<u8>(self.len(), additional))
    }
}

#[cold]
fn refused<T>(length: usize, additional: usize) -> AllocError {
    let layout = sum(length, additional).map(Layout::array::<T>);
    layout.map_or_else(
        |error| error,
        |layout| layout.map_or(AllocError::CapacityOverflow, AllocError::Exhausted),
    )
}

/// Returns the first values of a buffer that is used again, which becomes longer if it has fewer.
#[cfg_attr(not(feature = "unicode"), expect(dead_code))]
pub(crate) fn first_of<T: Copy + Default>(
    buffer: &mut Vec<T>,
    length: usize,
) -> Result<&mut [T], AllocError> {
    if let Some(more) = length.checked_sub(buffer.len()) {
        buffer.grow(more)?;
        buffer.resize(length, T::default());
    }
    Ok(&mut buffer[..length])
}

/// Appends one value.
#[inline]
pub fn try_push<T>(values: &mut Vec<T>, value: T) -> Result<(), AllocError> {
    values.grow(1)?;
    values.push(value);
    Ok(())
}

/// Appends values.
#[cfg(any(feature = "detect", feature = "unicode", test))]
#[inline]
pub fn try_extend<T: Copy>(values: &mut Vec<T>, more: &[T]) -> Result<(), AllocError> {
    values.grow(more.len())?;
    values.extend_from_slice(more);
    Ok(())
}

/// Appends text.
#[cfg(feature = "detect")]
pub fn try_push_str(text: &mut String, more: &str) -> Result<(), AllocError> {
    text.grow(more.len())?;
    text.push_str(more);
    Ok(())
}

/// Returns the text that is written.
pub fn written(
    write: impl FnOnce(&mut dyn core::fmt::Write) -> core::fmt::Result,
) -> Result<String, AllocError> {
    use core::fmt;

    struct Text {
        text: String,
        outcome: Result<(), AllocError>,
    }

    impl fmt::Write for Text {
        fn write_str(&mut self, more: &str) -> fmt::Result {
            self.outcome = self.text.grow(more.len());
            self.outcome.map_err(|_| fmt::Error)?;
            self.text.push_str(more);
            Ok(())
        }
    }

    let mut text = Text { text: String::new(), outcome: Ok(()) };
    // Nothing else fails, and the outcome has it.
    _ = write(&mut text);
    text.outcome.map(|()| text.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_fail_instead_of_wrapping() {
        assert_eq!(sum(usize::MAX - 1, 1), Ok(usize::MAX));
        assert_eq!(sum(usize::MAX, 1), Err(AllocError::CapacityOverflow));
        assert_eq!(product(usize::MAX / 2, 2), Ok(usize::MAX - 1));
        assert_eq!(product(usize::MAX / 2 + 1, 2), Err(AllocError::CapacityOverflow));
    }

    #[test]
    fn capacity_that_cannot_be_had_is_an_error() {
        let mut values = vec![1_u32];
        assert_eq!(values.grow(usize::MAX), Err(AllocError::CapacityOverflow));
        assert_eq!(values.grow(isize::MAX as usize / 4), Err(AllocError::CapacityOverflow));
        let most = isize::MAX as usize / 4 - 1;
        assert_eq!(values.grow(most), Err(AllocError::Exhausted(Layout::array::<u32>(most + 1).unwrap())));
        assert_eq!(String::new().grow(usize::MAX), Err(AllocError::CapacityOverflow));
        assert_eq!((try_push(&mut values, 2), try_extend(&mut values, &[3])), (Ok(()), Ok(())));
        assert_eq!(values, [1, 2, 3]);
        assert_eq!(written(|out| write!(out, "{} of {}", 1, 2)), Ok("1 of 2".to_owned()));
    }

    #[test]
    #[should_panic(expected = "capacity overflow")]
    fn an_overflow_panics_as_in_std() {
        or_raise(sum(usize::MAX, 1));
    }
}
