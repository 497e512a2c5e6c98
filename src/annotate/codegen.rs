//! How does `bra.uni` get into the PTX, although LLVM's back end never emits it on a conditional branch?
//!
//! Before instruction selection, [`mark`] routes the predicate of each marked branch through a copy in inline assembly,
//! `mov.pred %pA, %pB; // warpwise.uni`, which only that branch uses. In the text emitted by the back end the register
//! `%pA` then identifies the branch, and [`rewrite`] turns `@%pA bra` into `@%pA bra.uni`, following `not.pred` copies
//! if the back end inverted the predicate. Labels and block order do not matter, and if the branch was folded away
//! nothing is rewritten.
//!
//! Metadata may be stale (LLVM folds branches and keeps the metadata of one), so every mark is checked against fresh
//! facts first. The branch must be uniform, and its block must be warp-convergent or in no cycle: ptxas reads `.uni` as
//! "all threads that execute this together agree", and in a cycle these may be lanes in different iterations. Functions
//! without marks cost nothing.

use super::apply::BRA_UNI_KIND;
use warpwise_analysis::divergence::{self, ModuleAnalysis};
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::annotate::BRANCH_MARK;
use warpwise_ir::llvm::handle::{self, Function, Module};

/// Inserts the marked copies of predicates; returns whether there are any.
pub fn mark(module: Module<'_>, options: divergence::Options) -> bool {
    let kind = handle::metadata_kind(module, BRA_UNI_KIND);
    let has_marks = |function: &Function<'_>| {
        let mut branches = function.blocks().filter_map(|block| block.terminator());
        branches.any(|branch| branch.has_metadata() && branch.metadata(kind).is_some())
    };
    let marked: Vec<Function<'_>> = module.functions().filter(has_marks).collect();
    if marked.is_empty() {
        return false;
    }
    let analysis = ModuleAnalysis::new(module, options);
    let mut branches = Vec::new();
    for function in marked {
        let (facts, handles) = analysis.facts(function);
        let func = &facts.func;
        for block in func.blocks.keys().filter(|&block| facts.is_reachable(block)) {
            let terminator = func.terminator(block);
            let uniform = func.insts[terminator].opcode == Opcode::CondBr && !facts.is_divergent_branch(block);
            let together = facts.is_convergent(block) || facts.cfg().cycles.cycle_of(block).is_none();
            let branch = handles.inst(terminator);
            if uniform && together && branch.metadata(kind).is_some() {
                branches.push(branch);
            }
        }
    }
    let mut editor = Editor::new(module);
    for &branch in &branches {
        let condition = branch.branch_condition().expect("checked to be a conditional branch");
        let marked = editor.before(branch).marked_predicate(condition);
        editor.set_operand(branch, 0, marked);
    }
    !branches.is_empty()
}

/// The PTX with `.uni` on marked branches.
pub fn rewrite(ptx: &str) -> String {
    let mut out = String::with_capacity(ptx.len() + 1024);
    // marked predicate registers of the current function
    let mut marked: Vec<&str> = Vec::new();
    for line in ptx.split_inclusive('\n') {
        let code = line.trim();
        if code == "{" && !line.starts_with(char::is_whitespace) {
            marked.clear();
        }
        let copies_mark = match predicate_copy(code) {
            Some((register, source)) => (code.ends_with(BRANCH_MARK) || marked.contains(&source)).then_some(register),
            None => None,
        };
        if let Some(register) = destination(code) {
            // the register is redefined: from here on it no longer carries only our mark
            marked.retain(|&known| known != register || copies_mark.is_some());
        }
        if let Some(register) = copies_mark.filter(|register| !marked.contains(register)) {
            marked.push(register);
        }
        match guarded_branch(line) {
            Some((register, at)) if marked.contains(&register) => {
                out.push_str(&line[..at]);
                out.push_str(".uni");
                out.push_str(&line[at..]);
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// Destination and source of a `mov.pred` or `not.pred`.
fn predicate_copy(code: &str) -> Option<(&str, &str)> {
    let operands = code.strip_prefix("mov.pred").or_else(|| code.strip_prefix("not.pred"))?;
    let (destination, rest) = operands.split_once(',')?;
    let (source, _) = rest.split_once(';')?;
    Some((destination.trim(), source.trim()))
}

/// The first operand of an instruction.
fn destination(code: &str) -> Option<&str> {
    let operand = code.split_whitespace().nth(1)?;
    operand.split(['|', ',', ';']).next().filter(|register| register.starts_with('%'))
}

/// The predicate of `@%p bra` or `@!%p bra`, and the position after the word `bra` in the line.
fn guarded_branch(line: &str) -> Option<(&str, usize)> {
    let code = line.trim_start();
    let guard = code.strip_prefix('@')?;
    let guard = guard.strip_prefix('!').unwrap_or(guard);
    let register = guard.split_whitespace().next()?;
    let after = line.find(register)? + register.len();
    let bra = after + line[after..].find("bra")?;
    let between_is_blank = line[after..bra].trim().is_empty();
    let follows = line[bra + 3..].starts_with(char::is_whitespace);
    (between_is_blank && follows).then_some((register, bra + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_branches_become_uni() {
        let ptx = "{\n\tmov.pred %p2, %p1; // warpwise.uni\n\t@%p2 bra \t$L__BB0_3;\n\t@%p1 bra \t$L__BB0_4;\n\tnot.pred %p5, %p2;\n\t@!%p5 bra $L__BB0_5;\n}\n{\n\t@%p2 bra \t$L__BB1_3;\n}\n";
        let out = rewrite(ptx);
        assert!(out.contains("@%p2 bra.uni \t$L__BB0_3;"), "{out}");
        assert!(out.contains("@!%p5 bra.uni $L__BB0_5;"), "{out}");
        assert!(out.contains("@%p1 bra \t$L__BB0_4;"), "{out}");
        assert!(out.contains("@%p2 bra \t$L__BB1_3;"), "{out}");
    }

    #[test]
    fn a_register_written_again_loses_its_mark() {
        for again in ["mov.pred %p2, %p7;", "setp.eq.s32 %p2, %r1, 0;", "setp.eq.s32 %p2|%p9, %r1, 0;"] {
            let ptx = format!("{{\n\tmov.pred %p2, %p1; // warpwise.uni\n\t{again}\n\t@%p2 bra $L__BB0_3;\n}}\n");
            assert_eq!(rewrite(&ptx), ptx);
        }
    }
}
