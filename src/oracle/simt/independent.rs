//! How are lanes scheduled if each runs by itself, as Volta and later GPUs allow?
//!
//! Every lane has its own program counter and call stack. In each turn a seeded generator picks a lane and how many
//! instructions it executes. Code that relies on lanes advancing together without synchronising gives different results
//! here than in lockstep, for some seed.
//!
//! A `.sync` operation waits until all lanes of its mask that have not exited execute the same operation with the same
//! mask, wherever in the program that is. A barrier waits for all threads of the block that have not exited, or for its
//! thread count. Operations without a mask (`activemask`, pre-Volta votes and shuffles) see only the lane itself. If no
//! lane can run, the fault of the first waiting lane says which lanes are missing.
//!
//! Micro-operations are those of the lockstep machine, with a mask of one lane.

use super::code::*;
use super::collective::{self, Results};
use super::control::{Arrival, Control, Site, completed, is_control};
use super::fault::{Exec, FaultKind, Trap, trap};
use super::groups::Counts;
use super::machine::{Program, Run, Stop, Stopped, World};
use super::observe::{Observer, iteration_name, mix};
use super::warp::{Frame, Warp, among, lanes_of};
use warpwise_ir::llvm::image::{FuncId, ModuleImage};

/// Maximum number of instructions that a lane executes in one turn; small, so that interleavings are fine-grained.
const MAX_TURN: u64 = 12;

/// A call in progress of one lane.
#[derive(Debug)]
struct Call {
    site: Site,
    pc: u32,
    counts: Counts,
    stack_mark: u32,
}

/// The state of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Ready,
    /// Waiting at a collective with this mask.
    Collective(Collective, u32),
    Barrier(Arrival),
    Done,
}

#[derive(Debug)]
struct Lane {
    calls: Vec<Call>,
    state: State,
}

/// A warp whose lanes run independently.
#[derive(Debug)]
struct LooseWarp {
    core: Warp,
    lanes: Vec<Lane>,
}

/// The generator: SplitMix64, so that a seed has the same effect everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0, 0) % bound.max(1)
    }
}

/// Runs one block.
pub(super) fn block<O: Observer>(
    cx: &mut Run<'_, '_, O>,
    kernel: FuncId,
    args: &[u64],
    seed: u64,
) -> Result<(), Stopped> {
    let mut random = Random(mix(seed, u64::from(cx.world.block_number)));
    let mut warps: Vec<LooseWarp> = cx.warps(kernel, args).map(|warp| LooseWarp::new(warp, kernel)).collect();
    let mut ready: Vec<(usize, usize)> = Vec::new();
    for (number, warp) in warps.iter().enumerate() {
        ready.extend(lanes_of(warp.core.lanes).map(|lane| (number, lane)));
    }
    let mut early: Vec<(u32, u32)> = Vec::new();
    while !ready.is_empty() {
        let pick = random.below(ready.len() as u64) as usize;
        let turn = 1 + random.below(MAX_TURN);
        let (number, lane) = ready[pick];
        let warp = &mut warps[number];
        if let Err(trap) = warp.run(lane, cx, turn) {
            return Err(warp.stop(lane, cx.program, cx.world.image, trap));
        }
        if warp.lanes[lane].state == State::Ready {
            continue;
        }
        ready.swap_remove(pick);
        let mut woken = Vec::new();
        warp.wake_collectives(cx, |lane| woken.push((number, lane)));
        wake_barriers(cx, &mut warps, &mut early, |place| woken.push(place));
        ready.extend(woken);
        if ready.is_empty()
            && let Some(stopped) = stuck(cx.program, cx.world, &warps)
        {
            return Err(stopped);
        }
    }
    Ok(())
}

/// Why no lane can run although some wait.
fn stuck(program: &Program, world: &World<'_>, warps: &[LooseWarp]) -> Option<Stopped> {
    for warp in warps {
        for lane in lanes_of(warp.core.running()) {
            let kind = match warp.lanes[lane].state {
                State::Collective(what, mask) => {
                    let others = mask & warp.core.running();
                    let absent = among(others, |other| warp.lanes[other].state != State::Collective(what, mask));
                    let elsewhere = lanes_of(absent).find_map(|other| match warp.lanes[other].state {
                        State::Collective(_, second) if second != mask => Some(second),
                        _ => None,
                    });
                    match elsewhere {
                        Some(second) => FaultKind::SyncMaskMismatch { first: mask, second },
                        None => FaultKind::SyncAbsentLane { mask, absent },
                    }
                }
                State::Barrier(arrival) => {
                    let at_it = |lane: &&Lane| matches!(lane.state, State::Barrier(other) if other.id == arrival.id);
                    let arrived = warps.iter().flat_map(|warp| &warp.lanes).filter(at_it).count() as u32;
                    let all = world.config.block.iter().product();
                    let expected = if arrival.count == 0 { all } else { arrival.count };
                    FaultKind::Deadlock { id: arrival.id, arrived, expected }
                }
                State::Ready | State::Done => continue,
            };
            let trap = Box::new(Trap { lane: lane as u32, kind });
            return Some(warp.stop(lane, program, world.image, trap));
        }
    }
    None
}

/// Releases complete barriers.
fn wake_barriers<O: Observer>(
    cx: &mut Run<'_, '_, O>,
    warps: &mut [LooseWarp],
    early: &mut Vec<(u32, u32)>,
    mut woken: impl FnMut((usize, usize)),
) {
    // arrivals that do not wait
    for (number, warp) in warps.iter_mut().enumerate() {
        for lane in 0..LANES {
            if let State::Barrier(arrival) = warp.lanes[lane].state
                && arrival.what == BarrierKind::Arrive
            {
                early.push((arrival.id, 1));
                warp.go_on(lane, cx, None);
                woken((number, lane));
            }
        }
    }
    let arrival_of = |lane: &Lane| if let State::Barrier(arrival) = lane.state { Some(arrival) } else { None };
    let waiting: Vec<_> =
        warps.iter().map(|warp| (warp.core.running(), warp.lanes.iter().filter_map(arrival_of).collect())).collect();
    for barrier in completed(early, &waiting) {
        cx.world.races.barrier();
        for (number, warp) in warps.iter_mut().enumerate() {
            for lane in 0..LANES {
                let State::Barrier(arrival) = warp.lanes[lane].state else { continue };
                if arrival.id == barrier.id {
                    let result = Some((barrier.result(arrival.what), barrier.undefined));
                    warp.go_on(lane, cx, result);
                    woken((number, lane));
                }
            }
        }
    }
}

impl LooseWarp {
    fn new(core: Warp, kernel: FuncId) -> LooseWarp {
        let lanes = (0..LANES)
            .map(|lane| {
                let exists = core.lanes >> lane & 1 != 0;
                let (site, stack_mark) = (Site::kernel(kernel), core.stack[lane]);
                let call = Call { site, pc: 0, counts: Counts::new(), stack_mark };
                Lane { calls: vec![call], state: if exists { State::Ready } else { State::Done } }
            })
            .collect();
        LooseWarp { core, lanes }
    }

    /// A trap where a lane is.
    fn stop(&self, lane: usize, program: &Program, image: &ModuleImage, trap: Box<Trap>) -> Stopped {
        Stop::new(program, image, &self.core, self.lanes[lane].calls.last().map(|call| (call.site, call.pc)), trap)
    }

    /// Runs one lane for a turn, or until it waits or ends.
    fn run<O: Observer>(&mut self, lane: usize, cx: &mut Run<'_, '_, O>, turn: u64) -> Exec<()> {
        let bit = 1u32 << lane;
        let stop = cx.world.report.steps + turn;
        while cx.world.report.steps < stop && self.lanes[lane].state == State::Ready {
            if cx.world.report.steps >= cx.world.config.limits.steps {
                return trap(lane as u32, FaultKind::StepLimit { limit: cx.world.config.limits.steps });
            }
            let Some(call) = self.lanes[lane].calls.last_mut() else { return Ok(()) };
            let site = call.site;
            let code = &cx.program.functions[site.func.index()];
            let micro = &code.micros[call.pc as usize];
            let mut frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, site.base, bit);
            if !is_control(&micro.op) {
                frame.world.races.at = Some((site.func, micro.inst));
                frame.step(&micro.op)?;
                call.pc += 1;
                if micro.last {
                    site.finish(&mut frame, code, micro.inst, cx.observer);
                }
                continue;
            }
            match frame.control(&micro.op, call.pc)? {
                Control::Leave { targets, is_choice } => {
                    site.finish(&mut frame, code, micro.inst, cx.observer);
                    if is_choice {
                        site.tell_branch(&frame, code, micro.inst, &targets, cx.observer);
                    }
                    let taken = targets.iter().find(|target| target.1 != 0).unwrap_or(&targets[0]).0;
                    let edge = &code.edges[taken as usize];
                    frame.moves(edge);
                    call.pc = code.starts[edge.to as usize];
                    edge.action.advance(&mut call.counts);
                    call.site.iteration = iteration_name(&call.counts);
                }
                Control::Jump(to) => {
                    frame.world.report.steps += 1;
                    call.pc = to;
                }
                Control::Collective { what, d, p, args } => {
                    if let Some(mask) = alone(&mut frame, what, (d, p), &args)? {
                        self.lanes[lane].state = State::Collective(what, mask);
                        continue;
                    }
                    call.pc += 1;
                    if micro.last {
                        site.finish(&mut frame, code, micro.inst, cx.observer);
                    }
                }
                Control::Barrier(arrival) => self.lanes[lane].state = State::Barrier(arrival),
                Control::Exit => {
                    site.finish(&mut frame, code, micro.inst, cx.observer);
                    self.core.exited |= bit;
                    self.lanes[lane].state = State::Done;
                }
                Control::Ret { a, count } => {
                    site.finish(&mut frame, code, micro.inst, cx.observer);
                    self.ret(lane, cx, a, count);
                }
                Control::Call(target) => {
                    let limit = frame.world.config.limits.calls;
                    if site.depth >= limit {
                        return trap(lane as u32, FaultKind::RecursionLimit { limit });
                    }
                    let (func, _) = frame.call_target(cx.program, target)?;
                    let site = site.enter(&mut frame, cx.program, micro.inst, (func, target), cx.observer);
                    let stack_mark = self.core.stack[lane];
                    self.lanes[lane].calls.push(Call { site, pc: 0, counts: Counts::new(), stack_mark });
                }
            }
        }
        Ok(())
    }

    fn ret<O: Observer>(&mut self, lane: usize, cx: &mut Run<'_, '_, O>, a: Src, count: u32) {
        let Some(done) = self.lanes[lane].calls.pop() else { return };
        let Some(caller) = self.lanes[lane].calls.last_mut() else {
            self.lanes[lane].calls.push(done);
            self.core.exited |= 1 << lane;
            self.lanes[lane].state = State::Done;
            return;
        };
        let code = &cx.program.functions[caller.site.func.index()];
        let micro = &code.micros[caller.pc as usize];
        let mut frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, done.site.base, 1 << lane);
        if let Op::Call(target) = &micro.op
            && target.results == count
        {
            for i in 0..count {
                frame.return_slot(caller.site.base, target.d + i, a + i);
            }
        }
        frame.pop_local(lane, done.stack_mark);
        frame.base = caller.site.base;
        caller.pc += 1;
        caller.site.finish(&mut frame, code, micro.inst, cx.observer);
    }

    /// Resumes a lane after the instruction at which it waited; a barrier gives it a result and whether that is
    /// undefined.
    fn go_on<O: Observer>(&mut self, lane: usize, cx: &mut Run<'_, '_, O>, result: Option<(u64, bool)>) {
        let Lane { calls, state } = &mut self.lanes[lane];
        *state = State::Ready;
        let Some(call) = calls.last_mut() else { return };
        let code = &cx.program.functions[call.site.func.index()];
        let micro = &code.micros[call.pc as usize];
        call.pc += 1;
        let base = call.site.base;
        let mut frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, base, 1 << lane);
        if let Some((result, undefined)) = result {
            frame.barrier_result(&micro.op, result, undefined);
        }
        if micro.last {
            call.site.finish(&mut frame, code, micro.inst, cx.observer);
        }
    }

    /// Executes collectives whose lanes have all arrived.
    fn wake_collectives<O: Observer>(&mut self, cx: &mut Run<'_, '_, O>, mut woken: impl FnMut(usize)) {
        for first in 0..LANES {
            let State::Collective(what, mask) = self.lanes[first].state else { continue };
            let group = mask & self.core.running();
            let complete = lanes_of(group).all(|lane| self.lanes[lane].state == State::Collective(what, mask));
            if !complete {
                continue;
            }
            // each lane has the operands of its own instruction
            let mut operands = collective::Operands::default();
            for lane in lanes_of(group) {
                let Some((base, args, ..)) = self.collective_of(lane, cx.program) else { continue };
                let frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, base, 1 << lane);
                let own = frame.collective_operands(&args);
                for i in 0..args.len() {
                    operands.values[i][lane] = own.values[i][lane];
                    operands.undef[i] |= own.undef[i];
                }
            }
            let mut results = Results::default();
            collective::compute(what, group, &operands, &mut results);
            if what == Collective::WarpSync {
                cx.world.races.warp_sync(self.core.index);
            }
            for lane in lanes_of(group) {
                if let Some((base, _, d, p)) = self.collective_of(lane, cx.program) {
                    let mut frame = Frame::new(&cx.program.pool, &mut self.core, cx.world, base, 1 << lane);
                    frame.collective_results(d, p, what, &results);
                }
                self.go_on(lane, cx, None);
                woken(lane);
            }
        }
    }

    /// Frame, operands and results of the collective at which a lane waits.
    fn collective_of(&self, lane: usize, program: &Program) -> Option<(usize, [Src; 4], Dst, Dst)> {
        let call = self.lanes[lane].calls.last()?;
        match &program.functions[call.site.func.index()].micros[call.pc as usize].op {
            Op::Collective { d, p, args, .. } => Some((call.site.base, *args, *d, *p)),
            _ => None,
        }
    }
}

/// Executes a collective that need not wait, or returns the mask of the lanes for which it waits.
fn alone(frame: &mut Frame<'_, '_>, what: Collective, (d, p): (Dst, Dst), args: &[Src; 4]) -> Exec<Option<u32>> {
    let (bit, lane) = (frame.mask, frame.first_lane());
    let operands = frame.collective_operands(args);
    if operands.undef[0] & bit != 0 {
        return trap(lane, FaultKind::Undef { usage: "the mask of a .sync operation" });
    }
    let mask = operands.values[0][lane as usize];
    if collective::is_maskless(mask) {
        let mut results = Results::default();
        collective::compute(what, bit, &operands, &mut results);
        frame.collective_results(d, p, what, &results);
        return Ok(None);
    }
    let mask = mask as u32;
    if mask & bit == 0 { trap(lane, FaultKind::SyncNotInMask { lane, mask }) } else { Ok(Some(mask)) }
}
