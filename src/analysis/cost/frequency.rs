//! How often does code run for each entry of its function? All decisions are made in issue cycles times this number.
//!
//! Frequencies are LLVM's (`BlockFrequencyInfo` on `BranchProbabilityInfo`), corrected for [unlikely
//! successors](super::unlikely) that LLVM considers as likely as others. LLVM assumes about 32 iterations for every
//! loop, whether or not the trip count is known. Here the number of iterations of a loop is
//!
//! 1. what `ScalarEvolution` computes, if it is a constant,
//! 2. otherwise what a profile says,
//! 3. otherwise [`ASSUMED_TURNS`], or the bound that `ScalarEvolution` gives if that is lower.
//!
//! LLVM's own number of iterations of a loop is the frequency of its header divided by that of the edges that enter it;
//! the blocks of the loop are scaled from that number to ours. LLVM's limit for loops without an exit (4,096) therefore
//! has no effect. `ScalarEvolution` does not consider a cycle with several entries a loop; such cycles keep the
//! frequencies of `BlockFrequencyInfo`.
//!
//! LLVM is asked when frequencies are first needed, since most functions have nothing to decide.

use super::unlikely::unlikely_ways;
use crate::divergence::Outline;
use crate::gpu::prices::{ASSUMED_TURNS, COLD_PART};
use cranelift_entity::EntityRef;
use std::cell::OnceCell;
use warpwise_ir::entity::Block;
use warpwise_ir::llvm::frequency::{Expected, Loop};
use warpwise_ir::llvm::handle::Function;

/// How often the blocks of a function run, as of the first request.
pub struct Frequencies<'m> {
    function: Function<'m>,
    known: OnceCell<Known>,
}

/// What is known about the number of iterations of a loop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Turns {
    /// Executions of the header for each entry of the loop, if constant.
    pub exact: Option<u64>,
    /// Largest number of executions of the header for each entry, if bounded.
    pub most: Option<u64>,
    /// Expected number of executions of the header for each entry.
    pub expected: f64,
}

struct Known {
    blocks: Vec<f64>,
    /// The same if every loop iterated once.
    shares: Vec<f64>,
    headers: Vec<(Block, Turns)>,
}

impl<'m> Frequencies<'m> {
    /// For a function with a body; LLVM is asked later.
    pub fn new(function: Function<'m>) -> Frequencies<'m> {
        Frequencies { function, known: OnceCell::new() }
    }

    /// Expected executions of a block for one entry of the function; 0 for blocks that the function does not have.
    pub fn of(&self, block: Block) -> f64 {
        self.known().blocks.get(block.index()).copied().unwrap_or(0.0)
    }

    /// Expected executions of a block for one entry of the function if every loop iterated once: how likely a thread
    /// reaches it in an iteration of the loops around it.
    pub fn share(&self, block: Block) -> f64 {
        self.known().shares.get(block.index()).copied().unwrap_or(0.0)
    }

    /// Expected iterations of the loops around a block, multiplied; 1 outside loops.
    pub fn turns_around(&self, block: Block) -> f64 {
        let share = self.share(block);
        if share > 0.0 { self.of(block) / share } else { 1.0 }
    }

    /// Whether hardly any entry of the function, and hardly any iteration of the loops around a block, reaches it.
    pub fn is_cold(&self, block: Block) -> bool {
        self.known().shares.get(block.index()).is_some_and(|&share| share <= COLD_PART)
    }

    /// Iterations of the loop with this header; `None` if no loop with a single entry begins there.
    pub fn turns(&self, header: Block) -> Option<Turns> {
        self.known().headers.iter().find(|known| known.0 == header).map(|known| known.1)
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| Known::new(&Expected::of(self.function, &unlikely_ways(self.function))))
    }
}

impl Known {
    fn new(expected: &Expected) -> Known {
        let frequency = |block: Block| expected.blocks.get(block.index()).map_or(0.0, |&frequency| frequency as f64);
        let entry = frequency(Block::new(0)).max(1.0);
        let turns: Vec<Turns> = expected.loops.iter().map(Turns::of).collect();
        // outer loops come first
        let mut scales: Vec<[f64; 2]> = Vec::with_capacity(turns.len());
        for (one, turns) in expected.loops.iter().zip(&turns) {
            let llvm = frequency(one.header) / (one.entered as f64).max(1.0);
            let around = one.parent().and_then(|parent| scales.get(parent)).copied().unwrap_or([1.0, 1.0]);
            scales.push([turns.expected, 1.0].map(|wanted| wanted / llvm.max(1.0)));
            if let Some(last) = scales.last_mut() {
                *last = [last[0] * around[0], last[1] * around[1]];
            }
        }
        let scaled = |by: usize| {
            let of = |block: usize| {
                let block = Block::new(block);
                let scale =
                    expected.innermost(block).and_then(|place| scales.get(place)).map_or(1.0, |scale| scale[by]);
                frequency(block) / entry * scale
            };
            (0..expected.blocks.len()).map(of).collect()
        };
        let headers = expected.loops.iter().map(|one| one.header).zip(turns).collect();
        Known { blocks: scaled(0), shares: scaled(1), headers }
    }
}

impl Turns {
    fn of(found: &Loop) -> Turns {
        let exact = found.exact().map(u64::from);
        let most = (found.most != u64::MAX).then_some(found.most);
        let assumed = || most.map_or(ASSUMED_TURNS, |most| ASSUMED_TURNS.min(most as f64));
        let expected = exact.map(|count| count as f64).or(found.profiled().map(f64::from));
        Turns { exact, most, expected: expected.unwrap_or_else(assumed) }
    }
}

/// Whether a block is in any loop.
pub fn is_in_loop(outline: &Outline, block: Block) -> bool {
    outline.cfg().cycles.cycle_of(block).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_ir::llvm::owned::OwnedModule;

    /// Executions of each block, and the numbers of the cold blocks, for the first function of a text.
    fn blocks(body: &str) -> (Vec<f64>, Vec<usize>) {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"\ndefine void @f(i32 %n, i1 %c, float %x) {{\n{body}\n}}\n\
             declare float @llvm.fabs.f32(float)\n!0 = !{{!\"branch_weights\", i32 1, i32 19}}\n"
        );
        let module = OwnedModule::from_text(&text, "t").expect("the test's text parses");
        let function = module.handle().function("f").expect("it is there");
        let frequencies = Frequencies::new(function);
        let numbers: Vec<usize> = (0..function.block_count() as usize).collect();
        let runs = numbers.iter().map(|&block| (frequencies.of(Block::new(block)) * 100.0).round() / 100.0).collect();
        (runs, numbers.into_iter().filter(|&block| frequencies.is_cold(Block::new(block))).collect())
    }

    fn turning(test: &str, more: &str) -> String {
        format!(
            "  br label %loop\nloop:\n  %i = phi i32 [ 0, %0 ], [ %next, %loop ]\n  %next = add nuw nsw i32 %i, 1\n  \
             %stop = {test}\n  br i1 %stop, label %end, label %loop{more}\nend:\n  ret void"
        )
    }

    #[test]
    fn loops_turn_as_often_as_is_known() {
        assert_eq!(blocks(&turning("icmp eq i32 %next, 100", "")), (vec![1.0, 100.0, 1.0], vec![]));
        assert_eq!(blocks(&turning("icmp eq i32 %next, %n", ", !prof !0")), (vec![1.0, 20.0, 1.0], vec![]));
        assert_eq!(blocks(&turning("icmp eq i32 %next, %n", "")), (vec![1.0, ASSUMED_TURNS, 1.0], vec![]));
        let few = "  %few = and i32 %n, 3\n".to_owned() + &turning("icmp uge i32 %next, %few", "");
        assert_eq!(blocks(&few), (vec![1.0, 3.0, 1.0], vec![]));
    }

    #[test]
    fn large_numbers_are_cold() {
        let asks = |test: &str| {
            blocks(&format!(
                "  %a = call float @llvm.fabs.f32(float %x)\n  %p = {test}\n  br i1 %p, label %a1, label %b1\na1:\n  \
                 br label %b1\nb1:\n  ret void"
            ))
        };
        assert_eq!(asks("fcmp ogt float %a, 1.048576e+06"), (vec![1.0, 0.0, 1.0], vec![1]));
        assert_eq!(asks("fcmp ogt float %a, 1.0"), (vec![1.0, 0.5, 1.0], vec![]));
        assert!(asks("icmp eq i32 %n, 7").1.is_empty());
    }
}
