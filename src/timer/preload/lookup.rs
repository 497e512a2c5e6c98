//! How does a program get our functions when it looks up the driver's?
//!
//! `dlsym` and `cuGetProcAddress` work as usual, except that for the functions in [`ROWS`] they return ours; the
//! driver's own address is kept in the row. For everything else our `dlsym` jumps to the C library's, so that it sees
//! the true caller, on which `RTLD_NEXT` depends.

use crate::hooks::{ROWS, Row};
use crate::state;
use libc::{Dl_info, c_char, c_int, c_void};
use std::ffi::CStr;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// The address of the driver's function behind one hook; 0 until it is known.
pub struct Slot {
    name: &'static CStr,
    address: AtomicUsize,
}

impl Slot {
    /// For the driver's function of this name.
    pub const fn new(name: &'static CStr) -> Slot {
        Slot { name, address: AtomicUsize::new(0) }
    }

    /// The driver's function: the one that the program looked up, else that of `libcuda.so.1`.
    #[inline]
    pub fn get(&self) -> usize {
        match self.address.load(Relaxed) {
            0 => {
                let address = in_driver(self.name);
                self.address.store(address, Relaxed);
                address
            }
            address => address,
        }
    }
}

/// The C library's `dlsym`.
static DLSYM: AtomicUsize = AtomicUsize::new(0);

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

fn real_dlsym() -> Option<Dlsym> {
    if DLSYM.load(Relaxed) == 0 {
        // its symbol version differs by age and machine
        for version in [c"GLIBC_2.34", c"GLIBC_2.2.5", c"GLIBC_2.17"] {
            // SAFETY: constant strings; `dlvsym` is not hooked.
            let found = unsafe { libc::dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), version.as_ptr()) };
            if !found.is_null() {
                DLSYM.store(found as usize, Relaxed);
                break;
            }
        }
    }
    let address = DLSYM.load(Relaxed);
    // SAFETY: the C library's function of this name has this type, and a null pointer is `None`.
    unsafe { std::mem::transmute::<usize, Option<Dlsym>>(address) }
}

/// A function in the driver that the program has loaded; 0 if there is none.
pub fn in_driver(name: &CStr) -> usize {
    // SAFETY: a constant name; with RTLD_NOLOAD nothing is loaded that was not.
    let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    match (library.is_null(), real_dlsym()) {
        // SAFETY: the library is loaded, the name ends in a NUL.
        (false, Some(dlsym)) => unsafe { dlsym(library, name.as_ptr()) as usize },
        _ => 0,
    }
}

/// What our `dlsym` returns: one of our functions, or null to call the C library's `dlsym`.
unsafe extern "C" fn answer(library: *mut c_void, name: *const c_char) -> *mut c_void {
    let Some(dlsym) = real_dlsym() else { return std::ptr::null_mut() };
    // SAFETY: `dlsym` takes a string that ends in a NUL; two bytes are read only if the first is not the NUL.
    if name.is_null() || unsafe { *name != b'c' as c_char || *name.add(1) != b'u' as c_char } {
        return std::ptr::null_mut();
    }
    // SAFETY: as above.
    let text = unsafe { CStr::from_ptr(name) };
    let Some(row) = ROWS.iter().find(|row| row.slot.name == text) else { return std::ptr::null_mut() };
    // SAFETY: the program's own arguments.
    let found = unsafe { dlsym(library, name) };
    if found.is_null() || !is_in_driver(found) {
        return std::ptr::null_mut();
    }
    state::state();
    row.slot.address.store(found as usize, Relaxed);
    row.function.cast_mut()
}

/// Whether the address is in the driver: a program may have functions of its own with the same names.
fn is_in_driver(address: *mut c_void) -> bool {
    // SAFETY: a structure of pointers, for which null is a value.
    let mut info: Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for.
    if unsafe { libc::dladdr(address, &mut info) } == 0 || info.dli_fname.is_null() {
        return false;
    }
    // SAFETY: the loader's name of the object ends in a NUL.
    let file = unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes();
    let start = file.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    file[start..].starts_with(b"libcuda.so")
}

/// Called instead of the C library's function.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void {
    std::arch::naked_asm!(
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {answer}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "test rax, rax",
        "jnz 2f",
        "jmp qword ptr [rip + {real}]",
        "2: ret",
        answer = sym answer,
        real = sym DLSYM,
    )
}

/// The row for a function that a program requests from the driver for a CUDA version.
fn row_of(symbol: &CStr, version: c_int, flags: u64) -> Option<&'static Row> {
    /// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
    const PER_THREAD: u64 = 2;
    let fits = |row: &&Row| row.symbol.as_bytes() == symbol.to_bytes() && row.versions.contains(&version);
    let per_thread = ROWS.iter().filter(|_| flags & PER_THREAD != 0).filter(|row| row.per_thread).find(fits);
    per_thread.or_else(|| ROWS.iter().filter(|row| !row.per_thread).find(fits))
}

/// Replaces the address that the driver returned, if the function is hooked.
///
/// SAFETY: these are the arguments of a successful look-up.
pub unsafe fn replace(symbol: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64) {
    // SAFETY: the driver took both, and has written the second.
    if symbol.is_null() || found.is_null() || unsafe { (*found).is_null() } {
        return;
    }
    // SAFETY: the driver's functions have names that end in a NUL.
    let Some(row) = row_of(unsafe { CStr::from_ptr(symbol) }, version, flags) else { return };
    state::state();
    // SAFETY: as above.
    let address = unsafe { *found };
    if address.cast_const() != row.function {
        row.slot.address.store(address as usize, Relaxed);
        // SAFETY: as above.
        unsafe { *found = row.function.cast_mut() };
    }
}
