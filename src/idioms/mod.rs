//! Which code does nvcc write in a form that is faster than clang's, without knowing anything of lanes?
//!
//! Each is decided from one function's text, keeps all results, and is said by a remark:
//!
//! - [`objects`]: a struct that is copied as a whole through a stack object is copied word by word, in registers.
//! - [`counts`]: a loop that clears the lowest bit of a number until none is left counts its bits; `popc` does so at once.
//! - [`copies`]: a small `memcpy` becomes its loads, and then its stores: the back end alternates them, so that each load
//!   waits for the store before it, and uses at most 8 bytes at a time.
//! - [`remainders`]: a remainder or quotient of a loop's counter that is widened to 64 bits stays a division of 32 bits:
//!   LLVM's loop strength reduction writes it as one of 64.
//!
//! [`objects`] and [`counts`] run after LLVM has inlined, so that what follows sees short code; the others at the end.

mod copies;
mod counts;
mod objects;
mod remainders;

use crate::driver::{self, Decision, FunctionPass, Said, Unit};
use crate::settings::Results;
use copies::Copy;
use counts::Count;
use objects::Objects;
use warpwise_analysis::divergence;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::remark::{Host, Reshape};
use warpwise_ir::phrase::counted;

/// Splits copies that keep objects in memory, and counts bits at once; returns whether the module changed.
pub fn run_early(module: Module<'_>, results: Results, host: &Host<'_>) -> bool {
    let splits = Splits { results, context: copies::Context::new() };
    let has_split = driver::run(&splits, module, divergence::Options::default(), host);
    driver::run(&Counts { results }, module, divergence::Options::default(), host) || has_split
}

/// Splits copies, and keeps remainders; returns whether the module changed.
pub fn run_late(module: Module<'_>, results: Results, host: &Host<'_>) -> bool {
    let pass = Forms { results, context: copies::Context::new() };
    driver::run(&pass, module, divergence::Options::default(), host)
}

/// What stays as it is, lest multiply-adds change: the remark's name and text.
struct Kept(&'static str, &'static str);

impl Said for Kept {
    fn name(&self) -> &'static str {
        self.0
    }

    fn message(&self) -> String {
        self.1.to_owned()
    }
}

/// The pass that splits copies of stack objects.
struct Splits {
    results: Results,
    context: copies::Context,
}

impl FunctionPass for Splits {
    type Plan<'m> = Objects<'m>;
    type Refusal<'m> = Kept;
    const THEN: Option<Reshape> = Some(Reshape::FreeArrays);

    fn plan<'m>(&self, unit: &Unit<'_, 'm>) -> Vec<Decision<'m, Objects<'m>, Kept>> {
        let decision = match objects::find(unit.function, &self.context, self.results) {
            Ok(found) => found.and_then(|plan| Some(Decision::plan(*plan.objects.first()?, plan))),
            Err(at) => Some(Decision::refusal(at, Kept("ObjectContraction", objects::KEPT))),
        };
        decision.into_iter().collect()
    }

    fn apply<'m>(&self, plan: &Objects<'m>, editor: &mut Editor<'m>) {
        objects::apply(editor, plan);
    }
}

impl Said for Objects<'_> {
    fn name(&self) -> &'static str {
        "ObjectsSplit"
    }

    fn message(&self) -> String {
        let objects = counted(self.objects.len(), "stack object");
        format!("{objects} of {} bytes copied word by word, and so in registers", self.bytes)
    }
}

/// The pass that counts bits.
struct Counts {
    results: Results,
}

impl FunctionPass for Counts {
    type Plan<'m> = Count<'m>;
    type Refusal<'m> = Kept;
    const THEN: Option<Reshape> = Some(Reshape::CleanUp);

    fn wants(&self, function: Function<'_>) -> bool {
        function.blocks().any(|block| counts::find(block).is_some())
    }

    fn plan<'m>(&self, unit: &Unit<'_, 'm>) -> Vec<Decision<'m, Count<'m>, Kept>> {
        let stays = self.results == Results::Same && counts::keeps_apart(unit.function);
        let decide = |count: Count<'m>| Decision {
            at: count.branch,
            outcome: if stays { Err(Kept("BitsContraction", counts::KEPT)) } else { Ok(count) },
        };
        unit.function.blocks().filter_map(counts::find).map(decide).collect()
    }

    fn apply<'m>(&self, plan: &Count<'m>, editor: &mut Editor<'m>) {
        counts::apply(editor, plan);
    }
}

impl Said for Count<'_> {
    fn name(&self) -> &'static str {
        "BitsCounted"
    }

    fn message(&self) -> String {
        counts::MESSAGE.to_owned()
    }
}

/// The pass that splits copies and keeps remainders.
struct Forms {
    results: Results,
    context: copies::Context,
}

/// What it writes in another form.
enum Form<'m> {
    Copy(Copy<'m>),
    /// A division, by what widens it.
    Remainder(Inst<'m>),
}

impl FunctionPass for Forms {
    type Plan<'m> = Form<'m>;
    type Refusal<'m> = Kept;
    const THEN: Option<Reshape> = None;

    fn plan<'m>(&self, unit: &Unit<'_, 'm>) -> Vec<Decision<'m, Form<'m>, Kept>> {
        let insts = || unit.function.blocks().flat_map(|block| block.insts());
        let split = |copy: Copy<'m>| {
            let stays = self.results == Results::Same && copies::keeps_apart(copy.call.block());
            let kept = Kept("CopyContraction", copies::KEPT);
            Decision { at: copy.call, outcome: if stays { Err(kept) } else { Ok(Form::Copy(copy)) } }
        };
        let copied = insts().filter_map(|inst| copies::find(inst, &self.context)).map(split);
        let divided = insts().filter_map(remainders::find).map(|at| Decision::plan(at, Form::Remainder(at)));
        copied.chain(divided).collect()
    }

    fn apply<'m>(&self, plan: &Form<'m>, editor: &mut Editor<'m>) {
        match plan {
            Form::Copy(copy) => copies::apply(editor, copy),
            &Form::Remainder(widening) => remainders::apply(editor, widening),
        }
    }
}

impl Said for Form<'_> {
    fn name(&self) -> &'static str {
        match self {
            Form::Copy(_) => "CopySplit",
            Form::Remainder(_) => "DivisionKept",
        }
    }

    fn message(&self) -> String {
        let text = match self {
            Form::Copy(_) => copies::MESSAGE,
            Form::Remainder(_) => remainders::MESSAGE,
        };
        text.to_owned()
    }
}
