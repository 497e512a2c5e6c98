//! Which memory does a generated kernel access, and how? Loads from every address space, and stores that no two threads
//! share.
//!
//! Races are avoided by construction. Buffers that many threads read are never written. Every thread stores to its own
//! slots (of the output buffers, of shared memory, of its stack). Other threads' shared slots are read only between two
//! barriers, where nobody writes shared memory. What threads do share is updated by commutative atomics.

use super::build::{Gen, Kernel, Phase};
use super::knobs::Feature;
use super::value::{I16, I32, I64, Scope, Ty, Val};

/// Elements that every readable buffer has at least; a power of two, so that a mask keeps an index in bounds.
pub(super) const BUFFER: u64 = 256;
/// Elements that a device function reads of a buffer it is passed, and stack arrays have at least.
pub(super) const PASSED: u64 = 16;
/// Counters for atomics, eight for each operation.
pub(super) const COUNTERS: u64 = 64;

/// Memory that is only read.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The pointer's operand.
    pub(super) pointer: String,
    pub(super) space: u32,
    pub(super) elem: Ty,
    pub(super) len: u64,
    pub(super) feature: Feature,
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

pub(super) fn pointer_type(space: u32) -> String {
    if space == 0 { "ptr".to_owned() } else { format!("ptr addrspace({space})") }
}

impl Gen<'_> {
    /// Address of element `index` (known in bounds) of `pointer`, in one of the ways clang writes it.
    pub(super) fn element(&mut self, pointer: &str, space: u32, elem: Ty, index: Val) -> String {
        let ty = pointer_type(space);
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
        match form {
            // Byte offsets, as the optimiser canonicalises to.
            0 => {
                let scaled = self.binary("mul", index, Val::int(index.ty, size_of(elem)));
                self.pointer(format_args!("getelementptr{flags} i8, {ty} {pointer}, {} {scaled}", index.ty)).to_string()
            }
            1 if index.ty != I64 => {
                let wide = self.extend_positive(index);
                self.pointer(format_args!("getelementptr{flags} {elem}, {ty} {pointer}, i64 {wide}")).to_string()
            }
            _ => self
                .pointer(format_args!("getelementptr{flags} {elem}, {ty} {pointer}, {} {index}", index.ty))
                .to_string(),
        }
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
    pub(super) fn some_source(&mut self, is_wanted: impl Fn(&Source) -> bool) -> Option<Source> {
        let all: Vec<&Source> = self.f.sources.iter().filter(|source| is_wanted(source)).collect();
        (!all.is_empty()).then(|| all[self.rng.below(all.len())].clone())
    }

    /// Loads from memory that nobody writes.
    pub(super) fn load_source(&mut self, feature: Feature) {
        let Some(source) = self.some_source(|source| source.feature == feature) else { return self.int_expression() };
        self.note(feature);
        let scope = if self.rng.chance(45) { Scope::Block } else { Scope::Lane };
        let index = self.index(source.len, scope);
        let (mut pointer, mut space) = (source.pointer, source.space);
        if self.rng.chance(25) {
            // Between generic and the space it is in: the same memory.
            let to = if space == 0 && source.feature != Feature::ConstantLoad { 1 } else { 0 };
            if to != space && (space == 0 || space == 1 || space == 4) {
                let (from, into) = (pointer_type(space), pointer_type(to));
                pointer = self.pointer(format_args!("addrspacecast {from} {pointer} to {into}")).to_string();
                space = to;
            }
        }
        let address = if pointer.starts_with('@') && self.rng.chance(50) {
            let ty = format!("[{} x {}]", source.len, source.elem);
            let space = pointer_type(space);
            self.pointer(format_args!("getelementptr inbounds {ty}, {space} {pointer}, i64 0, {} {index}", index.ty))
                .to_string()
        } else {
            self.element(&pointer, space, source.elem, index)
        };
        let hi = if source.elem.bits() > 0 { source.elem.max() } else { FLOAT_HI };
        let (elem, ptr) = (source.elem, pointer_type(space));
        let align = size_of(elem);
        if feature == Feature::ReadOnlyLoad
            && self.happens(Feature::Assembly)
            && self.load_assembly(elem, &address.to_string(), &ptr, index.scope)
        {
            return;
        }
        let invariant =
            if feature == Feature::ReadOnlyLoad && self.rng.chance(20) { ", !invariant.load !0" } else { "" };
        self.op(elem, hi, index.scope, format_args!("load {elem}, {ptr} {address}, align {align}{invariant}"));
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
        let sources: Vec<Source> =
            self.f.sources.iter().filter(|s| s.space == 0 && s.elem == I32 && s.len >= PASSED).cloned().collect();
        if sources.len() < 2 {
            return self.int_expression();
        }
        self.note(Feature::PointerSelect);
        let scope = if self.rng.chance(50) { Scope::Block } else { Scope::Lane };
        let cond = self.condition(scope);
        let (a, b) = (self.rng.below(sources.len()), self.rng.below(sources.len()));
        let len = sources[a].len.min(sources[b].len);
        let chosen =
            self.pointer(format_args!("select i1 {cond}, ptr {}, ptr {}", sources[a].pointer, sources[b].pointer));
        let index = self.index(len, scope);
        let address = self.element(&chosen.to_string(), 0, I32, index);
        let agreed = index.scope.min(cond.scope);
        self.word(agreed, format_args!("load i32, ptr {address}, align 4"));
    }

    // The thread's own slots of the output.

    /// Address of the thread's slot `k` of `%out`.
    fn own_slot(&mut self, k: u64) -> Option<String> {
        let kernel = self.f.kernel?;
        let (space, pointer) = if self.rng.chance(30) {
            (1, self.pointer(format_args!("addrspacecast ptr %out to ptr addrspace(1)")).to_string())
        } else {
            (0, "%out".to_owned())
        };
        let ty = pointer_type(space);
        let (base, step) = (kernel.slot_base, kernel.slot_step);
        let address = if step.is_constant() && self.rng.chance(50) {
            let row = self.pointer(format_args!("getelementptr inbounds i32, {ty} {pointer}, i64 {base}"));
            self.pointer(format_args!("getelementptr inbounds i8, {ty} {row}, i64 {}", k * step.hi * 4))
        } else {
            let offset = self.temp(I64, 0, step.scope, format_args!("mul nuw nsw i64 {step}, {k}"));
            let index = self.temp(I64, 0, Scope::Lane, format_args!("add nuw nsw i64 {offset}, {base}"));
            self.pointer(format_args!("getelementptr inbounds i32, {ty} {pointer}, i64 {index}"))
        };
        Some(format!("{ty} {address}"))
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
            self.line(format_args!("store i64 {new}, ptr {address}, align 8"));
            return;
        }
        let word = self.as_word(val);
        let k = self.f.next_slot;
        self.f.next_slot += 1;
        let Some(address) = self.own_slot(k % self.slots) else { return };
        let word = if k >= self.slots || (self.f.trips > 1 && self.rng.chance(60)) {
            let old = self.temp(I32, 0, Scope::Lane, format_args!("load i32, {address}, align 4"));
            self.mixed(old, word)
        } else {
            word
        };
        self.line(format_args!("store i32 {word}, {address}, align 4"));
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
        let old = self.word(Scope::Lane, format_args!("load i32, {address}, align 4"));
        let other = self.pick(I32);
        let op = self.rng.pick(&["add", "xor", "sub"]);
        let new = self.binary(op, old, other);
        self.line(format_args!("store i32 {new}, {address}, align 4"));
    }

    /// An atomic: without use of its result, on a slot of the thread's own, or (if allowed) with its result used.
    pub(super) fn atomic(&mut self, feature: Feature) {
        let operand = self.pick(I32);
        match feature {
            Feature::AtomicOwn => {
                let k = self.rng.range(0, self.slots - 1);
                let Some(address) = self.own_slot(k) else { return self.int_expression() };
                self.note(feature);
                if self.rng.chance(30) {
                    let expected = self.pick(I32);
                    let text = format!("cmpxchg {address}, i32 {expected}, i32 {operand} monotonic monotonic, align 4");
                    let pair = self.temp(I64, 0, Scope::Lane, format_args!("{text}"));
                    self.word(Scope::Lane, format_args!("extractvalue {{ i32, i1 }} {pair}, 0"));
                    return;
                }
                let op = self.rng.pick(&["add", "xchg", "umax", "and"]);
                self.word(Scope::Lane, format_args!("atomicrmw {op} {address}, i32 {operand} monotonic, align 4"));
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
                let address = self.element("%ctr", 0, I32, index);
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
    fn shared_slot(&mut self, index: Val) -> String {
        if self.rng.chance(30) {
            let generic = self.pointer(format_args!("addrspacecast ptr addrspace(3) @shared to ptr")).to_string();
            return format!("ptr {}", self.element(&generic, 0, I32, index));
        }
        format!("ptr addrspace(3) {}", self.element("@shared", 3, I32, index))
    }

    /// Reads or, while nobody reads others' slots, writes the thread's own slot.
    pub(super) fn shared_own(&mut self) {
        let Some(kernel) = self.f.kernel.filter(|_| self.has_shared) else { return self.int_expression() };
        self.note(Feature::Shared);
        let address = self.shared_slot(kernel.ltid);
        if self.f.phase == Phase::Own && self.rng.chance(60) {
            let val = self.pick(I32);
            self.line(format_args!("store i32 {val}, {address}, align 4"));
        } else {
            self.word(Scope::Lane, format_args!("load i32, {address}, align 4"));
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
        self.word(thread.scope, format_args!("load i32, {address}, align 4"))
    }

    /// Changes the thread's own slot by a value, while nobody reads it.
    pub(super) fn shared_turn(&mut self, val: Val) {
        let Some(kernel) = self.f.kernel.filter(|_| self.has_shared && self.f.phase == Phase::Own) else { return };
        self.note(Feature::Shared);
        let address = self.shared_slot(kernel.ltid);
        let word = self.as_word(val);
        let old = self.temp(I32, 0, Scope::Lane, format_args!("load i32, {address}, align 4"));
        let new = self.mixed(old, word);
        self.line(format_args!("store i32 {new}, {address}, align 4"));
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
