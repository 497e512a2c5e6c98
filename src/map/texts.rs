//! Which PTX counts a branch? Pieces of inline assembly, made once a module for all branches that are counted alike.
//!
//! They are written as PTX because that is what they are to stay: nothing that a compiler could make of them is shorter.

use crate::llvm::edit::Editor;
use crate::llvm::edit::map::Assembly;
use crate::llvm::handle::Value;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Counts the lanes of a branch of two ways: those that came into `n`, those that go to the second target into `o`, a split
/// into `v`; the leader `l`; and for the first four lanes (`t`) their word's address `a` and value `w`. Arguments are the
/// condition, the lanes below, the replica, and where in it the four words are.
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
@t red.relaxed.gpu.global.add.u64 [a+$3], w;
";

/// Words that too few lanes are there to add, one each: the lowest lane adds what nobody took.
const LEFT_OVER: [&str; 3] = ["v", "n", "o"];

/// What tells the texts of branches counted in registers apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shape {
    /// Registers that hold the counts.
    pub registers: usize,
    /// Targets but the first.
    pub ways: usize,
    /// The branch has a condition, not cases.
    pub is_condition: bool,
    /// Bits of a count.
    pub bits: u32,
    /// Counts before the branch's own ones.
    pub skipped: u32,
}

/// The texts of a module so far.
#[derive(Default)]
pub struct Texts<'m> {
    in_memory: Option<Assembly<'m>>,
    in_registers: FxHashMap<Shape, Assembly<'m>>,
}

impl<'m> Texts<'m> {
    /// Adds a branch of two ways to the four words that begin with the word `slot` of a replica; arguments are the
    /// condition, the lanes below this one and the replica's address.
    pub(super) fn add_to_memory(&mut self, editor: &mut Editor<'m>, arguments: &[Value<'m>; 3], slot: u32) {
        let offset = |word: u32| editor.int(32, 8 * u64::from(slot + word));
        let words = [0, 1, 2, 3].map(offset);
        let [condition, lower, replica] = *arguments;
        let arguments = [condition, lower, replica, words[0], words[1], words[2], words[3]];
        let assembly = self.in_memory.get_or_insert_with(|| {
            let mut text = IN_MEMORY.to_owned();
            for (index, word) in (1..).zip(LEFT_OVER) {
                let (lanes, place) = (index + 1, index + 3);
                let _ = writeln!(text, "setp.lt.u32 t, n, {lanes};\nand.pred t, t, l;\ncvt.u64.u32 w, {word};");
                let _ = writeln!(text, "@t red.relaxed.gpu.global.add.u64 [$2+${place}], w;");
            }
            text.push('}');
            editor.assembly(&text, "b,r,l,n,n,n,n,~{memory}", 0, &arguments)
        });
        editor.call_assembly(assembly, &arguments, &mut []);
    }

    /// Adds a visit to the counts of a branch; arguments are the counts, the conditions under which lanes go elsewhere than
    /// to the first target, and the lanes below this one. Writes the new counts.
    pub(super) fn add_to_registers(
        &mut self,
        editor: &mut Editor<'m>,
        shape: Shape,
        arguments: &[Value<'m>],
        counts: &mut [Value<'m>],
    ) {
        let assembly = self.in_registers.entry(shape).or_insert_with(|| {
            let (text, constraints) = shape.text();
            editor.assembly(&text, &constraints, shape.registers, arguments)
        });
        editor.call_assembly(assembly, arguments, counts);
    }
}

impl Shape {
    fn text(&self) -> (String, String) {
        let count = self.registers;
        // lanes for whom a condition fails go elsewhere, or those for whom a case holds
        let (not, goes) = if self.is_condition { ("!", "") } else { ("", "!") };
        let lower = 2 * count + self.ways;
        let others: Vec<String> = (0..self.ways).map(|way| format!("${}", 2 * count + way)).collect();
        let mut text = "{\n.reg .b32 m, b, x;\n.reg .pred l, s, q;\nactivemask.b32 m;\n".to_owned();
        // the lanes that go this lane's way
        let mut any = others[0].clone();
        for other in &others[1..] {
            let _ = writeln!(text, "or.pred q, {any}, {other};");
            "q".clone_into(&mut any);
        }
        let _ = writeln!(text, "@{goes}{any} activemask.b32 b;");
        for other in &others {
            let _ = writeln!(text, "@{not}{other} activemask.b32 b;");
        }
        let _ =
            writeln!(text, "and.b32 x, m, ${lower};\nsetp.eq.u32 l, x, 0;\nsetp.ne.u32 s, b, m;\nand.pred s, s, l;");
        let guards = ["@l ".to_owned(), "@s ".to_owned(), String::new()].into_iter();
        let guards = guards.chain(others.iter().map(|other| format!("@{not}{other} ")));
        for (index, guard) in (self.skipped..).zip(guards) {
            let object = index * self.bits / 32;
            let one = 1u32 << (index * self.bits % 32);
            let _ = writeln!(text, "{guard}add.u32 ${object}, ${object}, {one};");
        }
        text.push('}');
        let mut constraints = "=r,".repeat(count);
        for object in 0..count {
            let _ = write!(constraints, "{object},");
        }
        constraints += &"b,".repeat(self.ways);
        constraints.push('r');
        (text, constraints)
    }
}
