//! How is the table written so that it outlives the process? In a file mapped into memory.

use crate::budget::nanoseconds;
use crate::format::{self, Table};
use std::ffi::CString;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// What the command requested.
#[derive(Clone, Copy)]
pub struct Mode {
    /// Record what is copied back.
    pub hash: bool,
    /// Time every launch.
    pub all: bool,
}

impl Mode {
    /// Reads the mode from the environment.
    pub fn wanted() -> Mode {
        let text = std::env::var(format::MODE_VARIABLE).unwrap_or_default();
        let has = |word| text.split(',').any(|part| part == word);
        Mode { hash: has("hash"), all: has("all") }
    }
}

/// Creates a table in the folder that the environment names; `None` if there is no such folder or no room.
pub fn create(mode: Mode) -> Option<&'static Table> {
    let folder = std::env::var(format::FOLDER_VARIABLE).ok()?;
    // SAFETY: takes nothing.
    let process = unsafe { libc::getpid() };
    let file = (0..100).find_map(|turn| {
        let path = CString::new(format!("{folder}/{process}-{turn}{}", format::SUFFIX)).ok()?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        // SAFETY: the path ends in a NUL.
        let file = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
        (file >= 0).then_some(file)
    })?;
    let room = if mode.hash { size_of::<Table>() } else { format::SHORT };
    // SAFETY: the file is ours. Blocks are taken now, so that a full disk is noticed here and not by a signal later.
    let has_room = unsafe { libc::posix_fallocate(file, 0, room as libc::off_t) } == 0
        // SAFETY: the same file; what is beyond the room is never touched, but belongs to the type.
        && unsafe { libc::ftruncate(file, size_of::<Table>() as libc::off_t) } == 0;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping of a file of this size.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<Table>(), protection, libc::MAP_SHARED, file, 0) };
    // SAFETY: the mapping stays without it.
    unsafe { libc::close(file) };
    if !has_room || memory == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the mapping is as large as the type, page-aligned, zero, which is a value of every atomic, and stays.
    let table: &'static Table = unsafe { &*memory.cast::<Table>() };
    let header = &table.header;
    header.process.store(process as u32, Relaxed);
    header.mode.store(u32::from(mode.hash) | u32::from(mode.all) << 1, Relaxed);
    header.started.store(nanoseconds(libc::CLOCK_REALTIME), Relaxed);
    if let Ok(program) = std::fs::read_link("/proc/self/exe") {
        write(&header.program, program.as_os_str().as_encoded_bytes());
    }
    header.magic.store(format::MAGIC, Relaxed);
    Some(table)
}

/// Writes bytes into words, truncated if necessary, with a zero byte at the end.
pub fn write(words: &[AtomicU64], bytes: &[u8]) {
    for (word, part) in words.iter().zip(bytes[..bytes.len().min(words.len() * 8 - 1)].chunks(8)) {
        let mut value = [0; 8];
        value[..part.len()].copy_from_slice(part);
        word.store(u64::from_ne_bytes(value), Relaxed);
    }
}

/// Adds a text to the table's texts and returns its position and length in bytes. A text for which there is no room is
/// truncated.
pub fn add_text(table: &Table, text: &[u8]) -> (u32, u32) {
    let used = table.header.text_used.load(Relaxed) as usize / 8;
    let Some(free) = table.text.get(used..).filter(|free| !free.is_empty()) else { return (0, 0) };
    let length = text.len().min(free.len() * 8 - 1);
    write(free, &text[..length]);
    table.header.text_used.store(((used + length / 8 + 1) * 8) as u32, Relaxed);
    ((used * 8) as u32, length as u32)
}
