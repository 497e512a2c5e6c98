//! Where are bytes stored? In device allocations with bounds, and in arenas (shared, local) with a state for each byte.
//!
//! A generic pointer has 64 bits, of which the high bits select the kind of memory. Device allocations are
//! page-aligned, each followed by a guard page, and are found through a page table. An arena records for every byte
//! whether it belongs to a live variable, so that overruns into gaps and uses after scope are detected. Undefined bits
//! are stored beside the bytes: a byte read before it was written is undefined, bit by bit, because bit fields are
//! written in parts.

use super::constants::{DEVICE_WINDOW, LOCAL_WINDOW, PAGE, SHARED_WINDOW};

/// The kind of a device allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocationKind {
    /// A global variable or a buffer.
    Plain,
    Constant,
    Heap,
}

/// One allocation of device memory.
#[derive(Clone, Debug)]
pub struct Allocation {
    pub base: u64,
    pub data: Vec<u8>,
    /// Undefined bits of every byte; `None` while all are defined.
    pub undef: Option<Vec<u8>>,
    pub kind: AllocationKind,
    pub live: bool,
    pub name: String,
}

/// All device memory of a launch.
#[derive(Clone, Debug, Default)]
pub struct DeviceMemory {
    pub allocations: Vec<Allocation>,
    /// For every page since the start of the window: allocation number + 1.
    pages: Vec<u32>,
    next: u64,
}

impl DeviceMemory {
    /// Adds an allocation at a given page-aligned address (globals), or at the next free one.
    pub fn add(
        &mut self,
        at: Option<u64>,
        data: Vec<u8>,
        undef: Option<Vec<u8>>,
        kind: AllocationKind,
        name: String,
    ) -> u64 {
        let base = at.unwrap_or(self.next.max(DEVICE_WINDOW));
        let first = ((base - DEVICE_WINDOW) / PAGE) as usize;
        let count = (data.len() as u64).div_ceil(PAGE) as usize;
        if self.pages.len() < first + count {
            self.pages.resize(first + count, 0);
        }
        self.allocations.push(Allocation { base, data, undef, kind, live: true, name });
        self.pages[first..first + count].fill(self.allocations.len() as u32);
        self.next = self.next.max(base + (count as u64 + 1) * PAGE);
        base
    }

    /// The allocation an address falls into.
    pub fn find(&self, address: u64) -> Option<usize> {
        let page = address.checked_sub(DEVICE_WINDOW)? / PAGE;
        let number = *self.pages.get(usize::try_from(page).ok()?)?;
        (number != 0).then(|| number as usize - 1)
    }

    /// Describes an address, for messages.
    pub fn describe(&self, address: u64) -> String {
        // the nearest allocation at or below
        let below = self.allocations.iter().filter(|a| a.base <= address).max_by_key(|a| a.base);
        match below {
            Some(a) if address < a.base + a.data.len() as u64 + PAGE => {
                format!("offset {} of {} ({} bytes)", address - a.base, a.name, a.data.len())
            }
            _ if address < PAGE => "a null pointer".to_owned(),
            _ => "no allocation is there".to_owned(),
        }
    }
}

/// Shared memory of a block, or local memory of a thread.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    pub data: Vec<u8>,
    /// Undefined bits.
    pub undef: Vec<u8>,
    /// 1 for bytes of live variables.
    pub live: Vec<u8>,
}

impl Arena {
    pub fn grow(&mut self, size: usize) {
        if self.data.len() < size {
            self.data.resize(size, 0);
            self.undef.resize(size, 0xff);
            self.live.resize(size, 0);
        }
    }

    /// Makes a range live and undefined, or dead.
    pub fn mark(&mut self, start: usize, size: usize, live: bool) {
        let end = (start + size).min(self.live.len());
        let start = start.min(end);
        self.live[start..end].fill(u8::from(live));
        if live {
            self.undef[start..end].fill(0xff);
        }
    }

    /// Whether all bytes of an access are live.
    #[inline]
    pub fn is_live(&self, offset: usize, size: usize) -> bool {
        let state = offset.checked_add(size).and_then(|end| self.live.get(offset..end));
        state.is_some_and(|state| state.iter().all(|&byte| byte == 1))
    }
}

/// Kind of memory of a generic address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Window {
    Device,
    Shared,
    Local,
    Nowhere,
}

/// The window of a generic address.
#[inline]
pub fn window(address: u64) -> Window {
    match address >> 40 {
        1 => Window::Device,
        2 => Window::Shared,
        3 => Window::Local,
        _ => Window::Nowhere,
    }
}

/// Offset of an address in its arena.
#[inline]
pub fn arena_offset(address: u64) -> usize {
    (address & ((1 << 40) - 1)) as usize
}

const _: () = assert!(SHARED_WINDOW == 2 << 40 && LOCAL_WINDOW == 3 << 40 && DEVICE_WINDOW == 1 << 40);

/// Reads up to eight bytes, little end first. The range must be in bounds.
#[inline]
pub fn read_bytes(data: &[u8], offset: usize, size: usize) -> u64 {
    let bytes = &data[offset..offset + size];
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)),
    }
}

/// Writes up to eight bytes, little end first. The range must be in bounds.
#[inline]
pub fn write_bytes(data: &mut [u8], offset: usize, size: usize, value: u64) {
    let bytes = &mut data[offset..offset + size];
    match size {
        4 => bytes.copy_from_slice(&(value as u32).to_le_bytes()),
        8 => bytes.copy_from_slice(&value.to_le_bytes()),
        _ => bytes.copy_from_slice(&value.to_le_bytes()[..size]),
    }
}
