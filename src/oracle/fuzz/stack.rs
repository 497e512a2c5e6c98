//! What moves the stack pointer, and what observes its position? Stack objects allocated during execution, with sizes
//! on which lanes agree or not, some released with `stacksave` and `stackrestore`; and called functions that return the
//! address of an object of theirs.
//!
//! Addresses differ between versions of a kernel, so nothing computed from them enters the pool: they are compared,
//! selected and branched on, and the results are discarded.

use super::build::Gen;
use super::knobs::Feature;
use super::value::{I32, I64, Scope, Val};
use std::fmt::Write as _;

/// Elements of an object that is allocated as the function runs, at most.
const ELEMENTS: u64 = 16;
/// Bytes that the function with an argument by value is passed.
const COPIED: u64 = 16;

impl Gen<'_> {
    /// Functions that return an address in their own frame: of an object, of one in the frame below, of their copy of an
    /// argument.
    pub(super) fn lookouts(&mut self) {
        if self.knobs.weight(Feature::StackAddress) == 0 {
            return;
        }
        for n in 0..self.rng.below(4) {
            let linkage = self.rng.pick(&["internal ", "internal ", "internal ", ""]);
            let attributes = self.rng.pick(&["noinline nounwind ", "noinline nounwind ", "nounwind "]);
            let kind = self.rng.below(3);
            let copies = kind == 2;
            let param = if copies { "ptr byval([4 x i32]) align 4 %p0" } else { "" };
            let _ = writeln!(self.functions, "define {linkage}i64 @look{n}({param}) {attributes}{{");
            let body = match self.lookouts.last() {
                Some(false) if kind == 1 => format!(
                    "  %a = alloca [3 x i32]\n  store volatile i32 1, ptr %a\n  %b = call i64 @look{}()\n  %c = ptrtoint ptr %a to i64\n  \
                     %i = xor i64 %b, %c\n",
                    n - 1
                ),
                _ if copies => "  %i = ptrtoint ptr %p0 to i64\n".to_owned(),
                _ => "  %a = alloca [8 x i32]\n  store volatile i32 1, ptr %a\n  %i = ptrtoint ptr %a to i64\n"
                    .to_owned(),
            };
            let _ = write!(self.functions, "{body}  ret i64 %i\n}}\n\n");
            self.lookouts.push(copies);
        }
    }

    /// A number of elements, on which lanes agree or not.
    fn element_count(&mut self) -> Val {
        let raw = match self.rng.below(5) {
            0 => return Val::int(I32, self.rng.range(1, ELEMENTS)),
            1 | 2 => self.pick_scoped(I32, Scope::Block),
            _ => self.pick_divergent(I32),
        };
        let small = self.masked(raw, ELEMENTS);
        self.temp(I32, ELEMENTS, small.scope, format_args!("add nuw nsw i32 {small}, 1"))
    }

    /// An object allocated during execution; often the stack pointer is restored afterwards.
    pub(super) fn dynamic_object(&mut self) {
        self.note(Feature::DynamicAlloca);
        let count = self.element_count();
        let saved = self.rng.chance(40).then(|| self.pointer(format_args!("call ptr @llvm.stacksave.p0()")));
        let object = self.pointer(format_args!("alloca i32, i32 {count}, align 4"));
        let val = self.pick(I32);
        self.store(val, object);
        if self.rng.chance(60) {
            self.look_below();
        }
        if self.rng.chance(30) {
            self.call();
        }
        self.word(Scope::Lane, format_args!("load i32, ptr {object}, align 4"));
        if let Some(saved) = saved {
            self.line(format_args!("call void @llvm.stackrestore.p0(ptr {saved})"));
        }
    }

    /// The address of an object in this frame, or in one below.
    fn stack_address(&mut self) -> Val {
        self.note(Feature::StackAddress);
        if !self.lookouts.is_empty() && self.rng.chance(70) {
            return self.address_below();
        }
        let arrays: Vec<Val> = self.f.arrays.iter().map(|array| array.pointer).collect();
        if !arrays.is_empty() && self.rng.chance(50) {
            let array = self.rng.pick(&arrays);
            return self.temp(I64, I64.max(), Scope::Lane, format_args!("ptrtoint ptr {array} to i64"));
        }
        let object = self.stack_object("[2 x i32]", 4);
        self.temp(I64, I64.max(), Scope::Lane, format_args!("ptrtoint ptr {object} to i64"))
    }

    /// The result of a function that returns an address in its own frame.
    fn address_below(&mut self) -> Val {
        let n = self.rng.below(self.lookouts.len());
        let copies = self.lookouts[n];
        let arrays: Vec<_> = self.f.arrays.iter().copied().filter(|array| array.bytes() >= COPIED).collect();
        let argument = match arrays.is_empty() {
            _ if !copies => String::new(),
            true => "ptr byval([4 x i32]) align 4 @plain_table".to_owned(),
            false => {
                let array = self.rng.pick(&arrays);
                let index = self.index(array.bytes() / COPIED, Scope::Lane);
                let (wide, pointer) = (self.extend_positive(index), array.pointer);
                let at = self.pointer(format_args!("getelementptr inbounds [4 x i32], ptr {pointer}, i64 {wide}"));
                format!("ptr byval([4 x i32]) align 4 {at}")
            }
        };
        self.temp(I64, I64.max(), Scope::Lane, format_args!("call i64 @look{n}({argument})"))
    }

    /// A condition on an address.
    fn address_condition(&mut self) -> Val {
        let address = self.stack_address();
        if self.rng.chance(30) {
            let other = self.stack_address();
            return self.temp_bit(Scope::Lane, format_args!("icmp ult i64 {address}, {other}"));
        }
        let shift = self.rng.range(2, 8);
        let moved = self.temp(I64, I64.max(), Scope::Lane, format_args!("lshr i64 {address}, {shift}"));
        let narrow = self.temp_word(Scope::Lane, format_args!("trunc i64 {moved} to i32"));
        let bits = self.temp(I32, 7, Scope::Lane, format_args!("and i32 {narrow}, 7"));
        self.temp_bit(Scope::Lane, format_args!("icmp ugt i32 {bits}, 3"))
    }

    /// Computes something from an address, within the block.
    pub(super) fn look_below(&mut self) {
        let condition = self.address_condition();
        self.temp(I32, 2, Scope::Lane, format_args!("select i1 {condition}, i32 1, i32 2"));
    }

    /// Branches on an address; both sides do nothing.
    pub(super) fn branch_on_address(&mut self) {
        let condition = self.address_condition();
        let (from, side, join) = (self.f.block, self.label(), self.label());
        self.branch(condition, side, join);
        self.place(side);
        let outside = self.f.pool.len();
        let val = self.pick(I32);
        let other = self.temp_word(Scope::Lane, format_args!("xor i32 {val}, 1"));
        self.jump(join);
        self.f.pool.truncate(outside);
        self.place(join);
        self.temp_word(Scope::Lane, format_args!("phi i32 [ 7, {from} ], [ {other}, {side} ]"));
    }
}
