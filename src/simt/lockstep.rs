//! How does a warp run in lockstep? Groups of lanes, split at divergent branches, merged where they meet.
//!
//! A warp is a stack of activations (calls). Each activation has one running group of lanes and others that wait, every
//! group at a block with an iteration vector. At a branch the running group is split by target; then the group that is
//! furthest behind runs next (`cfg`: fewest iterations of the outermost shared cycle first, then block order). Groups at
//! the same block in the same iteration merge. So lanes that leave a loop early wait behind it, `continue` waits at the
//! next iteration's header, and lanes that meet in a step are always in the same iteration of every cycle around it,
//! irreducible ones included.
//!
//! μ-SIMD's rules (Sampaio, chapter 3): BT and BF are a uniform branch; BD splits and keeps Θ_todo waiting; SS switches to
//! the waiting lanes, SP merges done and todo; SF ends an activation without groups. μ-SIMD's explicit `sync` label is
//! the immediate post-dominator; here it is implied by the order, because the immediate post-dominator is ordered behind
//! everything between. [`Reconvergence::PostDominator`] merges there only (or at the next iteration of the branch's own
//! loop); [`Reconvergence::Earliest`], the default, also merges where paths of unstructured code join earlier, and after
//! branches of which one side returns.
//!
//! A collective or a barrier waits for lanes that have not exited, and lanes that are on their way out must not stop it (the
//! `if (i < n)` guard of nearly every kernel): when lanes are missing, those that wait in the kernel at a block from which
//! nothing but the end can be reached are run to their end first. Whoever is missing then is a fault.

use super::code::*;
use super::fault::{Exec, FaultKind, trap};
use super::groups::{Counts, Group, ROOT, behind};
use super::launch::Reconvergence;
use super::machine::{Program, World};
use super::observe::{LaneValues, Observer, StepContext, iteration_name, mix};
use super::warp::{Frame, Warp, lanes_of};
use crate::llvm::image::FuncId;
use smallvec::SmallVec;

/// A split that has not met again (strict reconvergence only).
#[derive(Clone, Copy, Debug)]
struct Token {
    parent: u32,
    meet: u32,
    depth: u32,
}

/// A call in progress.
#[derive(Debug)]
pub(super) struct Activation {
    func: FuncId,
    base: usize,
    current: Group,
    waiting: Vec<Group>,
    tokens: Vec<Token>,
    /// Lanes of the current group whose call has not been made yet (indirect calls of several targets).
    call_todo: u32,
    in_call: bool,
    stack_mark: [u32; LANES],
    call_path: u64,
    /// Name of the current group's iteration vector.
    iteration: u64,
    /// Calls deep: 0 in the kernel.
    level: u32,
    /// Lanes of the kernel that run to their end ahead of the others.
    leaving: bool,
}

/// A warp with its activations.
#[derive(Debug)]
pub(super) struct LockstepWarp {
    pub core: Warp,
    calls: Vec<Activation>,
}

/// Why a warp stopped running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Yield {
    Done,
    Barrier(Arrival),
    /// Its turn is over.
    Turn,
}

/// Lanes at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arrival {
    pub what: BarrierKind,
    pub id: u32,
    /// Threads expected, 0 for all of the block.
    pub count: u32,
    pub lanes: u32,
    /// Lanes with a true predicate.
    pub holds: u32,
    pub undefined: bool,
}

impl LockstepWarp {
    pub fn new(core: Warp, program: &Program, kernel: FuncId, args: &[u64]) -> LockstepWarp {
        let code = &program.functions[kernel.index()];
        let mut warp = LockstepWarp { core, calls: Vec::new() };
        warp.core.regs.grow(code.slots as usize);
        for (slot, &value) in args.iter().enumerate() {
            warp.core.regs.values[slot] = [value; LANES];
        }
        let mask = warp.core.lanes;
        warp.enter(kernel, 0, mask, 0, 0);
        warp
    }

    fn enter(&mut self, func: FuncId, base: usize, mask: u32, call_path: u64, level: u32) {
        let counts = Counts::new();
        self.calls.push(Activation {
            func,
            base,
            current: Group { mask, block: 0, pc: 0, counts, token: ROOT },
            waiting: Vec::new(),
            tokens: Vec::new(),
            call_todo: 0,
            in_call: false,
            stack_mark: self.core.stack,
            call_path,
            iteration: iteration_name(&[]),
            level,
            leaving: false,
        });
    }

    /// Function and instruction that a fault happened at.
    pub fn place(&self, program: &Program) -> (FuncId, u32) {
        match self.calls.last() {
            Some(call) => {
                let micros = &program.functions[call.func.index()].micros;
                (call.func, micros.get(call.current.pc as usize).map_or(0, |micro| micro.inst))
            }
            None => (FuncId(0), 0),
        }
    }

    /// Runs until the warp ends, comes to a barrier, or has executed `turn` instructions.
    pub fn run<O: Observer>(
        &mut self,
        program: &Program,
        world: &mut World<'_>,
        observer: &mut O,
        turn: u64,
    ) -> Exec<Yield> {
        let stop = world.steps.saturating_add(turn);
        loop {
            let Some(call) = self.calls.last_mut() else { return Ok(Yield::Done) };
            if call.current.mask == 0 && !next_group(program, call) {
                self.leave(program, world, observer);
                continue;
            }
            if world.steps >= world.limits.steps {
                return trap(call.current.mask.trailing_zeros(), FaultKind::StepLimit { limit: world.limits.steps });
            }
            if world.steps >= stop {
                return Ok(Yield::Turn);
            }
            let code = &program.functions[call.func.index()];
            let mask = call.current.mask;
            let lanes = u64::from(mask.count_ones());
            let mut frame = Frame { pool: &program.pool, warp: &mut self.core, world, base: call.base, mask };
            let mut pc = call.current.pc as usize;
            // Straight line.
            let micro = loop {
                let micro = &code.micros[pc];
                if is_control(&micro.op) {
                    break micro;
                }
                if let Err(error) = frame.step(&micro.op) {
                    call.current.pc = pc as u32;
                    return Err(error);
                }
                pc += 1;
                if micro.last {
                    frame.world.steps += 1;
                    frame.world.lane_steps += lanes;
                    if O::ACTIVE {
                        observe(&frame, call, code, micro.inst, observer);
                    }
                }
            };
            call.current.pc = pc as u32;
            match &micro.op {
                Op::Collective { what, d, p, args } => {
                    if let Err(error) = frame.collective(*what, *d, *p, args) {
                        match error.kind {
                            FaultKind::SyncAbsentLane { absent, .. } if self.let_leave(program, absent) => continue,
                            _ => return Err(error),
                        }
                    }
                    call.current.pc += 1;
                    finish(&mut frame, call, code, micro.inst, observer);
                }
                Op::Jump { c, negated, to, masked } => {
                    let taken = frame.jumps(*c, *negated, *masked)?;
                    frame.world.steps += 1;
                    call.current.pc = if taken { *to } else { pc as u32 + 1 };
                }
                Op::Barrier { what, d: _, id, count, predicate } => {
                    match self.barrier(program, world, *what, [*id, *count, *predicate]) {
                        Ok(arrival) => return Ok(Yield::Barrier(arrival)),
                        Err(error) => match error.kind {
                            FaultKind::BarrierDivergence { missing, .. } if self.let_leave(program, missing) => {}
                            _ => return Err(error),
                        },
                    }
                }
                Op::Br { edge } => {
                    let edge = &code.edges[*edge as usize];
                    finish(&mut frame, call, code, micro.inst, observer);
                    frame.moves(edge);
                    let mut group = call.current.clone();
                    go(code, call, &mut group, edge);
                    settle(call, [group]);
                }
                Op::CondBr { c, yes, no } => {
                    let taken = frame.truth(*c)?;
                    let targets = [(*yes, taken), (*no, mask & !taken)];
                    branch(&mut frame, call, code, micro.inst, observer, &targets);
                }
                Op::Switch(switch) => {
                    let targets = frame.cases(switch)?;
                    branch(&mut frame, call, code, micro.inst, observer, &targets);
                }
                Op::Ret { a, count } => {
                    finish(&mut frame, call, code, micro.inst, observer);
                    self.ret(program, world, *a, *count);
                }
                Op::Exit => {
                    finish(&mut frame, call, code, micro.inst, observer);
                    self.core.exited |= mask;
                    self.drop_exited();
                }
                Op::Call(_) => self.call(program, world, observer)?,
                _ => {}
            }
        }
    }

    /// Runs a group of the kernel that only has its end before it, if it holds one of the missing lanes.
    fn let_leave(&mut self, program: &Program, missing: u32) -> bool {
        let Some(kernel) = self.calls.first_mut() else { return false };
        let quiet = &program.functions[kernel.func.index()].quiet;
        let Some(at) = kernel.waiting.iter().position(|group| group.mask & missing != 0 && quiet[group.block as usize])
        else {
            return false;
        };
        let group = kernel.waiting.remove(at);
        let (func, base, call_path) = (kernel.func, kernel.base, kernel.call_path);
        self.enter(func, base, group.mask, call_path, 0);
        if let Some(call) = self.calls.last_mut() {
            call.iteration = iteration_name(&group.counts);
            call.current = Group { token: ROOT, ..group };
            call.leaving = true;
        }
        true
    }

    /// Removes exited lanes from every group.
    fn drop_exited(&mut self) {
        let gone = self.core.exited;
        for call in &mut self.calls {
            call.current.mask &= !gone;
            call.call_todo &= !gone;
            for group in &mut call.waiting {
                group.mask &= !gone;
            }
            call.waiting.retain(|group| group.mask != 0);
        }
    }

    /// Lanes return: their values go to the caller's slots, their local variables die.
    fn ret(&mut self, program: &Program, world: &mut World<'_>, a: Src, count: u32) {
        let depth = self.calls.len();
        let Some(call) = self.calls.last_mut() else { return };
        let mask = std::mem::take(&mut call.current.mask);
        let (base, marks) = (call.base, call.stack_mark);
        if depth == 1 || call.leaving {
            self.core.exited |= mask;
            return;
        }
        let caller = &self.calls[depth - 2];
        let code = &program.functions[caller.func.index()];
        let d = match &code.micros[caller.current.pc as usize].op {
            Op::Call(call) if call.results == count => call.d,
            _ => return,
        };
        let target = caller.base;
        let mut frame = Frame { pool: &program.pool, warp: &mut self.core, world, base, mask };
        for i in 0..count {
            frame.return_slot(target, d + i, a + i);
        }
        for lane in lanes_of(mask) {
            frame.pop_local(lane, marks[lane]);
        }
    }

    /// The top activation has no lanes left: go on in the caller.
    fn leave<O: Observer>(&mut self, program: &Program, world: &mut World<'_>, observer: &mut O) {
        self.calls.pop();
        let Some(call) = self.calls.last_mut() else { return };
        if call.call_todo != 0 || !call.in_call {
            return; // more targets of the same call
        }
        call.in_call = false;
        if call.current.mask == 0 {
            return; // every lane exited inside
        }
        let code = &program.functions[call.func.index()];
        let inst = code.micros[call.current.pc as usize].inst;
        call.current.pc += 1;
        let mask = call.current.mask;
        let mut frame = Frame { pool: &program.pool, warp: &mut self.core, world, base: call.base, mask };
        finish(&mut frame, call, code, inst, observer);
    }

    /// Calls: lanes with the same target go in together, one target after the other.
    fn call<O: Observer>(&mut self, program: &Program, world: &mut World<'_>, observer: &mut O) -> Exec<()> {
        let Some(call) = self.calls.last_mut() else { return Ok(()) };
        let code = &program.functions[call.func.index()];
        let micro = &code.micros[call.current.pc as usize];
        let Op::Call(target) = &micro.op else { return Ok(()) };
        if !call.in_call {
            call.in_call = true;
            call.call_todo = call.current.mask;
        }
        let limit = world.limits.calls;
        if call.level >= limit {
            return trap(call.current.mask.trailing_zeros(), FaultKind::RecursionLimit { limit });
        }
        let mut frame =
            Frame { pool: &program.pool, warp: &mut self.core, world, base: call.base, mask: call.call_todo };
        let (func, lanes) = match target.target {
            Some(func) => (func, call.call_todo),
            None => {
                let first = call.call_todo.trailing_zeros() as usize;
                let number = frame.callee(target.pointer, first)?;
                let mut lanes = 0;
                for lane in lanes_of(call.call_todo) {
                    if frame.callee(target.pointer, lane)? == number {
                        lanes |= 1 << lane;
                    }
                }
                check_target(program, number, target, frame.get(target.pointer)[first], first)?;
                (FuncId(number), lanes)
            }
        };
        call.call_todo &= !lanes;
        let level = call.level + 1;
        let callee = &program.functions[func.index()];
        let base = call.base + code.slots as usize;
        frame.mask = lanes;
        frame.warp.regs.grow(base + callee.slots as usize);
        for (i, &a) in target.args.iter().enumerate() {
            frame.return_slot(base, i as u32, a);
        }
        let path = mix(
            mix(mix(call.call_path, u64::from(call.func.0) << 32 | u64::from(micro.inst)), call.iteration),
            u64::from(func.0),
        );
        self.enter(func, base, lanes, path, level);
        if O::ACTIVE
            && let Some(call) = self.calls.last()
        {
            let frame = Frame { pool: &program.pool, warp: &mut self.core, world, base, mask: lanes };
            let range = base..base + target.args.len();
            let args =
                LaneValues { slots: &frame.warp.regs.values[range.clone()], undef: &frame.warp.regs.undef[range] };
            observer.enter(&context(&frame, call, 0), &args);
        }
        Ok(())
    }

    /// The current group comes to a barrier.
    fn barrier(
        &mut self,
        program: &Program,
        world: &mut World<'_>,
        what: BarrierKind,
        [id, count, predicate]: [Src; 3],
    ) -> Exec<Arrival> {
        let running = self.core.running();
        let index = self.core.index;
        let Some(call) = self.calls.last() else { return trap(0, FaultKind::Unreachable) };
        let lanes = call.current.mask;
        let frame = Frame { pool: &program.pool, warp: &mut self.core, world, base: call.base, mask: lanes };
        let first = lanes.trailing_zeros() as usize & 31;
        if frame.undef(id) | frame.undef(count) != 0 {
            return trap(first as u32, FaultKind::Undef { usage: "a barrier's number or count" });
        }
        let id = frame.get(id)[first] as u32;
        let count = frame.get(count)[first] as u32;
        let missing = running & !lanes;
        if missing != 0 {
            return trap(first as u32, FaultKind::BarrierDivergence { id, warp: index, arrived: lanes, missing });
        }
        let undefined = frame.undef(predicate) != 0;
        let holds =
            lanes_of(lanes).filter(|&lane| frame.get(predicate)[lane] & 1 != 0).fold(0, |set, lane| set | 1 << lane);
        Ok(Arrival { what, id, count, lanes, holds, undefined })
    }

    /// The barrier the warp waits at completed with that result.
    pub fn release<O: Observer>(
        &mut self,
        program: &Program,
        world: &mut World<'_>,
        observer: &mut O,
        result: u64,
        undefined: bool,
    ) {
        let Some(call) = self.calls.last_mut() else { return };
        let code = &program.functions[call.func.index()];
        let micro = &code.micros[call.current.pc as usize];
        let mask = call.current.mask;
        let mut frame = Frame { pool: &program.pool, warp: &mut self.core, world, base: call.base, mask };
        if let Op::Barrier { what: BarrierKind::And | BarrierKind::Or | BarrierKind::Popcount, d, .. } = micro.op {
            frame.put(d, &[result; LANES]);
            if undefined {
                frame.taint(d, mask);
            }
        }
        call.current.pc += 1;
        finish(&mut frame, call, code, micro.inst, observer);
    }
}

/// A target of an indirect call must have a body and take what it is given.
pub(super) fn check_target(program: &Program, number: u32, call: &CallCode, address: u64, lane: usize) -> Exec<()> {
    let fits = program.functions.get(number as usize).is_some_and(|callee| {
        let wants: u32 = callee.params.iter().map(|&(_, count)| count).sum();
        callee.defined && wants as usize == call.args.len()
    });
    if fits { Ok(()) } else { trap(lane as u32, FaultKind::BadCall { address }) }
}

/// Whether schedulers handle the operation.
pub(super) fn is_control(op: &Op) -> bool {
    matches!(
        op,
        Op::Br { .. }
            | Op::CondBr { .. }
            | Op::Switch(_)
            | Op::Ret { .. }
            | Op::Exit
            | Op::Call(_)
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::Jump { .. }
    )
}

/// Takes the waiting group that is furthest behind; false if there is none.
fn next_group(program: &Program, call: &mut Activation) -> bool {
    let flow = &program.functions[call.func.index()].flow;
    let mut best: Option<usize> = None;
    for (i, group) in call.waiting.iter().enumerate() {
        if best.is_none_or(|b| behind(flow, group, &call.waiting[b])) {
            best = Some(i);
        }
    }
    match best {
        Some(i) => {
            call.current = call.waiting.remove(i);
            call.iteration = iteration_name(&call.current.counts);
            true
        }
        None => false,
    }
}

/// Moves a group along an edge.
fn go(code: &FunctionCode, call: &mut Activation, group: &mut Group, edge: &Edge) {
    group.block = edge.to;
    group.pc = code.starts[edge.to as usize];
    edge.action.advance(&mut group.counts);
    if group.token == ROOT {
        return;
    }
    // Into the next iteration: splits of this iteration are over. At a meeting point: that split is.
    while group.token != ROOT {
        let token = call.tokens[group.token as usize];
        let over = (edge.action.bump && token.depth >= u32::from(edge.action.keep)) || token.meet == edge.to;
        if !over {
            break;
        }
        group.token = token.parent;
    }
}

/// After the whole current group moved: it runs on if it is alone, else whoever is furthest behind does.
fn settle(call: &mut Activation, groups: [Group; 1]) {
    let mut groups = groups.into_iter();
    if call.waiting.is_empty() {
        // One group alone: nothing to merge with, nothing to choose.
        if let Some(only) = groups.next() {
            call.current = only;
            call.current.token = ROOT;
            call.tokens.clear();
            call.iteration = iteration_name(&call.current.counts);
            return;
        }
    }
    settle_all(call, groups);
}

/// Puts groups that just moved among the waiting ones, merging those that meet.
fn settle_all(call: &mut Activation, groups: impl Iterator<Item = Group>) {
    for group in groups {
        let same = |other: &&mut Group| {
            other.block == group.block && other.token == group.token && other.counts == group.counts
        };
        match call.waiting.iter_mut().find(same) {
            Some(other) => other.mask |= group.mask,
            None => call.waiting.push(group),
        }
    }
    call.current.mask = 0;
}

/// Splits the current group at a branch.
fn branch<O: Observer>(
    frame: &mut Frame<'_, '_>,
    call: &mut Activation,
    code: &FunctionCode,
    inst: u32,
    observer: &mut O,
    targets: &[(u32, u32)],
) {
    finish(frame, call, code, inst, observer);
    if O::ACTIVE {
        let named: SmallVec<[(u32, u32); 4]> =
            targets.iter().map(|&(edge, lanes)| (code.edges[edge as usize].to, lanes)).collect();
        observer.branch(&context(frame, call, inst), &named);
    }
    let from = call.current.block;
    let mask = call.current.mask;
    let strict = frame.world.reconvergence == Reconvergence::PostDominator;
    let mut taken = targets.iter().filter(|&&(_, lanes)| lanes != 0);
    if let (Some(&(edge, lanes)), None) = (taken.next(), taken.next()) {
        debug_assert_eq!(lanes, mask);
        let edge = &code.edges[edge as usize];
        frame.moves(edge);
        let placeholder = Group { mask: 0, block: 0, pc: 0, counts: Counts::new(), token: ROOT };
        let mut group = std::mem::replace(&mut call.current, placeholder);
        go(code, call, &mut group, edge);
        settle(call, [group]);
        return;
    }
    let mut token = call.current.token;
    if strict {
        let meet = code.flow.post_dominator[from as usize];
        let reuse = token != ROOT && call.tokens[token as usize].meet == meet;
        if !reuse {
            let depth = code.flow.cycles[from as usize].len() as u32;
            call.tokens.push(Token { parent: token, meet, depth });
            token = call.tokens.len() as u32 - 1;
        }
    }
    let mut groups: SmallVec<[Group; 4]> = SmallVec::new();
    for &(edge, lanes) in targets.iter().filter(|&&(_, lanes)| lanes != 0) {
        let edge = &code.edges[edge as usize];
        frame.mask = lanes;
        frame.moves(edge);
        let mut group = Group { mask: lanes, token, ..call.current.clone() };
        go(code, call, &mut group, edge);
        groups.push(group);
    }
    settle_all(call, groups.into_iter());
}

fn context<'a>(frame: &'a Frame<'_, '_>, call: &Activation, inst: u32) -> StepContext<'a> {
    StepContext {
        image: frame.world.image,
        func: call.func,
        inst,
        block: frame.world.block,
        block_number: frame.world.block_number,
        warp: frame.warp.index,
        active: frame.mask,
        running: frame.warp.running(),
        tid: &frame.warp.tid,
        call_path: call.call_path,
        iteration: call.iteration,
        depth: call.level,
    }
}

fn observe<O: Observer>(frame: &Frame<'_, '_>, call: &Activation, code: &FunctionCode, inst: u32, observer: &mut O) {
    let (first, count) = code.results[inst as usize];
    let range = call.base + first as usize..call.base + (first + count) as usize;
    let values = LaneValues { slots: &frame.warp.regs.values[range.clone()], undef: &frame.warp.regs.undef[range] };
    observer.inst(&context(frame, call, inst), &values);
}

/// Counts a control instruction and tells the observer.
fn finish<O: Observer>(frame: &mut Frame<'_, '_>, call: &Activation, code: &FunctionCode, inst: u32, observer: &mut O) {
    frame.world.steps += 1;
    frame.world.lane_steps += u64::from(frame.mask.count_ones());
    if O::ACTIVE {
        observe(frame, call, code, inst, observer);
    }
}
