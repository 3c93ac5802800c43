//! Arrays for other libraries. An export clones an `Arc`.

use core::any::Any;
use core::ffi::{CStr, c_char, c_int};
use core::ptr;
use std::ffi::CString;
use std::sync::Arc;

use super::abi::{ArrowArray, ArrowArrayStream, ArrowSchema};
use super::schema::Schema;
use crate::allocation::{AllocError, try_push};
use crate::columns::bitmap::Bitmap;

/// An array that can be exported any number of times. It has no offset.
#[derive(Default)]
pub struct Array {
    /// The number of rows.
    pub length: usize,
    /// The number of rows that are null.
    pub null_count: usize,
    buffers: Vec<*const u8>,
    children: Vec<Arc<Array>>,
    dictionary: Option<Arc<Array>>,
    /// What the buffers are in.
    owners: Vec<Arc<dyn Any + Send + Sync>>,
}

// SAFETY: `owners` keeps the buffers alive, and nothing changes them.
unsafe impl Send for Array {}
// SAFETY: as above.
unsafe impl Sync for Array {}

/// What an exported array points to.
struct ExportedArray {
    array: Arc<Array>,
    /// At addresses that do not change, as it gets no others.
    children: Vec<ArrowArray>,
    child_pointers: Vec<*mut ArrowArray>,
    dictionary: Option<Box<ArrowArray>>,
}

impl Array {
    /// Returns an array of some rows, with the buffer of those that are not null.
    pub fn new(length: usize, validity: Option<Bitmap>) -> Self {
        let mut array = Self { length, ..Self::default() };
        match validity.map(|validity| (validity.count_zeros(), validity)) {
            Some((null_count @ 1.., validity)) => {
                array.null_count = null_count;
                array.push(validity.into_bytes());
            }
            _ => array.buffers.push(ptr::null()),
        }
        array
    }

    /// Adds a buffer.
    pub fn push<T: Send + Sync + 'static>(&mut self, buffer: Vec<T>) {
        let buffer = Arc::new(buffer);
        self.buffers.push(buffer.as_ptr().cast());
        self.owners.push(buffer);
    }

    /// Adds buffers that `owner` keeps alive and unchanged.
    pub fn share(
        &mut self,
        buffers: impl IntoIterator<Item = *const u8>,
        owner: Arc<ArrowArray>,
    ) -> Result<(), AllocError> {
        for buffer in buffers {
            try_push(&mut self.buffers, buffer)?;
        }
        self.owners.push(owner);
        Ok(())
    }

    /// Sets the values of a dictionary.
    pub fn set_dictionary(&mut self, values: Self) {
        self.dictionary = Some(Arc::new(values));
    }

    /// Adds a child.
    pub fn push_child(&mut self, child: Self) {
        self.children.push(Arc::new(child));
    }

    /// Returns an array whose only buffer is the validity bitmap, if its type has one; the children have the others.
    pub fn parent(length: usize, has_validity: bool, children: Vec<Self>) -> Self {
        let buffers = if has_validity { vec![ptr::null()] } else { vec![] };
        Self { length, buffers, children: children.into_iter().map(Arc::new).collect(), ..Self::default() }
    }

    /// Returns the struct for other libraries.
    pub fn export(self: &Arc<Self>) -> ArrowArray {
        unsafe extern "C" fn release(array: *mut ArrowArray) {
            // SAFETY: the consumer releases a live array.
            let array = unsafe { &mut *array };
            // SAFETY: this is the box from below, given back once, since `release` is cleared then.
            drop(unsafe { Box::from_raw(array.private_data.cast::<ExportedArray>()) });
            array.release = None;
        }
        let mut children: Vec<_> = self.children.iter().map(Self::export).collect();
        let child_pointers = children.iter_mut().map(ptr::from_mut).collect();
        let dictionary = self.dictionary.as_ref().map(|dictionary| Box::new(dictionary.export()));
        let mut exported =
            Box::new(ExportedArray { array: self.clone(), children, child_pointers, dictionary });
        ArrowArray {
            length: self.length as i64,
            null_count: self.null_count as i64,
            offset: 0,
            n_buffers: exported.array.buffers.len() as i64,
            n_children: exported.children.len() as i64,
            buffers: exported.array.buffers.as_ptr(),
            children: exported.child_pointers.as_mut_ptr(),
            dictionary: exported
                .dictionary
                .as_mut()
                .map_or(ptr::null_mut(), |array| ptr::from_mut(&mut **array)),
            release: Some(release),
            private_data: Box::into_raw(exported).cast(),
        }
    }
}

/// What an exported stream has left.
struct Rest {
    schema: Schema,
    chunks: Vec<Arc<Array>>,
    next: usize,
}

/// Returns a stream of arrays of one type.
pub fn stream(schema: &Schema, chunks: &[Arc<Array>]) -> ArrowArrayStream {
    unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
        // SAFETY: the consumer calls with a live stream.
        let stream = unsafe { &*stream };
        // SAFETY: this is the box from below, which lives until the stream is released.
        let rest = unsafe { &*stream.private_data.cast::<Rest>() };
        // SAFETY: there is memory for a schema, which holds nothing yet.
        unsafe { ptr::write(out, rest.schema.export()) };
        0
    }
    unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
        // SAFETY: the consumer calls with a live stream, on one thread at a time.
        let stream = unsafe { &*stream };
        // SAFETY: as above; nothing else refers to it meanwhile.
        let rest = unsafe { &mut *stream.private_data.cast::<Rest>() };
        let next = rest.chunks.get(rest.next).map_or_else(ArrowArray::empty, Array::export);
        rest.next += 1;
        // SAFETY: there is memory for an array, which holds nothing yet. A released one is the end.
        unsafe { ptr::write(out, next) };
        0
    }
    unsafe extern "C" fn get_last_error(_: *mut ArrowArrayStream) -> *const c_char {
        ptr::null() // nothing fails
    }
    unsafe extern "C" fn release(stream: *mut ArrowArrayStream) {
        // SAFETY: the consumer releases a live stream.
        let stream = unsafe { &mut *stream };
        // SAFETY: this is the box from below, given back once, since `release` is cleared then.
        drop(unsafe { Box::from_raw(stream.private_data.cast::<Rest>()) });
        stream.release = None;
    }
    let rest = Box::new(Rest { schema: schema.clone(), chunks: chunks.to_vec(), next: 0 });
    ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(rest).cast(),
    }
}

impl ArrowArrayStream {
    /// Returns the type of the stream's arrays, or the message of its error.
    pub fn schema(&mut self) -> Result<ArrowSchema, CString> {
        let mut schema = ArrowSchema::empty();
        let Some(get_schema) = self.get_schema else { return Err(c"the stream has no schema".into()) };
        // SAFETY: the stream is live, and `schema` is memory for one.
        match unsafe { get_schema(self, &mut schema) } {
            0 => Ok(schema),
            _ => Err(self.last_error()),
        }
    }

    /// Returns the next array, `None` at the end, or the message of an error.
    pub fn next_array(&mut self) -> Result<Option<ArrowArray>, CString> {
        let mut array = ArrowArray::empty();
        let Some(get_next) = self.get_next else { return Err(c"the stream has no arrays".into()) };
        // SAFETY: the stream is live, and `array` is memory for one.
        match unsafe { get_next(self, &mut array) } {
            0 => Ok(array.release.is_some().then_some(array)),
            _ => Err(self.last_error()),
        }
    }

    fn last_error(&mut self) -> CString {
        // SAFETY: the stream is live.
        let message = self.get_last_error.map_or(ptr::null(), |get| unsafe { get(self) });
        if message.is_null() {
            return c"the stream failed without a message".into();
        }
        // SAFETY: the message ends with NUL, and lives until the next call.
        unsafe { CStr::from_ptr(message) }.to_owned()
    }
}
