//! How does text cross the boundary to C++? As a pointer and a length, for the duration of a call.

use std::ffi::c_char;

/// Borrowed text across the boundary.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    data: *const c_char,
    length: usize,
}

impl Text {
    /// # Safety
    /// `data` has `length` readable bytes for the duration of the call.
    pub(crate) unsafe fn get(&self) -> String {
        if self.data.is_null() {
            return String::new();
        }
        // SAFETY: promised by the caller.
        let bytes = unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.length) };
        String::from_utf8_lossy(bytes).into_owned()
    }

    pub(crate) fn of(text: &str) -> Text {
        Text { data: text.as_ptr().cast(), length: text.len() }
    }
}
