//! What does an instruction cost, in issue cycles of one warp on one of a multiprocessor's four partitions?
//!
//! Throughputs are those of the [chip](crate::gpu::chip). A load also costs a share of its latency; other warps hide
//! the rest ([`prices`](crate::gpu::prices)). The lengths of instruction sequences that implement one IR instruction
//! (division, square root, 64-bit division) were counted in the output of `ptxas` for sm_90.
//!
//! [`instructions`] is a rougher count for values rematerialised in a loop, where latencies do not matter.

use crate::gpu::chip::{Chip, Issue};
use crate::gpu::prices::{
    CONSTANT_LATENCY, GLOBAL_LATENCY, LATENCY_HIDDEN_BY, LOAD_ISSUE, LOCAL_LATENCY, SHARED_LATENCY, STORE_ISSUE,
};
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::handle::{Function, intrinsic_name};
use warpwise_ir::types::TypeKind;

/// Costs on one chip, in issue cycles.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    issue: Issue,
}

impl Costs {
    /// The costs on the chip for which a function is compiled.
    pub fn of(function: Function<'_>) -> Costs {
        Costs { issue: Chip::of(&function.string_attribute("target-cpu").unwrap_or_default()).issue }
    }

    /// Cost of a select between two values of this type.
    pub fn select(&self, func: &Func, value: Value) -> u32 {
        match func.type_info(value).kind {
            TypeKind::Int(1) => 1,
            TypeKind::Int(bits) | TypeKind::Float(bits) | TypeKind::Ptr { bits, .. } => {
                self.issue.int * bits.div_ceil(32)
            }
            TypeKind::Vector { element_bits, length, .. } => {
                self.issue.int * (element_bits * length).div_ceil(32).max(1)
            }
            _ => 8 * self.issue.int,
        }
    }

    /// Cost of one instruction, executed by a warp.
    pub fn inst(&self, func: &Func, inst: Inst) -> u32 {
        let data = &func.insts[inst];
        let kind = func.types[data.ty].kind;
        let lanes = if let TypeKind::Vector { length, .. } = kind { length.max(1) } else { 1 };
        let words = match kind {
            TypeKind::Int(bits) => bits.div_ceil(32).max(1),
            _ => 1,
        };
        let is_double = matches!(kind, TypeKind::Float(64) | TypeKind::Vector { element_bits: 64, .. });
        let fp = if is_double { self.issue.fp64 } else { self.issue.fp32 };
        lanes
            * match data.opcode {
                Opcode::FAdd | Opcode::FSub | Opcode::FMul => fp,
                Opcode::FNeg => self.issue.fp32,
                Opcode::FDiv if is_double => 12 * fp + 24,
                Opcode::FDiv => 24 + 6 * fp,
                Opcode::FRem => 80,
                Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select => {
                    self.issue.int * words
                }
                Opcode::Mul | Opcode::Shl | Opcode::LShr | Opcode::AShr => {
                    self.issue.int * if words == 1 { 1 } else { 2 * words }
                }
                Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => match func.operands(inst).get(1) {
                    Some(&divisor) if func.constant(divisor).is_some() => 4 * self.issue.int * words,
                    _ if words == 1 => 20 * self.issue.int,
                    _ => 70 * self.issue.int,
                },
                Opcode::ICmp | Opcode::FCmp => self.compare(func, inst),
                Opcode::FpCast => self.conversion(func, inst),
                // widening an index either folds into address arithmetic or costs a move
                Opcode::ZExt | Opcode::SExt => 1,
                Opcode::Trunc | Opcode::BitCast | Opcode::Freeze | Opcode::PtrToInt | Opcode::IntToPtr => 0,
                Opcode::AddrSpaceCast => self.issue.int,
                Opcode::Gep => self.address(func, inst),
                Opcode::Load => {
                    let space = func.type_info(func.operands(inst)[0]).kind.space();
                    self.load(space.unwrap_or(0))
                }
                Opcode::Store => STORE_ISSUE,
                Opcode::Call => self.call(func, inst, is_double),
                Opcode::CondBr | Opcode::Br | Opcode::Switch => 2,
                _ => self.issue.int,
            }
    }

    fn load(&self, space: u32) -> u32 {
        let latency = match space {
            3 => SHARED_LATENCY,
            4 => CONSTANT_LATENCY,
            5 => LOCAL_LATENCY,
            _ => GLOBAL_LATENCY,
        };
        LOAD_ISSUE + latency / LATENCY_HIDDEN_BY
    }

    fn address(&self, func: &Func, inst: Inst) -> u32 {
        let data = func.gep(inst);
        // a constant offset folds into the access; each index is one wide multiply-add
        2 * self.issue.int * data.terms.len() as u32
    }

    fn compare(&self, func: &Func, inst: Inst) -> u32 {
        match func.operands(inst).first().map(|&operand| func.type_info(operand).kind) {
            Some(TypeKind::Float(64)) => self.issue.fp64,
            Some(TypeKind::Int(bits) | TypeKind::Ptr { bits, .. }) => self.issue.int * bits.div_ceil(32),
            _ => self.issue.int,
        }
    }

    fn conversion(&self, func: &Func, inst: Inst) -> u32 {
        let operand = func.type_info(func.operands(inst)[0]).kind;
        let wide = |kind: TypeKind| matches!(kind, TypeKind::Float(64) | TypeKind::Int(33..));
        // 16 results per clock for conversions from or to 64-bit types, 64 for others
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
            return if is_double { self.issue.fp64 } else { self.issue.fp32 };
        }
        if has("fabs") {
            return self.issue.fp32;
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
        self.issue.int
    }
}

/// Number of machine instructions for an instruction that is cheap to rematerialise; may be fractional.
pub fn instructions(func: &Func, inst: Inst) -> f64 {
    use Opcode::*;
    let wide = func.int_bits(func.result(inst)) == Some(64);
    match func.insts[inst].opcode {
        ZExt | Trunc | BitCast => 0.0,
        SExt => 0.5,
        Call | Select => 1.5,
        _ if wide => 2.0,
        _ => 1.0,
    }
}
