//! How does text cross the C boundary? As pointer and length, borrowed for one call.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;

/// `WarpwiseText` of `text.h`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    data: *const c_char,
    length: usize,
}

// text.h asserts the same
const _: () = assert!(size_of::<Text>() == 16 && offset_of!(Text, data) == 0 && offset_of!(Text, length) == 8);

/// `WarpwiseSink` of `text.h`: receives text; the context is the caller's.
pub type Sink = extern "C" fn(*mut c_void, Text);

/// A sink that appends to the `String` behind its context.
pub extern "C" fn collect(context: *mut c_void, text: Text) {
    // SAFETY: whoever passes this sink passes a String of its own with it; the text is alive for this call.
    if let (Some(all), text) = unsafe { (context.cast::<String>().as_mut(), text.get()) } {
        all.push_str(&text);
    }
}

impl Text {
    /// A copy.
    ///
    /// # Safety
    /// `data` is null or has `length` readable bytes for the duration of the call.
    pub unsafe fn get(&self) -> String {
        if self.data.is_null() {
            return String::new();
        }
        // SAFETY: promised by the caller.
        let bytes = unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.length) };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Lends a text.
    pub const fn of(text: &str) -> Text {
        Text { data: text.as_ptr().cast(), length: text.len() }
    }
}
