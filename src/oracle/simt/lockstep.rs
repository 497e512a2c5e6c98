//! How does a warp run in lockstep? As groups of lanes, which split at divergent branches and merge where they meet.
//!
//! A warp is a stack of activations (calls). Each activation has one running group of lanes and others that wait, each
//! at a block with an iteration vector. At a branch the running group is split by target. Then the group that is
//! furthest behind runs next (`cfg`: fewest iterations of the outermost shared cycle first, then block order). Groups
//! at the same block in the same iteration merge. So lanes that leave a loop early wait after it, lanes that `continue`
//! wait at the header of the next iteration, and lanes that execute a step together are always in the same iteration of
//! every cycle around it, even an irreducible one.
//!
//! μ-SIMD's rules (Sampaio, chapter 3): BT and BF are a uniform branch; BD splits and keeps Θ_todo waiting; SS switches
//! to the waiting lanes; SP merges done and todo; SF ends an activation without groups. μ-SIMD's explicit `sync` label
//! is the immediate post-dominator; here it is implied, because the immediate post-dominator is ordered after
//! everything in between. [`Reconvergence::PostDominator`] merges only there (or at the next iteration of the branch's
//! own loop), and where that would be if those that leave the kernel early did not count; [`Reconvergence::Earliest`], the default, also merges where paths of unstructured code join earlier, and
//! after branches of which one side returns.
//!
//! A collective or a barrier waits for lanes that have not exited. Lanes that are about to exit must not block it (as
//! under the `if (i < n)` guard of nearly every kernel). So if lanes are missing, those that wait at a block of the
//! kernel from which nothing but the end can be reached run to their end first. If lanes are still missing then, it is
//! a fault.

use super::code::*;
use super::control::{Arrival, Control, Site, Targets, is_control};
use super::fault::{Exec, FaultKind, Trap, trap};
use super::groups::{Counts, Group, ROOT, behind};
use super::launch::Reconvergence;
use super::machine::{Program, Run, Stop, Stopped, World};
use super::observe::{Observer, iteration_name};
use super::warp::{Frame, Warp, lanes_of};
use smallvec::SmallVec;
use warpwise_ir::llvm::image::{FuncId, ModuleImage};

/// A split whose lanes have not reconverged (strict reconvergence only).
#[derive(Clone, Copy, Debug)]
struct Token {
    parent: u32,
    /// Where all lanes meet, and where those that stay in the kernel do.
    meet: [u32; 2],
    depth: u32,
}

/// A call in progress.
#[derive(Debug)]
pub(super) struct Activation {
    site: Site,
    current: Group,
    waiting: Vec<Group>,
    tokens: Vec<Token>,
    /// Lanes of the current group whose call is still to be made (indirect calls with several targets).
    call_todo: u32,
    in_call: bool,
    stack_mark: [u32; LANES],
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

impl LockstepWarp {
    pub fn new(core: Warp, kernel: FuncId) -> LockstepWarp {
        let mut warp = LockstepWarp { core, calls: Vec::new() };
        let mask = warp.core.lanes;
        let current = Group { mask, block: 0, pc: 0, counts: Counts::new(), token: ROOT };
        warp.push(Site::kernel(kernel), current, false);
        warp
    }

    fn push(&mut self, site: Site, current: Group, leaving: bool) {
        self.calls.push(Activation {
            site,
            current,
            waiting: Vec::new(),
            tokens: Vec::new(),
            call_todo: 0,
            in_call: false,
            stack_mark: self.core.stack,
            leaving,
        });
    }

    /// A trap where the warp is.
    pub fn stop(&self, program: &Program, image: &ModuleImage, trap: Box<Trap>) -> Stopped {
        let at = self.calls.last().map(|call| (call.site, call.current.pc));
        Stop::new(program, image, &self.core, at, trap)
    }

    /// Runs until the warp ends, reaches a barrier, or has executed `turn` instructions.
    pub fn run<O: Observer>(&mut self, cx: &mut Run<'_, '_, O>, turn: u64) -> Exec<Yield> {
        let stop = cx.world.report.steps.saturating_add(turn);
        loop {
            let Some(call) = self.calls.last_mut() else { return Ok(Yield::Done) };
            if call.current.mask == 0 && !next_group(cx.program, call) {
                self.leave(cx);
                continue;
            }
            if is_turn_over(cx.world, stop, call.current.mask)? {
                return Ok(Yield::Turn);
            }
            let code = &cx.program.functions[call.site.func.index()];
            let mask = call.current.mask;
            let mut frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, call.site.base, mask);
            let mut pc = call.current.pc as usize;
            let checks_races = frame.world.races.is_on();
            // straight-line code
            let micro = loop {
                let micro = &code.micros[pc];
                if is_control(&micro.op) {
                    break micro;
                }
                if checks_races {
                    frame.world.races.at = Some((call.site.func, micro.inst));
                }
                if let Err(error) = frame.step(&micro.op) {
                    call.current.pc = pc as u32;
                    return Err(error);
                }
                pc += 1;
                if micro.last {
                    call.site.finish(&mut frame, code, micro.inst, cx.observer);
                }
            };
            call.current.pc = pc as u32;
            match frame.control(&micro.op, pc as u32)? {
                Control::Leave { targets, is_choice } => {
                    call.site.finish(&mut frame, code, micro.inst, cx.observer);
                    if is_choice {
                        call.site.tell_branch(&frame, code, micro.inst, &targets, cx.observer);
                    }
                    leave_block(&mut frame, call, code, &targets);
                }
                Control::Jump(to) => {
                    frame.world.report.steps += 1;
                    call.current.pc = to;
                }
                Control::Collective { what, d, p, args } => {
                    if let Err(error) = frame.collective(what, d, p, &args) {
                        match error.kind {
                            FaultKind::SyncAbsentLane { absent, .. } if self.let_leave(cx.program, absent) => continue,
                            _ => return Err(error),
                        }
                    }
                    call.current.pc += 1;
                    // inline PTX may go on behind it; its results are complete at the end
                    if micro.last {
                        call.site.finish(&mut frame, code, micro.inst, cx.observer);
                    }
                }
                Control::Barrier(arrival) => {
                    if self.is_whole(cx.program, arrival)? {
                        return Ok(Yield::Barrier(arrival));
                    }
                }
                Control::Ret { a, count } => {
                    call.site.finish(&mut frame, code, micro.inst, cx.observer);
                    self.ret(cx, a, count);
                }
                Control::Exit => {
                    call.site.finish(&mut frame, code, micro.inst, cx.observer);
                    self.core.exited |= mask;
                    self.drop_exited();
                }
                Control::Call(target) => self.call(cx, target)?,
            }
        }
    }

    /// Whether all lanes of the warp are at the barrier; those that only have the end of the kernel ahead run first.
    fn is_whole(&mut self, program: &Program, Arrival { id, lanes: arrived, .. }: Arrival) -> Exec<bool> {
        let missing = self.core.running() & !arrived;
        if missing != 0 && !self.let_leave(program, missing) {
            let kind = FaultKind::BarrierDivergence { id, warp: self.core.index, arrived, missing };
            return trap(arrived.trailing_zeros(), kind);
        }
        Ok(missing == 0)
    }

    /// Runs a group of the kernel that has only the end ahead, if it contains one of the missing lanes.
    fn let_leave(&mut self, program: &Program, missing: u32) -> bool {
        let Some(kernel) = self.calls.first_mut() else { return false };
        let quiet = &program.functions[kernel.site.func.index()].quiet;
        let Some(at) = kernel.waiting.iter().position(|group| group.mask & missing != 0 && quiet[group.block as usize])
        else {
            return false;
        };
        let group = kernel.waiting.remove(at);
        let site = Site { iteration: iteration_name(&group.counts), ..kernel.site };
        self.push(site, Group { token: ROOT, ..group }, true);
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

    /// Lanes return: their values are written to the caller's slots, and their local variables die.
    fn ret<O: Observer>(&mut self, cx: &mut Run<'_, '_, O>, a: Src, count: u32) {
        let depth = self.calls.len();
        let Some(call) = self.calls.last_mut() else { return };
        let mask = std::mem::take(&mut call.current.mask);
        let (base, marks) = (call.site.base, call.stack_mark);
        if depth == 1 || call.leaving {
            self.core.exited |= mask;
            return;
        }
        let caller = &self.calls[depth - 2];
        let code = &cx.program.functions[caller.site.func.index()];
        let d = match &code.micros[caller.current.pc as usize].op {
            Op::Call(call) if call.results == count => call.d,
            _ => return,
        };
        let target = caller.site.base;
        let mut frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, base, mask);
        for i in 0..count {
            frame.return_slot(target, d + i, a + i);
        }
        for lane in lanes_of(mask) {
            frame.pop_local(lane, marks[lane]);
        }
    }

    /// The top activation has no lanes left: continue in the caller.
    fn leave<O: Observer>(&mut self, cx: &mut Run<'_, '_, O>) {
        self.calls.pop();
        let Some(call) = self.calls.last_mut() else { return };
        if call.call_todo != 0 || !call.in_call {
            return; // more targets of the same call
        }
        call.in_call = false;
        if call.current.mask == 0 {
            return; // every lane exited inside
        }
        self.go_on(cx, None);
    }

    /// Resumes the current group after its instruction; a barrier gives it a result and whether that is undefined.
    pub fn go_on<O: Observer>(&mut self, cx: &mut Run<'_, '_, O>, result: Option<(u64, bool)>) {
        let Some(call) = self.calls.last_mut() else { return };
        let code = &cx.program.functions[call.site.func.index()];
        let micro = &code.micros[call.current.pc as usize];
        call.current.pc += 1;
        let (base, mask) = (call.site.base, call.current.mask);
        let mut frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, base, mask);
        if let Some((result, undefined)) = result {
            frame.barrier_result(&micro.op, result, undefined);
        }
        call.site.finish(&mut frame, code, micro.inst, cx.observer);
    }

    /// Calls: lanes with the same target enter together, one target after the other.
    fn call<O: Observer>(&mut self, cx: &mut Run<'_, '_, O>, target: &CallCode) -> Exec<()> {
        let Some(call) = self.calls.last_mut() else { return Ok(()) };
        let (_, inst) = call.site.place(cx.program, call.current.pc);
        if !call.in_call {
            call.in_call = true;
            call.call_todo = call.current.mask;
        }
        let limit = cx.world.config.limits.calls;
        if call.site.depth >= limit {
            return trap(call.current.mask.trailing_zeros(), FaultKind::RecursionLimit { limit });
        }
        let (base, mask) = (call.site.base, call.call_todo);
        let mut frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, base, mask);
        let (func, lanes) = frame.call_target(cx.program, target)?;
        call.call_todo &= !lanes;
        frame.mask = lanes;
        let site = call.site.enter(&mut frame, cx.program, inst, (func, target), cx.observer);
        self.push(site, Group { mask: lanes, block: 0, pc: 0, counts: Counts::new(), token: ROOT }, false);
        Ok(())
    }
}

/// Makes the waiting group that is furthest behind the current one; returns false if there is none.
fn next_group(program: &Program, call: &mut Activation) -> bool {
    let flow = &program.functions[call.site.func.index()].flow;
    let waiting = &call.waiting;
    let best = (0..waiting.len()).reduce(|best, i| if behind(flow, &waiting[i], &waiting[best]) { i } else { best });
    let Some(best) = best else { return false };
    call.current = call.waiting.remove(best);
    call.site.iteration = iteration_name(&call.current.counts);
    true
}

/// Moves a group along an edge.
fn go(code: &FunctionCode, call: &mut Activation, group: &mut Group, edge: &Edge) {
    group.block = edge.to;
    group.pc = code.starts[edge.to as usize];
    edge.action.advance(&mut group.counts);
    // an edge into the next iteration ends the splits of this one; a meeting point ends its split
    while group.token != ROOT {
        let token = call.tokens[group.token as usize];
        let over = (edge.action.bump && token.depth >= u32::from(edge.action.keep)) || token.meet.contains(&edge.to);
        if !over {
            break;
        }
        group.token = token.parent;
    }
}

/// After the whole current group has moved: it continues if it is alone, else the group that is furthest behind runs.
fn settle(call: &mut Activation, group: Group) {
    if call.waiting.is_empty() {
        // a single group: nothing to merge with, nothing to choose
        call.current = Group { token: ROOT, ..group };
        call.tokens.clear();
        call.site.iteration = iteration_name(&call.current.counts);
        return;
    }
    settle_all(call, [group]);
}

/// Adds groups that have just moved to the waiting ones, and merges those that meet.
fn settle_all(call: &mut Activation, groups: impl IntoIterator<Item = Group>) {
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

/// The current group leaves its block, split by the edges that its lanes take.
fn leave_block(frame: &mut Frame<'_, '_>, call: &mut Activation, code: &FunctionCode, targets: &Targets) {
    let from = call.current.block;
    let mut taken = targets.iter().filter(|&&(_, lanes)| lanes != 0);
    if let (Some(&(edge, lanes)), None) = (taken.next(), taken.next()) {
        debug_assert_eq!(lanes, call.current.mask);
        let edge = &code.edges[edge as usize];
        frame.moves(edge);
        let placeholder = Group { mask: 0, block: 0, pc: 0, counts: Counts::new(), token: ROOT };
        let mut group = std::mem::replace(&mut call.current, placeholder);
        go(code, call, &mut group, edge);
        settle(call, group);
        return;
    }
    let mut token = call.current.token;
    if frame.world.config.reconvergence == Reconvergence::PostDominator {
        let meet = [&code.flow.post_dominator, &code.flow.meeting].map(|meets| meets[from as usize]);
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
    settle_all(call, groups);
}

/// Whether a warp has executed what it may in its turn; a fault if the launch has executed what it may altogether.
#[inline]
fn is_turn_over(world: &World<'_>, stop: u64, mask: u32) -> Exec<bool> {
    if world.report.steps >= world.config.limits.steps {
        return trap(mask.trailing_zeros(), FaultKind::StepLimit { limit: world.config.limits.steps });
    }
    Ok(world.report.steps >= stop)
}
