//! How is a function translated to micro-operations? Once, before anything runs.
//!
//! - Values are flattened into slots, and vector operations into one micro-operation per element.
//! - Phis become moves on edges, which are performed as one parallel copy.
//! - Addresses become base + offset + scaled indices.
//! - An instruction that the machine does not implement becomes [`Op::Unknown`] with its name, which faults when a lane
//!   executes it. So a module may contain it in code that never runs.
//!
//! Every instruction, even one without a result, ends in a micro-operation with `last` set, at which the step is
//! counted and the observer notified. Calls are decoded in `decode_call` (LLVM's intrinsics and library functions),
//! `decode_nvvm` (NVPTX's) and `decode_asm` (inline PTX).

use super::cfg::Flow;
use super::code::*;
use super::constants::Pool;
use super::joins::{Join, joins};
use super::layout::{Shape, Shapes};
use super::names::Rule;
use super::quiet::mark_quiet;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
use warpwise_ir::llvm::image::Op as Ir;
use warpwise_ir::llvm::image::{
    BinOp, Callee, CastOp, ConstId, Flags, FuncId, FunctionImage, InstImage, ModuleImage, Operand, TypeId, TypeKind,
};

/// The slots of one value, in leaf order.
pub(super) type Slots = SmallVec<[Src; 4]>;
/// The name of something that the machine does not implement.
pub(super) type Decoded<T> = Result<T, String>;

/// Decodes every function of a module.
pub(super) fn decode(image: &ModuleImage, pool: &mut Pool) -> Vec<FunctionCode> {
    let mut shapes = Shapes::new(image);
    let mut functions: Vec<FunctionCode> =
        image.functions.iter().map(|func| Decoder::new(image, func, &mut shapes, pool).function()).collect();
    mark_quiet(image, &mut functions);
    functions
}

pub(super) fn successors_of(func: &FunctionImage) -> Vec<Vec<u32>> {
    func.blocks.iter().map(|block| block.successors.clone()).collect()
}

pub(super) struct Decoder<'a, 'i> {
    pub(super) image: &'i ModuleImage,
    pub(super) func: &'i FunctionImage,
    pub(super) shapes: &'a mut Shapes<'i>,
    pub(super) pool: &'a mut Pool,
    pub(super) code: FunctionCode,
    /// Ordinal of the instruction being decoded.
    pub(super) inst: u32,
    /// The sums that take a product.
    joins: FxHashMap<u32, Join>,
}

impl<'a, 'i> Decoder<'a, 'i> {
    fn new(image: &'i ModuleImage, func: &'i FunctionImage, shapes: &'a mut Shapes<'i>, pool: &'a mut Pool) -> Self {
        let joins = if image.contracts { joins(image, func) } else { FxHashMap::default() };
        Decoder { image, func, shapes, pool, code: FunctionCode::default(), inst: 0, joins }
    }

    fn function(mut self) -> FunctionCode {
        if self.func.blocks.is_empty() {
            return self.code;
        }
        for param in &self.func.params {
            let count = self.shapes.of(param.ty).map_or(0, |shape| shape.slots);
            let first = self.temp(count);
            self.code.params.push((first, count));
        }
        for inst in &self.func.insts {
            let count = self.shapes.of(inst.ty).map_or(0, |shape| shape.slots);
            let first = self.temp(count);
            self.code.results.push((first, count));
        }
        self.code.flow = Flow::compute(&successors_of(self.func));
        for number in 0..self.func.blocks.len() {
            let block = &self.func.blocks[number];
            self.code.starts.push(self.code.micros.len() as u32);
            if number == 0 {
                self.by_value_copies();
                self.fixed_objects(block.first..block.first + block.count);
            }
            for ordinal in block.first..block.first + block.count {
                self.inst = ordinal;
                let inst = &self.func.insts[ordinal as usize];
                let before = self.code.micros.len();
                if let Err(name) = self.instruction(inst, number as u32) {
                    self.code.micros.truncate(before);
                    self.emit(Op::Unknown(name.into()));
                }
                if self.code.micros.len() == before {
                    self.emit(Op::Nop);
                }
                if let Some(last) = self.code.micros.last_mut() {
                    last.last = true;
                }
            }
        }
        self.code
    }

    /// Allocates slots of the frame.
    pub(super) fn temp(&mut self, count: u32) -> Dst {
        self.code.slots += count;
        self.code.slots - count
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.code.micros.push(Micro { op, inst: self.inst, last: false });
    }

    /// An operation and where its result is.
    pub(super) fn value_of(&mut self, op: impl FnOnce(Dst) -> Op) -> Src {
        let d = self.temp(1);
        self.emit(op(d));
        d
    }

    /// An integer operation without flags.
    pub(super) fn int2_into(&mut self, op: IntOp, bits: u16, d: Dst, [a, b]: [Src; 2]) {
        self.emit(Op::Int(IntArgs { op, bits, wrap: Wrap::default(), d, args: [a, b, b] }));
    }

    pub(super) fn constant(&mut self, bits: u64) -> Src {
        self.pool.operand(bits, false)
    }

    fn by_value_copies(&mut self) {
        for (index, param) in self.func.params.iter().enumerate() {
            if let Some((ty, align)) = param.by_value {
                let d = self.code.params[index].0;
                self.emit(Op::ByValue { d, size: self.image.ty(ty).size, align: align.max(1) });
            }
        }
    }

    /// The slots of an operand; constants are entered into the pool.
    pub(super) fn slots(&mut self, operand: Operand) -> Decoded<Slots> {
        let range = |(first, count): (u32, u32)| (first..first + count).collect();
        match operand {
            Operand::Arg(index) => Ok(range(self.code.params[index as usize])),
            Operand::Inst(index) => Ok(range(self.code.results[index as usize])),
            Operand::Metadata => Ok(Slots::new()),
            Operand::Const(id) => {
                let shape = self.shapes.of(self.image.constants[id.index()].ty)?;
                let scalars = self.pool.scalars(self.image, self.shapes, id)?;
                let mut slots = Slots::new();
                for (at, (bits, undef)) in shape.leaves.iter().zip(scalars) {
                    let low = self.pool.operand(bits as u64, undef);
                    if at.leaf.slots() == 1 {
                        slots.push(low);
                        continue;
                    }
                    // operations on wide integers need their two slots to be adjacent
                    let high = self.pool.operand((bits >> 64) as u64, undef);
                    let pair = self.temp(2);
                    self.mov(pair, &[low, high]);
                    slots.extend([pair, pair + 1]);
                }
                Ok(slots)
            }
        }
    }

    /// The slots of the instruction's operand `index`.
    pub(super) fn arg(&mut self, inst: &InstImage, index: usize) -> Decoded<Slots> {
        let operand = *inst.operands.get(index).ok_or_else(|| format!("{} with too few operands", inst.text))?;
        self.slots(operand)
    }

    /// The single slot of a scalar operand.
    pub(super) fn scalar(&mut self, inst: &InstImage, index: usize) -> Decoded<Src> {
        let slots = self.arg(inst, index)?;
        slots.first().copied().ok_or_else(|| format!("operand {index} of {}", inst.text))
    }

    /// A constant integer operand.
    pub(super) fn constant_arg(&mut self, inst: &InstImage, index: usize) -> Option<u64> {
        let Some(&Operand::Const(id)) = inst.operands.get(index) else { return None };
        let scalars = self.pool.scalars(self.image, self.shapes, id).ok()?;
        scalars.first().map(|&(bits, _)| bits as u64)
    }

    /// Result slots of the current instruction.
    pub(super) fn dst(&self) -> Dst {
        self.code.results[self.inst as usize].0
    }

    pub(super) fn shape(&mut self, ty: TypeId) -> Decoded<Rc<Shape>> {
        self.shapes.of(ty)
    }

    /// Address space of a pointer operand.
    pub(super) fn space(&mut self, inst: &InstImage, index: usize) -> u8 {
        match self.shapes.of(inst.operand_types[index]).ok().and_then(|shape| Some(shape.leaves.first()?.leaf)) {
            Some(Leaf::Ptr(space)) => space,
            _ => 0,
        }
    }

    pub(super) fn mov(&mut self, d: Dst, from: &[Src]) {
        for (i, &a) in (0u32..).zip(from) {
            self.emit(Op::Mov { d: d + i, a });
        }
    }

    /// Emits one micro-operation per leaf: `make(leaf, d, slot offsets)`.
    pub(super) fn each_leaf(
        &mut self,
        ty: TypeId,
        mut make: impl FnMut(Leaf, Dst, usize) -> Decoded<Op>,
    ) -> Decoded<()> {
        let shape = self.shape(ty)?;
        let d = self.dst();
        for at in &shape.leaves {
            let op = make(at.leaf, d + at.slot, at.slot as usize)?;
            self.emit(op);
        }
        Ok(())
    }

    fn instruction(&mut self, inst: &'i InstImage, block: u32) -> Decoded<()> {
        let op = match &inst.op {
            Ir::Phi(_) | Ir::Fence => Op::Nop,
            Ir::Bin(op, flags) => return self.binary(inst, *op, *flags),
            Ir::FNeg => return self.rule(inst, Rule::Float(FloatOp::Neg), Mode::default()),
            &Ir::ICmp(pred, same_sign) => {
                return self.compare(inst, |leaf, d, a, b| {
                    Ok(Op::ICmp { pred, bits: leaf.bits() as u16, same_sign, d, a, b })
                });
            }
            &Ir::FCmp(pred) => {
                return self.compare(inst, |leaf, d, a, b| Ok(Op::FCmp { pred, fmt: fmt(leaf)?, d, a, b }));
            }
            Ir::Cast(op, flags) => return self.cast(inst, *op, *flags),
            Ir::Select => return self.select(inst),
            Ir::Freeze => {
                let a = self.arg(inst, 0)?;
                for (d, a) in (self.dst()..).zip(a) {
                    self.emit(Op::Freeze { d, a });
                }
                return Ok(());
            }
            Ir::Alloca { .. } if block == 0 && self.is_fixed(inst) => return Ok(()), // exists since the function's entry
            Ir::Alloca { ty, align } => {
                let count = self.scalar(inst, 0)?;
                self.alloca(inst, *ty, *align, count);
                return Ok(());
            }
            Ir::Load { align, atomic, .. } => return self.load(inst, *align, *atomic),
            Ir::Store { align, atomic, .. } => return self.store(inst, *align, *atomic),
            Ir::Gep { offset, steps } => return self.gep(inst, *offset, steps),
            Ir::AtomicRmw(op, _) => return self.atomic_rmw(inst, *op),
            Ir::CmpXchg(_) => return self.cmpxchg(inst, self.dst() + 1),
            Ir::ExtractValue(indices) => {
                let a = self.arg(inst, 0)?;
                let (first, count) = self.shapes.element(inst.operand_types[0], indices)?;
                self.mov(self.dst(), &a[first as usize..(first + count) as usize]);
                return Ok(());
            }
            Ir::InsertValue(indices) => {
                let (mut slots, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let (first, count) = self.shapes.element(inst.operand_types[0], indices)?;
                slots[first as usize..(first + count) as usize].copy_from_slice(&b);
                self.mov(self.dst(), &slots);
                return Ok(());
            }
            Ir::ExtractElement => return self.extract_element(inst),
            Ir::InsertElement => return self.insert_element(inst),
            Ir::ShuffleVector(mask) => return self.shuffle(inst, mask),
            Ir::Call(callee) => return self.call(inst, callee),
            Ir::Ret => {
                let slots = if inst.operands.is_empty() { Slots::new() } else { self.arg(inst, 0)? };
                Op::Ret { a: self.in_frame(&slots), count: slots.len() as u32 }
            }
            Ir::Br => Op::Br { edge: self.edge(block, 0)? },
            Ir::CondBr => {
                let c = self.scalar(inst, 0)?;
                Op::CondBr { c, yes: self.edge(block, 0)?, no: self.edge(block, 1)? }
            }
            Ir::Switch(values) => return self.switch(inst, block, values),
            Ir::Unreachable => Op::Unreachable,
            Ir::Other(name) => return Err(format!("the instruction {name}")),
        };
        self.emit(op);
        Ok(())
    }

    fn extract_element(&mut self, inst: &InstImage) -> Decoded<()> {
        let (a, index) = (self.arg(inst, 0)?, self.scalar(inst, 1)?);
        let (stride, d) = (self.code.results[self.inst as usize].1, self.dst());
        let count = a.len() as u32 / stride.max(1);
        if let Some(at) = self.constant_arg(inst, 1).filter(|&at| at < u64::from(count)) {
            let at = at as usize * stride as usize;
            self.mov(d, &a[at..at + stride as usize]);
        } else {
            let a = self.in_frame(&a);
            self.emit(Op::Extract { d, a, stride, count, index });
        }
        Ok(())
    }

    fn insert_element(&mut self, inst: &InstImage) -> Decoded<()> {
        let (a, value, index) = (self.arg(inst, 0)?, self.arg(inst, 1)?, self.scalar(inst, 2)?);
        let (stride, d) = (value.len() as u32, self.dst());
        let count = a.len() as u32 / stride.max(1);
        let mut slots = a;
        if let Some(at) = self.constant_arg(inst, 2).filter(|&at| at < u64::from(count)) {
            let at = at as usize * stride as usize;
            slots[at..at + stride as usize].copy_from_slice(&value);
            self.mov(d, &slots);
        } else {
            self.mov(d, &slots);
            let value = self.in_frame(&value);
            self.emit(Op::Insert { d, stride, count, index, value });
        }
        Ok(())
    }

    fn shuffle(&mut self, inst: &InstImage, mask: &[i32]) -> Decoded<()> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let TypeKind::Vector { element, length: count } = self.image.ty(inst.operand_types[0]).kind else {
            return Err("a shuffle of no vector".into());
        };
        let stride = self.shape(element)?.slots;
        let poison = self.pool.operand(0, true);
        let d = self.dst();
        for (i, &from) in (0u32..).zip(mask) {
            for part in 0..stride {
                let a = match u32::try_from(from) {
                    Err(_) => poison,
                    Ok(from) if from < count => a[(from * stride + part) as usize],
                    Ok(from) => b[((from - count) * stride + part) as usize],
                };
                self.emit(Op::Mov { d: d + i * stride + part, a });
            }
        }
        Ok(())
    }

    fn compare(&mut self, inst: &InstImage, make: impl Fn(Leaf, Dst, Src, Src) -> Decoded<Op>) -> Decoded<()> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let shape = self.shape(inst.operand_types[0])?;
        for (d, at) in (self.dst()..).zip(&shape.leaves) {
            let slot = at.slot as usize;
            self.emit(make(at.leaf, d, a[slot], b[slot])?);
        }
        Ok(())
    }

    fn switch(&mut self, inst: &InstImage, block: u32, values: &[ConstId]) -> Decoded<()> {
        let a = self.arg(inst, 0)?;
        let default = self.edge(block, 0)?;
        let mut cases = Vec::new();
        for (i, &value) in values.iter().enumerate() {
            let bits = self.pool.scalars(self.image, self.shapes, value)?[0].0;
            cases.push((bits, self.edge(block, i + 1)?));
        }
        cases.sort_unstable();
        let wide = a.len() == 2;
        let a = if wide { self.in_frame(&a) } else { a[0] };
        self.emit(Op::Switch(Box::new(SwitchCode { a, wide, cases, default })));
        Ok(())
    }

    /// The slots as a contiguous run of the frame; they are copied if they are not contiguous.
    pub(super) fn in_frame(&mut self, slots: &[Src]) -> Src {
        let Some(&first) = slots.first() else { return 0 };
        let contiguous = slots.iter().zip(first..).all(|(&slot, want)| slot == want);
        if contiguous && (first & CONST == 0 || slots.len() == 1) {
            return first;
        }
        let d = self.temp(slots.len() as u32);
        self.mov(d, slots);
        d
    }

    pub(super) fn single_leaf(&mut self, ty: TypeId) -> Decoded<Leaf> {
        let shape = self.shape(ty)?;
        match shape.leaves.as_slice() {
            [at] if at.leaf.slots() == 1 => Ok(at.leaf),
            _ => Err("an atomic operation on a value that is not one scalar of at most 64 bits".into()),
        }
    }

    fn binary(&mut self, inst: &InstImage, op: BinOp, flags: Flags) -> Decoded<()> {
        let float = match op {
            BinOp::FAdd => FloatOp::Add,
            BinOp::FSub => FloatOp::Sub,
            BinOp::FMul => FloatOp::Mul,
            BinOp::FDiv => FloatOp::Div,
            BinOp::FRem => FloatOp::Of2(libm::fmod),
            _ => {
                let Flags { nuw, nsw, exact, nneg: _, disjoint, contract: _ } = flags;
                // `or disjoint` is like an addition that must not carry, so it uses the same flag slot
                return self.int(inst, IntOp::Bin(op), Wrap { nuw, nsw, exact: exact || disjoint });
            }
        };
        match self.joins.get(&self.inst) {
            Some(&join) => self.joined(inst, op == BinOp::FSub, join),
            None => self.rule(inst, Rule::Float(float), Mode::default()),
        }
    }

    /// A sum or difference that takes a product.
    fn joined(&mut self, sum: &InstImage, is_difference: bool, join: Join) -> Decoded<()> {
        let product = &self.func.insts[join.product as usize];
        let (x, y) = (self.arg(product, 0)?, self.arg(product, 1)?);
        let z = self.arg(sum, 1 - join.operand)?;
        let negates = [join.negated != (is_difference && join.operand == 1), is_difference && join.operand == 0];
        let (shape, d) = (self.shape(sum.ty)?, self.dst());
        for at in &shape.leaves {
            let (slot, fmt, mode) = (at.slot as usize, fmt(at.leaf)?, Mode::default());
            let [x, z] = [(x[slot], negates[0]), (z[slot], negates[1])].map(|(a, negates)| {
                if !negates {
                    return a;
                }
                self.value_of(|d| Op::Float { op: FloatOp::Neg, fmt, mode, d, args: [a; 3] })
            });
            self.emit(Op::Float { op: FloatOp::Fma, fmt, mode, d: d + at.slot, args: [x, y[slot], z] });
        }
        Ok(())
    }

    fn select(&mut self, inst: &InstImage) -> Decoded<()> {
        let (c, a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?, self.arg(inst, 2)?);
        let by_element = c.len() > 1;
        let stride = if by_element { a.len() / c.len() } else { 1 };
        let d = self.dst();
        for i in 0..a.len() {
            let c = if by_element { c[i / stride.max(1)] } else { c[0] };
            self.emit(Op::Select { d: d + i as u32, c, a: a[i], b: b[i] });
        }
        Ok(())
    }

    fn cast(&mut self, inst: &InstImage, op: CastOp, flags: Flags) -> Decoded<()> {
        let a = self.arg(inst, 0)?;
        let (from, to) = (self.shape(inst.operand_types[0])?, self.shape(inst.ty)?);
        let d = self.dst();
        if op == CastOp::BitCast {
            return self.bit_cast(&a, &from, &to, d);
        }
        for (source, target) in from.leaves.iter().zip(&to.leaves) {
            let (a, d) = (a[source.slot as usize], d + target.slot);
            let (from_bits, to_bits) = (source.leaf.bits() as u16, target.leaf.bits() as u16);
            let mode = Mode::default();
            let int = |signed| Conv::Int {
                from: from_bits,
                to: to_bits,
                signed,
                nuw: flags.nuw || flags.nneg,
                nsw: flags.nsw,
            };
            let conv = match op {
                CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => int(false),
                CastOp::SExt => int(true),
                CastOp::FpTrunc | CastOp::FpExt => Conv::Float { from: fmt(source.leaf)?, to: fmt(target.leaf)?, mode },
                CastOp::FpToUi | CastOp::FpToSi => {
                    let signed = op == CastOp::FpToSi;
                    Conv::FloatToInt { from: fmt(source.leaf)?, to: to_bits, signed, saturating: false, mode }
                }
                CastOp::UiToFp | CastOp::SiToFp => {
                    let signed = op == CastOp::SiToFp;
                    Conv::IntToFloat { from: from_bits, to: fmt(target.leaf)?, signed, nneg: flags.nneg, mode }
                }
                CastOp::AddrSpaceCast => match (source.leaf, target.leaf) {
                    (Leaf::Ptr(from), Leaf::Ptr(to)) => Conv::Space { from, to },
                    _ => return Err("an address space cast of no pointer".into()),
                },
                CastOp::BitCast => return Err("a bitcast".into()),
            };
            self.emit(Op::Conv { conv, d, a });
        }
        Ok(())
    }

    fn bit_cast(&mut self, a: &[Src], from: &Shape, to: &Shape, d: Dst) -> Decoded<()> {
        let same = from.leaves.len() == to.leaves.len()
            && from.leaves.iter().zip(&to.leaves).all(|(x, y)| x.leaf.bits() == y.leaf.bits());
        if same {
            self.mov(d, a);
            return Ok(());
        }
        let (Some(source), Some(target)) = (from.leaves.first(), to.leaves.first()) else { return Ok(()) };
        let a = self.in_frame(a);
        let op = Op::Repack {
            d,
            count: to.leaves.len() as u32,
            to: target.leaf.bits() as u16,
            a,
            from_count: from.leaves.len() as u32,
            from: source.leaf.bits() as u16,
        };
        self.emit(op);
        Ok(())
    }

    /// The edge to successor `index` of a block, with the moves of its phis.
    fn edge(&mut self, from: u32, index: usize) -> Decoded<u32> {
        let to = *self.func.blocks[from as usize].successors.get(index).ok_or("a branch to no block")?;
        let target = &self.func.blocks[to as usize];
        let mut moves = Vec::new();
        for ordinal in target.first..target.first + target.count {
            let phi = &self.func.insts[ordinal as usize];
            let Ir::Phi(incoming) = &phi.op else { break };
            let place = incoming.iter().position(|&block| block == from).ok_or("a phi without its edge")?;
            let slots = self.slots(phi.operands[place])?;
            let d = self.code.results[ordinal as usize].0;
            moves.extend((d..).zip(slots).filter(|&(d, a)| d != a));
        }
        let mut written = Vec::new();
        let overlap = moves.iter().any(|&(d, a)| {
            let reads = written.contains(&a);
            written.push(d);
            reads
        });
        self.code.edges.push(Edge { to, action: self.code.flow.edge(from, to), moves, overlap });
        Ok(self.code.edges.len() as u32 - 1)
    }

    fn call(&mut self, inst: &'i InstImage, callee: &'i Callee) -> Decoded<()> {
        match callee {
            Callee::Direct(id) => {
                let function = &self.image.functions[id.index()];
                match &function.intrinsic {
                    Some(name) => match name.strip_prefix("llvm.nvvm.") {
                        Some(short) => self.nvvm(inst, short),
                        None => self.intrinsic(inst, name.strip_prefix("llvm.").unwrap_or(name)),
                    },
                    None if function.blocks.is_empty() => self.library(inst, &function.name),
                    None => self.user_call(inst, Some(*id), inst.operands.len()),
                }
            }
            Callee::Indirect => self.user_call(inst, None, inst.operands.len() - 1),
            Callee::Asm { text, constraints } => self.assembly(inst, text, constraints),
        }
    }

    fn user_call(&mut self, inst: &InstImage, target: Option<FuncId>, count: usize) -> Decoded<()> {
        let mut args = Vec::new();
        for index in 0..count {
            args.extend(self.arg(inst, index)?);
        }
        if let Some(id) = target {
            let callee = &self.image.functions[id.index()];
            let slots = callee.params.iter().map(|param| Ok(self.shapes.of(param.ty)?.slots as usize));
            if slots.sum::<Decoded<usize>>()? != args.len() {
                return Err(format!("a call of @{} with other arguments", callee.name));
            }
        }
        let pointer = if target.is_none() { self.scalar(inst, count)? } else { 0 };
        let (d, results) = self.code.results[self.inst as usize];
        self.emit(Op::Call(Box::new(CallCode { target, pointer, args, d, results })));
        Ok(())
    }
}

/// Format of a float leaf.
pub(super) fn fmt(leaf: Leaf) -> Decoded<Fmt> {
    match leaf {
        Leaf::Float(fmt) => Ok(fmt),
        Leaf::Int(bits) => Err(format!("a float operation on i{bits}")),
        Leaf::Ptr(_) => Err("a float operation on a pointer".into()),
    }
}
