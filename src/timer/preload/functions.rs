//! Which record of the table belongs to a launched function, and what does the driver know about the function?
//!
//! A lock-free cache maps handle and device to the record. The driver reuses handles after a module is unloaded, so
//! whenever a program looks a function up, its handle is resolved again. Functions with the same name and the same
//! resources share a record, so that modules that are loaded again and again do not fill the table.

use crate::driver::{Handle, SUCCESS, driver};
use crate::format::{self, GRAPH, Kernel, Table, shape_key};
use crate::state::{Inner, Name, State};
use crate::table;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Number of entries of the cache.
const PLACES: usize = 1 << 13;

/// The cache.
pub struct Functions(Box<[Entry]>);

struct Entry {
    key: AtomicU64,
    record: AtomicU32,
}

/// An entry whose record is not known yet.
const UNKNOWN: u32 = u32::MAX;

fn key(function: Handle, device: i32) -> u64 {
    ((function as u64) << 8 | (device as u64 & 255)).max(1)
}

impl Functions {
    /// The cache of a process that has launched nothing.
    pub fn new() -> Functions {
        let entry = |_| Entry { key: AtomicU64::new(0), record: AtomicU32::new(UNKNOWN) };
        Functions((0..PLACES).map(entry).collect())
    }

    /// The entry of a key, or the free one where it would go; `None` if there is neither.
    fn entry(&self, key: u64) -> Option<&Entry> {
        let start = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize;
        let mut entries = (0..64).map(|step| &self.0[(start + step) % PLACES]);
        entries.find(|entry| [0, key].contains(&entry.key.load(Acquire)))
    }

    /// The entry of a function that was launched before.
    fn known(&self, function: Handle, device: i32) -> Option<&Entry> {
        let key = key(function, device);
        self.entry(key).filter(|entry| entry.key.load(Acquire) == key)
    }

    /// The record of a function, if it was launched before.
    #[inline]
    pub fn find(&self, function: Handle, device: i32) -> Option<usize> {
        match self.known(function, device)?.record.load(Acquire) {
            UNKNOWN => None,
            record => Some(record as usize),
        }
    }

    /// Inserts an entry; called under the lock.
    fn insert(&self, function: Handle, device: i32, record: usize) {
        let key = key(function, device);
        if let Some(entry) = self.entry(key) {
            entry.record.store(record as u32, Release);
            entry.key.store(key, Release);
        }
    }

    /// The handle may refer to something new.
    pub fn forget_one(&self, function: Handle) {
        for device in 0..format::DEVICES as i32 {
            if let Some(entry) = self.known(function, device) {
                entry.record.store(UNKNOWN, Release);
            }
        }
    }

    /// All handles may refer to something new.
    pub fn forget(&self) {
        self.0.iter().for_each(|entry| entry.record.store(UNKNOWN, Release));
    }
}

/// What is known about a launch besides the function.
#[derive(Default)]
pub struct Launch {
    pub function: Handle,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Dynamic shared memory, in bytes.
    pub dynamic: u32,
    pub stream: Handle,
    pub per_thread: bool,
    /// The flags of [`format`].
    pub flags: u32,
    /// Blocks per cluster; 0 without clusters.
    pub cluster: u32,
}

/// Records the name under which a program looked up a function.
pub fn note_name(state: &State, handle: Handle, text: &[u8], is_kernel: bool) {
    state.functions.forget_one(handle);
    state.lock().names.insert(handle, Name { text: text.to_vec(), is_kernel });
}

/// The function of the current context that a handle refers to, and its name.
pub fn identify(inner: &Inner, handle: Handle) -> (Handle, Vec<u8>) {
    let known = inner.names.get(&handle);
    let mut function = handle;
    if known.is_some_and(|name| name.is_kernel) && driver().kernel_function(&mut function, handle) != SUCCESS {
        function = handle;
    }
    let asked = || driver().name_of(handle, false).or_else(|| driver().name_of(handle, true));
    let name = known.map(|name| name.text.clone()).or_else(asked);
    (function, name.unwrap_or_else(|| format!("(unnamed function at {handle:#x})").into_bytes()))
}

/// The record of a function that is launched for the first time.
pub fn record_of(state: &State, launch: &Launch, device: i32) -> usize {
    let inner = state.lock();
    note_device(state.table, device);
    let (function, name) = identify(&inner, launch.function);
    let is_graph = launch.flags & GRAPH != 0;
    let attribute = |which| {
        let mut value = 0;
        if is_graph || driver().function_attribute(&mut value, which, function) != SUCCESS { 0 } else { value as u32 }
    };
    // attributes in the driver's numbering: registers, local bytes, static shared bytes, largest block
    let resources = [4, 3, 1, 0].map(attribute);
    let record = find_record(state.table, &name, device, resources)
        .unwrap_or_else(|| add_record(state.table, &name, device, resources, launch.flags));
    state.functions.insert(launch.function, device, record);
    record
}

fn text_of(table: &Table, kernel: &Kernel) -> Vec<u8> {
    let (start, length) = (kernel.name_at.load(Relaxed) as usize / 8, kernel.name_length.load(Relaxed) as usize);
    let words = table.text.iter().skip(start).take(length.div_ceil(8));
    let mut bytes: Vec<u8> = words.flat_map(|word| word.load(Relaxed).to_ne_bytes()).collect();
    bytes.truncate(length);
    bytes
}

fn find_record(table: &Table, name: &[u8], device: i32, resources: [u32; 4]) -> Option<usize> {
    let count = table.header.kernels.load(Relaxed) as usize;
    table.kernels[..count.min(format::KERNELS)].iter().position(|kernel| {
        let found = [&kernel.registers, &kernel.local, &kernel.static_shared, &kernel.largest_block];
        kernel.name_length.load(Relaxed) as usize == name.len()
            && kernel.device.load(Relaxed) == device as u32
            && found.map(|value| value.load(Relaxed)) == resources
            && text_of(table, kernel) == name
    })
}

fn add_record(table: &Table, name: &[u8], device: i32, resources: [u32; 4], flags: u32) -> usize {
    let index = table.header.kernels.load(Relaxed) as usize;
    if index >= format::KERNELS {
        return format::KERNELS - 1;
    }
    let is_last = index == format::KERNELS - 1;
    let kernel = &table.kernels[index];
    let (at, length) = table::add_text(table, if is_last { b"(all other kernels)" } else { name });
    kernel.name_at.store(at, Relaxed);
    kernel.name_length.store(length, Relaxed);
    kernel.device.store(device as u32, Relaxed);
    kernel.flags.store(flags & GRAPH, Relaxed);
    for (field, value) in
        [&kernel.registers, &kernel.local, &kernel.static_shared, &kernel.largest_block].iter().zip(resources)
    {
        field.store(value, Relaxed);
    }
    kernel.least.store(u64::MAX, Relaxed);
    kernel.least_blocks.store(u64::MAX, Relaxed);
    table.header.kernels.store(index as u32 + 1, Release);
    index
}

fn note_device(table: &Table, device: i32) {
    let Some(record) = table.header.devices.get(device as usize) else { return };
    if record.known.load(Relaxed) != 0 {
        return;
    }
    let attribute = |which| {
        let mut value = 0;
        driver().device_attribute(&mut value, which, device);
        value as u32
    };
    let mut name = [0; 64];
    if driver().device_name(&mut name, 64, device) == SUCCESS {
        let length = name.iter().position(|byte| *byte == 0).unwrap_or(63);
        table::write(&record.name, &name[..length]);
    }
    record.capability.store(10 * attribute(75) + attribute(76), Relaxed);
    record.multiprocessors.store(attribute(16), Relaxed);
    record.threads_per_multiprocessor.store(attribute(39), Relaxed);
    record.known.store(1, Relaxed);
    let mut version = 0;
    driver().version(&mut version);
    table.header.driver.store(version as u32, Relaxed);
}

/// Counts a launch under its shape; queries the occupancy if the shape is new.
#[inline]
pub fn note_shape(state: &State, kernel: &Kernel, launch: &Launch) {
    let key = shape_key(launch.block, launch.dynamic);
    let mut known = kernel.shapes.iter().take_while(|shape| shape.key.load(Acquire) != 0);
    match known.find(|shape| shape.key.load(Relaxed) == key) {
        Some(shape) => _ = shape.launches.fetch_add(1, Relaxed),
        None => add_shape(state, kernel, launch, key),
    }
}

#[cold]
fn add_shape(state: &State, kernel: &Kernel, launch: &Launch, key: u64) {
    let inner = state.lock();
    let Some(shape) = kernel.shapes.iter().find(|shape| [0, key].contains(&shape.key.load(Relaxed))) else {
        kernel.other_shapes.fetch_add(1, Relaxed);
        return;
    };
    if shape.key.load(Relaxed) == 0 {
        let (function, _) = identify(&inner, launch.function);
        let threads = launch.block.iter().product::<u32>();
        let mut blocks = 0;
        if driver().resident_blocks(&mut blocks, function, threads as i32, launch.dynamic as usize) == SUCCESS {
            shape.resident.store(blocks as u32, Relaxed);
        }
        shape.cluster.store(launch.cluster, Relaxed);
        shape.key.store(key, Release);
    }
    shape.launches.fetch_add(1, Relaxed);
}
