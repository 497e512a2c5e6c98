//! Which PTX counts a branch? Pieces of inline assembly, built once per module and shared by all branches that are
//! counted in the same way.
//!
//! They are written as PTX so that they stay as they are: nothing that a compiler could make of them is shorter.

use super::ptx::{Ptx, put};
use crate::mutants::{self, Mutant};
use rustc_hash::FxHashMap;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::map::Assembly;
use warpwise_ir::llvm::handle::Value;

/// Counts the lanes of a branch with two targets: those that arrived in `n`, those that go to the second target in `o`,
/// a split in `v`; the leader is `l`. For the first four lanes (`t`), the address of their word is `a` and the value to
/// add `w`. Arguments are the condition, the lanes below, the replica, and the position of the four words in it. If
/// there are fewer than four lanes, the lowest one adds the remaining words.
const IN_MEMORY: &str = "{
.reg .b32 m, b, x, r, n, o, v;
.reg .b64 w, a;
.reg .pred l, s, t;
activemask.b32 m;
@$0 activemask.b32 b;
@!$0 activemask.b32 b;
and.b32 x, m, $1;
popc.b32 r, x;
popc.b32 n, m;
popc.b32 o, b;
sub.u32 v, n, o;
@$0 mov.u32 o, v;
setp.ne.u32 s, b, m;
selp.u32 v, 1, 0, s;
setp.eq.u32 l, r, 0;
setp.eq.u32 t, r, 2;
selp.u32 x, n, v, t;
setp.gt.u32 t, r, 2;
selp.u32 x, o, x, t;
@l mov.u32 x, 1;
cvt.u64.u32 w, x;
min.u32 x, r, 3;
mul.wide.u32 a, x, 8;
add.u64 a, a, $2;
setp.lt.u32 t, r, 4;
@t red.global.add.u64 [a+$3], w;
setp.lt.u32 t, n, 2;
and.pred t, t, l;
cvt.u64.u32 w, v;
@t red.global.add.u64 [$2+$4], w;
setp.lt.u32 t, n, 3;
and.pred t, t, l;
cvt.u64.u32 w, n;
@t red.global.add.u64 [$2+$5], w;
setp.lt.u32 t, n, 4;
and.pred t, t, l;
cvt.u64.u32 w, o;
@t red.global.add.u64 [$2+$6], w;
}";

/// Sets `p` in the thread that counts the launch, the first one of the grid.
const LAUNCH: &str = "mov.u32 x, %tid.x;
mov.u32 y, %tid.y;
or.b32 x, x, y;
mov.u32 y, %tid.z;
or.b32 x, x, y;
mov.u32 y, %ctaid.x;
or.b32 x, x, y;
mov.u32 y, %ctaid.y;
or.b32 x, x, y;
mov.u32 y, %ctaid.z;
or.b32 x, x, y;
setp.eq.u32 p, x, 0;
mov.u64 w, 1;
";

/// What the text at the beginning of a function depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Head {
    /// Whether launches are counted.
    pub launch: bool,
    /// Number of conditions whose launches are counted besides.
    pub conditions: u32,
    /// Whether the lanes below this one are needed.
    pub lower: bool,
    /// Whether this multiprocessor's replica is needed.
    pub replica: bool,
}

/// What the text for a branch counted in registers depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shape {
    /// Number of registers that hold the counts.
    pub registers: usize,
    /// Number of targets besides the first.
    pub ways: usize,
    /// Whether the branch has a condition; otherwise it has cases.
    pub is_condition: bool,
    /// Number of bits of a count.
    pub bits: u32,
    /// Number of counts in the registers before the branch's own.
    pub skipped: u32,
}

/// What is counted at the entry of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Launches<'m> {
    /// Number of the word that counts launches; those of conditions follow it.
    pub word: u32,
    /// A bit for each condition that holds.
    pub held: Option<Value<'m>>,
}

/// The texts of a module so far.
#[derive(Default)]
pub struct Texts<'m> {
    in_memory: Option<Assembly<'m>>,
    in_registers: FxHashMap<Shape, Assembly<'m>>,
    heads: FxHashMap<Head, Assembly<'m>>,
    /// Some call of inline assembly, whose attributes are copied.
    like: Option<Value<'m>>,
}

impl<'m> Texts<'m> {
    /// The beginning of a function, given the counters, the number of replicas and of words in each, and what is counted
    /// there. Yields the lanes below this one and the address of this multiprocessor's replica.
    pub(super) fn begin(
        &mut self,
        editor: &mut Editor<'m>,
        head: Head,
        (counters, replicas, words): (Value<'m>, u32, u32),
        launches: Launches<'m>,
    ) -> [Option<Value<'m>>; 2] {
        let mut offsets = (launches.word..).map(|word| editor.int(32, 8 * u64::from(word)));
        let mut arguments = vec![];
        if head.launch || head.replica {
            arguments.push(counters);
        }
        if head.launch {
            arguments.extend(offsets.by_ref().take(1));
        }
        if let Some(held) = launches.held {
            arguments.push(held);
            arguments.extend(offsets.take(head.conditions as usize));
        }
        let assembly = self.heads.entry(head).or_insert_with(|| {
            let (text, constraints) = head.text(replicas, words);
            let results = [head.lower.then_some(32), head.replica.then_some(64)].into_iter().flatten();
            editor.assembly(&text, &constraints, results, &arguments)
        });
        let mut results = vec![counters; usize::from(head.lower) + usize::from(head.replica)];
        editor.call_assembly(assembly, &mut self.like, &arguments, &mut results);
        let mut results = results.into_iter();
        [head.lower, head.replica].map(|wanted| if wanted { results.next() } else { None })
    }

    /// Counts a branch with two targets in the four words that begin with word `slot` of a replica. Arguments are the
    /// condition, the lanes below this one and the address of the replica.
    pub(super) fn add_to_memory(&mut self, editor: &mut Editor<'m>, arguments: &[Value<'m>; 3], slot: u32) {
        let offset = |word: u32| editor.int(32, 8 * u64::from(slot + word));
        let words = [0, 1, 2, 3].map(offset);
        let [condition, lower, replica] = *arguments;
        let arguments = [condition, lower, replica, words[0], words[1], words[2], words[3]];
        let assembly =
            self.in_memory.get_or_insert_with(|| editor.assembly(IN_MEMORY, "b,r,l,n,n,n,n,~{memory}", [], &arguments));
        editor.call_assembly(assembly, &mut self.like, &arguments, &mut []);
    }

    /// Adds a visit to the counts of a branch and returns the new counts. Arguments are the counts, the conditions
    /// under which lanes go elsewhere than to the first target, and the lanes below this one.
    pub(super) fn add_to_registers(
        &mut self,
        editor: &mut Editor<'m>,
        shape: Shape,
        arguments: &[Value<'m>],
        counts: &mut [Value<'m>],
    ) {
        let assembly = self.in_registers.entry(shape).or_insert_with(|| {
            let (text, constraints) = shape.text();
            editor.assembly(&text, &constraints, std::iter::repeat_n(32, shape.registers), arguments)
        });
        editor.call_assembly(assembly, &mut self.like, arguments, counts);
    }

    /// Emits a text that is used only once and yields this many words.
    pub(super) fn call_once(
        &mut self,
        editor: &mut Editor<'m>,
        text: &str,
        constraints: &str,
        arguments: &[Value<'m>],
        results: &mut [Value<'m>],
    ) {
        let assembly = editor.assembly(text, constraints, results.iter().map(|_| 32), arguments);
        editor.call_assembly(&assembly, &mut self.like, arguments, results);
    }
}

impl Head {
    fn text(self, replicas: u32, words: u32) -> (String, String) {
        let results = u32::from(self.lower) + u32::from(self.replica);
        let mut out = Ptx { text: String::with_capacity(768) };
        put!(out, "{\n.reg .b32 x, y;\n.reg .b64 w;\n.reg .pred p, q;\n");
        if self.lower {
            put!(out, "mov.u32 $0, %lanemask_lt;\n");
        }
        if self.replica {
            out.replica(if self.lower { "$1" } else { "$0" }, results, (replicas, words));
        }
        if self.launch {
            put!(out, LAUNCH, "@p red.global.add.u64 [$", results, "+$", results + 1, "], w;\n");
        }
        for bit in 0..self.conditions {
            put!(out, "and.b32 y, $", results + 2, ", ", 1 << bit, ";\nsetp.ne.u32 q, y, 0;\nand.pred q, q, p;\n");
            put!(out, "@q red.global.add.u64 [$", results, "+$", results + 3 + bit, "], w;\n");
        }
        put!(out, "}");
        let mut constraints = String::with_capacity(32);
        let parts = [
            // written before the word of conditions is read
            (self.lower, if self.conditions > 0 { "=&r," } else { "=r," }),
            // written before the counters' address is read for the last time
            (self.replica, "=&l,"),
            (self.launch || self.replica, "l,"),
            (self.launch, "n,"),
            (self.conditions > 0, "r,"),
        ];
        for (_, part) in parts.iter().filter(|part| part.0) {
            constraints += part;
        }
        constraints += &"n,".repeat(self.conditions as usize);
        if self.launch {
            constraints += "~{memory},";
        }
        constraints.pop();
        (out.text, constraints)
    }
}

impl Shape {
    fn text(&self) -> (String, String) {
        let count = self.registers as u32;
        let ways = self.ways as u32;
        // lanes for which the condition is false go elsewhere, or those for which a case matches
        let (not, goes) = if self.is_condition { ("!", "") } else { ("", "!") };
        let lower = 2 * count + ways;
        let others = 2 * count..lower;
        let mut out = Ptx { text: String::with_capacity(512) };
        put!(out, "{\n.reg .b32 m, b, x;\n.reg .pred l, s, q;\nactivemask.b32 m;\n");
        // the lanes that take the same target as this lane
        if ways == 1 {
            put!(out, "@", goes, "$", others.start, " activemask.b32 b;\n");
        } else {
            put!(out, "or.pred q, $", others.start, ", $", others.start + 1, ";\n");
            for other in others.clone().skip(2) {
                put!(out, "or.pred q, q, $", other, ";\n");
            }
            put!(out, "@", goes, "q activemask.b32 b;\n");
        }
        for other in others.clone() {
            put!(out, "@", not, "$", other, " activemask.b32 b;\n");
        }
        put!(out, "and.b32 x, m, $", lower, ";\nsetp.eq.u32 l, x, 0;\nsetp.ne.u32 s, b, m;\nand.pred s, s, l;\n");
        for index in 0..3 + ways {
            match index {
                0 => put!(out, "@l "),
                1 => put!(out, "@s "),
                2 => {}
                _ => put!(out, "@", not, "$", others.start + index - 3, " "),
            }
            let position = (self.skipped + index) * self.bits;
            let object = position / 32;
            let one = if index == 0 && mutants::on(Mutant::CountsTwice) { 2 } else { 1 };
            put!(out, "add.u32 $", object, ", $", object, ", ", one << (position % 32), ";\n");
        }
        put!(out, "}");
        let mut constraints = Ptx { text: "=r,".repeat(self.registers) };
        for object in 0..count {
            put!(constraints, object, ",");
        }
        constraints.text += &"b,".repeat(self.ways);
        constraints.text.push('r');
        (out.text, constraints.text)
    }
}
