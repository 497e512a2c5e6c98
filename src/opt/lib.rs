//! How do programs run warpwise's passes that load no plugin? [`drive`] is the command line of `opt`, and of the `llc` that
//! reads what it writes, for those that start them; `warpwise_opt.h` declares the functions of `libwarpwise_opt.so`, for
//! just-in-time compilers. With the static libraries of LLVM (`scripts/install --static`) neither needs an LLVM, nor meets
//! another in the same process.
#![allow(unsafe_code)] // the C boundary: each block names its guarantor

use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use warpwise as _; // the passes, which C++ registers

/// The name by which `opt`'s command line is run.
pub const OPT: &str = "warpwise-opt";
/// The name by which `llc`'s command line is run: no other LLVM need read the bitcode of this one.
pub const LLC: &str = "warpwise-llc";

/// Whether LLVM 23 is inside, as `scripts/lib/llvm/static` builds it.
pub const CONTAINS_LLVM: bool = option_env!("WARPWISE_CONTAINS_LLVM").is_some();

unsafe extern "C" {
    fn warpwise_opt_main(count: c_int, words: *mut *mut c_char) -> c_int;
}

/// Runs a command line of [`OPT`], with the passes of warpwise and `--ptx`, or of [`LLC`]; returns the exit status. It may
/// end the process.
pub fn drive(program: &str, arguments: Vec<OsString>) -> i32 {
    let words = std::iter::once(program.into()).chain(arguments);
    // the system gives programs no word with a NUL
    let words: Vec<CString> = words.filter_map(|word: OsString| CString::new(word.into_vec()).ok()).collect();
    let mut pointers: Vec<*mut c_char> = words.iter().map(|word| word.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    // SAFETY: as main gets them: `words` texts and a null; LLVM does not write to them.
    unsafe { warpwise_opt_main(words.len() as c_int, pointers.as_mut_ptr()) }
}

/// Functions of `llvm/library.cpp` under the names of `warpwise_opt.h`: a library that rustc links exports those of Rust
/// only.
macro_rules! export {
    ($($name:ident = $inner:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {
        unsafe extern "C" {
            $(fn $inner($($argument: $kind),*) -> $result;)*
        }
        $(
            /// See `warpwise_opt.h`.
            ///
            /// # Safety
            /// The arguments are as it says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $kind),*) -> $result {
                // SAFETY: promised by the caller.
                unsafe { $inner($($argument),*) }
            }
        )*
    };
}

export! {
    warpwise_optimize = opt_optimize(bitcode: *const c_void, size: usize, options: *const c_char) -> *mut c_void;
    warpwise_error = opt_error(result: *const c_void) -> *const c_char;
    warpwise_output = opt_output(result: *const c_void, size: *mut usize) -> *const c_char;
    warpwise_remarks = opt_remarks(result: *const c_void) -> *const c_char;
    warpwise_free = opt_free(result: *mut c_void) -> ();
}
