//! Which code does nvcc write in a form that is faster than clang's?
//!
//! Each is decided from one function's text, keeps all results, and is said by a remark:
//!
//! - [`counts`]: a loop that clears the lowest bit of a number until none is left counts its bits; `popc` does so at once.
//! - [`repeats`]: a branch that chooses what an earlier one has chosen is gone, as if a call had been made once.
//! - [`copies`]: a small `memcpy` becomes its loads, and then its stores: the back end alternates them, so that each load
//!   waits for the store before it, and uses at most 8 bytes at a time.
//! - [`tables`]: a table of constants that lanes read at different places leaves constant memory, of which a warp reads one
//!   place at a time.
//! - [`remainders`]: a remainder or quotient of a loop's counter that is widened to 64 bits stays a division of 32 bits:
//!   LLVM's loop strength reduction writes it as one of 64.
//! - [`offsets`]: indices of neighbouring accesses are widened so that the back end finds their one address.
//! - [`phis`]: a phi of values that all ways compute alike is computed where they meet.
//! - [`fragments`]: fragments of matrices are loaded from shared memory where they are there, not from any.
//! - [`divisions`]: a branch around a division stays one if lanes agree on it, which only this form asks.
//!
//! [`divisions`] marks branches before LLVM has speculated; [`counts`] runs after it has inlined, so that what follows sees
//! short code; the others at the end. Another one, [`split`](crate::local_memory::split), is about stack objects.

mod counts;
pub mod divisions;
mod fragments;
mod offsets;
mod phis;
mod remainders;
mod repeats;
mod tables;

use crate::analyses::{Analyses, FunctionAnalyses};
use crate::driver::{self, Decision, FunctionPass};
use crate::local_memory::copies::{self, Copy};
use crate::settings::Results;
use crate::settings::transform::IDIOMS;
use counts::Count;
use fragments::Fragment;
use repeats::Repeat;
use std::rc::Rc;
use warpwise_analysis::contraction::lowered::Made;
use warpwise_analysis::contraction::raw::{Ends, Pins};
use warpwise_analysis::contraction::undecided::is_undecided;
use warpwise_analysis::contraction::{Pair, raw};
use warpwise_analysis::divergence;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::lowered::From;
use warpwise_ir::llvm::remark::{PassManager, Reshape};

/// What is said of a form that stays.
const UNDECIDED: &str =
    "it stays as it is: with other code beside them, other products and sums could become multiply-adds";

/// Counts bits at once; returns whether the module changed.
pub fn run_early(module: Module<'_>, results: Results, manager: &PassManager<'_>) -> bool {
    driver::run(&Counts { results }, module, divergence::Options::default(), manager)
}

/// Takes away branches that repeat earlier ones, splits copies, keeps remainders, widens indices and moves tables; returns whether
/// the module changed.
pub fn run_late(module: Module<'_>, results: Results, manager: &PassManager<'_>) -> bool {
    let is_shorter = driver::run(&Repeats { results, manager }, module, divergence::Options::default(), manager);
    let pass = Forms { results, context: copies::Context::new() };
    driver::run(&pass, module, divergence::Options::default(), manager) || is_shorter
}

/// Aligns stack objects so that accesses to neighbouring elements are one; returns whether the module changed.
pub fn align(module: Module<'_>, manager: &PassManager<'_>) -> bool {
    let mut editor = Editor::new(module);
    let changed: Vec<_> =
        driver::editable(module, IDIOMS, manager).filter(|&function| editor.align_objects(function)).collect();
    changed.iter().for_each(|&function| manager.reshape(function, Reshape::Align));
    !changed.is_empty()
}

/// The pass that counts bits.
struct Counts {
    results: Results,
}

impl<'m> FunctionPass<'m> for Counts {
    type Plan = Count<'m>;
    const WORD: &'static str = IDIOMS;
    const THEN: Option<Reshape> = Some(Reshape::CleanUp);

    fn plan(&self, function: Function<'m>, _: &mut Analyses<'m>) -> Vec<Decision<'m, Count<'m>>> {
        let decide = |count: Count<'m>| match self.results {
            // the loop may keep products apart from sums: without it, they could be in one block
            Results::Same if raw::may_pair(&[function], Pair::MultiplyAdd) => {
                Decision::refusal(count.branch, "BitsContraction", counts::KEPT.to_owned())
            }
            _ => Decision::plan(count.branch, "BitsCounted", counts::MESSAGE.to_owned(), count),
        };
        function.blocks().filter_map(counts::find).map(decide).collect()
    }

    fn apply(&self, plans: Vec<Count<'m>>, editor: &mut Editor<'m>) {
        plans.iter().for_each(|plan| counts::apply(editor, plan));
    }
}

/// The pass that takes away branches that repeat earlier ones.
struct Repeats<'a> {
    results: Results,
    manager: &'a PassManager<'a>,
}

impl Repeats<'_> {
    /// What is written out so that it does not matter which branches go, as LLVM says; `None` if it is not known what is joined.
    fn asked<'m>(&self, function: Function<'m>) -> Option<Vec<Pins<'m>>> {
        let ask = |function| Made::ask(function, From::Optimised, self.manager);
        Pins::of_each(&[function], |function| ask(function)?.pins(Ends::Objects(&[])))
    }
}

impl<'m> FunctionPass<'m> for Repeats<'_> {
    /// A branch, with what is written out in the function before.
    type Plan = (Repeat<'m>, Rc<Vec<Pins<'m>>>);
    const WORD: &'static str = IDIOMS;
    const THEN: Option<Reshape> = None;

    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, Self::Plan>> {
        if !repeats::may_repeat(function) {
            return Vec::new();
        }
        let known = analyses.of(function);
        let Some(found) = repeats::find(known.outline(), &known.handles) else { return Vec::new() };
        let pins = match self.results {
            Results::Same => found.pins.map(|pins| vec![pins]).or_else(|| self.asked(function)),
            Results::Contract => Some(Vec::new()),
        };
        let pins = pins.map(Rc::new);
        let decide = |repeat: Repeat<'m>| match &pins {
            None => Decision::refusal(repeat.branch, "RepeatContraction", repeats::KEPT.to_owned()),
            Some(pins) => {
                let (at, message) = (repeat.branch, repeats::MESSAGE.to_owned());
                Decision::plan(at, "BranchRepeated", message, (repeat, pins.clone()))
            }
        };
        found.repeats.into_iter().map(decide).collect()
    }

    fn apply(&self, plans: Vec<Self::Plan>, editor: &mut Editor<'m>) {
        // those of the function, which all of its plans have
        plans.iter().take(1).flat_map(|(_, pins)| pins.iter()).for_each(|pins| pins.apply(editor));
        plans.iter().for_each(|(repeat, _)| repeats::apply(editor, repeat));
    }
}

/// The pass that splits copies, keeps remainders, widens indices and moves tables.
struct Forms {
    results: Results,
    context: copies::Context,
}

/// What it writes in another form.
enum Form<'m> {
    Copy(Copy<'m>),
    /// A division, by what widens it.
    Remainder(Inst<'m>),
    /// Indices, by what widens them.
    Offsets(Vec<Inst<'m>>),
    /// A table, by a load from it.
    Table(Inst<'m>),
    Fragment(Fragment<'m>),
    Phi(Inst<'m>),
}

impl Forms {
    fn copy<'m>(&self, copy: Copy<'m>, known: &mut FunctionAnalyses<'m>) -> Decision<'m, Form<'m>> {
        let is_between = copies::is_between_memories(&known.outline().func, &known.handles, copy.call);
        if let Some(registers) = is_between.then(|| copies::costs_blocks(known)).flatten() {
            return Decision::refusal(copy.call, "CopyApart", copies::apart(registers));
        }
        match self.results {
            Results::Same if copies::keeps_apart(copy.call) => {
                Decision::refusal(copy.call, "CopyContraction", copies::KEPT.to_owned())
            }
            _ => Decision::plan(copy.call, "CopySplit", copies::MESSAGE.to_owned(), Form::Copy(copy)),
        }
    }
}

impl<'m> FunctionPass<'m> for Forms {
    type Plan = Form<'m>;
    const WORD: &'static str = IDIOMS;
    const THEN: Option<Reshape> = None;

    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, Form<'m>>> {
        let insts = || function.blocks().flat_map(|block| block.insts());
        let keep = |at| Decision::plan(at, "DivisionKept", remainders::MESSAGE.to_owned(), Form::Remainder(at));
        let widen = |all: Vec<Inst<'m>>| {
            Decision::plan(all[0], "AddressShared", offsets::MESSAGE.to_owned(), Form::Offsets(all))
        };
        let leave = |at| Decision::plan(at, "TableMoved", tables::MESSAGE.to_owned(), Form::Table(at));
        let name = |fragment: Fragment<'m>| {
            Decision::plan(fragment.access, "FragmentNamed", fragments::MESSAGE.to_owned(), Form::Fragment(fragment))
        };
        let recompute = |phi| Decision::plan(phi, "PhiRecomputed", phis::MESSAGE.to_owned(), Form::Phi(phi));
        let copied = insts().filter_map(|inst| copies::find(inst, &self.context));
        let mut found: Vec<_> = copied.map(|copy| self.copy(copy, analyses.of(function))).collect();
        found.extend(insts().filter_map(remainders::find).map(keep));
        found.extend(offsets::find(function).into_iter().map(widen));
        found.extend(tables::find(function, analyses).into_iter().map(leave));
        found.extend(fragments::find(analyses.of(function)).into_iter().map(name));
        found.extend(insts().filter_map(phis::find).map(recompute));
        let stays = self.results == Results::Same && !found.is_empty() && is_undecided(function);
        let decide = |found: Decision<'m, _>| {
            if stays { Decision::refusal(found.at, "FormContraction", UNDECIDED.to_owned()) } else { found }
        };
        found.into_iter().map(decide).collect()
    }

    fn apply(&self, plans: Vec<Form<'m>>, editor: &mut Editor<'m>) {
        for plan in plans {
            match plan {
                Form::Copy(copy) => copies::apply(editor, &copy),
                Form::Remainder(widening) => remainders::apply(editor, widening),
                Form::Offsets(widenings) => offsets::apply(editor, &widenings),
                Form::Table(load) => tables::apply(editor, load),
                Form::Fragment(fragment) => fragments::apply(editor, &fragment),
                Form::Phi(phi) => phis::apply(editor, phi),
            }
        }
    }
}
