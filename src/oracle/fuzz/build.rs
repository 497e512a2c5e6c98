//! How is a function emitted while it is being generated? The state of the generator, and its primitives.
//!
//! Text is emitted in order into the current block; names of values and labels that come later (such as a loop's latch)
//! are reserved first. The pool holds the values that may be used at this point: those whose definition dominates the
//! current block. Constructs truncate it when they leave a region, and the generator needs no other notion of
//! dominance.

use super::aimed::Taker;
use super::knobs::{Feature, Knobs};
use super::launch::Geometry;
use super::memory::Array;
use super::rng::Rng;
use super::value::{I1, I16, I32, I64, Name, PTR, Scope, Ty, Val};
use std::collections::BTreeSet;
use std::fmt::{Arguments, Display, Write as _};

/// A block's label, `%bN`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Label(pub(super) u32);

impl Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "%b{}", self.0)
    }
}

/// The label of every function's first block.
pub(super) const ENTRY: Label = Label(1);

/// Whether shared memory is being written (each thread its own slot) or read (any slot), between barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    #[default]
    Own,
    Read,
}

/// A block where ways meet.
#[derive(Clone, Debug, Default)]
pub(super) struct Join {
    pub(super) label: Label,
    /// Types of its phis.
    pub(super) types: Vec<Ty>,
    /// Edges to it, each with the values for the phis.
    pub(super) edges: Vec<(Label, Vec<Val>)>,
}

impl Join {
    pub(super) fn new(label: Label, types: Vec<Ty>) -> Self {
        Self { label, types, edges: Vec::new() }
    }
}

/// A loop that the current block is in.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// Edges to it are made by `continue`.
    pub(super) latch: Join,
    pub(super) exit: Join,
    /// Scope in which threads are promised to stay together inside: the condition of every exit must agree in at least
    /// this scope.
    pub(super) conv: Scope,
    /// Convergence, trips and depth around the loop.
    pub(super) around: (Scope, u32, u32),
    /// The narrowest scope of the conditions by which the loop has been left so far.
    pub(super) exit_scope: Scope,
    /// Number of values in the pool that are defined before the first exit, and so available after the loop.
    pub(super) after: usize,
}

/// A device function that may be called.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) name: String,
    pub(super) params: Vec<Param>,
    pub(super) ret: Ty,
    /// Roughly how many instructions a call executes.
    pub(super) cost: u32,
    /// Bound of the first argument of a recursive function.
    pub(super) depth: Option<u64>,
    /// The scope in which threads must call it together, because of collectives inside.
    pub(super) meets: Scope,
    /// Whether it must be called before any lane has exited.
    pub(super) wants_all: bool,
}

/// A parameter of a device function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Param {
    /// A value on which this scope agrees.
    Value(Ty, Scope),
    /// A pointer to a buffer of [`super::memory::BUFFER`] `i32` that is only read.
    Buffer,
}

/// Addresses that every thread of the kernel computes; see [`Gen::prologue`](super::memory).
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    /// Linear index of the thread in the grid, in its block; threads of a block.
    pub(super) gid: Val,
    pub(super) ltid: Val,
    /// Threads in a row.
    pub(super) row_length: Val,
    pub(super) block_size: Val,
    /// `i64` index of the thread's first slot, and the distance between its slots (a constant or a value).
    pub(super) slot_base: Val,
    pub(super) slot_step: Val,
}

/// The function that is being generated.
#[derive(Default)]
pub(super) struct Func {
    pub(super) body: String,
    /// Emitted at the top of the entry block.
    pub(super) allocas: String,
    pub(super) next: u32,
    pub(super) pool: Vec<Val>,
    pub(super) block: Label,
    /// Number of instructions still to be generated.
    pub(super) budget: i64,
    pub(super) depth: u32,
    /// The scope in which threads are known to execute the current block together.
    pub(super) conv: Scope,
    /// Some threads may have returned.
    pub(super) exited: bool,
    /// Whether collectives are allowed where `conv` permits them.
    pub(super) may_sync: bool,
    /// Whether some threads may have returned to the caller of this device function.
    pub(super) returned: bool,
    /// Convergent loops around the current block: an early return there would reach back to their beginning.
    pub(super) conv_loops: u32,
    /// Maximum number of times that the current block is executed.
    pub(super) trips: u32,
    pub(super) phase: Phase,
    pub(super) loops: Vec<Loop>,
    pub(super) kernel: Option<Kernel>,
    pub(super) ret: Option<Ty>,
    pub(super) sources: Vec<Array>,
    pub(super) arrays: Vec<Array>,
    pub(super) next_slot: u64,
    pub(super) cost: u32,
}

impl Func {
    pub(super) fn new(budget: i64) -> Self {
        Self { next: 2, block: ENTRY, budget, trips: 1, ..Self::default() }
    }

    /// The innermost loop; there must be one.
    pub(super) fn loops_last(&mut self) -> &mut Loop {
        self.loops.last_mut().expect("the generator is inside a loop")
    }
}

/// The generator: its random choices, the module so far, and the current function.
pub(super) struct Gen<'a> {
    pub(super) rng: Rng,
    pub(super) knobs: &'a Knobs,
    pub(super) features: BTreeSet<Feature>,
    pub(super) globals: String,
    pub(super) functions: String,
    pub(super) callees: Vec<Callee>,
    /// Functions that nobody has called yet.
    pub(super) takers: Vec<Taker>,
    /// Functions that return an address in their own frame: whether they take a by-value argument.
    pub(super) lookouts: Vec<bool>,
    pub(super) geometries: Vec<Geometry>,
    /// Number of slots of the output buffer that each thread owns.
    pub(super) slots: u64,
    pub(super) constants: Vec<Array>,
    pub(super) has_shared: bool,
    /// Bytes of dynamic shared memory to launch with.
    pub(super) dynamic_shared: u32,
    /// Whether flags may be emitted that need not hold; the code that follows must cope with undefined results.
    pub(super) wild: bool,
    pub(super) f: Func,
}

impl Gen<'_> {
    /// Records that the kernel has the feature.
    pub(super) fn note(&mut self, feature: Feature) {
        self.features.insert(feature);
    }

    /// Decides whether a feature whose weight is a percentage occurs here.
    pub(super) fn happens(&mut self, feature: Feature) -> bool {
        let yes = self.rng.chance(self.knobs.weight(feature));
        if yes {
            self.note(feature);
        }
        yes
    }

    // Text.

    pub(super) fn line(&mut self, text: Arguments<'_>) {
        self.f.budget -= 1;
        self.f.cost += self.f.trips;
        // Writing to a String cannot fail.
        let _ = writeln!(self.f.body, "  {text}");
    }

    fn fresh(&mut self) -> u32 {
        self.f.next += 1;
        self.f.next - 1
    }

    /// A label to place later.
    pub(super) fn label(&mut self) -> Label {
        Label(self.fresh())
    }

    /// A value to define later, with [`Self::define`].
    pub(super) fn reserve(&mut self, ty: Ty, hi: u64, scope: Scope) -> Val {
        Val { name: Name::Reg(self.fresh()), ty, hi, scope, tainted: false }
    }

    pub(super) fn define(&mut self, val: Val, text: Arguments<'_>) {
        self.line(format_args!("{val} = {text}"));
    }

    /// Emits an instruction whose value does not enter the pool.
    pub(super) fn temp(&mut self, ty: Ty, hi: u64, scope: Scope, text: Arguments<'_>) -> Val {
        let val = self.reserve(ty, hi, scope);
        self.define(val, text);
        val
    }

    /// Emits an instruction whose value may be used from here on.
    pub(super) fn op(&mut self, ty: Ty, hi: u64, scope: Scope, text: Arguments<'_>) -> Val {
        let val = self.temp(ty, hi, scope, text);
        self.f.pool.push(val);
        val
    }

    /// Any `i32` that may be used from here on.
    pub(super) fn word(&mut self, scope: Scope, text: Arguments<'_>) -> Val {
        self.op(I32, I32.max(), scope, text)
    }

    /// Any `i32` that does not enter the pool.
    pub(super) fn temp_word(&mut self, scope: Scope, text: Arguments<'_>) -> Val {
        self.temp(I32, I32.max(), scope, text)
    }

    /// An `i1` that may be used from here on.
    pub(super) fn bit(&mut self, scope: Scope, text: Arguments<'_>) -> Val {
        self.op(I1, 1, scope, text)
    }

    /// An `i1` that does not enter the pool.
    pub(super) fn temp_bit(&mut self, scope: Scope, text: Arguments<'_>) -> Val {
        self.temp(I1, 1, scope, text)
    }

    /// A number and a bit, both of which may be used from here on; `text` yields them as one structure.
    pub(super) fn number_and_bit(&mut self, ty: Ty, hi: u64, scope: Scope, text: Arguments<'_>) {
        let pair = self.temp(I64, 0, scope, text);
        self.op(ty, hi, scope, format_args!("extractvalue {{ {ty}, i1 }} {pair}, 0"));
        self.bit(scope, format_args!("extractvalue {{ {ty}, i1 }} {pair}, 1"));
    }

    /// A call of an overloaded intrinsic of LLVM, whose operands and result have one type; `last` is what follows them.
    pub(super) fn intrinsic(&mut self, name: &str, operands: &[Val], last: &str, hi: u64) -> Val {
        let ty = operands[0].ty;
        let scope = operands.iter().map(|val| val.scope).min().unwrap_or(Scope::Lane);
        let each: Vec<String> = operands.iter().map(|val| format!("{ty} {val}")).collect();
        let (suffix, each) = (ty.suffix(), each.join(", "));
        self.op(ty, hi, scope, format_args!("call {ty} @llvm.{name}.{suffix}({each}{last})"))
    }

    /// Emits an instruction that yields a pointer; pointers never enter the pool.
    pub(super) fn pointer(&mut self, text: Arguments<'_>) -> Val {
        self.temp(PTR, 0, Scope::Lane, text)
    }

    /// An object on the stack, allocated in the entry block.
    pub(super) fn stack_object(&mut self, shape: impl Display, align: u32) -> Val {
        let object = self.reserve(PTR, 0, Scope::Lane);
        let _ = writeln!(self.f.allocas, "  {object} = alloca {shape}, align {align}");
        object
    }

    /// Starts the block `label`.
    pub(super) fn place(&mut self, label: Label) {
        let _ = writeln!(self.f.body, "b{}:", label.0);
        self.f.block = label;
    }

    pub(super) fn jump(&mut self, to: Label) {
        self.line(format_args!("br label {to}"));
    }

    pub(super) fn branch(&mut self, cond: Val, yes: Label, no: Label) {
        self.line(format_args!("br i1 {cond}, label {yes}, label {no}"));
    }

    /// Types of the phis at a join.
    pub(super) fn phi_types(&mut self, most: u64) -> Vec<Ty> {
        (0..self.rng.range(0, most))
            .map(|_| self.rng.weighted(&[(I32, 60), (I64, 12), (Ty::F32, 12), (I1, 8), (I16, 8)]))
            .collect()
    }

    /// A phi of these edges; the scope is the narrowest of the values' and `scope`.
    pub(super) fn phi(&mut self, edges: &[(Label, Val)], scope: Scope) -> Val {
        let ty = edges.first().map_or(I32, |e| e.1.ty);
        let hi = edges.iter().map(|e| e.1.hi).max().unwrap_or(0);
        let scope = edges.iter().map(|e| e.1.scope).min().unwrap_or(Scope::Block).min(scope);
        let each: Vec<String> = edges.iter().map(|(label, val)| format!("[ {val}, {label} ]")).collect();
        self.op(ty, hi, scope, format_args!("phi {ty} {}", each.join(", ")))
    }

    // Choice of operands.

    /// An integer constant; at the edges of the type now and then.
    pub(super) fn constant(&mut self, ty: Ty) -> Val {
        if ty == I1 {
            let bit = self.rng.range(0, 1);
            return Val::int(ty, bit);
        }
        let edge = self.knobs.weight(Feature::Edge);
        let bits = match self.rng.weighted(&[(0, 40), (1, 12), (2, edge), (3, 6)]) {
            0 => self.rng.range(0, 9),
            1 => 1 << self.rng.below(ty.bits() as usize - 1),
            2 => {
                self.note(Feature::Edge);
                let around = self.rng.pick(&[ty.smax(), ty.smax(), ty.max(), ty.max() / 32 * 32, 1 << 31, 1 << 32]);
                let k = self.rng.range(0, 5);
                if self.rng.chance(50) { around.wrapping_add(k) } else { around.wrapping_sub(k) }
            }
            _ => self.rng.bits(),
        };
        Val::int(ty, bits)
    }

    /// A value of the pool that satisfies `wanted`, recent ones preferred.
    pub(super) fn pool_value(&mut self, wanted: impl Fn(&Val) -> bool) -> Option<Val> {
        let len = self.f.pool.len();
        for _ in 0..12 {
            let back = if self.rng.chance(60) { self.rng.below(len.min(14)) } else { self.rng.below(len) };
            let val = *self.f.pool.get(len.checked_sub(back + 1)?)?;
            if wanted(&val) {
                return Some(val);
            }
        }
        self.f.pool.iter().rev().take(400).copied().find(|val| wanted(val))
    }

    /// Any value of the type; it may be tainted.
    pub(super) fn any(&mut self, ty: Ty) -> Val {
        if ty.bits() > 0 && self.rng.chance(12) {
            return self.constant(ty);
        }
        if self.knobs.allow_poison && self.rng.chance(self.knobs.weight(Feature::Poison) / 4) && ty.bits() > 0 {
            self.note(Feature::Poison);
            let text = self.rng.pick(&["undef", "poison"]);
            return Val { name: Name::Undef(text), ty, hi: ty.max(), scope: Scope::Lane, tainted: true };
        }
        self.known(ty)
    }

    /// A value of the type, made only if there is none; it may be tainted.
    fn known(&mut self, ty: Ty) -> Val {
        self.pool_value(|val| val.ty == ty).unwrap_or_else(|| self.convert(ty))
    }

    /// A defined value of the type.
    pub(super) fn pick(&mut self, ty: Ty) -> Val {
        let val = self.any(ty);
        self.clean(val)
    }

    /// A defined value of the type that is not a constant, where there is one.
    pub(super) fn pick_variable(&mut self, ty: Ty) -> Val {
        let val = self.known(ty);
        self.clean(val)
    }

    /// A defined value of the type on which at least `scope` agrees.
    pub(super) fn pick_scoped(&mut self, ty: Ty, scope: Scope) -> Val {
        if scope == Scope::Lane {
            return self.pick(ty);
        }
        match self.pool_value(|val| val.ty == ty && val.scope >= scope && !val.tainted) {
            Some(val) => val,
            None if ty.bits() > 0 => self.constant(ty),
            None => Val::float(ty, 1.5),
        }
    }

    /// A value that lanes probably disagree on.
    pub(super) fn pick_divergent(&mut self, ty: Ty) -> Val {
        let val = self.pool_value(|val| val.ty == ty && val.scope == Scope::Lane).unwrap_or_else(|| self.known(ty));
        self.clean(val)
    }

    /// The value itself, or a frozen copy if it may be undefined.
    pub(super) fn clean(&mut self, val: Val) -> Val {
        if !val.tainted {
            return val;
        }
        self.note(Feature::Freeze);
        self.op(val.ty, val.ty.max(), Scope::Lane, format_args!("freeze {} {val}", val.ty))
    }

    /// A bound below `limit`: the value masked, unless its bound proves it. `limit` is a power of two.
    pub(super) fn masked(&mut self, val: Val, limit: u64) -> Val {
        if val.hi < limit {
            return val;
        }
        self.op(val.ty, limit - 1, val.scope, format_args!("and {} {val}, {}", val.ty, limit - 1))
    }

    /// Makes a value of a type from values of other types.
    pub(super) fn convert(&mut self, ty: Ty) -> Val {
        match ty {
            Ty::Int(1) => self.compare(Scope::Lane),
            Ty::Int(bits) => {
                let from = self.pool_value(|val| val.ty.bits() > 1 && !val.tainted && val.ty != ty);
                let from = from.unwrap_or_else(|| Val::int(I32, 5));
                if from.is_constant() {
                    return Val::int(ty, from.hi);
                }
                if from.ty.bits() < bits { self.extend(from, ty) } else { self.truncate(from, ty) }
            }
            _ => self.make_float(ty),
        }
    }
}
