//! How are branches inside inline PTX, and operations that lanes execute together, translated to micro-operations?
//!
//! A branch is a [jump](Op::Jump) that either all lanes take or none. Lanes may only take different ways if the branch
//! leads forward over statements that need no other lanes: these are then executed under the branch's predicate.

use super::asm_text::{Guard, Parts, guarded};
use super::code::*;
use super::decode::Decoder;
use super::decode_asm::Asm;
use super::names;

/// Statements that the machine cannot execute for some lanes only.
const TOGETHER: [&str; 10] = ["bra", "activemask", "vote", "shfl", "redux", "match", "bar", "exit", "trap", "ret"];

impl Decoder<'_, '_> {
    /// Decodes one statement, given those that follow; `None` if it is not implemented.
    pub(super) fn in_flow(&mut self, asm: &mut Asm, statement: &str, behind: &[String]) -> Option<()> {
        if let Some(label) = statement.strip_suffix(':') {
            if asm.masked.as_ref().is_some_and(|(end, ..)| end == label) {
                asm.masked = None;
            }
            let known = asm.labels.insert(label.to_owned(), self.code.micros.len() as u32);
            return known.is_none().then_some(());
        }
        let (guard, plain) = guarded(statement)?;
        if plain.starts_with("bra") {
            return self.jump(asm, guard, plain.split_once(' ')?.1.trim(), behind);
        }
        match asm.masked {
            Some((_, c, negated)) => self.masked(asm, statement, c, negated),
            None => self.ptx(asm, statement),
        }
    }

    /// Resolves the targets of jumps.
    pub(super) fn end_flow(&mut self, asm: &Asm) -> Option<()> {
        if !asm.jumps.is_empty() {
            // the end of the instruction, over which nothing jumps
            self.emit(Op::Nop);
        }
        for (at, label) in &asm.jumps {
            let target = *asm.labels.get(label)?;
            if let Op::Jump { to, .. } = &mut self.code.micros[*at].op {
                *to = target;
            }
        }
        Some(())
    }

    fn jump(&mut self, asm: &mut Asm, guard: Option<Guard<'_>>, label: &str, behind: &[String]) -> Option<()> {
        let (c, negated) = match guard {
            Some(Guard { name, negated }) => {
                // the statements under the predicate may write its register
                let a = self.read(asm, name)?;
                (self.value_of(|d| Op::Mov { d, a }), negated)
            }
            None => (self.constant(1), false),
        };
        let end = behind.iter().position(|other| other.strip_suffix(':') == Some(label));
        let is_alone = |statement: &String| {
            let plain = guarded(statement).map_or(statement.as_str(), |(_, plain)| plain);
            !plain.ends_with(':') && TOGETHER.iter().all(|op| !plain.starts_with(op))
        };
        let masked = asm.masked.is_none() && end.is_some_and(|end| behind[..end].iter().all(is_alone));
        asm.jumps.push((self.code.micros.len(), label.to_owned()));
        self.emit(Op::Jump { c, negated, to: 0, masked });
        if masked {
            asm.masked = Some((label.to_owned(), c, !negated));
        }
        Some(())
    }

    /// Decodes a statement for the lanes in which a predicate is true (or false).
    pub(super) fn masked(&mut self, asm: &mut Asm, statement: &str, c: Src, negated: bool) -> Option<()> {
        let first = self.code.micros.len();
        self.ptx(asm, statement)?;
        for micro in &mut self.code.micros[first..] {
            let op = Box::new(std::mem::replace(&mut micro.op, Op::Nop));
            micro.op = Op::Masked { c, negated, op };
        }
        Some(())
    }

    /// Votes, shuffles and reductions, whose last operand is the mask.
    pub(super) fn ptx_collective(&mut self, asm: &Asm, parts: &Parts<'_>, args: &[String]) -> Option<()> {
        let kind = *parts.kinds.last()?;
        if !parts.has("sync") {
            return None;
        }
        let what = parts.words.iter().find_map(|word| names::collective(parts.op, word))?;
        if parts.op != "vote" && kind.bits != 32 {
            return None;
        }
        let (mask, values) = args.get(1..)?.split_last()?;
        let zero = self.constant(0);
        let mut operands = [zero; 4];
        operands[0] = self.value(asm, Some(mask), 32)?;
        for (operand, text) in operands[1..].iter_mut().zip(values) {
            *operand = match text.strip_prefix('!') {
                Some(_) => return None,
                None => self.value(asm, Some(text), 32)?,
            };
        }
        let d = self.written(asm, args[0].split('|').next()?)?;
        let p = match args[0].split_once('|') {
            Some((_, second)) => self.written(asm, second.trim())?,
            None => u32::MAX,
        };
        let found = self.value_of(|d| Op::Collective { what, d, p, args: operands });
        self.emit(Op::Mov { d, a: found });
        Some(())
    }
}
