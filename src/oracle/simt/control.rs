//! What does a control instruction request from a scheduler, and what do both schedulers report to the observer?
//!
//! [`Frame::control`] evaluates operands and decides; the scheduler moves its lanes. A [`Site`] identifies the
//! activation of a group of lanes, or of a single lane.

use super::code::*;
use super::fault::{Exec, FaultKind, trap};
use super::machine::Program;
use super::observe::{LaneValues, Observer, StepContext, iteration_name, mix};
use super::warp::{Frame, Regs, lanes_of};
use smallvec::{SmallVec, smallvec};
use warpwise_ir::llvm::image::{FuncId, ModuleImage, Operand};

/// Edges in successor order, each with the lanes that take it.
pub(super) type Targets = SmallVec<[(u32, u32); 2]>;

/// What a scheduler has to do next.
pub(super) enum Control<'c> {
    /// Lanes leave the block; `is_choice` if the instruction could have sent them elsewhere.
    Leave {
        targets: Targets,
        is_choice: bool,
    },
    /// All lanes continue at a micro-operation of the same instruction.
    Jump(u32),
    Collective {
        what: Collective,
        d: Dst,
        p: Dst,
        args: [Src; 4],
    },
    Barrier(Arrival),
    Call(&'c CallCode),
    Ret {
        a: Src,
        count: u32,
    },
    Exit,
}

/// Lanes at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arrival {
    pub what: BarrierKind,
    pub id: u32,
    /// Number of threads expected, 0 for all of the block.
    pub count: u32,
    pub lanes: u32,
    /// Lanes with a true predicate.
    pub holds: u32,
    pub undefined: bool,
}

/// Whether schedulers execute the operation.
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

impl Frame<'_, '_> {
    /// Decides what a [control operation](is_control) at `pc` does.
    #[inline]
    pub(super) fn control<'c>(&self, op: &'c Op, pc: u32) -> Exec<Control<'c>> {
        Ok(match *op {
            Op::Br { edge } => Control::Leave { targets: smallvec![(edge, self.mask)], is_choice: false },
            Op::CondBr { c, yes, no } => {
                let taken = self.truth(c)?;
                Control::Leave { targets: smallvec![(yes, taken), (no, self.mask & !taken)], is_choice: true }
            }
            Op::Switch(ref switch) => Control::Leave { targets: self.cases(switch)?, is_choice: true },
            Op::Jump { c, negated, to, masked } => {
                Control::Jump(if self.jumps(c, negated, masked)? { to } else { pc + 1 })
            }
            Op::Collective { what, d, p, args } => Control::Collective { what, d, p, args },
            Op::Barrier { what, id, count, predicate, .. } => {
                Control::Barrier(self.arrival(what, [id, count, predicate])?)
            }
            Op::Call(ref call) => Control::Call(call),
            Op::Ret { a, count } => Control::Ret { a, count },
            Op::Exit => Control::Exit,
            _ => return trap(self.first_lane(), FaultKind::Unreachable),
        })
    }

    fn arrival(&self, what: BarrierKind, [id, count, predicate]: [Src; 3]) -> Exec<Arrival> {
        let first = self.first_lane();
        if self.undef(id) | self.undef(count) != 0 {
            return trap(first, FaultKind::Undef { usage: "a barrier's number or count" });
        }
        let number = |src| self.get(src)[first as usize] as u32;
        let holds = self.lanes_where(|lane| self.get(predicate)[lane] & 1 != 0);
        let undefined = self.undef(predicate) != 0;
        Ok(Arrival { what, id: number(id), count: number(count), lanes: self.mask, holds, undefined })
    }

    /// Writes the result of a barrier with a reduction.
    pub(super) fn barrier_result(&mut self, op: &Op, result: u64, undefined: bool) {
        if let Op::Barrier { what: BarrierKind::And | BarrierKind::Or | BarrierKind::Popcount, d, .. } = *op {
            self.put(d, &[result; LANES]);
            self.taint(d, if undefined { self.mask } else { 0 });
        }
    }

    /// The function that the lowest lane of the mask calls, and the lanes that call the same.
    pub(super) fn call_target(&self, program: &Program, call: &CallCode) -> Exec<(FuncId, u32)> {
        if let Some(func) = call.target {
            return Ok((func, self.mask));
        }
        let first = self.first_lane();
        let number = self.callee(call.pointer, first as usize)?;
        let mut lanes = 0;
        for lane in lanes_of(self.mask) {
            lanes |= u32::from(self.callee(call.pointer, lane)? == number) << lane;
        }
        // it must have a body and accept these arguments
        let fits = program.functions.get(number as usize).is_some_and(|callee| {
            let wants: u32 = callee.params.iter().map(|&(_, count)| count).sum();
            !callee.starts.is_empty() && wants as usize == call.args.len()
        });
        let address = self.get(call.pointer)[first as usize];
        if fits { Ok((FuncId(number), lanes)) } else { trap(first, FaultKind::BadCall { address }) }
    }
}

/// An activation of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub func: FuncId,
    /// First slot of its frame.
    pub base: usize,
    /// Hash of the calls that led here.
    pub call_path: u64,
    /// Hash of the iteration vector.
    pub iteration: u64,
    /// Call depth: 0 in the kernel.
    pub depth: u32,
}

impl Site {
    pub fn kernel(func: FuncId) -> Site {
        Site { func, base: 0, call_path: 0, iteration: iteration_name(&[]), depth: 0 }
    }

    /// Function and instruction at a micro-operation.
    pub fn place(&self, program: &Program, pc: u32) -> (FuncId, u32) {
        let micros = &program.functions[self.func.index()].micros;
        (self.func, micros.get(pc as usize).map_or(0, |micro| micro.inst))
    }

    /// The instruction at which a value became undefined that an instruction uses in a lane: the first one, going back along
    /// operands, of which no operand is undefined any more. None if that is the instruction itself.
    pub fn origin(&self, program: &Program, image: &ModuleImage, regs: &Regs, inst: u32, lane: u32) -> Option<u32> {
        let (code, function) = (&program.functions[self.func.index()], &image.functions[self.func.index()]);
        let is_undefined = |inst: u32| {
            let (first, count) = code.results[inst as usize];
            (first..first + count).any(|slot| regs.undef[self.base + slot as usize] >> lane & 1 != 0)
        };
        let mut seen = vec![inst];
        loop {
            let last = *seen.last()?;
            let before = function.insts[last as usize].operands.iter().find_map(|operand| match *operand {
                Operand::Inst(def) if is_undefined(def) && !seen.contains(&def) => Some(def),
                _ => None,
            });
            match before {
                Some(def) => seen.push(def),
                None => return (last != inst).then_some(last),
            }
        }
    }

    /// Enters a function from instruction `inst` for the lanes of the mask: copies arguments and notifies the observer.
    pub fn enter<O: Observer>(
        &self,
        frame: &mut Frame<'_, '_>,
        program: &Program,
        inst: u32,
        (func, call): (FuncId, &CallCode),
        observer: &mut O,
    ) -> Site {
        let base = self.base + program.functions[self.func.index()].slots as usize;
        frame.warp.regs.grow(base + program.functions[func.index()].slots as usize);
        for (i, &a) in (0..).zip(&call.args) {
            frame.return_slot(base, i, a);
        }
        let from = mix(self.call_path, u64::from(self.func.0) << 32 | u64::from(inst));
        let call_path = mix(mix(from, self.iteration), u64::from(func.0));
        let site = Site { func, base, call_path, iteration: iteration_name(&[]), depth: self.depth + 1 };
        if O::ACTIVE {
            observer.enter(&site.context(frame, 0), &values(frame, base..base + call.args.len()));
        }
        site
    }

    fn context<'a>(&self, frame: &'a Frame<'_, '_>, inst: u32) -> StepContext<'a> {
        StepContext {
            image: frame.world.image,
            func: self.func,
            inst,
            block: frame.world.block,
            block_number: frame.world.block_number,
            warp: frame.warp.index,
            active: frame.mask,
            running: frame.warp.running(),
            tid: &frame.warp.tid,
            call_path: self.call_path,
            iteration: self.iteration,
            depth: self.depth,
        }
    }

    /// Counts an executed instruction and notifies the observer.
    #[inline]
    pub fn finish<O: Observer>(&self, frame: &mut Frame<'_, '_>, code: &FunctionCode, inst: u32, observer: &mut O) {
        frame.world.report.steps += 1;
        frame.world.report.lane_steps += u64::from(frame.mask.count_ones());
        if O::ACTIVE {
            let (first, count) = code.results[inst as usize];
            let first = self.base + first as usize;
            observer.inst(&self.context(frame, inst), &values(frame, first..first + count as usize));
        }
    }

    /// Reports to the observer where lanes go at a branch.
    pub fn tell_branch<O: Observer>(
        &self,
        frame: &Frame<'_, '_>,
        code: &FunctionCode,
        inst: u32,
        targets: &Targets,
        observer: &mut O,
    ) {
        if O::ACTIVE {
            let named: Targets = targets.iter().map(|&(edge, lanes)| (code.edges[edge as usize].to, lanes)).collect();
            observer.branch(&self.context(frame, inst), &named);
        }
    }
}

fn values<'a>(frame: &'a Frame<'_, '_>, range: std::ops::Range<usize>) -> LaneValues<'a> {
    LaneValues { slots: &frame.warp.regs.values[range.clone()], undef: &frame.warp.regs.undef[range] }
}

/// A barrier that may be complete.
pub(super) struct Completed {
    pub id: u32,
    holds: u32,
    threads: u32,
    pub undefined: bool,
}

impl Completed {
    /// The result of a barrier with a reduction, the same for every thread.
    pub fn result(&self, what: BarrierKind) -> u64 {
        match what {
            BarrierKind::And => u64::from(self.holds == self.threads),
            BarrierKind::Or => u64::from(self.holds != 0),
            BarrierKind::Popcount => u64::from(self.holds),
            BarrierKind::Sync | BarrierKind::Arrive => 0,
        }
    }
}

/// Finds the barriers that are complete. The input is, for each warp of the block, the lanes that have not exited and
/// the lanes that wait at each barrier; `early` are arrivals without waiting, as (barrier, number of threads).
pub(super) fn completed(early: &mut Vec<(u32, u32)>, warps: &[(u32, SmallVec<[Arrival; 1]>)]) -> Vec<Completed> {
    let mut ids: Vec<u32> = warps.iter().flat_map(|(_, arrivals)| arrivals.iter().map(|arrival| arrival.id)).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = Vec::new();
    for id in ids {
        let mut barrier = Completed { id, holds: 0, threads: 0, undefined: false };
        let (mut arrived, mut count, mut everybody) = (0, 0, true);
        for (running, arrivals) in warps {
            let mut here = 0;
            for arrival in arrivals.iter().filter(|arrival| arrival.id == id) {
                here |= arrival.lanes;
                barrier.holds += arrival.holds.count_ones();
                barrier.undefined |= arrival.undefined;
                count = count.max(arrival.count);
            }
            barrier.threads += here.count_ones();
            everybody &= here == *running;
            // a complete warp counts as 32 threads, however many it has
            arrived += if here != 0 && here == *running { LANES as u32 } else { here.count_ones() };
        }
        let before: u32 = early.iter().filter(|entry| entry.0 == id).map(|entry| entry.1).sum();
        if if count == 0 { everybody } else { arrived + before >= count } {
            early.retain(|entry| entry.0 != id);
            found.push(barrier);
        }
    }
    found
}
