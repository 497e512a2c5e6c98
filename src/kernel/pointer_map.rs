//! Which index has an LLVM object? A map from addresses to `u32` that is kind to the cache.
//!
//! LLVM's parsers allocate a function's instructions one after the other, so consecutive instructions share pages.
//! The map keeps a small hash table of 4-KiB pages, each an array of one `u32` per 16 bytes (instructions and arguments
//! are larger than that, so no two share a slot), and remembers the last page: most look-ups touch one line of one
//! array. A flat hash table scatters neighbours over its whole size and misses the cache on every operand of a large
//! function.

use rustc_hash::FxHashMap;

const PAGE_BITS: usize = 12;
const SLOT_BITS: usize = 4;
const SLOTS: usize = 1 << (PAGE_BITS - SLOT_BITS);
const EMPTY: u32 = u32::MAX;

type Page = [u32; SLOTS];

/// Map from object addresses to indices below `u32::MAX`.
pub struct PointerMap {
    index: FxHashMap<usize, u32>,
    #[allow(clippy::vec_box)] // pages must not move when there are more of them: that would copy the whole map
    pages: Vec<Box<Page>>,
    last: (usize, u32),
}

impl PointerMap {
    /// Expects about `count` objects.
    pub fn with_capacity(count: usize) -> Self {
        let pages = count / 32 + 4;
        let index = FxHashMap::with_capacity_and_hasher(pages, Default::default());
        PointerMap { index, pages: Vec::with_capacity(pages), last: (usize::MAX, 0) }
    }

    #[inline]
    fn slot(address: usize) -> usize {
        (address >> SLOT_BITS) & (SLOTS - 1)
    }

    /// Index of an object, if it was inserted.
    #[inline]
    pub fn get(&mut self, address: usize) -> Option<u32> {
        let page = address >> PAGE_BITS;
        if self.last.0 != page {
            self.last = (page, *self.index.get(&page)?);
        }
        let found = self.pages[self.last.1 as usize][Self::slot(address)];
        (found != EMPTY).then_some(found)
    }

    /// Gives an object its index.
    #[inline]
    pub fn insert(&mut self, address: usize, index: u32) {
        let page = address >> PAGE_BITS;
        if self.last.0 != page {
            let next = self.pages.len() as u32;
            let found = *self.index.entry(page).or_insert(next);
            if found == next {
                self.pages.push(Box::new([EMPTY; SLOTS]));
            }
            self.last = (page, found);
        }
        self.pages[self.last.1 as usize][Self::slot(address)] = index;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_inserted_and_nothing_else() {
        let mut map = PointerMap::with_capacity(100);
        let addresses: Vec<usize> = (0..5000).map(|i| 0x7f00_0000_0008 + i * 88).collect();
        for (i, &address) in addresses.iter().enumerate() {
            assert_eq!(map.get(address), None);
            map.insert(address, i as u32);
        }
        for (i, &address) in addresses.iter().enumerate() {
            assert_eq!(map.get(address), Some(i as u32));
            assert_eq!(map.get(address + 24), None);
        }
        assert_eq!(map.get(0x10), None);
    }
}
