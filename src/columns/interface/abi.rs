//! The structs of the interface. Dropping one releases what it holds.

use core::ffi::{c_char, c_int, c_void};
use core::ptr;

macro_rules! structs {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty = $empty:expr,)* })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            $(
                #[doc = concat!("The member `", stringify!($field), "` of the interface.")]
                pub(crate) $field: $type,
            )*
            /// Releases the struct; `None` once it is released or moved.
            pub(crate) release: Option<unsafe extern "C" fn(*mut $name)>,
            /// What the producer keeps.
            pub(crate) private_data: *mut c_void,
        }

        impl $name {
            /// Returns a released struct, which owns nothing.
            pub fn empty() -> Self {
                Self { $($field: $empty,)* release: None, private_data: ptr::null_mut() }
            }

            /// Moves the struct out, as the interface defines a move. Returns `None` if it was released.
            ///
            /// # Safety
            /// `from` must point to such a struct, which nothing else uses meanwhile.
            pub unsafe fn take(from: *mut Self) -> Option<Self> {
                // SAFETY: as the caller promised; an empty struct stays there, which owns nothing.
                let taken = unsafe { ptr::replace(from, Self::empty()) };
                taken.release.is_some().then_some(taken)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: it is not released yet, and nothing uses it afterwards.
                    unsafe { release(self) }
                }
            }
        }

        // SAFETY: the interface allows any one thread at a time to use and to release it.
        unsafe impl Send for $name {}
    )*};
}

structs! {
    /// The type of an array.
    ArrowSchema {
        format: *const c_char = ptr::null(),
        name: *const c_char = ptr::null(),
        metadata: *const c_char = ptr::null(),
        flags: i64 = 0,
        n_children: i64 = 0,
        children: *mut *mut ArrowSchema = ptr::null_mut(),
        dictionary: *mut ArrowSchema = ptr::null_mut(),
    }

    /// The values of an array.
    ArrowArray {
        length: i64 = 0,
        null_count: i64 = 0,
        offset: i64 = 0,
        n_buffers: i64 = 0,
        n_children: i64 = 0,
        buffers: *const *const u8 = ptr::null(),
        children: *mut *mut ArrowArray = ptr::null_mut(),
        dictionary: *mut ArrowArray = ptr::null_mut(),
    }

    /// Arrays of the same type, one after another.
    ArrowArrayStream {
        get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int> = None,
        get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int> = None,
        get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char> = None,
    }
}

impl ArrowArray {
    /// Returns the number of rows that it claims.
    pub fn row_count(&self) -> usize {
        usize::try_from(self.length).unwrap_or(0)
    }
}

// SAFETY: arrays and schemas never change until they are released, and are only read through `&`.
unsafe impl Sync for ArrowArray {}
// SAFETY: as above.
unsafe impl Sync for ArrowSchema {}

/// The flag of a dictionary whose order is meaningful.
pub(crate) const DICTIONARY_ORDERED: i64 = 1;
/// The flag of a field that may have nulls.
pub(crate) const NULLABLE: i64 = 2;
