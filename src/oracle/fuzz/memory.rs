//! Which memory does a generated kernel access, and how? Loads from every address space, and stores that no two threads
//! share.
//!
//! Races are avoided by construction. Buffers that many threads read are never written. Every thread stores to its own
//! slots (of the output buffers, of shared memory, of its stack). Other threads' shared slots are read only between two
//! barriers, where nobody writes shared memory. What threads do share is updated by commutative atomics.

use super::build::{Gen, Kernel, Phase};
use super::knobs::Feature;
use super::value::{I16, I32, I64, Name, PTR, Scope, Ty, Val};

/// Elements that every readable buffer has at least; a power of two, so that a mask keeps an index in bounds.
pub(super) const BUFFER: u64 = 256;
/// Elements that a device function reads of a buffer it is passed, and stack arrays have at least.
pub(super) const PASSED: u64 = 16;
/// Counters for atomics, eight for each operation.
pub(super) const COUNTERS: u64 = 64;

/// Elements side by side: memory that is only read, or a stack array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) pointer: Val,
    pub(super) elem: Ty,
    pub(super) len: u64,
    /// Of what reads it.
    pub(super) feature: Feature,
}

impl Array {
    pub(super) fn bytes(&self) -> u64 {
        self.len * size_of(self.elem)
    }

    /// So many `i32` in generic memory.
    pub(super) fn words(pointer: Val, len: u64, feature: Feature) -> Self {
        Self { pointer, elem: I32, len, feature }
    }
}

/// Bound of the magnitudes in float buffers and stack arrays, as an exponent.
pub(super) const FLOAT_HI: u64 = 20;

pub(super) fn size_of(ty: Ty) -> u64 {
    match ty {
        Ty::F64 => 8,
        Ty::V2I32 => 8,
        Ty::V4F32 => 16,
        Ty::F32 => 4,
        _ => u64::from(ty.bits().div_ceil(8)),
    }
}

impl Gen<'_> {
    /// The same memory in another address space.
    pub(super) fn cast_to(&mut self, ty: Ty, pointer: Val) -> Val {
        self.temp(ty, 0, Scope::Lane, format_args!("addrspacecast {} to {ty}", pointer.typed()))
    }

    /// Loads an element; `how` follows its alignment.
    pub(super) fn loaded(&mut self, elem: Ty, from: Val, scope: Scope, how: &str) -> Val {
        let hi = if elem.bits() > 0 { elem.max() } else { FLOAT_HI };
        self.op(elem, hi, scope, format_args!("load {elem}, {}, align {}{how}", from.typed(), size_of(elem)))
    }

    /// Stores a value of whole bytes.
    pub(super) fn store(&mut self, val: Val, to: Val) {
        self.line(format_args!("store {}, {}, align {}", val.typed(), to.typed(), size_of(val.ty)));
    }

    /// Address of element `index` (known in bounds) of `pointer`, in one of the ways clang writes it.
    pub(super) fn element(&mut self, pointer: Val, elem: Ty, index: Val) -> Val {
        let flags = match self.rng.below(4) {
            0 => " inbounds nuw",
            1 => "",
            _ => " inbounds",
        };
        if flags.contains("inbounds") {
            self.note(Feature::Flags);
        }
        let narrow = index.ty.bits() < 32;
        let form = if narrow { 1 } else { self.rng.below(4) };
        let ty = index.ty;
        let base = pointer.typed();
        let text = match form {
            // Byte offsets, as the optimiser canonicalises to.
            0 => {
                let scaled = self.binary("mul", index, Val::int(index.ty, size_of(elem)));
                format!("getelementptr{flags} i8, {base}, {ty} {scaled}")
            }
            1 if index.ty != I64 => {
                let wide = self.extend_positive(index);
                format!("getelementptr{flags} {elem}, {base}, i64 {wide}")
            }
            _ => format!("getelementptr{flags} {elem}, {base}, {ty} {index}"),
        };
        self.temp(pointer.ty, 0, Scope::Lane, format_args!("{text}"))
    }

    /// `index`, which is not negative, as i64.
    pub(super) fn extend_positive(&mut self, index: Val) -> Val {
        if index.ty == I64 {
            return index;
        }
        // A narrow type may hold the bound in its sign bit.
        let signed = index.hi <= index.ty.smax() && self.rng.chance(40);
        let op = if signed { "sext" } else { "zext" };
        self.op(I64, index.hi, index.scope, format_args!("{op} {} {index} to i64", index.ty))
    }

    /// An index below `limit`, a power of two, on which at least `scope` agrees.
    pub(super) fn index(&mut self, limit: u64, scope: Scope) -> Val {
        let ty = if self.rng.chance(25) { I64 } else { I32 };
        let raw = match scope {
            Scope::Lane if self.rng.chance(70) => self.pick_divergent(ty),
            Scope::Lane => self.pick(ty),
            _ => self.pick_scoped(ty, scope),
        };
        self.masked(raw, limit)
    }

    /// Memory of a kind, if there is any.
    pub(super) fn some_source(&mut self, is_wanted: impl Fn(&Array) -> bool) -> Option<Array> {
        let all: Vec<Array> = self.f.sources.iter().copied().filter(is_wanted).collect();
        (!all.is_empty()).then(|| self.rng.pick(&all))
    }

    /// Loads from memory that nobody writes.
    pub(super) fn load_source(&mut self, feature: Feature) {
        let Some(source) = self.some_source(|source| source.feature == feature) else { return self.int_expression() };
        self.note(feature);
        let scope = if self.rng.chance(45) { Scope::Block } else { Scope::Lane };
        let index = self.index(source.len, scope);
        let Array { mut pointer, elem, len, .. } = source;
        if self.rng.chance(25) {
            // Between generic and the space it is in.
            let to = if pointer.ty == PTR && feature != Feature::ConstantLoad { Ty::Ptr(1) } else { PTR };
            if to != pointer.ty {
                pointer = self.cast_to(to, pointer);
            }
        }
        let address = if matches!(pointer.name, Name::Global(_)) && self.rng.chance(50) {
            let (ty, base) = (index.ty, pointer.typed());
            let text = format!("getelementptr inbounds [{len} x {elem}], {base}, i64 0, {ty} {index}");
            self.temp(pointer.ty, 0, Scope::Lane, format_args!("{text}"))
        } else {
            self.element(pointer, elem, index)
        };
        if feature == Feature::ReadOnlyLoad
            && self.happens(Feature::Assembly)
            && self.load_assembly(elem, address, index.scope)
        {
            return;
        }
        let invariant =
            if feature == Feature::ReadOnlyLoad && self.rng.chance(20) { ", !invariant.load !0" } else { "" };
        self.loaded(elem, address, index.scope, invariant);
    }

    /// How far a pointer is from a table; indices are signed, and some here have their highest bit set.
    pub(super) fn far_pointer(&mut self) {
        let index = if self.rng.chance(60) {
            let lane = self.sreg("laneid");
            let by = self.rng.range(20, 27);
            self.temp_word(Scope::Lane, format_args!("shl i32 {lane}, {by}"))
        } else {
            self.pick_divergent(I32)
        };
        let far = self.pointer(format_args!("getelementptr i8, ptr @plain_table, i32 {index}"));
        let address = self.temp(I64, I64.max(), Scope::Lane, format_args!("ptrtoint ptr {far} to i64"));
        self.op(I64, I64.max(), Scope::Lane, format_args!("sub i64 {address}, ptrtoint (ptr @plain_table to i64)"));
    }

    /// A load through a pointer chosen by a condition.
    pub(super) fn load_selected(&mut self) {
        let sources: Vec<Array> = self
            .f
            .sources
            .iter()
            .filter(|s| s.pointer.ty == PTR && s.elem == I32 && s.len >= PASSED)
            .cloned()
            .collect();
        if sources.len() < 2 {
            return self.int_expression();
        }
        self.note(Feature::PointerSelect);
        let scope = if self.rng.chance(50) { Scope::Block } else { Scope::Lane };
        let cond = self.condition(scope);
        let (a, b) = (self.rng.below(sources.len()), self.rng.below(sources.len()));
        let len = sources[a].len.min(sources[b].len);
        let (first, second) = (sources[a].pointer, sources[b].pointer);
        let chosen = self.pointer(format_args!("select i1 {cond}, ptr {first}, ptr {second}"));
        let index = self.index(len, scope);
        let address = self.element(chosen, I32, index);
        self.loaded(I32, address, index.scope.min(cond.scope), "");
    }

    // The thread's own slots of the output.

    /// Address of the thread's slot `k` of `%out`.
    fn own_slot(&mut self, k: u64) -> Option<Val> {
        let kernel = self.f.kernel?;
        let mut pointer = Val::named("out", PTR, 0, Scope::Lane);
        if self.rng.chance(30) {
            pointer = self.cast_to(Ty::Ptr(1), pointer);
        }
        let (ty, from) = (pointer.ty, pointer.typed());
        let (base, step) = (kernel.slot_base, kernel.slot_step);
        let address = if step.is_constant() && self.rng.chance(50) {
            let row = self.pointer(format_args!("getelementptr inbounds i32, {from}, i64 {base}"));
            format!("getelementptr inbounds i8, {ty} {row}, i64 {}", k * step.hi * 4)
        } else {
            let offset = self.temp(I64, 0, step.scope, format_args!("mul nuw nsw i64 {step}, {k}"));
            let index = self.temp(I64, 0, Scope::Lane, format_args!("add nuw nsw i64 {offset}, {base}"));
            format!("getelementptr inbounds i32, {from}, i64 {index}")
        };
        Some(self.temp(ty, 0, Scope::Lane, format_args!("{address}")))
    }

    /// Stores `val` where the host sees it; later stores to the same slot mix with what is there.
    pub(super) fn observe(&mut self, val: Val) {
        let val = self.clean(val);
        let Some(kernel) = self.f.kernel else { return };
        if val.ty == I64 && self.rng.chance(60) {
            let at = self.rng.range(0, 3);
            let address = self
                .pointer(format_args!("getelementptr inbounds [4 x i64], ptr %out64, i64 {}, i64 {at}", kernel.gid));
            // In a loop or after another store: fold in, so that nothing is overwritten unseen.
            let old = self.temp(I64, 0, Scope::Lane, format_args!("load i64, ptr {address}, align 8"));
            let new = self.mixed(old, val);
            self.store(new, address);
            return;
        }
        let word = self.as_word(val);
        let k = self.f.next_slot;
        self.f.next_slot += 1;
        let Some(address) = self.own_slot(k % self.slots) else { return };
        let word = if k >= self.slots || (self.f.trips > 1 && self.rng.chance(60)) {
            let old = self.temp(I32, 0, Scope::Lane, format_args!("load i32, {}, align 4", address.typed()));
            self.mixed(old, word)
        } else {
            word
        };
        self.store(word, address);
    }

    /// Any value as an i32 that depends on all of it.
    fn as_word(&mut self, val: Val) -> Val {
        match val.ty {
            Ty::Int(32) => val,
            Ty::Int(64) => {
                let high = self.temp(I64, 0, val.scope, format_args!("lshr i64 {val}, 32"));
                let both = self.temp(I64, 0, val.scope, format_args!("xor i64 {high}, {val}"));
                self.temp_word(val.scope, format_args!("trunc i64 {both} to i32"))
            }
            Ty::Int(bits) => {
                let op = self.rng.pick(&["zext", "sext"]);
                self.temp_word(val.scope, format_args!("{op} i{bits} {val} to i32"))
            }
            Ty::F16 => {
                let bits = self.temp(I16, I16.max(), val.scope, format_args!("bitcast half {val} to i16"));
                self.temp(I32, I16.max(), val.scope, format_args!("zext i16 {bits} to i32"))
            }
            Ty::F32 => self.temp_word(val.scope, format_args!("bitcast float {val} to i32")),
            Ty::F64 => {
                let bits = self.temp(I64, I64.max(), val.scope, format_args!("bitcast double {val} to i64"));
                self.as_word(bits)
            }
            Ty::V2I32 => {
                let a = self.temp(I32, 0, val.scope, format_args!("extractelement <2 x i32> {val}, i32 0"));
                let b = self.temp(I32, 0, val.scope, format_args!("extractelement <2 x i32> {val}, i32 1"));
                let a = self.temp(I32, 0, val.scope, format_args!("mul i32 {a}, 31"));
                self.temp_word(val.scope, format_args!("xor i32 {a}, {b}"))
            }
            Ty::Ptr(_) => self.temp_word(val.scope, format_args!("ptrtoint {} to i32", val.typed())),
            Ty::V4F32 => {
                let at = self.rng.range(0, 3);
                let a = self.temp(Ty::F32, 0, val.scope, format_args!("extractelement <4 x float> {val}, i32 {at}"));
                self.temp_word(val.scope, format_args!("bitcast float {a} to i32"))
            }
        }
    }

    /// Load, change and store one of the thread's first own slots.
    pub(super) fn own_slot_update(&mut self, slots: u64) {
        let k = self.rng.range(0, slots.min(self.slots) - 1);
        let Some(address) = self.own_slot(k) else { return self.int_expression() };
        self.note(Feature::OwnSlot);
        let old = self.loaded(I32, address, Scope::Lane, "");
        let other = self.pick(I32);
        let op = self.rng.pick(&["add", "xor", "sub"]);
        let new = self.binary(op, old, other);
        self.store(new, address);
    }

    /// An atomic: without use of its result, on a slot of the thread's own, or (if allowed) with its result used.
    pub(super) fn atomic(&mut self, feature: Feature) {
        let operand = self.pick(I32);
        match feature {
            Feature::AtomicOwn => {
                let k = self.rng.range(0, self.slots - 1);
                let Some(address) = self.own_slot(k) else { return self.int_expression() };
                let at = address.typed();
                self.note(feature);
                if self.rng.chance(30) {
                    let expected = self.pick(I32);
                    let text = format!("cmpxchg {at}, i32 {expected}, i32 {operand} monotonic monotonic, align 4");
                    let pair = self.temp(I64, 0, Scope::Lane, format_args!("{text}"));
                    self.word(Scope::Lane, format_args!("extractvalue {{ i32, i1 }} {pair}, 0"));
                    return;
                }
                let op = self.rng.pick(&["add", "xchg", "umax", "and"]);
                self.word(Scope::Lane, format_args!("atomicrmw {op} {at}, i32 {operand} monotonic, align 4"));
            }
            _ if self.f.kernel.is_none() => self.int_expression(),
            _ => {
                self.note(feature);
                let used = feature == Feature::AtomicResult;
                // One operation for each group of counters: operations of one kind commute, of two kinds may not.
                let ops = ["add", "or", "umax", "min", "xor", "and"];
                let kind = if used { 7 } else { self.rng.below(ops.len()) };
                let within = self.index(8, Scope::Lane);
                let (ty, first) = (within.ty, kind * 8);
                let index = self.temp(ty, 63, within.scope, format_args!("add nuw nsw {ty} {within}, {first}"));
                let address = self.element(Val::named("ctr", PTR, 0, Scope::Lane), I32, index);
                let op = if used { "add" } else { ops[kind] };
                let scope = self.rng.pick(&["", "syncscope(\"agent\") ", "syncscope(\"device\") "]);
                let text = format!("atomicrmw {op} ptr {address}, i32 {operand} {scope}monotonic, align 4");
                let val = self.temp_word(Scope::Lane, format_args!("{text}"));
                if used {
                    self.f.pool.push(val);
                }
            }
        }
    }

    // Shared memory.

    /// The address of a shared slot.
    fn shared_slot(&mut self, index: Val) -> Val {
        let mut pointer = Val::global("shared", 3);
        if self.rng.chance(30) {
            pointer = self.cast_to(PTR, pointer);
        }
        self.element(pointer, I32, index)
    }

    /// Reads or, while nobody reads others' slots, writes the thread's own slot.
    pub(super) fn shared_own(&mut self) {
        let Some(kernel) = self.f.kernel.filter(|_| self.has_shared) else { return self.int_expression() };
        self.note(Feature::Shared);
        let address = self.shared_slot(kernel.ltid);
        if self.f.phase == Phase::Own && self.rng.chance(60) {
            let val = self.pick(I32);
            self.store(val, address);
        } else {
            self.loaded(I32, address, Scope::Lane, "");
        }
    }

    /// Reads another thread's slot; only between the barriers of a read phase.
    pub(super) fn shared_neighbour(&mut self) {
        let Some(kernel) = self.f.kernel.filter(|_| self.f.phase == Phase::Read) else { return self.shared_own() };
        self.note(Feature::SharedNeighbour);
        let ltid = kernel.ltid;
        let (raw, scope) = match self.rng.below(3) {
            0 => {
                let k = self.rng.pick(&[1, 2, 16, 31, 32, 33]);
                (self.temp(I32, ltid.hi + k, Scope::Lane, format_args!("add nuw nsw i32 {ltid}, {k}")), Scope::Lane)
            }
            1 => (self.pick(I32), Scope::Lane),
            _ => (self.pick_scoped(I32, Scope::Block), Scope::Block),
        };
        self.shared_of(Val { scope: scope.min(raw.scope), ..raw }, kernel);
    }

    /// Reads the slot of a thread of the block, in a read phase.
    pub(super) fn shared_of(&mut self, thread: Val, Kernel { ltid, block_size, .. }: Kernel) -> Val {
        // Slots beyond the block were never written.
        let index = self.temp(I32, ltid.hi, thread.scope, format_args!("urem i32 {thread}, {block_size}"));
        let address = self.shared_slot(index);
        self.loaded(I32, address, thread.scope, "")
    }

    /// Changes the thread's own slot by a value, while nobody reads it.
    pub(super) fn shared_turn(&mut self, val: Val) {
        let Some(kernel) = self.f.kernel.filter(|_| self.has_shared && self.f.phase == Phase::Own) else { return };
        self.note(Feature::Shared);
        let address = self.shared_slot(kernel.ltid);
        let word = self.as_word(val);
        let old = self.temp(I32, 0, Scope::Lane, format_args!("load i32, {}, align 4", address.typed()));
        let new = self.mixed(old, word);
        self.store(new, address);
    }

    /// Emits an `llvm.assume` of something true.
    pub(super) fn assume(&mut self) {
        self.note(Feature::Assume);
        let val = self.pick_variable(I32);
        let small = self.masked(val, 1 << 20);
        let limit = small.hi + 1;
        let fact = self.temp_bit(Scope::Block, format_args!("icmp ult i32 {small}, {limit}"));
        self.line(format_args!("call void @llvm.assume(i1 {fact})"));
    }
}
