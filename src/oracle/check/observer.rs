//! How are claims compared with a running kernel? An observer of the lockstep machine, for either scheduler.
//!
//! State: for each activation (warp and call path) a shadow of the tracked values and the sequence of convergent
//! blocks; and two tables from instance and check to the first rest seen, one for the block and one for the grid. The
//! shadow starts as undefined, so a coefficient that is not a value of the function (the address of a global) exempts
//! its lanes.

use super::claims::{Analyses, Check, CheckTerm, Expected, FunctionClaims, Reading, Subject};
use super::lanes::{NEVER_SET, Tracked, lanes_with, rests, store, whole};
use super::violation::{Violation, ViolationKind};
use super::{CheckReport, MAX_INSTANCES, MAX_VIOLATIONS};
use crate::simt::{LANES, LaneValues, Lanes, Observer, StepContext, among, lanes_of, mix};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use warpwise_analysis::affine::form::{Base, Ext, Scope};
use warpwise_ir::llvm::image::{FuncId, ModuleImage};

/// The convergent blocks that lanes have executed, in order.
#[derive(Clone)]
struct Sequence {
    /// For each lane, how many of them it has executed.
    position: [u32; LANES],
    /// First instruction and identifier of each instance.
    passed: Vec<(u32, u64)>,
}

/// A call in progress in one warp.
struct Activation {
    func: FuncId,
    warp: u32,
    depth: u32,
    shadow: Vec<Tracked>,
    sequences: Vec<Sequence>,
    returned: u32,
    /// The position of the last step, for messages.
    block: [u32; 3],
}

/// What was seen first in an instance.
#[derive(Clone, Copy)]
struct First {
    rest: u64,
    block: u32,
    warp: u32,
}

/// What was seen first, for the claims that span more than the lanes of a step.
#[derive(Default)]
struct Instances {
    in_block: FxHashMap<u64, First>,
    in_grid: FxHashMap<u64, First>,
    truncated: bool,
}

impl Instances {
    /// Compares one number per lane with the claim across its scope; `Err` describes what was seen instead.
    fn agree(&mut self, at: &StepContext<'_>, key: u64, scope: Scope, live: u32, rests: &Lanes) -> Result<(), String> {
        let first = rests[live.trailing_zeros() as usize & 31];
        if lanes_with(live, rests, |rest| rest != first) != 0 {
            return Err(String::new());
        }
        // all lanes of the warp are here, so no other lane of it can execute the instance
        if scope == Scope::Warp && at.active == at.running {
            return Ok(());
        }
        let instance = mix(mix(mix(at.call_path, u64::from(at.func.0) << 32 | u64::from(at.inst)), at.iteration), key);
        let (table, key) = match scope {
            Scope::Grid => (&mut self.in_grid, instance),
            Scope::Block => (&mut self.in_block, mix(instance, 1)),
            Scope::Warp => (&mut self.in_block, mix(instance, 2 + u64::from(at.warp))),
        };
        if table.len() >= MAX_INSTANCES {
            self.truncated = true;
            return Ok(());
        }
        let now = First { rest: first, block: at.block_number, warp: at.warp };
        let before = *table.entry(key).or_insert(now);
        if before.rest == first {
            return Ok(());
        }
        Err(format!(
            "; warp {} of block number {} had {:#x} where this one (block number {}) has {first:#x}",
            before.warp, before.block, before.rest, at.block_number
        ))
    }
}

/// Offset that keeps the keys of branch checks apart from those of value checks at the same instruction.
const BRANCH_KEYS: u64 = 1 << 32;

pub(super) struct ClaimObserver<'c> {
    image: &'c ModuleImage,
    claims: &'c [Option<FunctionClaims>],
    names: &'c [String],
    kernel_args: Vec<u64>,
    activations: Vec<Activation>,
    /// (warp, call path) → activation.
    index: FxHashMap<(u32, u64), u32>,
    current: (u32, u64, u32),
    block_number: Option<u32>,
    warp: Option<u32>,
    /// Values of the bases in the lanes of the current warp.
    bases: [Lanes; 4],
    instances: Instances,
    /// Checks that have been reported: function, instruction, check.
    told: FxHashSet<(u32, u32, u64)>,
    report: CheckReport,
}

impl<'c> ClaimObserver<'c> {
    pub fn new(image: &'c ModuleImage, claims: &'c [Option<FunctionClaims>], names: &'c [String]) -> Self {
        ClaimObserver {
            image,
            claims,
            names,
            kernel_args: Vec::new(),
            activations: Vec::new(),
            index: FxHashMap::default(),
            current: (u32::MAX, 0, 0),
            block_number: None,
            warp: None,
            bases: [[0; LANES]; 4],
            instances: Instances::default(),
            told: FxHashSet::default(),
            report: CheckReport::default(),
        }
    }

    /// The result; `complete` says that the launch ended without a fault.
    pub fn finish(mut self, complete: bool) -> CheckReport {
        if complete {
            self.end_block();
        }
        self.report.truncated = self.instances.truncated;
        self.report
    }

    /// The activation of a step, created when it is first seen.
    fn activation(&mut self, at: &StepContext<'_>) -> usize {
        if self.current.0 == at.warp && self.current.1 == at.call_path && self.block_number == Some(at.block_number) {
            return self.current.2 as usize;
        }
        if self.block_number != Some(at.block_number) {
            if self.block_number.is_some() {
                self.end_block();
            }
            self.block_number = Some(at.block_number);
            self.warp = None;
        }
        if self.warp != Some(at.warp) {
            self.warp = Some(at.warp);
            for lane in 0..LANES {
                for dim in 0..3 {
                    self.bases[dim][lane] = at.tid[lane][dim].into();
                }
                self.bases[Base::LaneId as usize][lane] = lane as u64;
            }
        }
        let (claims, args) = (&self.claims, &self.kernel_args);
        let activations = &mut self.activations;
        let number = *self.index.entry((at.warp, at.call_path)).or_insert_with(|| {
            activations.push(Activation::new(at, claims[at.func.index()].as_ref(), args));
            activations.len() as u32 - 1
        });
        self.current = (at.warp, at.call_path, number);
        number as usize
    }

    /// At the end of a block: lanes that returned from a device function must have executed all of its convergent
    /// blocks.
    fn end_block(&mut self) {
        for activation in std::mem::take(&mut self.activations) {
            let Some(claims) = &self.claims[activation.func.index()] else { continue };
            if activation.depth == 0 {
                continue;
            }
            for (sequence, convergent) in activation.sequences.iter().zip(&claims.convergent) {
                let is_short = |lane: usize| (sequence.position[lane] as usize) < sequence.passed.len();
                let short = among(activation.returned, is_short);
                let Some(first) = lanes_of(short).next() else { continue };
                let (inst, _) = sequence.passed[sequence.position[first] as usize];
                let seen = format!("lanes {short:#010x} returned from the function without coming to it");
                let Activation { func, block, warp, returned: lanes, .. } = activation;
                let spot = Spot { func, inst, block, warp, lanes };
                let key = u64::MAX - u64::from(convergent.analyses);
                let claim = ("the block is convergent".to_owned(), convergent.analyses);
                self.tell(ViolationKind::Convergence, spot, key, claim, seen);
            }
        }
        self.index.clear();
        self.instances.in_block.clear();
        self.current.0 = u32::MAX;
    }

    /// Records a violation, once for each check of the function.
    fn tell(&mut self, kind: ViolationKind, spot: Spot, key: u64, (claim, analyses): (String, Analyses), seen: String) {
        let Spot { func, inst: number, block: [x, y, z], warp, lanes } = spot;
        let fresh = self.told.insert((func.0, number, key));
        if !fresh || self.report.violations.len() >= MAX_VIOLATIONS {
            return;
        }
        let function = &self.image.functions[func.index()];
        let inst = function.insts.get(number as usize);
        let text = match kind {
            ViolationKind::Argument => "(arguments)",
            _ => inst.map_or("", |inst| inst.text.trim()),
        };
        let location = inst.and_then(|inst| inst.loc).map(|loc| self.image.describe_location(loc));
        let at = location.map(|location| format!("  at       {location}\n")).unwrap_or_default();
        let analyses = self.names.iter().enumerate().filter(|(bit, _)| analyses >> bit & 1 != 0);
        let analyses: Vec<&str> = analyses.map(|(_, name)| name.as_str()).collect();
        let what = format!("{kind:?} claim violated in @").to_lowercase();
        let text = format!(
            "{what}{}: {text}\n{at}  claim    {claim} ({})\n  where    block {x},{y},{z} warp {warp} lanes {lanes:#010x}\n  seen     {seen}",
            function.name,
            analyses.join("; ")
        );
        self.report.violations.push(Violation { kind, text });
    }

    fn check(&mut self, at: &StepContext<'_>, activation: usize, number: usize, here: &Tracked, kind: ViolationKind) {
        let Some(claims) = &self.claims[at.func.index()] else { return };
        let check = &claims.checks[number];
        let shadow = &self.activations[activation].shadow;
        let subject = match check.subject {
            Subject::Here => here,
            Subject::Tracked(track) => &shadow[track as usize],
        };
        let mut live = at.active & !subject.undef;
        for symbol in check.terms.iter().flat_map(|term| &term.symbols) {
            live &= !shadow[symbol.track as usize].undef;
        }
        if live == 0 {
            return;
        }
        self.report.compared += 1;
        let computed;
        let rests = if check.terms.is_empty() {
            &subject.values
        } else {
            computed = rests(check, &subject.values, shadow, &self.bases);
            &computed
        };
        let mut seen = String::new();
        // a coefficient must be one number for the lanes of the warp
        for symbol in check.terms.iter().flat_map(|term| &term.symbols) {
            let values = &shadow[symbol.track as usize].values;
            let first = values[live.trailing_zeros() as usize & 31];
            if lanes_with(live, values, |value| value != first) != 0 {
                let _ = write!(seen, "coefficient {} differs; ", self.value_name(at.func, symbol.value));
            }
        }
        let mut held = seen.is_empty();
        match check.expected {
            Expected::Number(expected) => held &= lanes_with(live, rests, |rest| rest != expected) == 0,
            Expected::Same { scope, align } => {
                if let Err(text) = self.instances.agree(at, u64::from(number as u32), scope, live, rests) {
                    held = false;
                    seen.push_str(text.trim_start_matches("; "));
                }
                let low = if align == 0 { 0 } else { u64::MAX >> (64 - u32::from(align.min(64))) };
                if low != 0 && lanes_with(live, rests, |rest| rest & low != 0) != 0 {
                    held = false;
                    let _ = write!(seen, " (low {align} bits not zero)");
                }
            }
        }
        if held {
            return;
        }
        let _ = write!(seen, " lane: value, rest =");
        for lane in lanes_of(live) {
            let _ = write!(seen, " {lane}: {:#x}, {:#x};", subject.values[lane], rests[lane]);
        }
        let claim = (self.claim_text(at.func, check), check.analyses);
        self.tell(kind, Spot::of(at, live), number as u64, claim, seen);
    }

    /// At the start of a block: it must be reachable, and lanes must execute convergent blocks in one order.
    fn start_block(&mut self, at: &StepContext<'_>, activation: usize) {
        let Some(claims) = &self.claims[at.func.index()] else { return };
        let block = self.image.functions[at.func.index()].block_of(at.inst) as usize;
        let unreached = claims.unreached[block];
        if unreached != 0 {
            let seen = "lanes execute it".to_owned();
            let claim = ("the block is unreachable".to_owned(), unreached);
            self.tell(ViolationKind::Unreached, Spot::of(at, at.active), u64::MAX, claim, seen);
        }
        let instance = mix(u64::from(at.inst), at.iteration);
        for (which, convergent) in claims.convergent.iter().enumerate() {
            if !convergent.blocks[block] {
                continue;
            }
            self.report.compared += 1;
            let sequence = &mut self.activations[activation].sequences[which];
            let mut wrong: Option<(usize, u32)> = None;
            for lane in lanes_of(at.active) {
                let position = &mut sequence.position[lane];
                match sequence.passed.get(*position as usize) {
                    None => sequence.passed.push((at.inst, instance)),
                    Some(&(_, name)) if name == instance => {}
                    Some(&(inst, _)) => wrong = wrong.or(Some((lane, inst))),
                }
                *position += 1;
            }
            if let Some((lane, inst)) = wrong {
                let function = &self.image.functions[at.func.index()];
                let other = &function.blocks[function.block_of(inst) as usize].name;
                let own = &function.blocks[block].name;
                let what = if other == own { "another instance of it" } else { "convergent block" };
                let seen = format!("lane {lane} comes to {own}, where other lanes of the warp came to {what} {other}");
                let key = u64::MAX - 1 - u64::from(convergent.analyses);
                let claim = ("the block is convergent".to_owned(), convergent.analyses);
                self.tell(ViolationKind::Convergence, Spot::of(at, at.active), key, claim, seen);
            }
        }
    }

    fn value_name(&self, func: FuncId, value: u32) -> String {
        let function = &self.image.functions[func.index()];
        let params = function.params.len() as u32;
        match value.checked_sub(params) {
            None => function.params[value as usize].name.clone(),
            Some(inst) => function.insts.get(inst as usize).map_or("a constant".to_owned(), |inst| inst.name.clone()),
        }
    }

    /// A check in the words of the printer.
    fn claim_text(&self, func: FuncId, check: &Check) -> String {
        let mut parts: Vec<String> = check.terms.iter().map(|term| self.term_text(func, term)).collect();
        let mut align_text = String::new();
        parts.push(match check.expected {
            Expected::Number(number) => format!("{number:#x}"),
            Expected::Same { scope, align } => {
                if align > 0 {
                    align_text = format!(", {align} low bits zero");
                }
                format!("uniform {scope}")
            }
        });
        let reading = match check.reading {
            Reading::Modular => "",
            Reading::Unsigned => " exactly, unsigned",
            Reading::Signed => " exactly, signed",
        };
        format!("{} = {}{align_text}{reading}", self.value_name(func, check.value), parts.join(" + "))
    }

    fn term_text(&self, func: FuncId, term: &CheckTerm) -> String {
        let mut text = term.coefficient.to_string();
        for symbol in &term.symbols {
            let name = self.value_name(func, symbol.value);
            let _ = match symbol.ext {
                Ext::None => write!(text, "*{name}"),
                ext => write!(text, "*{ext:?}({name})"),
            };
        }
        for base in [Some(term.first), term.second].into_iter().flatten() {
            let _ = write!(text, "*{}", Base::ALL[base as usize]);
        }
        text
    }
}

/// Where a claim does not hold.
struct Spot {
    func: FuncId,
    inst: u32,
    block: [u32; 3],
    warp: u32,
    lanes: u32,
}

impl Spot {
    /// A step, and the lanes that were compared.
    fn of(at: &StepContext<'_>, lanes: u32) -> Spot {
        Spot { func: at.func, inst: at.inst, block: at.block, warp: at.warp, lanes }
    }
}

impl Activation {
    fn new(at: &StepContext<'_>, claims: Option<&FunctionClaims>, kernel_args: &[u64]) -> Activation {
        let mut activation = Activation {
            func: at.func,
            warp: at.warp,
            depth: at.depth,
            shadow: vec![NEVER_SET; claims.map_or(0, |claims| claims.tracked)],
            sequences: Vec::new(),
            returned: 0,
            block: at.block,
        };
        let Some(claims) = claims else { return activation };
        let sequence = Sequence { position: [0; LANES], passed: Vec::new() };
        activation.sequences = vec![sequence; claims.convergent.len()];
        if at.depth == 0 {
            for param in &claims.params {
                if let (Some(track), Some(slots)) = (param.track, kernel_args.get(param.slots.clone())) {
                    let values: Vec<Lanes> = slots.iter().map(|&value| [value; LANES]).collect();
                    activation.shadow[track as usize] = Tracked { values: whole(&values), undef: 0 };
                }
            }
        }
        activation
    }
}

impl Observer for ClaimObserver<'_> {
    fn start(&mut self, _kernel: FuncId, args: &[u64]) {
        self.kernel_args = args.to_vec();
    }

    fn enter(&mut self, at: &StepContext<'_>, args: &LaneValues<'_>) {
        let Some(claims) = &self.claims[at.func.index()] else { return };
        let activation = self.activation(at);
        for param in &claims.params {
            let range = param.slots.clone();
            let (Some(slots), Some(undef)) = (args.slots.get(range.clone()), args.undef.get(range)) else { return };
            let here = Tracked { values: whole(slots), undef: LaneValues { slots, undef }.undefined() };
            if let Some(track) = param.track {
                store(&mut self.activations[activation].shadow[track as usize], &here, at.active);
            }
            for number in param.checks.clone() {
                self.check(at, activation, number, &here, ViolationKind::Argument);
            }
        }
    }

    fn inst(&mut self, at: &StepContext<'_>, values: &LaneValues<'_>) {
        let Some(claims) = &self.claims[at.func.index()] else { return };
        let own = &claims.insts[at.inst as usize];
        if own.idle {
            return;
        }
        let activation = self.activation(at);
        if own.starts_block {
            self.start_block(at, activation);
        }
        for number in own.uses.clone() {
            self.check(at, activation, number, &NEVER_SET, ViolationKind::Use);
        }
        if !own.results.is_empty() || own.track.is_some() {
            let here = Tracked { values: whole(values.slots), undef: values.undefined() };
            if let Some(track) = own.track {
                store(&mut self.activations[activation].shadow[track as usize], &here, at.active);
            }
            for number in own.results.clone() {
                self.check(at, activation, number, &here, ViolationKind::Value);
            }
        }
        if own.returns {
            self.activations[activation].returned |= at.active;
        }
    }

    fn branch(&mut self, at: &StepContext<'_>, targets: &[(u32, u32)]) {
        let Some(claims) = &self.claims[at.func.index()] else { return };
        let range = claims.insts[at.inst as usize].branches.clone();
        if range.is_empty() {
            return;
        }
        self.activation(at);
        let mut ways = [0; LANES];
        for &(target, lanes) in targets {
            for lane in lanes_of(lanes) {
                ways[lane] = target.into();
            }
        }
        for number in range {
            let check = claims.branches[number];
            self.report.compared += 1;
            let Err(text) = self.instances.agree(at, BRANCH_KEYS + number as u64, check.scope, at.active, &ways) else {
                continue;
            };
            let function = &self.image.functions[at.func.index()];
            let mut seen = String::from("ways:");
            for &(target, lanes) in targets.iter().filter(|target| target.1 != 0) {
                let _ = write!(seen, " {} {lanes:#010x}", function.blocks[target as usize].name);
            }
            seen.push_str(&text);
            let claim = (format!("the branch is uniform {}", check.scope), check.analyses);
            self.tell(ViolationKind::Branch, Spot::of(at, at.active), BRANCH_KEYS + number as u64, claim, seen);
        }
    }
}
