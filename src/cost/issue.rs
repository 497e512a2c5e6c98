//! What does an instruction cost? The one table of fusion, by architecture.
//!
//! The unit is an issue cycle of one warp on one of a multiprocessor's four partitions. Numbers are 32 lanes over the
//! throughput of a partition (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": results per
//! clock and multiprocessor, over four). To loads a share of their latency is added, [`HIDDEN_BY`] warps hiding the
//! rest: latencies of shared memory, L1 and global memory as measured on Volta and later (Jia et al. 2018; the
//! micro-benchmark course, WSCAD 2019, chapter 1). Sequences that stand for one IR instruction (division, square root,
//! 64-bit division) are counted in ptxas's output for sm_90.

use crate::entity::{Inst, Value};
use crate::ir::Func;
use crate::ir::call::Callee;
use crate::ir::inst::Opcode;
use crate::ir::types::TypeKind;
use crate::llvm::handle::intrinsic_name;

/// Warps of a partition among which the latency of a load is shared; half of the most there can be.
const HIDDEN_BY: u32 = 8;

/// Price of parting and meeting again: BSSY, BRA, the jump over the other side, BSYNC, and their fetch bubbles.
pub const BRANCH: u32 = 16;

/// Costs that differ between architectures.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    fp32: u32,
    fp64: u32,
    int: u32,
}

impl Costs {
    /// The table of an architecture by its name (`sm_90`); unknown ones cost as the newest.
    pub fn of(cpu: Option<&str>) -> Costs {
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
        let number: u32 = cpu.and_then(|cpu| cpu.strip_prefix("sm_")).and_then(digits).unwrap_or(90);
        match number {
            // 64 single, 32 double results per clock
            60 | 70 | 72 | 80 => Costs { fp32: 2, fp64: 4, int: 2 },
            // data-centre parts of Hopper and Blackwell: 128 and 64
            90 | 100 | 101 | 103 => Costs { fp32: 1, fp64: 2, int: 2 },
            // graphics parts: two double results per clock
            _ => Costs { fp32: if number == 75 { 2 } else { 1 }, fp64: 64, int: 2 },
        }
    }

    /// Choosing between two values of a type.
    pub fn select(&self, func: &Func, value: Value) -> u32 {
        match func.type_info(value).kind {
            TypeKind::Int(1) => 1,
            TypeKind::Int(bits) | TypeKind::Float(bits) | TypeKind::Ptr { bits, .. } => self.int * bits.div_ceil(32),
            TypeKind::Vector { element_bits, length, .. } => self.int * (element_bits * length).div_ceil(32).max(1),
            _ => 8 * self.int,
        }
    }

    /// One instruction, executed by a warp.
    pub fn inst(&self, func: &Func, inst: Inst) -> u32 {
        let data = &func.insts[inst];
        let kind = func.types[data.ty].kind;
        let lanes = if let TypeKind::Vector { length, .. } = kind { length.max(1) } else { 1 };
        let words = match kind {
            TypeKind::Int(bits) => bits.div_ceil(32).max(1),
            _ => 1,
        };
        let is_double = matches!(kind, TypeKind::Float(64) | TypeKind::Vector { element_bits: 64, .. });
        let fp = if is_double { self.fp64 } else { self.fp32 };
        lanes
            * match data.opcode {
                Opcode::FAdd | Opcode::FSub | Opcode::FMul => fp,
                Opcode::FNeg => self.fp32,
                Opcode::FDiv if is_double => 12 * fp + 24,
                Opcode::FDiv => 24 + 6 * fp,
                Opcode::FRem => 80,
                Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select => self.int * words,
                Opcode::Mul => self.int * if words == 1 { 1 } else { 2 * words },
                Opcode::Shl | Opcode::LShr | Opcode::AShr => self.int * if words == 1 { 1 } else { 2 * words },
                Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => match func.operands(inst).get(1) {
                    Some(&divisor) if func.constant(divisor).is_some() => 4 * self.int * words,
                    _ if words == 1 => 20 * self.int,
                    _ => 70 * self.int,
                },
                Opcode::ICmp | Opcode::FCmp => self.compare(func, inst),
                Opcode::FpCast => self.conversion(func, inst),
                // widening an index folds into address arithmetic or costs a move
                Opcode::ZExt | Opcode::SExt => 1,
                Opcode::Trunc | Opcode::BitCast | Opcode::Freeze | Opcode::PtrToInt | Opcode::IntToPtr => 0,
                Opcode::AddrSpaceCast => self.int,
                Opcode::Gep => self.address(func, inst),
                Opcode::Load => {
                    let space = func.type_info(func.operands(inst)[0]).kind.space();
                    self.load(space.unwrap_or(0))
                }
                Opcode::Store => 8,
                Opcode::Call => self.call(func, inst, is_double),
                Opcode::CondBr | Opcode::Br | Opcode::Switch => 2,
                _ => self.int,
            }
    }

    fn load(&self, space: u32) -> u32 {
        // issue of the load-store unit (eight lanes a clock and partition), and a share of the latency
        let latency = match space {
            3 => 30,
            4 => 30,
            5 => 40,
            _ => 160, // between a hit in L1 and a miss to memory
        };
        4 + latency / HIDDEN_BY
    }

    fn address(&self, func: &Func, inst: Inst) -> u32 {
        let data = func.gep(inst);
        // a constant offset folds into the access; an index is one wide multiply-add
        2 * self.int * data.terms.len() as u32
    }

    fn compare(&self, func: &Func, inst: Inst) -> u32 {
        match func.operands(inst).first().map(|&operand| func.type_info(operand).kind) {
            Some(TypeKind::Float(64)) => self.fp64,
            Some(TypeKind::Int(bits) | TypeKind::Ptr { bits, .. }) => self.int * bits.div_ceil(32),
            _ => self.int,
        }
    }

    fn conversion(&self, func: &Func, inst: Inst) -> u32 {
        let operand = func.type_info(func.operands(inst)[0]).kind;
        let wide = |kind: TypeKind| matches!(kind, TypeKind::Float(64) | TypeKind::Int(33..));
        // sixteen results per clock from and to 64-bit types, 64 else
        if wide(operand) || wide(func.types[func.insts[inst].ty].kind) { 8 } else { 2 }
    }

    fn call(&self, func: &Func, inst: Inst, is_double: bool) -> u32 {
        let Callee::Intrinsic(id) = func.call(inst).callee else { return 60 };
        let name = intrinsic_name(id);
        let has = |part: &str| name.contains(part);
        if has("read.ptx.sreg") {
            return 4;
        }
        if has(".fma") || has("fmuladd") {
            return if is_double { self.fp64 } else { self.fp32 };
        }
        if has("fabs") {
            return self.fp32;
        }
        if has("sqrt") || has("div") {
            return if has("approx") { 10 } else { 30 };
        }
        if has("sin") || has("cos") || has("ex2") || has("lg2") || has("exp") || has("log") || has("rcp") || has("rsq")
        {
            return 8;
        }
        if has("ctlz") || has("ctpop") || has("cttz") || has("bitreverse") {
            return 8;
        }
        if has("memcpy") || has("memset") || has("memmove") {
            return 40;
        }
        self.int
    }
}
