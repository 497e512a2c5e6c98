//! What does `!warpwise.uniform` mean on an instruction, and when may it be written?
//!
//! The form is `!{!"SCOPE", !"WHERE"}` with SCOPE one of `warp`, `block`, `grid` and WHERE one of `convergent`,
//! `divergent`:
//!
//! | on | all lanes of SCOPE that execute the same dynamic instance … |
//! |---|---|
//! | conditional branch, switch | take the same successor |
//! | load | read the same address |
//! | call of a function | pass the same arguments |
//! | return | return the same value (`grid` if there is none) |
//!
//! WHERE says whether the block is warp-convergent: each of its dynamic instances is executed by all lanes of a warp
//! that have not left through a guard, or by none. Returns are only annotated in convergent blocks.

use warpwise_analysis::affine::Scope;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::llvm::handle;

/// The metadata kind.
pub const KIND: &str = "warpwise.uniform";

/// One annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    pub scope: Scope,
    pub convergent: bool,
}

impl Claim {
    /// What may be claimed about an instruction; `None` if nothing, or if its kind is never annotated.
    pub fn of(facts: &Facts, inst: Inst) -> Option<Claim> {
        let func = &facts.func;
        let data = &func.insts[inst];
        let block = data.block;
        if !facts.is_reachable(block) {
            return None;
        }
        let convergent = facts.is_convergent(block);
        let scope = match data.opcode {
            Opcode::CondBr | Opcode::Switch if func.graph.is_branch(block) => facts.branch_scope(block)?,
            Opcode::Load if func.is_plain_load(inst) => facts.scope_at_use(func.operands(inst)[0], block)?,
            Opcode::Call if matches!(func.call(inst).callee, Callee::Function(_)) => {
                narrowest(facts, inst, func.operands(inst))?
            }
            Opcode::Ret if convergent => narrowest(facts, inst, func.operands(inst))?,
            _ => return None,
        };
        Some(Claim { scope, convergent })
    }

    /// The two words of the metadata node.
    pub fn words(self) -> [&'static str; 2] {
        let scope = match self.scope {
            Scope::Warp => "warp",
            Scope::Block => "block",
            Scope::Grid => "grid",
        };
        [scope, if self.convergent { "convergent" } else { "divergent" }]
    }

    /// Reads the words; `None` if they do not have the documented form.
    pub fn read(node: handle::Value<'_>) -> Option<Claim> {
        let words = node.md_operands();
        let [scope, place] = words.as_slice() else { return None };
        let scope = match scope.as_ref()?.md_string()?.as_str() {
            "warp" => Scope::Warp,
            "block" => Scope::Block,
            "grid" => Scope::Grid,
            _ => return None,
        };
        let convergent = match place.as_ref()?.md_string()?.as_str() {
            "convergent" => true,
            "divergent" => false,
            _ => return None,
        };
        Some(Claim { scope, convergent })
    }

    /// Whether `other` follows from this claim.
    pub fn implies(self, other: Claim) -> bool {
        self.scope >= other.scope && (self.convergent || !other.convergent)
    }
}

/// The claims about one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    pub made: Vec<(Inst, Claim)>,
    /// Existing annotations that are no longer true.
    pub stale: Vec<Inst>,
}

impl Claims {
    /// Whether anything may be claimed.
    pub fn any(facts: &Facts) -> bool {
        facts.func.insts.keys().any(|inst| Claim::of(facts, inst).is_some())
    }

    /// Everything that may be claimed.
    pub fn of(facts: &Facts) -> Claims {
        let func = &facts.func;
        let mut claims = Claims::default();
        for inst in func.insts.keys() {
            match Claim::of(facts, inst) {
                Some(claim) => claims.made.push((inst, claim)),
                None if func.insts[inst].flags.contains(Flags::ANNOTATED) => claims.stale.push(inst),
                None => {}
            }
        }
        claims
    }
}

impl std::fmt::Display for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [scope, place] = self.words();
        write!(f, "uniform {scope}, {place}")
    }
}

fn narrowest(facts: &Facts, inst: Inst, values: &[Value]) -> Option<Scope> {
    let block = facts.func.insts[inst].block;
    let mut scope = Scope::Grid;
    for &value in values {
        scope = scope.min(facts.scope_at_use(value, block)?);
    }
    Some(scope)
}
