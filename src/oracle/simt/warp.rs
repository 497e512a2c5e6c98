//! What is the state of a warp, and how do micro-operations access it?
//!
//! Registers are stored slot by slot, 32 lanes each, so that a loop over lanes is a loop over contiguous words. Beside
//! each slot, a mask says in which lanes the value has undefined bits; only for these are the slot's undefined bits
//! meaningful. Poison counts as "all bits undefined".

use super::code::{CONST, Dst, FULL, LANES, Lanes, Src};
use super::constants::{GAP, Pool};
use super::machine::World;
use super::memory::Arena;

/// First offset of local memory that is used: offset 0 would be a null local pointer.
pub const LOCAL_START: u32 = GAP as u32;

/// Registers of a warp.
#[derive(Debug, Default)]
pub struct Regs {
    pub values: Vec<Lanes>,
    /// Lanes with undefined bits, for each slot.
    pub undef: Vec<u32>,
    /// The undefined bits, valid where `undef` is set.
    pub undef_bits: Vec<Lanes>,
}

impl Regs {
    pub fn grow(&mut self, slots: usize) {
        if self.values.len() < slots {
            self.values.resize(slots, [0; LANES]);
            self.undef.resize(slots, 0);
            self.undef_bits.resize(slots, [0; LANES]);
        }
    }
}

/// A warp, under either scheduler.
#[derive(Debug)]
pub struct Warp {
    pub index: u32,
    pub regs: Regs,
    /// Lanes that exist (the last warp of a block may be partial).
    pub lanes: u32,
    /// Lanes that have returned from the kernel or exited.
    pub exited: u32,
    pub tid: [[u32; 3]; LANES],
    /// Next free local byte of each lane.
    pub stack: [u32; LANES],
    pub local: Vec<Arena>,
    /// Offset and size of each lane's local variables, oldest first.
    pub variables: Vec<Vec<(u32, u32)>>,
}

impl Warp {
    /// Warp `index` of a block of that shape, about to run a kernel of so many slots with these arguments.
    pub fn new(index: u32, block: [u32; 3], slots: u32, args: &[u64]) -> Warp {
        let threads = block[0] * block[1] * block[2];
        let mut tid = [[0; 3]; LANES];
        let mut lanes = 0;
        for (lane, tid) in tid.iter_mut().enumerate() {
            let thread = index * LANES as u32 + lane as u32;
            if thread < threads {
                lanes |= 1 << lane;
                *tid = [thread % block[0], thread / block[0] % block[1], thread / (block[0] * block[1])];
            }
        }
        let mut regs = Regs::default();
        regs.grow(slots as usize);
        for (slot, &value) in args.iter().enumerate() {
            regs.values[slot] = [value; LANES];
        }
        Warp {
            index,
            regs,
            lanes,
            exited: 0,
            tid,
            stack: [LOCAL_START; LANES],
            local: vec![Arena::default(); LANES],
            variables: vec![Vec::new(); LANES],
        }
    }

    pub fn running(&self) -> u32 {
        self.lanes & !self.exited
    }
}

/// Executes micro-operations of one frame for the lanes of a mask.
pub struct Frame<'a, 'p> {
    pub pool: &'a Pool,
    pub warp: &'a mut Warp,
    pub world: &'a mut World<'p>,
    pub base: usize,
    pub mask: u32,
}

/// Lanes of a mask, lowest first.
#[inline]
pub fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}

/// Lanes of a mask for which a test holds.
pub fn among(mask: u32, test: impl Fn(usize) -> bool) -> u32 {
    lanes_of(mask).filter(|&lane| test(lane)).fold(0, |set, lane| set | 1 << lane)
}

impl<'a, 'p> Frame<'a, 'p> {
    #[inline]
    pub fn new(pool: &'a Pool, warp: &'a mut Warp, world: &'a mut World<'p>, base: usize, mask: u32) -> Self {
        Self { pool, warp, world, base, mask }
    }
}

impl Frame<'_, '_> {
    /// The lowest lane of the mask.
    pub fn first_lane(&self) -> u32 {
        self.mask.trailing_zeros().min(31)
    }

    /// Lanes of the mask for which a test holds.
    pub fn lanes_where(&self, test: impl Fn(usize) -> bool) -> u32 {
        among(self.mask, test)
    }

    /// Values of an operand, all lanes.
    #[inline(always)]
    pub fn get(&self, src: Src) -> &Lanes {
        if src & CONST != 0 {
            &self.pool.values[(src & !CONST) as usize]
        } else {
            &self.warp.regs.values[self.base + src as usize]
        }
    }

    /// Lanes of the mask in which an operand has undefined bits.
    #[inline(always)]
    pub fn undef(&self, src: Src) -> u32 {
        let lanes = if src & CONST != 0 {
            self.pool.undef[(src & !CONST) as usize]
        } else {
            self.warp.regs.undef[self.base + src as usize]
        };
        lanes & self.mask
    }

    /// Undefined bits of an operand in a lane.
    pub fn undef_bits(&self, src: Src, lane: usize) -> u64 {
        if src & CONST != 0 {
            return if self.pool.undef[(src & !CONST) as usize] != 0 { u64::MAX } else { 0 };
        }
        let at = self.base + src as usize;
        if self.warp.regs.undef[at] >> lane & 1 != 0 { self.warp.regs.undef_bits[at][lane] } else { 0 }
    }

    /// Writes a result in the lanes of the mask, fully defined.
    #[inline(always)]
    pub fn put(&mut self, d: Dst, out: &Lanes) {
        let at = self.base + d as usize;
        let slot = &mut self.warp.regs.values[at];
        if self.mask == FULL {
            *slot = *out;
        } else {
            for lane in 0..LANES {
                let keep = ((self.mask >> lane & 1) as u64).wrapping_sub(1);
                slot[lane] = (slot[lane] & keep) | (out[lane] & !keep);
            }
        }
        self.warp.regs.undef[at] &= !self.mask;
    }

    /// Writes a result in the lanes of the mask; of some lanes the whole value is undefined.
    #[inline(always)]
    pub fn put_tainted(&mut self, d: Dst, out: &Lanes, undef: u32) {
        self.put(d, out);
        if undef != 0 {
            self.taint(d, undef);
        }
    }

    /// Writes a result in the lanes of the mask; in some lanes these bits of it are undefined.
    #[inline(always)]
    pub fn put_marked(&mut self, d: Dst, out: &Lanes, undef: u32, bits: &Lanes) {
        self.put(d, out);
        for lane in lanes_of(undef) {
            self.taint_bits(d, lane, bits[lane]);
        }
    }

    /// What a function gives for each lane of the mask.
    #[inline(always)]
    pub fn lane_by_lane(&self, value: impl Fn(usize) -> u64) -> Lanes {
        let mut out = [0; LANES];
        for lane in lanes_of(self.mask) {
            out[lane] = value(lane);
        }
        out
    }

    /// Writes one lane, with its undefined bits.
    #[inline(always)]
    pub fn put_lane(&mut self, d: Dst, lane: usize, value: u64, undef: u64) {
        let at = self.base + d as usize;
        self.warp.regs.values[at][lane] = value;
        if undef == 0 {
            self.warp.regs.undef[at] &= !(1 << lane);
        } else {
            self.warp.regs.undef[at] |= 1 << lane;
            self.warp.regs.undef_bits[at][lane] = undef;
        }
    }

    /// Writes one lane of an operand.
    pub fn copy_lane(&mut self, d: Dst, a: Src, lane: usize) {
        self.put_lane(d, lane, self.get(a)[lane], self.undef_bits(a, lane));
    }

    /// Marks whole values of some lanes as undefined.
    pub fn taint(&mut self, d: Dst, lanes: u32) {
        let at = self.base + d as usize;
        self.warp.regs.undef[at] |= lanes;
        for lane in lanes_of(lanes) {
            self.warp.regs.undef_bits[at][lane] = u64::MAX;
        }
    }

    /// Marks given bits of a lane as undefined.
    pub fn taint_bits(&mut self, d: Dst, lane: usize, bits: u64) {
        let at = self.base + d as usize;
        if bits != 0 {
            self.warp.regs.undef[at] |= 1 << lane;
            self.warp.regs.undef_bits[at][lane] = bits;
        }
    }
}
