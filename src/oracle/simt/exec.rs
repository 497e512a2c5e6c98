//! How is one micro-operation executed for the lanes of a mask? Everything except control flow, barriers and
//! collectives, which schedulers execute.

use super::code::*;
use super::exec_int::low;
use super::fault::{Access, Exec, FaultKind, trap};
use super::memory::{AllocationKind, Window, window};
use super::printf;
use super::warp::{Frame, lanes_of};

impl Frame<'_, '_> {
    #[inline]
    pub fn step(&mut self, op: &Op) -> Exec<()> {
        match *op {
            Op::Nop => {}
            Op::Mov { d, a } => self.copy(d, a),
            Op::Int(args) => return self.int(args),
            Op::ICmp { pred, bits, same_sign, d, a, b } => self.icmp(pred, bits, same_sign, d, a, b),
            Op::Address { d, base, index, bits, scale, offset } => {
                self.compute_address(d, base, (index, bits, scale), offset)
            }
            Op::Load(args) => return self.load(args),
            Op::Store(args) => return self.store(args),
            Op::Float { op, fmt, mode, d, args } => self.float(op, fmt, mode, d, args),
            Op::FCmp { pred, fmt, d, a, b } => self.fcmp(pred, fmt, d, a, b),
            Op::Class { fmt, mask, d, a } => self.class(fmt, mask, d, a),
            Op::Conv { conv, d, a } => return self.convert(conv, d, a),
            Op::Select { d, c, a, b } => self.select(d, c, a, b),
            Op::Freeze { d, a } => {
                // an undefined value freezes to the bits that the register holds, lane by lane; any choice is allowed
                let out = *self.get(a);
                self.put(d, &out);
            }
            Op::Special { d, what, bits } => self.special(d, what, bits),
            Op::Repack { d, count, to, a, from_count, from } => self.repack((d, count, to), (a, from_count, from)),
            Op::Extract { d, a, stride, count, index } => self.extract(d, a, stride, count, index),
            Op::Insert { d, stride, count, index, value } => self.insert(d, stride, count, index, value),
            Op::Alloca { d, space, size, count, align } => return self.alloca(d, space, size, count, align),
            Op::ByValue { d, size, align } => return self.by_value(d, size, align),
            Op::StackRestore { a } => {
                for lane in lanes_of(self.mask) {
                    self.pop_local(lane, self.get(a)[lane] as u32);
                }
            }
            Op::Lifetime { address, space, start } => self.lifetime(address, space, start),
            Op::AtomicRmw { op, leaf, d, address, space, value } => {
                return self.atomic_rmw(op, leaf, d, address, space, value);
            }
            Op::CmpXchg(args) => return self.cmpxchg(args),
            Op::Range { sets, d, d_space, s, s_space, length } => {
                return self.range(sets, (d, d_space), (s, s_space), length);
            }
            Op::IsSpace { d, a, space } => self.is_space(d, a, space),
            Op::Assume { a } => return self.assume(a),
            Op::Printf { d, format, args } => return self.printf(d, format, args),
            Op::Malloc { d, size } => self.malloc(d, size),
            Op::Free { a } => return self.free(a),
            Op::Trap(ref what) => return trap(self.first_lane(), FaultKind::Trap { what: what.to_string() }),
            Op::AssertFail { message, file, line } => return self.assert_fail(message, file, line),
            Op::Unknown(ref name) => return trap(self.first_lane(), FaultKind::Unknown { name: name.to_string() }),
            Op::Unreachable => return trap(self.first_lane(), FaultKind::Unreachable),
            Op::Masked { c, negated, ref op } => {
                let holds = self.truth(c)?;
                let everybody = self.mask;
                self.mask = if negated { everybody & !holds } else { holds };
                let result = if self.mask == 0 { Ok(()) } else { self.step(op) };
                self.mask = everybody;
                return result;
            }
            Op::Jump { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::Call(_)
            | Op::Ret { .. }
            | Op::Exit
            | Op::Br { .. }
            | Op::CondBr { .. }
            | Op::Switch(_) => {}
        }
        Ok(())
    }

    fn assume(&self, a: Src) -> Exec<()> {
        let bad = self.undef(a) | self.lanes_where(|lane| self.get(a)[lane] & 1 == 0);
        if bad == 0 { Ok(()) } else { trap(bad.trailing_zeros(), FaultKind::AssumptionFailed) }
    }

    #[inline(always)]
    pub fn copy(&mut self, d: Dst, a: Src) {
        let undef = self.undef(a);
        let out = *self.get(a);
        self.put(d, &out);
        if undef != 0 {
            for lane in lanes_of(undef) {
                let bits = self.undef_bits(a, lane);
                self.taint_bits(d, lane, bits);
            }
        }
    }

    #[inline]
    fn compute_address(&mut self, d: Dst, base: Src, (index, bits, scale): (Src, u16, i64), offset: i64) {
        let undef = self.undef(base) | if bits == 0 { 0 } else { self.undef(index) };
        let from = self.get(base);
        let mut out = [0; LANES];
        if bits == 0 {
            for i in 0..LANES {
                out[i] = from[i].wrapping_add_signed(offset);
            }
        } else {
            let shift = 64 - u32::from(bits);
            let index = self.get(index);
            for i in 0..LANES {
                let step = ((index[i] << shift) as i64 >> shift).wrapping_mul(scale);
                out[i] = from[i].wrapping_add_signed(step.wrapping_add(offset));
            }
        }
        self.put_tainted(d, &out, undef);
    }

    #[inline]
    fn select(&mut self, d: Dst, c: Src, a: Src, b: Src) {
        let (test, x, y) = (self.get(c), self.get(a), self.get(b));
        let mut out = [0; LANES];
        let mut chosen = 0u32;
        for i in 0..LANES {
            let yes = test[i] & 1 != 0;
            out[i] = if yes { x[i] } else { y[i] };
            chosen |= u32::from(yes) << i;
        }
        let (uc, ua, ub) = (self.undef(c), self.undef(a), self.undef(b));
        if uc | ua | ub == 0 {
            self.put(d, &out);
            return;
        }
        let marks: Lanes = std::array::from_fn(|lane| {
            if uc >> lane & 1 != 0 {
                u64::MAX
            } else {
                self.undef_bits(if chosen >> lane & 1 != 0 { a } else { b }, lane)
            }
        });
        self.put_marked(d, &out, self.mask, &marks);
    }

    fn special(&mut self, d: Dst, what: Special, bits: u16) {
        let world = &*self.world;
        let axis = |triple: [u32; 3], axis: u8, beyond| triple.get(axis as usize).copied().unwrap_or(beyond).into();
        let all = |value: u64| [value; LANES];
        let each = |value: &dyn Fn(usize) -> u64| std::array::from_fn(value);
        let mut out: Lanes = match what {
            Special::Tid(a) => each(&|lane| axis(self.warp.tid[lane], a, 0)),
            Special::Ntid(a) => all(axis(world.config.block, a, 1)),
            Special::Ctaid(a) => all(axis(world.block, a, 0)),
            Special::Nctaid(a) => all(axis(world.config.grid, a, 1)),
            Special::LaneId => each(&|lane| lane as u64),
            Special::WarpId => all(self.warp.index.into()),
            Special::LaneMaskEq => each(&|lane| 1 << lane),
            Special::LaneMaskLt => each(&|lane| (1 << lane) - 1),
            Special::LaneMaskLe => each(&|lane| (2 << lane) - 1),
            Special::LaneMaskGt => each(&|lane| !((2 << lane) - 1) & 0xffff_ffff),
            Special::LaneMaskGe => each(&|lane| !((1 << lane) - 1) & 0xffff_ffff),
            Special::Clock => all(world.report.steps),
            Special::DynamicShared => all(world.config.dynamic_shared.into()),
            Special::TotalShared => all(world.shared.data.len() as u64),
            Special::ActiveMask => all(self.mask.into()),
            Special::StackPointer => each(&|lane| self.warp.stack[lane].into()),
            Special::Fixed(value) => all(value.into()),
        };
        if bits < 64 {
            for value in &mut out {
                *value &= low(u32::from(bits));
            }
        }
        self.put(d, &out);
    }

    /// Bits of a packed sequence, read element by element and written element by element.
    fn repack(&mut self, (d, count, to): (Dst, u32, u16), (a, from_count, from): (Src, u32, u16)) {
        let (from, to) = (u32::from(from), u32::from(to));
        let from_slots = if from > 64 { 2 } else { 1 };
        let to_slots = if to > 64 { 2 } else { 1 };
        for lane in lanes_of(self.mask) {
            let total = (from_count * from).max(count * to) as usize;
            let (mut bits, mut marks) = (vec![false; total], vec![false; total]);
            for i in 0..from_count {
                for bit in 0..from {
                    let slot = a + i * from_slots + bit / 64;
                    let at = (i * from + bit) as usize;
                    bits[at] = self.get(slot)[lane] >> (bit % 64) & 1 != 0;
                    marks[at] = self.undef_bits(slot, lane) >> (bit % 64) & 1 != 0;
                }
            }
            for i in 0..count {
                for part in 0..to_slots {
                    let (mut value, mut undef) = (0u64, 0u64);
                    for bit in (64 * part)..to.min(64 * part + 64) {
                        let at = (i * to + bit) as usize;
                        value |= u64::from(bits[at]) << (bit % 64);
                        undef |= u64::from(marks[at]) << (bit % 64);
                    }
                    self.put_lane(d + i * to_slots + part, lane, value, undef);
                }
            }
        }
    }

    /// A vector element with a run-time index; past the end it is poison.
    fn extract(&mut self, d: Dst, a: Src, stride: u32, count: u32, index: Src) {
        for lane in lanes_of(self.mask) {
            let at = self.get(index)[lane];
            let poison = at >= u64::from(count) || self.undef(index) >> lane & 1 != 0;
            for part in 0..stride {
                if poison {
                    self.put_lane(d + part, lane, 0, u64::MAX);
                } else {
                    self.copy_lane(d + part, a + at as u32 * stride + part, lane);
                }
            }
        }
    }

    fn insert(&mut self, d: Dst, stride: u32, count: u32, index: Src, value: Src) {
        for lane in lanes_of(self.mask) {
            let at = self.get(index)[lane];
            if at >= u64::from(count) || self.undef(index) >> lane & 1 != 0 {
                for slot in 0..count * stride {
                    self.put_lane(d + slot, lane, 0, u64::MAX);
                }
                continue;
            }
            for part in 0..stride {
                self.copy_lane(d + at as u32 * stride + part, value + part, lane);
            }
        }
    }

    fn is_space(&mut self, d: Dst, a: Src, space: u8) {
        let undef = self.undef(a);
        let out = std::array::from_fn(|lane| {
            let address = self.get(a)[lane];
            let kind = || self.world.device.find(address).map(|number| self.world.device.allocations[number].kind);
            u64::from(match (space, window(address)) {
                (3, Window::Shared) | (5, Window::Local) => true,
                (1, Window::Device) => kind() != Some(AllocationKind::Constant),
                (4, Window::Device) => kind() == Some(AllocationKind::Constant),
                _ => false,
            })
        });
        self.put_tainted(d, &out, undef);
    }

    /// The text at an address, at most 64 KiB of it.
    fn text(&self, lane: usize, address: u64) -> Exec<String> {
        let mut bytes = Vec::new();
        for at in address..address + 65_536 {
            let place = self.place(lane, at, 1, Access::Read)?;
            match self.read(lane, place, 1).0 as u8 {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn printf(&mut self, d: Dst, format: Src, args: Src) -> Exec<()> {
        for lane in lanes_of(self.mask) {
            let pattern = self.text(lane, self.get(format)[lane])?;
            let base = self.get(args)[lane];
            let mut failure = None;
            let (text, count) = {
                let mut read = |offset: u64, size: u64| match self.place(lane, base + offset, size, Access::Read) {
                    Ok(place) => self.read(lane, place, size as usize).0,
                    Err(error) => {
                        failure.get_or_insert(error);
                        0
                    }
                };
                let mut read_text = |address: u64| self.text(lane, address).unwrap_or_else(|_| "(bad pointer)".into());
                printf::render(&pattern, &mut read, &mut read_text)
            };
            if let Some(error) = failure {
                return Err(error);
            }
            self.world.report.stdout.push_str(&text);
            self.put_lane(d, lane, u64::from(count), 0);
        }
        Ok(())
    }

    fn assert_fail(&mut self, message: Src, file: Src, line: Src) -> Exec<()> {
        let lane = self.first_lane() as usize;
        let message = self.text(lane, self.get(message)[lane])?;
        let place = format!("{}:{}", self.text(lane, self.get(file)[lane])?, self.get(line)[lane] as u32);
        trap(lane as u32, FaultKind::Assert { message, place })
    }

    /// The function that an indirect call calls in a lane.
    pub fn callee(&self, pointer: Src, lane: usize) -> Exec<u32> {
        if self.undef(pointer) >> lane & 1 != 0 {
            return trap(lane as u32, FaultKind::Undef { usage: "the target of a call" });
        }
        let address = self.get(pointer)[lane];
        self.pool.function_at(address).map_or_else(|| trap(lane as u32, FaultKind::BadCall { address }), Ok)
    }
}
