//! Which other sources must compute the same? A rewriting leaves what a kernel computes and changes how it is written, so
//! that analysis and transforms see other branches, uniform values and loops: metamorphic testing, as compilers of
//! graphics shaders are tested with. Multiply-adds are switched off in both builds, because where LLVM contracts depends
//! on blocks.

use crate::ast::{Body, Form, Loop, Source, Stmt, lists};
use crate::rng::Rng;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewriting {
    /// Copies of statements that never run, behind conditions that are the same in all threads.
    DeadUniform,
    /// The same behind conditions that are not.
    DeadDivergent,
    /// Sides of branches change places.
    Swap,
    /// Uniform values have a number of the thread's own added, which is 0.
    Opaque,
    /// Loops are rotated, or no longer are.
    Rotate,
    /// The first iteration stands in front of the loop.
    Peel,
    /// Helpers that were called are inlined, and the other way round.
    Helpers,
    /// A return that no thread takes, in front of everything.
    Return,
}

/// Conditions that never hold, as no compiler can know: a constant array may be written by the host.
const NEVER: &str = "TABLE[11] != 0";
const NEVER_HERE: &str = "tx + TABLE[4] > 100000u";

impl Rewriting {
    /// What stands in front of the prelude.
    pub fn definitions(self) -> &'static str {
        match self {
            Rewriting::Opaque => "#define U(x) opaque(x)\n",
            Rewriting::Helpers => "#define CALLED __forceinline__\n#define INLINED __noinline__\n",
            _ => "",
        }
    }

    pub fn apply(self, source: &mut Source, seed: u64) {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let Some(kernel) = source.functions.last_mut() else { return };
        match self {
            Rewriting::Opaque | Rewriting::Helpers => {}
            Rewriting::Return => {
                kernel.body.insert(0, Stmt::Text(format!("if ({NEVER_HERE}) {{ out[1] = tx; return; }}")));
            }
            Rewriting::DeadUniform | Rewriting::DeadDivergent => {
                let condition = if self == Rewriting::DeadUniform { NEVER } else { NEVER_HERE };
                lists(&mut kernel.body, &mut |list| dead(list, condition, &mut rng));
            }
            Rewriting::Swap | Rewriting::Rotate | Rewriting::Peel => {
                for function in &mut source.functions {
                    lists(&mut function.body, &mut |list| list.iter_mut().for_each(|stmt| self.each(stmt)));
                }
            }
        }
    }

    fn each(self, stmt: &mut Stmt) {
        match (self, stmt) {
            (Rewriting::Swap, Stmt::If { condition, then, other }) => {
                *condition = format!("!({condition})");
                std::mem::swap(then, other);
            }
            (Rewriting::Rotate, Stmt::Loop(inner)) => {
                inner.form = match inner.form {
                    Form::For => Form::Rotated,
                    Form::Rotated => Form::For,
                    other => other,
                };
            }
            (Rewriting::Peel, stmt) => {
                if let Stmt::Loop(inner) = stmt
                    && inner.form == Form::For
                    && !jumps(&inner.body)
                {
                    *stmt = peeled(inner);
                }
            }
            _ => {}
        }
    }
}

/// Copies some statements of a list to in front of others, where they never run.
fn dead(list: &mut Body, condition: &str, rng: &mut Rng) {
    let mut at = 0;
    while at < list.len() {
        if rng.chance(35) && !jumps(&list[at..=at]) {
            let copy = Stmt::If { condition: condition.to_owned(), then: vec![list[at].clone()], other: Body::new() };
            // behind it, where what the copy names is declared
            list.insert(at + 1, copy);
            at += 1;
        }
        at += 1;
    }
}

fn peeled(inner: &Loop) -> Stmt {
    let Loop { counter: i, count, body, .. } = inner;
    let first = format!("{{\nconst u32 {i}n = {count};\nif ({i}n > 0) {{\nconst u32 {i} = 0;");
    let rest = format!("}}\nfor (u32 {i} = 1; {i} < {i}n; ++{i}) {{");
    Stmt::Parts { parts: vec![(first, body.clone()), (rest, body.clone())], close: "}\n}".to_owned() }
}

/// Whether statements may leave a loop around them or hold labels, which cannot be copied.
fn jumps(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Text(text) => ["break;", "continue;", "goto "].iter().any(|jump| text.contains(jump)),
        Stmt::If { then, other, .. } => jumps(then) || jumps(other),
        Stmt::Loop(inner) => inner.label.is_some() || jumps(&inner.body),
        Stmt::Parts { parts, .. } => parts.iter().any(|(_, body)| jumps(body)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn every_rewriting_changes_many_sources() {
        for rewriting in
            [Rewriting::DeadUniform, Rewriting::DeadDivergent, Rewriting::Swap, Rewriting::Rotate, Rewriting::Return]
        {
            let changed = (0..100).filter(|&seed| {
                let source = Kernel::new(seed).source;
                let mut other = source.clone();
                rewriting.apply(&mut other, seed);
                other != source
            });
            assert!(changed.count() > 40, "{rewriting:?}");
        }
    }
}
