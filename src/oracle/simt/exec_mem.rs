//! How do lanes read and write memory? The high address bits select the window; bounds and liveness are checked before
//! every access.
//!
//! Within an instruction of a warp, lanes access memory in ascending order. If two lanes store to the same place, the
//! value of the higher lane remains (μ-SIMD's rule TL and CUDA leave this open).

use super::code::*;
use super::constants::to_generic;
use super::exec_int::{low, sx};
use super::fault::{Access, Exec, FaultKind, element, trap};
use super::float;
use super::memory::{AllocationKind, Window, arena_offset, read_bytes, window, write_bytes};
use super::warp::{Frame, lanes_of};
use warpwise_ir::llvm::image::RmwOp;

/// The target of one access.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    Device { allocation: usize, offset: usize },
    Shared(usize),
    Local(usize),
}

impl Frame<'_, '_> {
    /// Generic address of a lane's access; an undefined one is a fault.
    #[inline]
    fn address(&self, src: Src, space: u8, offset: u32, lane: usize) -> u64 {
        to_generic(self.get(src)[lane], space).wrapping_add(u64::from(offset))
    }

    /// A fault if lanes have undefined bits there.
    pub(super) fn check_defined(&self, src: Src, usage: &'static str) -> Exec<()> {
        match self.undef(src) {
            0 => Ok(()),
            lanes => trap(lanes.trailing_zeros(), FaultKind::Undef { usage }),
        }
    }

    /// Resolves and checks one access.
    #[inline]
    pub fn place(&self, lane: usize, address: u64, size: u64, what: Access) -> Exec<Place> {
        let place = match window(address) {
            Window::Device => {
                let memory = &self.world.device;
                if let Some(number) = memory.find(address) {
                    let allocation = &memory.allocations[number];
                    let offset = address - allocation.base;
                    if size <= allocation.data.len() as u64 && offset <= allocation.data.len() as u64 - size {
                        if !allocation.live {
                            return trap(lane as u32, FaultKind::UseAfterScope { what, size, address });
                        }
                        if what != Access::Read && allocation.kind == AllocationKind::Constant {
                            let name = allocation.name.clone();
                            return trap(lane as u32, FaultKind::WriteToConstant { address, name });
                        }
                        return Ok(Place::Device { allocation: number, offset: offset as usize });
                    }
                }
                memory.describe(address)
            }
            Window::Shared => {
                let (offset, arena) = (arena_offset(address), &self.world.shared);
                if arena.is_live(offset, size as usize) {
                    return Ok(Place::Shared(offset));
                }
                self.world.describe_shared(offset)
            }
            Window::Local => {
                let (offset, arena) = (arena_offset(address), &self.warp.local[lane]);
                if arena.is_live(offset, size as usize) {
                    return Ok(Place::Local(offset));
                }
                let is_allocated = offset < self.warp.stack[lane] as usize;
                if is_allocated && arena.live.get(offset) != Some(&1) {
                    return trap(lane as u32, FaultKind::UseAfterScope { what, size, address });
                }
                if is_allocated {
                    format!("past the end of a local variable, at local offset {offset}")
                } else {
                    format!("local offset {offset} belongs to no variable")
                }
            }
            Window::Nowhere => self.world.device.describe(address),
        };
        trap(lane as u32, FaultKind::OutOfBounds { what, size, address, place })
    }

    fn check_aligned(&self, lane: usize, address: u64, align: u32, size: u8, what: Access) -> Exec<()> {
        if address & (u64::from(align) - 1) != 0 {
            return trap(lane as u32, FaultKind::Misaligned { what, size: size.into(), address, align });
        }
        Ok(())
    }

    /// The memory around a place: its bytes, its undefined bits if there are any, and the position of the place in
    /// them.
    #[inline]
    fn bytes(&self, lane: usize, place: Place) -> (&[u8], Option<&[u8]>, usize) {
        let (arena, offset) = match place {
            Place::Device { allocation, offset } => {
                let a = &self.world.device.allocations[allocation];
                return (&a.data, a.undef.as_deref(), offset);
            }
            Place::Shared(offset) => (&self.world.shared, offset),
            Place::Local(offset) => (&self.warp.local[lane], offset),
        };
        (&arena.data, Some(&arena.undef), offset)
    }

    /// The same for writing; always with undefined bits if `marks` says that some are to be written.
    #[inline]
    fn bytes_mut(&mut self, lane: usize, place: Place, marks: bool) -> (&mut [u8], Option<&mut [u8]>, usize) {
        let (arena, offset) = match place {
            Place::Device { allocation, offset } => {
                let a = &mut self.world.device.allocations[allocation];
                if marks && a.undef.is_none() {
                    a.undef = Some(vec![0; a.data.len()]);
                }
                return (&mut a.data, a.undef.as_deref_mut(), offset);
            }
            Place::Shared(offset) => (&mut self.world.shared, offset),
            Place::Local(offset) => (&mut self.warp.local[lane], offset),
        };
        (&mut arena.data, Some(&mut arena.undef), offset)
    }

    /// Value and undefined bits at a place.
    #[inline]
    pub fn read(&self, lane: usize, place: Place, size: usize) -> (u64, u64) {
        let (data, undef, offset) = self.bytes(lane, place);
        (read_bytes(data, offset, size), undef.map_or(0, |undef| read_bytes(undef, offset, size)))
    }

    /// Writes value and undefined bits at a place.
    #[inline]
    pub fn write(&mut self, lane: usize, place: Place, size: usize, value: u64, undef: u64) {
        let (data, marks, offset) = self.bytes_mut(lane, place, undef != 0);
        write_bytes(data, offset, size, value);
        if let Some(marks) = marks {
            write_bytes(marks, offset, size, undef);
        }
    }

    /// Reports an access to the race check.
    #[inline]
    fn note(&mut self, lane: usize, place: Place, size: usize, what: Access, address: u64) -> Exec<()> {
        let thread = self.warp.index * LANES as u32 + lane as u32;
        let races = &mut self.world.races;
        let (found, space) = match place {
            Place::Shared(offset) if races.shared_enabled => (races.shared(thread, offset, size, what), "shared"),
            Place::Device { allocation, offset } if races.global_enabled => {
                let block = self.world.block_number;
                (races.global(block, thread, allocation, offset, size, what), "global")
            }
            _ => return Ok(()),
        };
        let Err(race) = found else { return Ok(()) };
        let element = match place {
            Place::Device { allocation, offset } => {
                element(&self.world.device.allocations[allocation].name, offset as u64, size)
            }
            Place::Shared(offset) | Place::Local(offset) => self.world.shared_element(offset, size),
        };
        trap(lane as u32, race.fault(self.world.image, space, element, address))
    }

    #[inline]
    pub fn load(&mut self, args: AccessArgs) -> Exec<()> {
        let AccessArgs { value: d, address, space, offset, size, bits, align, atomic } = args;
        self.check_defined(address, "an address")?;
        let keep = u64::MAX >> (64 - u32::from(bits));
        let bytes = usize::from(size);
        let what = if atomic { Access::Atomic } else { Access::Read };
        let mut out = [0u64; LANES];
        let mut marks = [0u64; LANES];
        let mut undefined = 0u32;
        let mut rest = self.mask;
        // most warps access a single device allocation, so look it up once
        if let Some(first) = lanes_of(self.mask).next()
            && !self.world.races.global_enabled
            && let Ok(Place::Device { allocation, .. }) =
                self.place(first, self.address(address, space, offset, first), size.into(), Access::Read)
        {
            let a = &self.world.device.allocations[allocation];
            let limit = a.data.len() - bytes;
            for lane in lanes_of(self.mask) {
                let at = self.address(address, space, offset, lane);
                let inside = at.wrapping_sub(a.base);
                if inside <= limit as u64 && at & (u64::from(align) - 1) == 0 {
                    out[lane] = read_bytes(&a.data, inside as usize, bytes) & keep;
                    if let Some(undef) = &a.undef {
                        marks[lane] = read_bytes(undef, inside as usize, bytes) & keep;
                        undefined |= u32::from(marks[lane] != 0) << lane;
                    }
                    rest &= !(1 << lane);
                }
            }
        }
        for lane in lanes_of(rest) {
            let at = self.address(address, space, offset, lane);
            self.check_aligned(lane, at, align, size, Access::Read)?;
            let place = self.place(lane, at, size.into(), Access::Read)?;
            self.note(lane, place, bytes, what, at)?;
            let (value, undef) = self.read(lane, place, bytes);
            out[lane] = value & keep;
            marks[lane] = undef & keep;
            undefined |= u32::from(marks[lane] != 0) << lane;
        }
        self.put_marked(d, &out, undefined, &marks);
        Ok(())
    }

    #[inline]
    pub fn store(&mut self, args: AccessArgs) -> Exec<()> {
        let AccessArgs { value, address, space, offset, size, bits: _, align, atomic } = args;
        self.check_defined(address, "an address")?;
        let bytes = usize::from(size);
        let what = if atomic { Access::Atomic } else { Access::Write };
        for lane in lanes_of(self.mask) {
            let at = self.address(address, space, offset, lane);
            self.check_aligned(lane, at, align, size, Access::Write)?;
            let place = self.place(lane, at, size.into(), Access::Write)?;
            let (bits, undef) = (self.get(value)[lane], self.undef_bits(value, lane));
            if self.world.races.is_on() {
                // a store that changes nothing is not a race: lanes that all set the same flag are fine
                let unchanged =
                    self.read(lane, place, bytes) == (bits & (u64::MAX >> (64 - 8 * bytes)), 0) && undef == 0;
                if !unchanged {
                    self.note(lane, place, bytes, what, at)?;
                }
            }
            self.write(lane, place, bytes, bits, undef);
        }
        Ok(())
    }

    fn atomic_place(&mut self, lane: usize, (address, space): (Src, u8), size: u8) -> Exec<Place> {
        let at = self.address(address, space, 0, lane);
        self.check_aligned(lane, at, size.next_power_of_two().into(), size, Access::Atomic)?;
        let place = self.place(lane, at, size.into(), Access::Atomic)?;
        self.note(lane, place, size.into(), Access::Atomic, at)?;
        Ok(place)
    }

    /// Read-modify-write, lane after lane.
    pub fn atomic_rmw(&mut self, op: RmwOp, leaf: Leaf, d: Dst, address: Src, space: u8, value: Src) -> Exec<()> {
        self.check_defined(address, "an address")?;
        let size = leaf.bits().div_ceil(8) as u8;
        for lane in lanes_of(self.mask) {
            let place = self.atomic_place(lane, (address, space), size)?;
            let (old, old_undef) = self.read(lane, place, size.into());
            let (operand, operand_undef) = (self.get(value)[lane], self.undef_bits(value, lane));
            let new = rmw(op, leaf, old, operand);
            let undef = match op {
                RmwOp::Xchg => operand_undef,
                _ if old_undef | operand_undef != 0 => u64::MAX,
                _ => 0,
            };
            self.write(lane, place, size.into(), new, undef);
            self.put_lane(d, lane, old, old_undef);
        }
        Ok(())
    }

    /// Compare and exchange, lane after lane.
    pub fn cmpxchg(&mut self, args: CmpXchgArgs) -> Exec<()> {
        let CmpXchgArgs { size, d, success, address, space, expected, value } = args;
        self.check_defined(address, "an address")?;
        for lane in lanes_of(self.mask) {
            let place = self.atomic_place(lane, (address, space), size)?;
            let (old, old_undef) = self.read(lane, place, size.into());
            let undecided = old_undef != 0 || self.undef_bits(expected, lane) != 0;
            let matches = old == self.get(expected)[lane];
            if matches {
                let (new, undef) = (self.get(value)[lane], self.undef_bits(value, lane));
                self.write(lane, place, size.into(), new, undef);
            }
            self.put_lane(d, lane, old, old_undef);
            self.put_lane(success, lane, u64::from(matches), if undecided { u64::MAX } else { 0 });
        }
        Ok(())
    }

    /// memcpy, memmove, memset.
    pub fn range(&mut self, sets: bool, d: (Src, u8), s: (Src, u8), length: Src) -> Exec<()> {
        self.check_defined(length, "a length")?;
        for lane in lanes_of(self.mask) {
            let bytes = self.get(length)[lane];
            if bytes == 0 {
                continue;
            }
            self.check_defined(d.0, "an address")?;
            let to = self.address(d.0, d.1, 0, lane);
            let target = self.place(lane, to, bytes, Access::Write)?;
            let count = bytes as usize;
            self.note(lane, target, count, Access::Write, to)?;
            if sets {
                let (byte, undef) = (self.get(s.0)[lane] as u8, self.undef_bits(s.0, lane) as u8);
                self.fill(lane, target, &vec![byte; count], &vec![undef; count]);
                continue;
            }
            self.check_defined(s.0, "an address")?;
            let from = self.address(s.0, s.1, 0, lane);
            let source = self.place(lane, from, bytes, Access::Read)?;
            self.note(lane, source, count, Access::Read, from)?;
            let (data, undef) = self.copy_out(lane, source, count);
            self.fill(lane, target, &data, &undef);
        }
        Ok(())
    }

    /// Copies bytes and undefined bits out of memory.
    pub fn copy_out(&self, lane: usize, place: Place, count: usize) -> (Vec<u8>, Vec<u8>) {
        let (data, undef, offset) = self.bytes(lane, place);
        let range = offset..offset + count;
        (data[range.clone()].to_vec(), undef.map_or_else(|| vec![0; count], |undef| undef[range].to_vec()))
    }

    fn fill(&mut self, lane: usize, place: Place, data: &[u8], undef: &[u8]) {
        let (bytes, marks, offset) = self.bytes_mut(lane, place, undef.iter().any(|&bits| bits != 0));
        bytes[offset..offset + data.len()].copy_from_slice(data);
        if let Some(marks) = marks {
            marks[offset..offset + data.len()].copy_from_slice(undef);
        }
    }

    /// Allocates a local variable for every lane and returns its offset.
    fn push_local(&mut self, lane: usize, size: u64, align: u32) -> Exec<u32> {
        let limit = self.world.config.limits.local_bytes;
        let start = u64::from(self.warp.stack[lane]).next_multiple_of(u64::from(align).max(8));
        let end = start.saturating_add(size).saturating_add(super::constants::GAP);
        if end > limit {
            return trap(lane as u32, FaultKind::LocalLimit { limit });
        }
        let arena = &mut self.warp.local[lane];
        arena.grow(end as usize);
        arena.mark(self.warp.stack[lane] as usize, (end - u64::from(self.warp.stack[lane])) as usize, false);
        arena.mark(start as usize, size as usize, true);
        self.warp.variables[lane].push((start as u32, size as u32));
        self.warp.stack[lane] = end as u32;
        Ok(start as u32)
    }

    pub fn alloca(&mut self, d: Dst, space: u8, size: u64, count: Src, align: u32) -> Exec<()> {
        self.check_defined(count, "the size of an alloca")?;
        for lane in lanes_of(self.mask) {
            let bytes = size.saturating_mul(self.get(count)[lane]);
            let offset = u64::from(self.push_local(lane, bytes, align)?);
            let address =
                if space == super::constants::space::LOCAL { offset } else { super::constants::LOCAL_WINDOW + offset };
            self.put_lane(d, lane, address, 0);
        }
        Ok(())
    }

    /// A by-value argument: the callee's own copy.
    pub fn by_value(&mut self, d: Dst, size: u64, align: u32) -> Exec<()> {
        self.check_defined(d, "an address")?;
        for lane in lanes_of(self.mask) {
            let source = self.place(lane, self.get(d)[lane], size, Access::Read)?;
            let (data, undef) = self.copy_out(lane, source, size as usize);
            let offset = self.push_local(lane, size, align)? as usize;
            self.fill(lane, Place::Local(offset), &data, &undef);
            self.put_lane(d, lane, super::constants::LOCAL_WINDOW + offset as u64, 0);
        }
        Ok(())
    }

    /// Frees local memory down to a mark.
    pub fn pop_local(&mut self, lane: usize, mark: u32) {
        let from = mark.min(self.warp.stack[lane]) as usize;
        let count = self.warp.stack[lane] as usize - from;
        self.warp.local[lane].mark(from, count, false);
        let variables = &mut self.warp.variables[lane];
        variables.truncate(variables.partition_point(|&(begin, _)| (begin as usize) < from));
        self.warp.stack[lane] = from as u32;
    }

    /// `llvm.lifetime.start` and `.end` on a local variable: its bytes become live and undefined, or dead.
    pub fn lifetime(&mut self, address: Src, space: u8, start: bool) {
        for lane in lanes_of(self.mask & !self.undef(address)) {
            let at = self.address(address, space, 0, lane);
            if window(at) != Window::Local {
                continue;
            }
            // the variable ends where the gap after it starts; gaps are never live, so the size of a dead variable is
            // looked up
            let offset = arena_offset(at);
            if let Some(&(_, size)) =
                self.warp.variables[lane].iter().rev().find(|&&(begin, _)| begin as usize == offset)
            {
                self.warp.local[lane].mark(offset, size as usize, start);
            }
        }
    }

    pub fn malloc(&mut self, d: Dst, size: Src) {
        for lane in lanes_of(self.mask) {
            let bytes = self.get(size)[lane];
            let used: u64 = self.world.heap_used;
            if bytes == 0 || used.saturating_add(bytes) > self.world.config.limits.heap_bytes {
                self.put_lane(d, lane, 0, 0);
                continue;
            }
            self.world.heap_used += bytes;
            let (data, undef) = (vec![0; bytes as usize], vec![0xff; bytes as usize]);
            let name = format!("a heap allocation of {bytes} bytes");
            let base = self.world.device.add(None, data, Some(undef), AllocationKind::Heap, name);
            self.put_lane(d, lane, base, 0);
        }
    }

    pub fn free(&mut self, a: Src) -> Exec<()> {
        self.check_defined(a, "an address")?;
        for lane in lanes_of(self.mask) {
            let address = self.get(a)[lane];
            if address == 0 {
                continue;
            }
            let found = self.world.device.find(address);
            match found.map(|number| &mut self.world.device.allocations[number]) {
                Some(a) if a.base == address && a.kind == AllocationKind::Heap && a.live => a.live = false,
                _ => return trap(lane as u32, FaultKind::BadFree { address }),
            }
        }
        Ok(())
    }
}

/// The new value for a read-modify-write.
fn rmw(op: RmwOp, leaf: Leaf, old: u64, operand: u64) -> u64 {
    let bits = leaf.bits();
    let signed = |x: u64| sx(x, bits);
    let fmt = super::decode::fmt(leaf).unwrap_or(Fmt::Single);
    let floating = |op| float::float(op, fmt, Mode::default(), [old, operand, 0]);
    low(bits)
        & match op {
            RmwOp::Xchg => operand,
            RmwOp::Add => old.wrapping_add(operand),
            RmwOp::Sub => old.wrapping_sub(operand),
            RmwOp::And => old & operand,
            RmwOp::Nand => !(old & operand),
            RmwOp::Or => old | operand,
            RmwOp::Xor => old ^ operand,
            RmwOp::Max if signed(old) >= signed(operand) => old,
            RmwOp::Min if signed(old) <= signed(operand) => old,
            RmwOp::Max | RmwOp::Min => operand,
            RmwOp::UMax => old.max(operand),
            RmwOp::UMin => old.min(operand),
            RmwOp::FAdd => floating(FloatOp::Add),
            RmwOp::FSub => floating(FloatOp::Sub),
            RmwOp::FMax => floating(FloatOp::MAX_NUM),
            RmwOp::FMin => floating(FloatOp::MIN_NUM),
            RmwOp::FMaximum => floating(FloatOp::MAXIMUM),
            RmwOp::FMinimum => floating(FloatOp::MINIMUM),
            RmwOp::IncWrap if old >= operand => 0,
            RmwOp::IncWrap => old + 1,
            RmwOp::DecWrap if old == 0 || old > operand => operand,
            RmwOp::DecWrap => old - 1,
            RmwOp::USubCond if old >= operand => old - operand,
            RmwOp::USubCond => old,
            RmwOp::USubSat => old.saturating_sub(operand),
        }
}
