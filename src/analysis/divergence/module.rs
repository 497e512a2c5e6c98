//! What do the arguments and results of device functions look like from outside? Claims propagated over the call graph.
//!
//! - **Results**, by [context](super::contexts), when a call is met.
//! - **Arguments, top down.** A function that only this module can call, and only directly, gets for each argument the
//!   join over its call sites. The walk starts from kernels (whose arguments are uniform in the grid) and from
//!   functions with unknown callers (whose arguments are divergent). Forms keep their terms but not their symbols,
//!   which mean nothing in the callee. The entry is warp-convergent if every call is in a warp-convergent block; the
//!   frame has the same address for all lanes under the conditions of [`frames`](super::frames).
//!
//! Both are computed when first needed: modules without device functions never pay for them. Arguments cost one solve of
//! every function of the module, and more only while claims about them still change (at most [`MAX_SOLVES`]).

use super::contexts::{Body, Contexts};
use super::environment::{Arguments, Calls, Environment};
use super::facts::{Facts, Findings};
use super::frames::holds_still;
use super::intrinsic_table::IntrinsicTable;
use super::outline::Outline;
use super::solver::{solve, solve_slice};
use crate::affine::join::join;
use crate::affine::{Form, Rest, Scope};
use crate::cfg::Cfg;
use crate::mutants::{self, Mutant};
use fixedbitset::FixedBitSet;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::Inst;
use warpwise_ir::geometry::{BlockShape, Geometry, WARP_SIZE};
use warpwise_ir::handles::Handles;
use warpwise_ir::import::{ModuleContext, import};
use warpwise_ir::inst::{InstData, Opcode};
use warpwise_ir::llvm::handle;

/// Maximum number of solves of one function while the claims about its arguments change; after that they are dropped.
const MAX_SOLVES: u32 = 6;

/// What the user states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Shape of every block of every kernel, if stated.
    pub block: Option<BlockShape>,
}

/// What is claimed about one function, joined over its call sites.
#[derive(Clone, PartialEq, Debug, Default)]
struct Entry {
    /// `None` until a call site has been seen.
    params: Option<Vec<Option<Form>>>,
    convergent: bool,
    /// Whether lanes of a warp that enter together have the frame at the same address.
    same_frame: bool,
}

/// The analysis of one module, from which the facts of functions are obtained.
pub struct ModuleAnalysis<'m> {
    pub context: ModuleContext<'m>,
    pub options: Options,
    intrinsics: IntrinsicTable<'m>,
    /// What call sites guarantee about each function.
    entries: OnceCell<Vec<Entry>>,
    contexts: Contexts,
    stack_escapes: OnceCell<bool>,
    /// Whether no kernel contradicts the block shape stated by the user.
    shape_holds: OnceCell<bool>,
}

impl<'m> ModuleAnalysis<'m> {
    /// Reads nothing yet: declarations and bodies are read when facts are requested.
    pub fn new(module: handle::Module<'m>, options: Options) -> Self {
        ModuleAnalysis {
            context: ModuleContext::new(module),
            options,
            intrinsics: IntrinsicTable::new(module),
            entries: OnceCell::new(),
            contexts: Contexts::default(),
            stack_escapes: OnceCell::new(),
            shape_holds: OnceCell::new(),
        }
    }

    /// The facts of a function with a body, and the handles back to LLVM.
    pub fn facts(&self, function: handle::Function<'m>) -> (Facts, Handles<'m>) {
        let (outline, handles) = self.outline(function);
        (self.solve(outline, function), handles)
    }

    /// What is known about a function with a body without solving it, and the handles back to LLVM.
    pub fn outline(&self, function: handle::Function<'m>) -> (Outline, Handles<'m>) {
        let (func, handles) = import(&self.context, function);
        let geometry = self.geometry(&func);
        (Outline::new(func, geometry), handles)
    }

    /// The facts of a function, from its unmodified [outline](ModuleAnalysis::outline).
    pub fn solve(&self, outline: Outline, function: handle::Function<'m>) -> Facts {
        let func = &outline.func;
        let is_called = !func.is_kernel && self.has_closed_callers(function);
        let index = if is_called { self.context.index_of(function) } else { None };
        let entry = index.and_then(|index| self.entries.get_or_init(|| self.entries()).get(index as usize));
        let env = self.environment(function, func, entry);
        Facts::compute(outline, &env)
    }

    /// A kernel and what its solver is told.
    #[cfg(test)]
    pub(super) fn with_environment(&self, kernel: handle::Function<'m>, test: impl FnOnce(&Outline, &Environment<'_>)) {
        let (outline, _) = self.outline(kernel);
        let env = self.environment(kernel, &outline.func, None);
        test(&outline, &env);
    }

    /// What would hold for a kernel if its launches were as `geometry` says and these arguments were multiples of 32; of a
    /// [`slice`](super::slice) if only that is wanted.
    pub(super) fn solve_under(
        &self,
        outline: &Outline,
        kernel: handle::Function<'m>,
        (geometry, multiples): (Geometry, &[u32]),
        slice: Option<&FixedBitSet>,
    ) -> Findings {
        let mut env = self.environment(kernel, &outline.func, None);
        env.geometry = geometry;
        if !multiples.is_empty() {
            let claim = |index: u32| {
                let align = if multiples.contains(&index) { WARP_SIZE.trailing_zeros() as u8 } else { 0 };
                Some(Form::from_rest(Rest::Uniform { scope: Scope::Grid, align }))
            };
            env.arguments = Arguments::Claimed((0..outline.func.params.len() as u32).map(claim).collect());
        }
        let solution = solve_slice(&outline.func, outline.cfg(), &env, slice);
        Findings::new(outline.cfg.clone(), solution, &env)
    }

    /// Whether every caller is a direct call in this module.
    fn has_closed_callers(&self, function: handle::Function<'m>) -> bool {
        function.is_local() && !function.is_ptx_kernel() && function.is_only_called_directly()
    }

    /// The launch geometry for a function. What the user states holds in a device function only if no kernel that may
    /// call it contradicts it.
    fn geometry(&self, func: &Func) -> Geometry {
        let stated = self.options.block.filter(|&shape| func.is_kernel || self.holds_everywhere(shape));
        stated.and_then(|shape| func.geometry.with_user_shape(shape)).unwrap_or(func.geometry)
    }

    fn holds_everywhere(&self, shape: BlockShape) -> bool {
        *self.shape_holds.get_or_init(|| {
            self.context.functions().iter().filter(|function| function.is_ptx_kernel()).all(|function| {
                let own = Geometry::from_attributes(|name| function.string_attribute(name));
                own.with_user_shape(shape).is_some()
            })
        })
    }

    /// What is known about a function from its call sites, if all of them are known.
    fn environment<'a>(
        &'a self,
        function: handle::Function<'m>,
        func: &Func,
        entry: Option<&Entry>,
    ) -> Environment<'a> {
        if func.is_kernel {
            let frame = (!function.is_called() || mutants::on(Mutant::SameFrames)).then_some(Scope::Grid);
            return self.plain_environment(func, Arguments::OfKernel, true, frame);
        }
        let Some(entry) = entry else {
            let frame = mutants::on(Mutant::SameFrames).then_some(Scope::Warp);
            return self.plain_environment(func, Arguments::Claimed(Vec::new()), false, frame);
        };
        let frame = (entry.same_frame || mutants::on(Mutant::SameFrames)).then_some(Scope::Warp);
        let (mut params, convergent) = match &entry.params {
            Some(params) => (params.clone(), entry.convergent),
            None => (vec![None; func.params.len()], false),
        };
        for (claim, _) in params.iter_mut().zip(&func.params).filter(|(_, param)| param.byval) {
            // a by-value argument is a copy of the callee's own, in its frame
            *claim = frame.map(Form::uniform);
        }
        self.plain_environment(func, Arguments::Claimed(params), convergent, frame)
    }

    fn plain_environment<'a>(
        &'a self,
        func: &Func,
        arguments: Arguments,
        entry_convergent: bool,
        frame: Option<Scope>,
    ) -> Environment<'a> {
        Environment {
            geometry: self.geometry(func),
            intrinsics: &self.intrinsics,
            arguments,
            entry_convergent,
            frame,
            module: self.context.module,
            stack_escapes: &self.stack_escapes,
            calls: self,
        }
    }

    /// The form of the returned value for these arguments, wherever the frame is.
    fn returned_for(&self, body: &Body, arguments: &[Option<Form>]) -> Option<Form> {
        let Body { func, cfg } = body;
        // a variadic call has more arguments than the function has parameters
        let known = |index: usize| arguments.get(index).cloned().flatten();
        let params = func.params.iter().enumerate().map(|(index, param)| known(index).filter(|_| !param.byval));
        let frame = mutants::on(Mutant::SameFrames).then_some(Scope::Warp);
        let env = self.plain_environment(func, Arguments::Claimed(params.collect()), true, frame);
        let solution = solve(func, cfg, &env);
        Findings::new(cfg.clone(), solution, &env).returned(func)
    }

    /// What call sites guarantee about each function of the module.
    fn entries(&self) -> Vec<Entry> {
        let functions = self.context.functions();
        let bodies: Vec<Option<Func>> = functions
            .iter()
            .map(|&function| (!function.is_declaration()).then(|| import(&self.context, function).0))
            .collect();
        let closed: Vec<bool> = functions.iter().map(|&f| !f.is_declaration() && self.has_closed_callers(f)).collect();
        let mut entries: Vec<Entry> = vec![Entry { params: None, convergent: true, same_frame: true }; functions.len()];
        let mut solves = vec![0u32; functions.len()];
        let mut queued: Vec<bool> = (0..functions.len()).map(|i| bodies[i].is_some() && !closed[i]).collect();
        let mut queue: VecDeque<usize> = (0..functions.len()).filter(|&i| queued[i]).collect();
        while let Some(index) = queue.pop_front() {
            queued[index] = false;
            let Some(func) = &bodies[index] else { continue };
            solves[index] += 1;
            if solves[index] > MAX_SOLVES && closed[index] {
                let params = Some(vec![None; func.params.len()]);
                let unknown = Entry { params, convergent: false, same_frame: false };
                entries[index] = unknown;
                if solves[index] > MAX_SOLVES + 1 {
                    continue;
                }
            }
            let entry = Some(&entries[index]).filter(|_| closed[index]);
            let env = self.environment(functions[index], func, entry);
            let cfg = Rc::new(Cfg::new(&func.graph));
            let solution = solve(func, &cfg, &env);
            let facts = Findings::new(cfg, solution, &env);
            let below = OnceCell::new();
            for inst in func.insts.keys().filter(|&inst| func.insts[inst].opcode == Opcode::Call) {
                let Callee::Function(callee) = func.call(inst).callee else { continue };
                let callee = callee as usize;
                if closed[callee] && facts.is_reachable(func.insts[inst].block) {
                    let same_frame = *below.get_or_init(|| env.frame.is_some() && holds_still(func, &facts));
                    let changed = record_call(&mut entries[callee], func, &facts, inst, same_frame);
                    if changed && !queued[callee] {
                        queued[callee] = true;
                        queue.push_back(callee);
                    }
                }
            }
        }
        entries
    }
}

/// Joins one call site into the claims about the callee; returns whether they changed.
fn record_call(entry: &mut Entry, func: &Func, facts: &Findings, call: Inst, same_frame: bool) -> bool {
    let block = func.insts[call].block;
    let arguments: Vec<Option<Form>> = func
        .operands(call)
        .iter()
        .map(|&argument| facts.form_at(func, argument, block).filter(|form| form.symbols().next().is_none()))
        .collect();
    let convergent = entry.convergent && facts.convergence(func).is_convergent(block);
    let params = match &entry.params {
        None => arguments,
        Some(_) if mutants::on(Mutant::LastCall) => arguments,
        Some(known) => known
            .iter()
            .zip(arguments)
            .map(|(known, argument)| join(known.as_ref()?, argument.as_ref()?, Some(Scope::Grid)))
            .collect(),
    };
    // a constant at one call site may be another constant at the next; the join above has already made it uniform
    let new = Entry { params: Some(params), convergent, same_frame: entry.same_frame && same_frame };
    let changed = *entry != new;
    *entry = new;
    changed
}

impl Calls for ModuleAnalysis<'_> {
    fn returned(&self, function: u32, arguments: &[Option<Form>]) -> Option<Form> {
        let read = || {
            let function = self.context.functions()[function as usize];
            let is_exact = function.has_exact_definition();
            if function.is_ptx_kernel() || function.is_declaration() || function.is_replaceable() {
                return None;
            }
            let func = import(&self.context, function).0;
            (is_exact || computes_only(&func)).then(|| {
                let cfg = Rc::new(Cfg::new(&func.graph));
                Body { func, cfg }
            })
        };
        self.contexts.returned(function, arguments, read, |body, arguments| self.returned_for(body, arguments))
    }
}

/// Whether a function neither accesses memory nor chooses a value where one is undefined. Other bodies that were made
/// from the same source return the same then, however they were optimised; of racing loads, one body may have merged two
/// that are apart in another. Functions that it calls are judged by themselves.
fn computes_only(func: &Func) -> bool {
    use Opcode::{Alloca, AtomicRmw, CmpXchg, Fence, Freeze, Load, Store};
    let reads = |inst: &InstData| matches!(inst.opcode, Alloca | Load | Store | AtomicRmw | CmpXchg | Fence | Freeze);
    !func.has_undefined && !func.insts.values().any(reads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::divergence::print::Printer;
    use warpwise_ir::llvm::owned::OwnedModule;
    use warpwise_oracle::fuzz::{Knobs, Mode, generate};

    fn printed(module: &OwnedModule) -> String {
        let analysis = ModuleAnalysis::new(module.handle(), Options::default());
        let bodies = module.handle().functions().filter(|function| !function.is_declaration());
        let texts = bodies.map(|function| {
            let (facts, handles) = analysis.facts(function);
            Printer::new(&facts, &handles).function()
        });
        texts.collect()
    }

    /// The import tables that a thread keeps from one function to the next carry nothing over.
    #[test]
    fn the_order_of_functions_changes_nothing() {
        // the largest is above the size up to which the thread keeps tables
        let texts = [(300, 1), (40, 2), (6000, 3), (900, 4)].map(|(size, seed)| {
            let mut knobs = Knobs::of_mode(Mode::General);
            knobs.size = (size, size);
            generate(seed, &knobs).ir
        });
        let open = |text: &String| OwnedModule::from_text(text, "m").unwrap();
        let alone: Vec<String> = std::thread::scope(|scope| {
            let fresh = |text| scope.spawn(move || printed(&open(text))).join().unwrap();
            texts.iter().map(fresh).collect()
        });
        let modules: Vec<OwnedModule> = texts.iter().map(open).collect();
        let forwards: Vec<String> = modules.iter().map(printed).collect();
        let mut backwards: Vec<String> = modules.iter().rev().map(printed).collect();
        backwards.reverse();
        assert_eq!(forwards, alone);
        assert_eq!(backwards, alone);
    }
}
