//! How do lanes run when each goes its own way, as Volta and later allow?
//!
//! Every lane has its own program counter and call stack; at each turn a seeded generator picks a lane and how many
//! instructions it executes. Code that relies on lanes advancing together without a synchronisation gives other results
//! here than in lockstep, for some seed.
//!
//! A `.sync` operation waits for all lanes of its mask that have not exited, wherever in the program they execute the same
//! operation with the same mask; a barrier waits for all threads of the block that have not exited, or for as many as it
//! counts. Operations without a mask (`activemask`, pre-Volta votes and shuffles) see the lane alone. When no lane can
//! run, the first one that waits is told of who is missing.
//!
//! Micro-operations are those of the lockstep machine, for a mask of one lane.

use super::code::*;
use super::collective::{self, Results};
use super::fault::{Exec, FaultKind, Trap, trap};
use super::lockstep::{Arrival, check_target, is_control};
use super::machine::{Program, Stop, Stopped, World, reduction, warps_of};
use super::observe::{LaneValues, Observer, StepContext, iteration_name, mix};
use super::warp::{Frame, Warp, lanes_of};
use crate::llvm::image::FuncId;
use smallvec::SmallVec;

/// Most instructions a lane executes in one turn; small, so that interleavings are fine.
const LONGEST_TURN: u64 = 12;

/// A call in progress of one lane.
#[derive(Debug)]
struct Call {
    func: FuncId,
    base: usize,
    pc: u32,
    block: u32,
    counts: SmallVec<[u32; 4]>,
    stack_mark: u32,
    call_path: u64,
    iteration: u64,
}

/// What a lane is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Ready,
    /// At a collective with that mask.
    Collective(Collective, u32),
    Barrier(Arrival),
    Done,
}

#[derive(Debug)]
struct Lane {
    calls: Vec<Call>,
    state: State,
}

/// A warp of lanes that go their own ways.
#[derive(Debug)]
struct LooseWarp {
    core: Warp,
    lanes: Vec<Lane>,
}

/// The generator: SplitMix64, so that a seed means the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0, 0) % bound.max(1)
    }
}

/// Runs one block.
pub(super) fn block<O: Observer>(
    program: &Program,
    kernel: FuncId,
    args: &[u64],
    world: &mut World<'_>,
    observer: &mut O,
    seed: u64,
) -> Result<(), Stopped> {
    let mut random = Random(mix(seed, u64::from(world.block_number)));
    let mut warps: Vec<LooseWarp> = (0..warps_of(world.block_dim))
        .map(|index| LooseWarp::new(Warp::new(index, world.block_dim), program, kernel, args))
        .collect();
    let mut ready: Vec<(usize, usize)> = Vec::new();
    for (number, warp) in warps.iter().enumerate() {
        ready.extend(lanes_of(warp.core.lanes).map(|lane| (number, lane)));
    }
    let mut early: Vec<(u32, u32)> = Vec::new();
    while !ready.is_empty() {
        let pick = random.below(ready.len() as u64) as usize;
        let turn = 1 + random.below(LONGEST_TURN);
        let (number, lane) = ready[pick];
        let warp = &mut warps[number];
        if let Err(trap) = warp.run(lane, program, world, observer, turn) {
            return Err(Box::new(Stop { trap, tid: warp.core.tid, place: warp.place(lane, program) }));
        }
        if warp.lanes[lane].state == State::Ready {
            continue;
        }
        ready.swap_remove(pick);
        let mut woken = Vec::new();
        warp.wake_collectives(program, world, observer, |lane| woken.push((number, lane)));
        wake_barriers(program, world, observer, &mut warps, &mut early, |place| woken.push(place));
        ready.extend(woken);
        if ready.is_empty()
            && let Some(stopped) = stuck(program, world, &warps)
        {
            return Err(stopped);
        }
    }
    Ok(())
}

/// Why nobody can run although somebody waits.
fn stuck(program: &Program, world: &World<'_>, warps: &[LooseWarp]) -> Option<Stopped> {
    for warp in warps {
        for lane in lanes_of(warp.core.running()) {
            let kind = match warp.lanes[lane].state {
                State::Collective(what, mask) => {
                    let others = mask & warp.core.running();
                    let with_me =
                        lanes_of(others).filter(|&other| warp.lanes[other].state == State::Collective(what, mask));
                    let absent = others & !with_me.fold(0u32, |set, other| set | 1 << other);
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
                    let all = world.block_dim.iter().product();
                    let expected = if arrival.count == 0 { all } else { arrival.count };
                    FaultKind::Deadlock { id: arrival.id, arrived, expected }
                }
                State::Ready | State::Done => continue,
            };
            let trap = Box::new(Trap { lane: lane as u32, kind });
            return Some(Box::new(Stop { trap, tid: warp.core.tid, place: warp.place(lane, program) }));
        }
    }
    None
}

/// Lets complete barriers go.
fn wake_barriers<O: Observer>(
    program: &Program,
    world: &mut World<'_>,
    observer: &mut O,
    warps: &mut [LooseWarp],
    early: &mut Vec<(u32, u32)>,
    mut woken: impl FnMut((usize, usize)),
) {
    // Arrivals that do not wait.
    for (number, warp) in warps.iter_mut().enumerate() {
        for lane in 0..LANES {
            if let State::Barrier(arrival) = warp.lanes[lane].state
                && arrival.what == BarrierKind::Arrive
            {
                early.push((arrival.id, 1));
                warp.go_on(lane, program, world, observer);
                woken((number, lane));
            }
        }
    }
    let mut ids: Vec<u32> = Vec::new();
    for lane in warps.iter().flat_map(|warp| &warp.lanes) {
        if let State::Barrier(arrival) = lane.state
            && !ids.contains(&arrival.id)
        {
            ids.push(arrival.id);
        }
    }
    for id in ids {
        let (mut arrived, mut threads, mut holds, mut count, mut undefined) = (0u32, 0u32, 0u32, 0u32, false);
        let mut everybody = true;
        for warp in warps.iter() {
            let mut here = 0u32;
            for lane in lanes_of(warp.core.running()) {
                if let State::Barrier(arrival) = warp.lanes[lane].state
                    && arrival.id == id
                {
                    here |= 1 << lane;
                    holds += u32::from(arrival.holds != 0);
                    count = count.max(arrival.count);
                    undefined |= arrival.undefined;
                }
            }
            threads += here.count_ones();
            everybody &= here == warp.core.running();
            // A warp that is there as a whole counts as 32 threads, however many it has.
            arrived += if here != 0 && here == warp.core.running() { LANES as u32 } else { here.count_ones() };
        }
        let before: u32 = early.iter().filter(|entry| entry.0 == id).map(|entry| entry.1).sum();
        let complete = if count == 0 { everybody } else { arrived + before >= count };
        if !complete {
            continue;
        }
        world.races.barrier();
        early.retain(|entry| entry.0 != id);
        for (number, warp) in warps.iter_mut().enumerate() {
            for lane in 0..LANES {
                let State::Barrier(arrival) = warp.lanes[lane].state else { continue };
                if arrival.id == id {
                    warp.barrier_result(lane, program, world, reduction(arrival.what, holds, threads), undefined);
                    warp.go_on(lane, program, world, observer);
                    woken((number, lane));
                }
            }
        }
    }
}

impl LooseWarp {
    fn new(mut core: Warp, program: &Program, kernel: FuncId, args: &[u64]) -> LooseWarp {
        let code = &program.functions[kernel.index()];
        core.regs.grow(code.slots as usize);
        for (slot, &value) in args.iter().enumerate() {
            core.regs.values[slot] = [value; LANES];
        }
        let lanes = (0..LANES)
            .map(|lane| {
                let exists = core.lanes >> lane & 1 != 0;
                let call = Call {
                    func: kernel,
                    base: 0,
                    pc: 0,
                    block: 0,
                    counts: SmallVec::new(),
                    stack_mark: core.stack[lane],
                    call_path: 0,
                    iteration: iteration_name(&[]),
                };
                Lane { calls: vec![call], state: if exists { State::Ready } else { State::Done } }
            })
            .collect();
        LooseWarp { core, lanes }
    }

    fn place(&self, lane: usize, program: &Program) -> (FuncId, u32) {
        match self.lanes[lane].calls.last() {
            Some(call) => {
                let micros = &program.functions[call.func.index()].micros;
                (call.func, micros.get(call.pc as usize).map_or(0, |micro| micro.inst))
            }
            None => (FuncId(0), 0),
        }
    }

    /// Runs one lane for a turn, or until it waits or ends.
    fn run<O: Observer>(
        &mut self,
        lane: usize,
        program: &Program,
        world: &mut World<'_>,
        observer: &mut O,
        turn: u64,
    ) -> Exec<()> {
        let bit = 1u32 << lane;
        let stop = world.steps + turn;
        while world.steps < stop && self.lanes[lane].state == State::Ready {
            if world.steps >= world.limits.steps {
                return trap(lane as u32, FaultKind::StepLimit { limit: world.limits.steps });
            }
            let depth = self.lanes[lane].calls.len();
            let Some(call) = self.lanes[lane].calls.last_mut() else { return Ok(()) };
            let code = &program.functions[call.func.index()];
            let micro = &code.micros[call.pc as usize];
            let mut frame = Frame { pool: &program.pool, warp: &mut self.core, world, base: call.base, mask: bit };
            if !is_control(&micro.op) {
                frame.step(&micro.op)?;
                call.pc += 1;
                if micro.last {
                    finish(&mut frame, call, code, micro.inst, depth, observer);
                }
                continue;
            }
            match &micro.op {
                Op::Br { edge } => {
                    finish(&mut frame, call, code, micro.inst, depth, observer);
                    take(&mut frame, call, code, *edge);
                }
                Op::CondBr { c, yes, no } => {
                    let taken = frame.truth(*c)?;
                    finish(&mut frame, call, code, micro.inst, depth, observer);
                    let targets = [(*yes, taken), (*no, bit & !taken)];
                    told(&frame, call, code, micro.inst, depth, observer, &targets);
                    take(&mut frame, call, code, if taken != 0 { *yes } else { *no });
                }
                Op::Switch(switch) => {
                    let targets = frame.cases(switch)?;
                    finish(&mut frame, call, code, micro.inst, depth, observer);
                    told(&frame, call, code, micro.inst, depth, observer, &targets);
                    let chosen = targets.iter().find(|target| target.1 != 0).map_or(switch.default, |target| target.0);
                    take(&mut frame, call, code, chosen);
                }
                Op::Collective { what, d, p, args } => {
                    let operands = frame.collective_operands(args);
                    if operands.undef[0] & bit != 0 {
                        return trap(lane as u32, FaultKind::Undef { usage: "the mask of a .sync operation" });
                    }
                    let mask = operands.values[0][lane];
                    if collective::is_maskless(mask) {
                        let mut results = blank();
                        collective::compute(*what, bit, &operands, &mut results);
                        frame.collective_results(*d, *p, *what, &results);
                        call.pc += 1;
                        finish(&mut frame, call, code, micro.inst, depth, observer);
                        continue;
                    }
                    let mask = mask as u32;
                    if mask & bit == 0 {
                        return trap(lane as u32, FaultKind::SyncNotInMask { lane: lane as u32, mask });
                    }
                    self.lanes[lane].state = State::Collective(*what, mask);
                }
                Op::Jump { c, negated, to, masked } => {
                    let taken = frame.jumps(*c, *negated, *masked)?;
                    frame.world.steps += 1;
                    call.pc = if taken { *to } else { call.pc + 1 };
                }
                Op::Barrier { what, d: _, id, count, predicate } => {
                    if frame.undef(*id) | frame.undef(*count) != 0 {
                        return trap(lane as u32, FaultKind::Undef { usage: "a barrier's number or count" });
                    }
                    let arrival = Arrival {
                        what: *what,
                        id: frame.get(*id)[lane] as u32,
                        count: frame.get(*count)[lane] as u32,
                        lanes: bit,
                        holds: if frame.get(*predicate)[lane] & 1 != 0 { bit } else { 0 },
                        undefined: frame.undef(*predicate) != 0,
                    };
                    self.lanes[lane].state = State::Barrier(arrival);
                }
                Op::Exit => {
                    finish(&mut frame, call, code, micro.inst, depth, observer);
                    self.core.exited |= bit;
                    self.lanes[lane].state = State::Done;
                }
                Op::Ret { a, count } => {
                    finish(&mut frame, call, code, micro.inst, depth, observer);
                    self.ret(lane, program, world, observer, *a, *count);
                }
                Op::Call(target) => {
                    let limit = frame.world.limits.calls;
                    if depth as u32 > limit {
                        return trap(lane as u32, FaultKind::RecursionLimit { limit });
                    }
                    let func = match target.target {
                        Some(func) => func,
                        None => {
                            let number = frame.callee(target.pointer, lane)?;
                            check_target(program, number, target, frame.get(target.pointer)[lane], lane)?;
                            FuncId(number)
                        }
                    };
                    let callee = &program.functions[func.index()];
                    let base = call.base + code.slots as usize;
                    frame.warp.regs.grow(base + callee.slots as usize);
                    for (i, &a) in target.args.iter().enumerate() {
                        frame.return_slot(base, i as u32, a);
                    }
                    let site = u64::from(call.func.0) << 32 | u64::from(micro.inst);
                    let call_path = mix(mix(mix(call.call_path, site), call.iteration), u64::from(func.0));
                    let stack_mark = frame.warp.stack[lane];
                    self.lanes[lane].calls.push(Call {
                        func,
                        base,
                        pc: 0,
                        block: 0,
                        counts: SmallVec::new(),
                        stack_mark,
                        call_path,
                        iteration: iteration_name(&[]),
                    });
                    if O::ACTIVE
                        && let Some(call) = self.lanes[lane].calls.last()
                    {
                        let frame = Frame { pool: &program.pool, warp: &mut self.core, world, base, mask: bit };
                        let range = base..base + target.args.len();
                        let values = &frame.warp.regs.values[range.clone()];
                        let args = LaneValues { slots: values, undef: &frame.warp.regs.undef[range] };
                        observer.enter(&context(&frame, call, 0, depth + 1), &args);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn ret<O: Observer>(
        &mut self,
        lane: usize,
        program: &Program,
        world: &mut World<'_>,
        observer: &mut O,
        a: Src,
        count: u32,
    ) {
        let Some(done) = self.lanes[lane].calls.pop() else { return };
        let depth = self.lanes[lane].calls.len();
        let Some(caller) = self.lanes[lane].calls.last_mut() else {
            self.lanes[lane].calls.push(done);
            self.core.exited |= 1 << lane;
            self.lanes[lane].state = State::Done;
            return;
        };
        let code = &program.functions[caller.func.index()];
        let micro = &code.micros[caller.pc as usize];
        let mut frame = Frame { pool: &program.pool, warp: &mut self.core, world, base: done.base, mask: 1 << lane };
        if let Op::Call(target) = &micro.op
            && target.results == count
        {
            for i in 0..count {
                frame.return_slot(caller.base, target.d + i, a + i);
            }
        }
        frame.pop_local(lane, done.stack_mark);
        frame.base = caller.base;
        caller.pc += 1;
        finish(&mut frame, caller, code, micro.inst, depth, observer);
    }

    /// A lane that waited goes on behind its instruction.
    fn go_on<O: Observer>(&mut self, lane: usize, program: &Program, world: &mut World<'_>, observer: &mut O) {
        self.lanes[lane].state = State::Ready;
        let depth = self.lanes[lane].calls.len();
        let Some(call) = self.lanes[lane].calls.last_mut() else { return };
        let code = &program.functions[call.func.index()];
        let inst = code.micros[call.pc as usize].inst;
        call.pc += 1;
        let mut frame = Frame { pool: &program.pool, warp: &mut self.core, world, base: call.base, mask: 1 << lane };
        finish(&mut frame, call, code, inst, depth, observer);
    }

    fn barrier_result(&mut self, lane: usize, program: &Program, world: &mut World<'_>, result: u64, undefined: bool) {
        let Some(call) = self.lanes[lane].calls.last() else { return };
        let micro = &program.functions[call.func.index()].micros[call.pc as usize];
        if let Op::Barrier { what: BarrierKind::And | BarrierKind::Or | BarrierKind::Popcount, d, .. } = micro.op {
            let mut frame =
                Frame { pool: &program.pool, warp: &mut self.core, world, base: call.base, mask: 1 << lane };
            frame.put_lane(d, lane, result, if undefined { u64::MAX } else { 0 });
        }
    }

    /// Executes collectives whose lanes are all there.
    fn wake_collectives<O: Observer>(
        &mut self,
        program: &Program,
        world: &mut World<'_>,
        observer: &mut O,
        mut woken: impl FnMut(usize),
    ) {
        for first in 0..LANES {
            let State::Collective(what, mask) = self.lanes[first].state else { continue };
            let group = mask & self.core.running();
            let complete = lanes_of(group).all(|lane| self.lanes[lane].state == State::Collective(what, mask));
            if !complete {
                continue;
            }
            // Each lane brings the operands of its own instruction.
            let mut operands = collective::Operands::default();
            for lane in lanes_of(group) {
                let Some((base, args, ..)) = self.collective_of(lane, program) else { continue };
                let frame = Frame { pool: &program.pool, warp: &mut self.core, world, base, mask: 1 << lane };
                let own = frame.collective_operands(&args);
                for i in 0..args.len() {
                    operands.values[i][lane] = own.values[i][lane];
                    operands.undef[i] |= own.undef[i];
                }
            }
            let mut results = blank();
            collective::compute(what, group, &operands, &mut results);
            if what == Collective::WarpSync {
                world.races.warp_sync(self.core.index);
            }
            for lane in lanes_of(group) {
                if let Some((base, _, d, p)) = self.collective_of(lane, program) {
                    let mut frame = Frame { pool: &program.pool, warp: &mut self.core, world, base, mask: 1 << lane };
                    frame.collective_results(d, p, what, &results);
                }
                self.go_on(lane, program, world, observer);
                woken(lane);
            }
        }
    }

    /// Frame, operands and results of the collective a lane waits at.
    fn collective_of(&self, lane: usize, program: &Program) -> Option<(usize, [Src; 4], Dst, Dst)> {
        let call = self.lanes[lane].calls.last()?;
        match &program.functions[call.func.index()].micros[call.pc as usize].op {
            Op::Collective { d, p, args, .. } => Some((call.base, *args, *d, *p)),
            _ => None,
        }
    }
}

fn blank() -> Results {
    Results { value: [0; LANES], value_undef: 0, second: [0; LANES], second_undef: 0 }
}

/// Moves a lane along an edge.
fn take(frame: &mut Frame<'_, '_>, call: &mut Call, code: &FunctionCode, edge: u32) {
    let edge = &code.edges[edge as usize];
    frame.moves(edge);
    call.block = edge.to;
    call.pc = code.starts[edge.to as usize];
    edge.action.advance(&mut call.counts);
    call.iteration = iteration_name(&call.counts);
}

fn context<'a>(frame: &'a Frame<'_, '_>, call: &Call, inst: u32, depth: usize) -> StepContext<'a> {
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
        depth: depth as u32 - 1,
    }
}

fn told<O: Observer>(
    frame: &Frame<'_, '_>,
    call: &Call,
    code: &FunctionCode,
    inst: u32,
    depth: usize,
    observer: &mut O,
    targets: &[(u32, u32)],
) {
    if O::ACTIVE {
        let named: SmallVec<[(u32, u32); 4]> =
            targets.iter().map(|&(edge, lanes)| (code.edges[edge as usize].to, lanes)).collect();
        observer.branch(&context(frame, call, inst, depth), &named);
    }
}

/// Counts an instruction and tells the observer.
fn finish<O: Observer>(
    frame: &mut Frame<'_, '_>,
    call: &Call,
    code: &FunctionCode,
    inst: u32,
    depth: usize,
    observer: &mut O,
) {
    frame.world.steps += 1;
    frame.world.lane_steps += 1;
    if O::ACTIVE {
        let (first, count) = code.results[inst as usize];
        let range = call.base + first as usize..call.base + (first + count) as usize;
        let values = LaneValues { slots: &frame.warp.regs.values[range.clone()], undef: &frame.warp.regs.undef[range] };
        observer.inst(&context(frame, call, inst, depth), &values);
    }
}
