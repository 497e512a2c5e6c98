//! On which inputs is the analysis timed? Functions of 1k to 1M instructions that look like clang -O3 output for CUDA.
//!
//! A function is a sequence of *chunks*, each a few dozen to a few hundred instructions with loops and branches nested
//! at most [`DEPTH`] deep. More instructions mean more chunks of the same kind, so the statistics (nesting, block
//! length, uses of a value, share of phis, loads and branches) do not depend on the size, and the time per instruction
//! can be compared between sizes. Accumulators run through all chunks, as sums do in unrolled code. The text is written
//! into one String, in time linear in the size.
//!
//! The functions are meant to be analysed, not executed: indices are not kept in bounds.

use std::fmt::Write as _;
use warpwise_oracle::fuzz::rng::Rng;

/// How deep loops and branches nest inside a chunk.
const DEPTH: u32 = 4;
/// Number of values kept from chunk to chunk.
const CARRIED: usize = 12;
/// Approximate maximum number of instructions of a chunk.
const CHUNK: usize = 160;

/// A module with one kernel of about `instructions` instructions.
pub fn ladder(instructions: usize, seed: u64) -> String {
    let mut w = Writer::new(instructions, seed);
    w.kernel(instructions);
    w.finish()
}

/// Values in scope, by their numbers.
#[derive(Default)]
struct Pool {
    ints: Vec<u32>,
    floats: Vec<u32>,
}

struct Writer {
    out: String,
    rng: Rng,
    next: u32,
    /// Number of instructions.
    count: usize,
    pool: Pool,
    /// The label of the current block.
    block: u32,
}

/// Appends one instruction.
macro_rules! ins {
    ($w:expr, $($text:tt)*) => {{
        $w.count += 1;
        let _ = writeln!($w.out, $($text)*);
    }};
}

impl Writer {
    fn new(instructions: usize, seed: u64) -> Self {
        Self {
            out: {
                let mut out = String::with_capacity(instructions * 64 + 4096);
                out.push_str("target triple = \"nvptx64-nvidia-cuda\"\n\n@tile = internal addrspace(3) global [1024 x float] undef, align 4\n\n");
                out
            },
            rng: Rng::new(seed, 0x1add),
            next: 0,
            count: 0,
            pool: Pool::default(),
            block: 0,
        }
    }

    fn finish(mut self) -> String {
        self.out.push_str("attributes #0 = { convergent mustprogress norecurse nounwind }\n\n!0 = !{}\n");
        self.out
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn place(&mut self, label: u32) {
        let _ = writeln!(self.out, "l{label}:");
        self.block = label;
    }

    fn int(&mut self) -> u32 {
        recent(&mut self.rng, &self.pool.ints)
    }

    fn float(&mut self) -> u32 {
        recent(&mut self.rng, &self.pool.floats)
    }

    fn new_int(&mut self) -> u32 {
        let v = self.fresh();
        self.pool.ints.push(v);
        v
    }

    fn new_float(&mut self) -> u32 {
        let v = self.fresh();
        self.pool.floats.push(v);
        v
    }

    fn kernel(&mut self, instructions: usize) {
        self.out.push_str(
            "define ptx_kernel void @ladder(ptr noalias noundef readonly %a, ptr noalias noundef readonly %b, \
             ptr noundef %out, i32 noundef %n, i32 noundef %stride, float noundef %alpha) #0 {\nentry:\n",
        );
        // i = blockIdx.x * blockDim.x + threadIdx.x, and the guard of nearly every kernel.
        let (tid, ctaid, ntid, base, i) = (self.new_int(), self.fresh(), self.fresh(), self.fresh(), self.new_int());
        ins!(self, "  %v{tid} = tail call noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()");
        ins!(self, "  %v{ctaid} = tail call noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()");
        ins!(self, "  %v{ntid} = tail call noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()");
        ins!(self, "  %v{base} = mul i32 %v{ctaid}, %v{ntid}");
        ins!(self, "  %v{i} = add i32 %v{base}, %v{tid}");
        let (inside, body, out) = (self.fresh(), self.fresh(), self.fresh());
        ins!(self, "  %v{inside} = icmp slt i32 %v{i}, %n");
        ins!(self, "  br i1 %v{inside}, label %l{body}, label %l{out}");
        self.place(body);
        let row = self.new_int();
        ins!(self, "  %v{row} = mul nsw i32 %v{i}, %stride");
        for _ in 0..3 {
            self.load();
        }
        while self.count < instructions {
            self.chunk(instructions - self.count);
        }
        let sum = self.float();
        let (wide, at) = (self.fresh(), self.fresh());
        ins!(self, "  %v{wide} = sext i32 %v{i} to i64");
        ins!(self, "  %v{at} = getelementptr inbounds float, ptr %out, i64 %v{wide}");
        ins!(self, "  store float %v{sum}, ptr %v{at}, align 4");
        ins!(self, "  br label %l{out}");
        self.place(out);
        ins!(self, "  ret void");
        self.out.push_str("}\n\n");
    }

    /// One chunk; afterwards only a few of its values stay in scope.
    fn chunk(&mut self, left: usize) {
        let spend = 40 + self.rng.below(CHUNK - 40);
        self.statements(spend.min(left + 8), 0);
        for pool in [&mut self.pool.ints, &mut self.pool.floats] {
            let drop = pool.len().saturating_sub(CARRIED);
            // The first two (the thread's index) stay for good.
            pool.drain(2.min(drop)..drop.max(2.min(drop)));
        }
    }

    fn statements(&mut self, spend: usize, depth: u32) {
        let until = self.count + spend;
        while self.count < until {
            let left = until - self.count;
            // Branches and loops weigh less the deeper they are, as in real code.
            let control = if depth < DEPTH && left > 10 { 14 - 3 * depth as usize } else { 0 };
            match self.rng.below(40 + control) {
                0..9 => self.load(),
                9..22 => self.float_arithmetic(),
                22..30 => self.int_arithmetic(),
                30..33 => self.store(),
                33..36 => self.select(),
                36..40 => self.intrinsic(),
                40..43 => self.branch(left / 2, depth, false),
                43..47 => self.branch(left / 2, depth, true),
                _ => self.counted_loop(left / 2, depth),
            }
        }
    }

    fn load(&mut self) {
        let (wide, at) = (self.fresh(), self.fresh());
        let index = if self.pool.ints.is_empty() { 1 } else { self.int() };
        let widen = ["sext", "zext nneg", "sext"][self.rng.below(3)];
        ins!(self, "  %v{wide} = {widen} i32 %v{index} to i64");
        match self.rng.below(10) {
            0..7 => {
                let array = if self.rng.chance(50) { "a" } else { "b" };
                ins!(self, "  %v{at} = getelementptr inbounds nuw float, ptr %{array}, i64 %v{wide}");
                let v = self.new_float();
                ins!(self, "  %v{v} = load float, ptr %v{at}, align 4");
            }
            7 => {
                ins!(self, "  %v{at} = getelementptr inbounds i32, ptr %out, i64 %v{wide}");
                let v = self.new_int();
                ins!(self, "  %v{v} = load i32, ptr %v{at}, align 4");
            }
            _ => {
                let (masked, v) = (self.fresh(), self.new_float());
                ins!(self, "  %v{masked} = and i64 %v{wide}, 1023");
                ins!(
                    self,
                    "  %v{at} = getelementptr inbounds nuw [1024 x float], ptr addrspace(3) @tile, i64 0, i64 %v{masked}"
                );
                ins!(self, "  %v{v} = load float, ptr addrspace(3) %v{at}, align 4");
            }
        }
    }

    fn store(&mut self) {
        let (wide, at) = (self.fresh(), self.fresh());
        let (index, val) = (self.int(), self.float());
        ins!(self, "  %v{wide} = sext i32 %v{index} to i64");
        ins!(self, "  %v{at} = getelementptr inbounds float, ptr %out, i64 %v{wide}");
        ins!(self, "  store float %v{val}, ptr %v{at}, align 4");
    }

    fn float_arithmetic(&mut self) {
        let (a, b) = (self.float(), self.float());
        let op =
            ["fadd contract", "fmul contract", "fsub contract", "fadd contract", "fmul contract"][self.rng.below(5)];
        let v = self.new_float();
        if self.rng.chance(15) {
            ins!(self, "  %v{v} = {op} float %v{a}, %alpha");
        } else {
            ins!(self, "  %v{v} = {op} float %v{a}, %v{b}");
        }
    }

    fn int_arithmetic(&mut self) {
        let a = self.int();
        let kind = self.rng.below(10);
        let (b, v) = (self.int(), self.new_int());
        let k = 1 + self.rng.below(31);
        match kind {
            0..3 => ins!(self, "  %v{v} = add nsw i32 %v{a}, %v{b}"),
            3 => ins!(self, "  %v{v} = add nsw i32 %v{a}, {k}"),
            4 => ins!(self, "  %v{v} = mul nsw i32 %v{a}, %stride"),
            5 => ins!(self, "  %v{v} = shl nsw i32 %v{a}, {}", k & 3),
            6 => ins!(self, "  %v{v} = and i32 %v{a}, {k}"),
            7 => ins!(self, "  %v{v} = lshr i32 %v{a}, 5"),
            8 => ins!(self, "  %v{v} = sub nsw i32 %n, %v{a}"),
            _ => ins!(self, "  %v{v} = xor i32 %v{a}, %v{b}"),
        }
    }

    fn select(&mut self) {
        let c = self.condition();
        let (a, b) = (self.float(), self.float());
        let v = self.new_float();
        ins!(self, "  %v{v} = select i1 %v{c}, float %v{a}, float %v{b}");
    }

    fn intrinsic(&mut self) {
        let (a, b, c) = (self.float(), self.float(), self.float());
        let (i, j) = (self.int(), self.int());
        let kind = self.rng.below(8);
        if (5..8).contains(&kind) {
            let v = self.new_int();
            match kind {
                5 => ins!(self, "  %v{v} = tail call noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()"),
                6 => ins!(self, "  %v{v} = tail call i32 @llvm.smin.i32(i32 %v{i}, i32 %v{j})"),
                _ => ins!(self, "  %v{v} = tail call i32 @llvm.umax.i32(i32 %v{i}, i32 %n)"),
            }
            return;
        }
        let v = self.new_float();
        match kind {
            0 | 1 => {
                ins!(self, "  %v{v} = tail call contract float @llvm.fma.f32(float %v{a}, float %v{b}, float %v{c})")
            }
            2 => ins!(self, "  %v{v} = tail call float @llvm.fabs.f32(float %v{a})"),
            3 => ins!(self, "  %v{v} = tail call contract float @llvm.nvvm.sqrt.rn.f(float %v{a})"),
            _ => ins!(self, "  %v{v} = sitofp i32 %v{i} to float"),
        }
    }

    /// A compare: of a thread-dependent value, of uniform ones, of data.
    fn condition(&mut self) -> u32 {
        let (i, j, a) = (self.int(), self.int(), self.float());
        let kind = self.rng.below(6);
        let k = self.rng.below(1000);
        let c = self.fresh();
        match kind {
            0 => ins!(self, "  %v{c} = icmp slt i32 %v{i}, %n"),
            1 => ins!(self, "  %v{c} = icmp eq i32 %v{i}, {k}"),
            2 => ins!(self, "  %v{c} = icmp sgt i32 %n, {k}"),
            3 => ins!(self, "  %v{c} = icmp ult i32 %v{i}, %v{j}"),
            _ => ins!(self, "  %v{c} = fcmp ogt float %v{a}, 0.000000e+00"),
        }
        c
    }

    /// An if or if-else with a phi or two at its join.
    fn branch(&mut self, spend: usize, depth: u32, both: bool) {
        let c = self.condition();
        let (yes, no, join) = (self.fresh(), self.fresh(), self.fresh());
        let (ints, floats) = (self.pool.ints.len(), self.pool.floats.len());
        // Without an else, the second edge goes past the arm and carries these.
        let mut edges = [(self.block, self.int(), self.float()); 2];
        ins!(self, "  br i1 %v{c}, label %l{yes}, label %l{}", if both { no } else { join });
        let share = (4 + self.rng.below(spend.max(1))) / if both { 2 } else { 1 };
        for (label, edge) in [yes, no].into_iter().zip(&mut edges).take(1 + usize::from(both)) {
            self.place(label);
            self.statements(share, depth + 1);
            *edge = (self.block, self.int(), self.float());
            ins!(self, "  br label %l{join}");
            self.pool.ints.truncate(ints);
            self.pool.floats.truncate(floats);
        }
        self.place(join);
        let [(from, i, a), (other, j, b)] = edges;
        let v = self.new_float();
        ins!(self, "  %v{v} = phi float [ %v{a}, %l{from} ], [ %v{b}, %l{other} ]");
        if self.rng.chance(40) {
            let v = self.new_int();
            ins!(self, "  %v{v} = phi i32 [ %v{i}, %l{from} ], [ %v{j}, %l{other} ]");
        }
    }

    /// A rotated loop, as -O3 leaves it: preheader, body tested at its end, an early exit now and then, LCSSA phis.
    fn counted_loop(&mut self, spend: usize, depth: u32) {
        let (ints, floats) = (self.pool.ints.len(), self.pool.floats.len());
        let (first_sum, limit) = (self.float(), self.int());
        let (header, exit, pre) = (self.fresh(), self.fresh(), self.block);
        ins!(self, "  br label %l{header}");
        self.place(header);
        let (i, next, sum, next_sum) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        // The back edge's block is known at the end only, so the phis are inserted then.
        let phis_at = self.out.len();
        self.count += 2;
        self.pool.ints.push(i);
        self.pool.floats.push(sum);
        let early = self.rng.chance(15).then(|| {
            let c = self.condition();
            let stay = self.fresh();
            let from = self.block;
            ins!(self, "  br i1 %v{c}, label %l{exit}, label %l{stay}");
            self.place(stay);
            from
        });
        let share = 4 + self.rng.below(spend.max(1));
        self.statements(share, depth + 1);
        let term = self.float();
        ins!(self, "  %v{next_sum} = fadd contract float %v{sum}, %v{term}");
        ins!(self, "  %v{next} = add nuw nsw i32 %v{i}, 1");
        let c = self.fresh();
        match self.rng.below(3) {
            0 => ins!(self, "  %v{c} = icmp slt i32 %v{next}, %n"),
            1 => ins!(self, "  %v{c} = icmp slt i32 %v{next}, %v{limit}"),
            _ => {
                let trips = 4 << self.rng.below(6);
                ins!(self, "  %v{c} = icmp ne i32 %v{next}, {trips}");
            }
        }
        ins!(self, "  br i1 %v{c}, label %l{header}, label %l{exit}");
        let latch = self.block;
        let phis = format!(
            "  %v{i} = phi i32 [ 0, %l{pre} ], [ %v{next}, %l{latch} ]\n  %v{sum} = phi float [ %v{first_sum}, %l{pre} ], [ %v{next_sum}, %l{latch} ]\n"
        );
        self.out.insert_str(phis_at, &phis);
        self.pool.ints.truncate(ints);
        self.pool.floats.truncate(floats);
        self.place(exit);
        let result = self.new_float();
        match early {
            Some(from) => {
                ins!(self, "  %v{result} = phi float [ %v{sum}, %l{from} ], [ %v{next_sum}, %l{latch} ]");
            }
            None => ins!(self, "  %v{result} = phi float [ %v{next_sum}, %l{latch} ]"),
        }
    }
}

/// One of the pool, recent ones preferred: most values are used soon and seldom.
fn recent(rng: &mut Rng, pool: &[u32]) -> u32 {
    let len = pool.len();
    let back = if rng.chance(75) { rng.below(len.min(6)) } else { rng.below(len) };
    pool.get(len.wrapping_sub(back + 1)).copied().unwrap_or(1)
}
