//! How are the tables read that processes left behind?

use crate::format::{self, Kernel, Table};
use crate::model::{Device, Process};
use anyhow::{Context, Result, ensure};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// One process with its kernels and copies.
pub struct Left {
    pub process: Process,
    /// Nanoseconds since 1970.
    pub started: u64,
    pub kernels: Vec<Figures>,
    pub copies: Vec<(u64, u64)>,
    pub all_copies: u64,
}

/// The figures of one record; times in picoseconds.
pub struct Figures {
    pub name: String,
    pub device: u32,
    pub flags: u32,
    pub registers: u32,
    pub local: u32,
    pub static_shared: u32,
    pub launches: u64,
    pub timed: u64,
    pub chosen: u64,
    pub sum: u64,
    pub weighted: u64,
    pub covered: u64,
    pub least: u64,
    pub most: u64,
    pub blocks: Option<(u64, u64)>,
    /// Key, launches, resident blocks, cluster.
    pub shapes: Vec<(u64, u64, u32, u32)>,
    pub other_shapes: u64,
    pub samples: Vec<u64>,
}

/// All tables of a folder, the oldest process first.
pub fn folder(path: &Path) -> Result<Vec<Left>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(format::SUFFIX) {
            all.extend(table(&path)?);
        }
    }
    all.sort_by_key(|left| (left.started, left.process.process));
    Ok(all)
}

/// Reads one table; `None` if the process ended before it had written anything.
fn table(path: &Path) -> Result<Option<Left>> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    if file.metadata()?.len() != size_of::<Table>() as u64 {
        return Ok(None);
    }
    let (length, private) = (size_of::<Table>(), libc::MAP_SHARED);
    // SAFETY: a new mapping of a file of this length.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, private, file.as_raw_fd(), 0) };
    ensure!(memory != libc::MAP_FAILED, "cannot map {}", path.display());
    // SAFETY: as large as the type, all of whose bit patterns are values; it is unmapped below, after the last use.
    let table = unsafe { &*memory.cast::<Table>() };
    let left = (table.header.magic.load(Relaxed) == format::MAGIC).then(|| taken(table));
    // SAFETY: mapped above, and nothing refers to it any more.
    unsafe { libc::munmap(memory, length) };
    Ok(left)
}

fn taken(table: &Table) -> Left {
    let header = &table.header;
    let devices = header.devices.iter().enumerate().filter(|(_, device)| device.known.load(Relaxed) != 0);
    let process = Process {
        process: header.process.load(Relaxed),
        program: text(&header.program),
        driver: header.driver.load(Relaxed),
        own_seconds: header.own_time.load(Relaxed) as f64 / 1e9,
        captured_launches: header.captured.load(Relaxed),
        copies: header.copies.load(Relaxed),
        copied_bytes: header.copied_bytes.load(Relaxed),
        managed_bytes: header.managed_bytes.load(Relaxed),
        driver_error: header.lost_context.load(Relaxed),
        devices: devices
            .map(|(ordinal, device)| Device {
                ordinal: ordinal as u32,
                name: text(&device.name),
                capability: device.capability.load(Relaxed),
                multiprocessors: device.multiprocessors.load(Relaxed),
                threads_per_multiprocessor: device.threads_per_multiprocessor.load(Relaxed),
            })
            .collect(),
    };
    let kernels = (header.kernels.load(Relaxed) as usize).min(format::KERNELS);
    let copies =
        if header.mode.load(Relaxed) & 1 == 0 { 0 } else { process.copies.min(format::COPIES as u64) as usize };
    Left {
        started: header.started.load(Relaxed),
        kernels: table.kernels[..kernels].iter().map(|kernel| figures(table, kernel)).collect(),
        copies: table.copies[..copies].iter().map(|copy| (copy.bytes.load(Relaxed), copy.hash.load(Relaxed))).collect(),
        all_copies: process.copies,
        process,
    }
}

fn figures(table: &Table, kernel: &Kernel) -> Figures {
    let of = |field: &AtomicU32| field.load(Relaxed);
    let at = |field: &AtomicU64| field.load(Relaxed);
    let start = (of(&kernel.name_at) as usize / 8).min(table.text.len());
    let words = of(&kernel.name_length) as usize / 8 + 1;
    let timed = at(&kernel.timed);
    let shapes = kernel.shapes.iter().filter(|shape| at(&shape.launches) != 0);
    Figures {
        name: text(&table.text[start..(start + words).min(table.text.len())]),
        device: of(&kernel.device),
        flags: of(&kernel.flags),
        registers: of(&kernel.registers),
        local: of(&kernel.local),
        static_shared: of(&kernel.static_shared),
        launches: at(&kernel.launches),
        timed,
        chosen: at(&kernel.chosen),
        sum: at(&kernel.sum),
        weighted: at(&kernel.weighted),
        covered: at(&kernel.covered),
        least: at(&kernel.least),
        most: at(&kernel.most),
        blocks: (at(&kernel.most_blocks) > 0).then(|| (at(&kernel.least_blocks), at(&kernel.most_blocks))),
        shapes: shapes
            .map(|shape| (at(&shape.key), at(&shape.launches), of(&shape.resident), of(&shape.cluster)))
            .collect(),
        other_shapes: at(&kernel.other_shapes),
        samples: kernel.samples.iter().take(timed.min(format::SAMPLES as u64) as usize).map(at).collect(),
    }
}

/// The text stored in these words, up to a zero byte.
fn text(words: &[AtomicU64]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_ne_bytes()).collect();
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
