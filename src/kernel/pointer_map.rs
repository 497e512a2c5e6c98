//! Which index has an LLVM instruction? A map from addresses to `u32` that is kind to the cache.
//!
//! LLVM's parsers allocate a function's instructions one after the other, so consecutive instructions share pages.
//! The map keeps an array of one `u32` per 64 bytes for each 16-KiB page (instructions are larger than that, `walk.cpp`
//! asserts it, so no two share a slot), a small hash table of pages, and before that a direct-mapped table of the pages
//! met last: most look-ups touch one line of that and one of the page. A flat hash table scatters neighbours over its
//! whole size and misses the cache on every operand of a large function.

use rustc_hash::FxHashMap;

const PAGE_BITS: usize = 14;
const SLOT_BITS: usize = 6;
const SLOTS: usize = 1 << (PAGE_BITS - SLOT_BITS);
const EMPTY: u32 = u32::MAX;
/// Pages remembered before the hash table.
const RECENT: usize = 128;

/// Map from instruction addresses to indices below `u32::MAX`.
pub struct PointerMap {
    index: FxHashMap<usize, u32>,
    /// All pages, one after the other.
    slots: Vec<u32>,
    recent: [(usize, u32); RECENT],
}

impl PointerMap {
    /// Nothing is known.
    pub fn new() -> Self {
        PointerMap {
            index: FxHashMap::default(),
            slots: Vec::with_capacity(8 * SLOTS),
            recent: [(usize::MAX, 0); RECENT],
        }
    }

    /// Forgets everything but the room.
    pub fn clear(&mut self) {
        for page in self.index.keys() {
            self.recent[page % RECENT].0 = usize::MAX;
        }
        self.index.clear();
        self.slots.clear();
    }

    #[inline]
    fn slot(address: usize) -> usize {
        (address >> SLOT_BITS) & (SLOTS - 1)
    }

    /// Index of an instruction, if it was inserted.
    #[inline]
    pub fn get(&mut self, address: usize) -> Option<u32> {
        let page = address >> PAGE_BITS;
        let recent = &mut self.recent[page % RECENT];
        if recent.0 != page {
            *recent = (page, *self.index.get(&page)?);
        }
        let found = self.slots[recent.1 as usize * SLOTS + Self::slot(address)];
        (found != EMPTY).then_some(found)
    }

    /// Gives an instruction its index.
    #[inline]
    pub fn insert(&mut self, address: usize, index: u32) {
        let page = address >> PAGE_BITS;
        if self.recent[page % RECENT].0 != page {
            self.enter(page);
        }
        self.slots[self.recent[page % RECENT].1 as usize * SLOTS + Self::slot(address)] = index;
    }

    fn enter(&mut self, page: usize) {
        let next = (self.slots.len() / SLOTS) as u32;
        let found = *self.index.entry(page).or_insert(next);
        if found == next {
            self.slots.resize(self.slots.len() + SLOTS, EMPTY);
        }
        self.recent[page % RECENT] = (page, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_inserted_and_nothing_else() {
        let mut map = PointerMap::new();
        let addresses: Vec<usize> = (0..50_000).map(|i| 0x7f00_0000_0008 + i * 88).collect();
        for (i, &address) in addresses.iter().enumerate() {
            assert_eq!(map.get(address), None);
            map.insert(address, i as u32);
        }
        for (i, &address) in addresses.iter().enumerate().rev() {
            assert_eq!(map.get(address), Some(i as u32));
        }
        assert_eq!(map.get(0x10), None);
    }
}
