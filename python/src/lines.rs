//! The iterator over lines that the function `lines` of the package returns.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::{mem, ptr};

use pyo3::exceptions::{
    PyBaseException, PyBlockingIOError, PyRuntimeError, PyUnicodeDecodeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit, intern};

use leadbyte::BOM;
use leadbyte::bindings::allocation::{AllocError, Grow, try_push};
use leadbyte::bindings::lines::{LastBytes, LineEnd, with_line_feed};
use leadbyte::bindings::location::LocationCounter;
use leadbyte::bindings::simd::Implementation;

use super::arguments::number_argument;
use super::buffer::{Buffer, SignalPoller, copied_bytes, snapshot};
use super::calls::{call, call_method};
use super::decode::{MAX_SHORT_BYTES, decode, decode_generalized, decode_valid, short_text_of};
use super::handlers::Name;
use super::interpreter::guarded;
use super::list::{Queue, list_of};
use super::location::Location;
use super::shared::locked;
use super::split::view_of_bytes;
use super::string::new_ascii;
use super::work_error::memory_error;

/// What ends a line, and whether it becomes LF, for each value of `newline` in the order of `NEWLINES` of the package.
const NEWLINES: [(LineEnd, bool); 5] = [
    (LineEnd::Universal, true),
    (LineEnd::Universal, false),
    (LineEnd::Lf, false),
    (LineEnd::Cr, false),
    (LineEnd::CrLf, false),
];

/// An iterator over the lines of a file or of a bytes-like object, and a context manager that closes it.
///
/// It can be used by several threads, each of which gets other lines. A call from within another one in the same
/// thread, as by a file's read or by an error handler, raises RuntimeError.
#[pyclass(frozen, module = "leadbyte._leadbyte")]
pub(super) struct LineIterator {
    source: BlockSource,
    /// Decodes blocks to UTF-8 in which there may be surrogates; `None` if lines are decoded one by one.
    decoder: Option<Py<PyAny>>,
    /// Is called at the end of the data, and by `close`.
    release: Option<Py<PyAny>>,
    errors: Option<Name>,
    line_end: LineEnd,
    translated: bool,
    block_bytes: usize,
    /// The next lines.
    ready: Queue,
    state: Mutex<LineState>,
    /// The thread whose call may run Python code while `state` is locked, by [`this_thread`]; 0 if there is none.
    owner: AtomicUsize,
}

/// Where blocks come from. `bytes` never change and are not copied; of all other memory, blocks are copies.
enum BlockSource {
    Bytes(Py<PyBytes>),
    /// A memoryview of bytes.
    View(Py<PyAny>),
    /// A function that takes a number of bytes and returns about as many, none at the end.
    Read(Py<PyAny>),
}

#[derive(Default)]
struct LineState {
    block: Option<Block>,
    /// The start of the next line in it.
    at: usize,
    last_bytes: LastBytes,
    /// The start of a line that continues in the next block.
    carry: Vec<u8>,
    /// Whether this line has its end.
    is_carry_complete: bool,
    /// A line whose end is translated.
    translation: Vec<u8>,
    /// The number of bytes that were read from a [`BlockSource`] in memory.
    read_bytes: usize,
    /// Whether a byte order mark at the start of the data is still to be skipped.
    skips_bom: bool,
    /// A block after which reading failed, as it is a part of a byte order mark, or whose decoding failed; and whether
    /// the data ends with it.
    start: Option<(Block, bool)>,
    ended: bool,
    released: bool,
    closed: bool,
    before: LineTotals,
    /// Is raised by the next call: the lines before are already in a list. Its traceback may refer to the iterator.
    delayed: Option<Py<PyBaseException>>,
}

/// Some of the data: the bytes from `start` to `end`.
struct Block {
    bytes: Py<PyBytes>,
    start: usize,
    end: usize,
    /// Whether these are ASCII; false if that is not known.
    is_ascii: bool,
}

impl Block {
    fn of(bytes: Bound<'_, PyBytes>) -> Self {
        let end = bytes.as_bytes().len();
        Self { bytes: bytes.unbind(), start: 0, end, is_ascii: false }
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    #[inline(always)]
    fn data<'a>(&'a self, py: Python<'a>) -> &'a [u8] {
        &self.bytes.as_bytes(py)[self.start..self.end]
    }
}

/// The lines so far.
#[derive(Clone, Copy, Default)]
struct LineTotals {
    lines: u64,
    bytes: u64,
    chars: u64,
}

impl LineTotals {
    fn add(&mut self, bytes: usize, chars: usize) {
        self.lines += 1;
        self.bytes += bytes as u64;
        self.chars += chars as u64;
    }
}

/// Returns a number for this thread, not 0, that no other thread has at the same time.
fn this_thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| ptr::from_ref(mark).addr())
}

impl LineIterator {
    /// Locks the state, which no other call uses meanwhile.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, LineState>> {
        match self.state.try_lock() {
            Ok(state) => return Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
        if self.owner.load(Ordering::Relaxed) == this_thread() {
            return Err(PyRuntimeError::new_err(
                "these lines are being read by a call that has not returned",
            ));
        }
        Ok(locked(py, &self.state))
    }

    /// Runs `work`, which may run Python code, while the state is locked.
    fn owning<T>(&self, work: impl FnOnce() -> T) -> T {
        self.owner.store(this_thread(), Ordering::Relaxed);
        let result = work();
        self.owner.store(0, Ordering::Relaxed);
        result
    }

    /// Returns the next line, if it has been made.
    #[inline(always)]
    pub(super) fn next_ready<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        self.ready.take(py)
    }

    /// Returns the next line; `None` at the end. Makes those that follow it in the block, as many as the queue takes.
    #[cold]
    fn next<'py>(&self, py: Python<'py>, state: &mut LineState) -> PyResult<Option<Bound<'py, PyString>>> {
        loop {
            // Another thread may have made lines.
            if let Some(line) = self.next_ready(py) {
                return Ok(Some(line));
            }
            if let Some(error) = state.delayed.take() {
                return Err(PyErr::from_value(error.into_bound(py).into_any()));
            }
            if state.is_carry_complete {
                let line = self.owning(|| self.text_of_carry(py, state))?;
                // Without its errors, nothing may be left of the last line.
                if line.is_empty()? {
                    continue;
                }
                return Ok(Some(line));
            }
            let is_block_over = self.ready.fill(|| match self.next_of_block(py, state)? {
                Ok(line) => Some(line),
                Err(error) => {
                    state.delayed = Some(error.into_value(py));
                    None
                }
            });
            if let Some(line) = self.next_ready(py) {
                return Ok(Some(line));
            }
            // Without the GIL, other threads may have taken all, while there are more in the block.
            if is_block_over && state.delayed.is_none() && !self.owning(|| self.advance(py, state))? {
                return Ok(None);
            }
        }
    }

    /// Returns the next line that ends in the current block, if there is one.
    #[inline(always)]
    fn next_of_block<'py>(
        &self,
        py: Python<'py>,
        state: &mut LineState,
    ) -> Option<PyResult<Bound<'py, PyString>>> {
        let LineState { block: Some(block), at, last_bytes, translation, before, .. } = state else {
            return None;
        };
        let data = block.data(py);
        let end = self.line_end.line_from(*at, data, last_bytes)?;
        let text = self.text(py, &data[*at..end], block.is_ascii, translation, before);
        if text.is_ok() || self.owning(|| is_line_over(py, &text)) {
            *at = end;
        }
        Some(text)
    }

    /// Returns the text of a line, which then belongs to those `before`.
    #[inline(always)]
    fn text<'py>(
        &self,
        py: Python<'py>,
        line: &[u8],
        is_ascii: bool,
        translation: &mut Vec<u8>,
        before: &mut LineTotals,
    ) -> PyResult<Bound<'py, PyString>> {
        let translated =
            if self.translated { with_line_feed(line, translation).map_err(memory_error)? } else { line };
        if is_ascii && translated.len() <= MAX_SHORT_BYTES {
            let text = new_ascii(py, translated)?;
            before.add(line.len(), line.len());
            return Ok(text);
        }
        if translated.len() <= MAX_SHORT_BYTES
            && let Some(measure) = Implementation::active().measure(translated)
        {
            let text = short_text_of(py, translated, &measure)?;
            before.add(line.len(), measure.chars + line.len() - translated.len());
            return Ok(text);
        }
        self.owning(|| self.unusual_text(py, line, translated, before))
    }

    /// Returns the text of a line that is long or not valid.
    #[cold]
    fn unusual_text<'py>(
        &self,
        py: Python<'py>,
        line: &[u8],
        translated: &[u8],
        before: &mut LineTotals,
    ) -> PyResult<Bound<'py, PyString>> {
        if let Some(text) = decode_valid(py, translated)? {
            before.add(line.len(), text.len()? + line.len() - translated.len());
            return Ok(text);
        }
        let bytes = copied_bytes(py, translated)?;
        let text = match self.decoder {
            Some(_) => decode_generalized(&bytes),
            None => decode(bytes.as_any(), self.errors.as_ref()),
        };
        if let Err(error) = &text
            && is_decode_error(py, error)
        {
            let value = error.value(py).as_any();
            // The fields describe the line as it is in the file.
            value.setattr(intern!(py, "object"), copied_bytes(py, line)?)?;
            let start: usize = value.getattr(intern!(py, "start"))?.extract()?;
            self.locate(py, error, *before, &line[..start.min(line.len())], before.bytes + start as u64)?;
        }
        if is_line_over(py, &text) {
            before.add(line.len(), located(line).char_offset as usize);
        }
        text
    }

    /// Adds the location of an error to its exception: the location of the byte at `offset`, which `start` precedes in
    /// its line.
    fn locate(
        &self,
        py: Python<'_>,
        error: &PyErr,
        before: LineTotals,
        start: &[u8],
        offset: u64,
    ) -> PyResult<()> {
        let (mut column, mut utf16_column) = (1, 1);
        // Lines that do not end with a line feed may have some.
        for (number, part) in start.split(|&byte| byte == b'\n').enumerate() {
            let (within, line_feed) = (located(part), u64::from(number > 0));
            column += line_feed + within.column - 1;
            utf16_column += line_feed + within.utf16_column - 1;
        }
        let location = leadbyte::Location {
            line: before.lines + 1,
            column,
            utf16_column,
            char_offset: before.chars + column - 1,
            byte_offset: offset,
        };
        let note = format!("line {}, column {}, byte offset {offset}", location.line, location.column);
        let value = error.value(py);
        value.setattr(intern!(py, "location"), Location::from(location))?;
        // Python 3.10 has no notes.
        if let Some(add_note) = value.getattr_opt(intern!(py, "add_note"))? {
            add_note.call1((note,))?;
        }
        Ok(())
    }

    /// Goes to the next block. Returns false at the end of all lines.
    fn advance(&self, py: Python<'_>, state: &mut LineState) -> PyResult<bool> {
        if state.closed {
            return Err(PyValueError::new_err("I/O operation on closed file."));
        }
        if let Some(block) = &state.block {
            let rest = &block.data(py)[state.at..];
            state.carry.grow(rest.len()).map_err(memory_error)?;
            state.carry.extend_from_slice(rest);
            state.block = None;
        }
        if state.ended {
            if !mem::replace(&mut state.released, true) {
                self.release(py)?;
            }
            state.is_carry_complete = !state.carry.is_empty();
            return Ok(state.is_carry_complete);
        }
        py.check_signals()?;
        let Some(block) = self.next_block(py, state)? else { return Ok(true) };
        let end = match self.continued_line(py, state, &block) {
            Ok(end) => end,
            Err(error) => {
                // Lines must not be skipped, as the block is gone.
                state.closed = true;
                return Err(memory_error(error));
            }
        };
        state.is_carry_complete = end.is_some();
        state.at = end.unwrap_or(0);
        state.block = Some(block);
        Ok(true)
    }

    /// Finds the lines of a block. Returns where that ends which starts in the blocks before, and completes it.
    fn continued_line(
        &self,
        py: Python<'_>,
        state: &mut LineState,
        block: &Block,
    ) -> Result<Option<usize>, AllocError> {
        let data = block.data(py);
        state.last_bytes.find(Implementation::active(), data, self.line_end)?;
        if state.carry.is_empty() {
            return Ok(None);
        }
        let end = self.line_end.rest_of_line(&state.carry, data, &state.last_bytes);
        if let Some(end) = end {
            state.carry.grow(end)?;
            state.carry.extend_from_slice(&data[..end]);
        }
        Ok(end)
    }

    /// Returns the line that was put together.
    fn text_of_carry<'py>(&self, py: Python<'py>, state: &mut LineState) -> PyResult<Bound<'py, PyString>> {
        let LineState { carry, is_carry_complete, translation, before, .. } = state;
        let translated = if self.translated {
            with_line_feed(carry, translation).map_err(memory_error)?
        } else {
            &carry[..]
        };
        let text = self.unusual_text(py, carry, translated, before);
        if is_line_over(py, &text) {
            carry.clear();
            *is_carry_complete = false;
            // A long line must not take memory after it.
            for buffer in [carry, translation] {
                if buffer.capacity() > MAX_KEPT_BYTES {
                    *buffer = vec![];
                }
            }
        }
        text
    }

    /// Returns the next block, which may be empty; `None` at the end of the data.
    fn next_block(&self, py: Python<'_>, state: &mut LineState) -> PyResult<Option<Block>> {
        let (mut block, mut ended) = match state.start.take() {
            Some(start) => start,
            None => {
                let block = self.read(py, &mut state.read_bytes)?;
                let ended = block.is_empty();
                (block, ended)
            }
        };
        while state.skips_bom {
            let bytes = block.data(py);
            if bytes.starts_with(&BOM) {
                state.before = LineTotals { bytes: BOM.len() as u64, chars: 1, ..state.before };
                block.start += BOM.len();
            } else if !ended && BOM.starts_with(bytes) {
                // As in Python, a part of a byte order mark is not part of the text.
                let next = match self.read(py, &mut state.read_bytes) {
                    Ok(next) => next,
                    Err(error) => {
                        state.start = Some((block, ended));
                        return Err(error);
                    }
                };
                if !next.is_empty() {
                    let joined = [bytes, next.data(py)].concat();
                    block = Block::of(copied_bytes(py, &joined)?);
                    continue;
                }
                block.start = block.end;
                ended = true;
            }
            state.skips_bom = false;
        }
        if let Some(decoder) = &self.decoder {
            match self.decoded(decoder.bind(py), state, &block, ended) {
                Ok(decoded) => block = decoded,
                Err(error) if is_decode_error(py, &error) => {
                    // What follows cannot be decoded, and the start of its line is not a line.
                    (state.ended, state.is_carry_complete) = (true, false);
                    state.carry.clear();
                    return Err(error);
                }
                Err(error) => {
                    // Another attempt may not have it.
                    state.start = Some((block, ended));
                    return Err(error);
                }
            }
        }
        state.ended = ended;
        block.is_ascii = leadbyte::is_ascii(block.data(py));
        Ok(Some(block).filter(|block| !block.is_empty()))
    }

    /// Returns a block in UTF-8.
    fn decoded(
        &self,
        decoder: &Bound<'_, PyAny>,
        state: &LineState,
        block: &Block,
        last: bool,
    ) -> PyResult<Block> {
        let py = decoder.py();
        let bytes = match block.bytes.as_bytes(py).len() == block.end - block.start {
            true => block.bytes.bind(py).clone(),
            false => copied_bytes(py, block.data(py))?,
        };
        let decoded = call_method(decoder, intern!(py, "decode"), (bytes, last));
        if let Err(error) = &decoded
            && is_decode_error(py, error)
        {
            let offset: Option<u64> = decoder.getattr(intern!(py, "error_offset"))?.extract()?;
            if let Some(offset) = offset {
                self.locate(py, error, state.before, &state.carry, offset)?;
            }
        }
        Ok(Block::of(decoded?.cast_into::<PyBytes>()?))
    }

    /// Reads the next block; it is empty at the end of the data.
    fn read(&self, py: Python<'_>, read_bytes: &mut usize) -> PyResult<Block> {
        match &self.source {
            BlockSource::Bytes(bytes) => {
                let (start, length) = (*read_bytes, bytes.as_bytes(py).len());
                *read_bytes = length.min(start.saturating_add(self.block_bytes));
                Ok(Block { bytes: bytes.clone_ref(py), start, end: *read_bytes, is_ascii: false })
            }
            BlockSource::View(view) => {
                let view = view.bind(py);
                let buffer = Buffer::of(view)?;
                let rest = buffer.as_slice().get(*read_bytes..).unwrap_or_default();
                let block = copied_bytes(py, &rest[..rest.len().min(self.block_bytes)])?;
                *read_bytes += block.as_bytes().len();
                Ok(Block::of(block))
            }
            BlockSource::Read(read) => {
                let block = call(read.bind(py), (self.block_bytes,))?;
                if block.is_none() {
                    return Err(PyBlockingIOError::new_err("the file has no data yet, and does not block"));
                }
                Ok(Block::of(snapshot(&block)?))
            }
        }
    }

    /// Releases what the data was read from.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        if let BlockSource::View(view) = &self.source {
            view.call_method0(py, intern!(py, "release"))?;
        }
        if let Some(release) = &self.release {
            call(release.bind(py), ())?;
        }
        Ok(())
    }
}

/// Returns whether the next call continues after a line: not after an error that another attempt may not have, as
/// MemoryError.
fn is_line_over<T>(py: Python<'_>, text: &PyResult<T>) -> bool {
    text.as_ref().err().is_none_or(|error| is_decode_error(py, error))
}

/// Returns the location of the end of `data`.
fn located(data: &[u8]) -> leadbyte::Location {
    let mut counter = LocationCounter::default();
    counter.advance(Implementation::active(), data);
    counter.location()
}

fn is_decode_error(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyUnicodeDecodeError>(py)
}

/// The most bytes of memory that are kept for the next line.
const MAX_KEPT_BYTES: usize = 1 << 20;

#[pymethods]
impl LineIterator {
    /// Iterate over the lines of source: any bytes-like object, or a function that takes a number of bytes and reads as
    /// many or fewer, none at the end.
    #[new]
    #[pyo3(signature = (source, /, *, decoder, errors, newline, skips_bom, release, block_bytes))]
    fn new(
        source: &Bound<'_, PyAny>,
        decoder: Option<Py<PyAny>>,
        errors: &Bound<'_, PyAny>,
        newline: usize,
        skips_bom: bool,
        release: Option<Py<PyAny>>,
        block_bytes: usize,
    ) -> PyResult<Self> {
        guarded(|| {
            let (line_end, translated) =
                *NEWLINES.get(newline).ok_or_else(|| PyValueError::new_err("unknown newline"))?;
            let source = if let Ok(bytes) = source.cast_exact::<PyBytes>() {
                BlockSource::Bytes(bytes.clone().unbind())
            } else if source.is_callable() {
                BlockSource::Read(source.clone().unbind())
            } else {
                BlockSource::View(view_of_bytes(source)?.unbind())
            };
            Ok(Self {
                source,
                decoder,
                release,
                errors: Name::of(Some(errors), "lines")?,
                line_end,
                translated,
                block_bytes,
                ready: Queue::default(),
                state: Mutex::new(LineState { skips_bom, ..LineState::default() }),
                owner: AtomicUsize::new(0),
            })
        })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        guarded(|| match self.next_ready(py) {
            Some(line) => Ok(Some(line)),
            None => self.next(py, &mut *self.lock(py)?),
        })
    }

    /// Return an iterator over lists of n lines; the last may be shorter, and so is the one before an exception.
    #[pyo3(signature = (n, /))]
    fn batches<'py>(slf: &Bound<'py, Self>, n: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let py = slf.py();
            let n = number_argument(n, "n", 1)?;
            let take = slf.getattr(intern!(py, "_take"))?;
            let take =
                py.import(intern!(py, "functools"))?.call_method1(intern!(py, "partial"), (take, n))?;
            let builtins = py.import(intern!(py, "builtins"))?;
            builtins.call_method1(intern!(py, "iter"), (take, PyList::empty(py)))
        })
    }

    /// Return a list of the next n lines, or of fewer at the end.
    #[pyo3(signature = (n, /))]
    fn _take<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Bound<'py, PyList>> {
        guarded(|| {
            let mut state = self.lock(py)?;
            let mut lines = vec![];
            let mut poller = SignalPoller::default();
            while lines.len() < n {
                if let Some(line) = self.next_ready(py) {
                    try_push(&mut lines, line).map_err(memory_error)?;
                    continue;
                }
                let next = self.owning(|| poller.advance_attached(py, READY_COST_BYTES));
                match next.map_err(PyErr::from).and_then(|()| self.next(py, &mut state)) {
                    Ok(Some(line)) => try_push(&mut lines, line).map_err(memory_error)?,
                    Ok(None) => break,
                    Err(error) if lines.is_empty() => return Err(error),
                    Err(error) => {
                        state.delayed = Some(error.into_value(py));
                        break;
                    }
                }
            }
            drop(state);
            // Not locked: it may collect garbage, which may run Python code.
            list_of(py, lines)
        })
    }

    /// Close the file if it was opened here, or release the buffer. Then no more lines can be read.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| {
            let mut state = self.lock(py)?;
            while self.next_ready(py).is_some() {}
            self.owning(|| {
                *state = LineState { closed: true, ..LineState::default() };
                self.release(py)
            })
        })
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    /// Visits the objects that it uses. It is immutable, so another member of a reference cycle must be cleared.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.source {
            BlockSource::Bytes(_) => {}
            BlockSource::View(object) | BlockSource::Read(object) => visit.call(object)?,
        }
        visit.call(&self.decoder)?;
        visit.call(&self.release)?;
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // A call is at work, whose reference keeps the iterator.
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        visit.call(&state.delayed)
    }
}

/// What the lines of a full queue cost, as a number of bytes processed.
const READY_COST_BYTES: usize = 16 << 10;
