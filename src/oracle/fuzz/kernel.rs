//! What surrounds the random statements of a kernel? The module's globals, and the kernel's signature, prologue and
//! attributes.

use super::build::{ENTRY, Func, Gen, Kernel, Label};
use super::knobs::{Feature, Knobs, Mode};
use super::launch::{ArgSpec, Elem, Fill, Launch, geometries};
use super::memory::{Array, BUFFER, COUNTERS};
use super::rng::Rng;
use super::stream_loops::COUNT;
use super::value::{I32, I64, Name, PTR, Scope, Ty, Val};
use super::{GeneratedKernel, KERNEL, elementwise};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Elements of the constant tables.
const TABLE: u64 = 32;
/// 64-bit slots of each thread in the second output buffer.
const WIDE_SLOTS: u64 = 4;
/// Bound of the grid's linear block index: grids are small.
const BLOCKS: u64 = 1023;

/// The kernel of a seed; see the documentation of the module above for its properties.
pub fn generate(seed: u64, knobs: &Knobs) -> GeneratedKernel {
    let salt = Mode::ALL.iter().position(|&mode| mode == knobs.mode).unwrap_or(0) as u64;
    let mut rng = Rng::new(seed, salt);
    let reqntid = rng.chance(knobs.weight(Feature::ReqNtid));
    let features = reqntid.then_some(Feature::ReqNtid).into_iter().collect::<BTreeSet<_>>();
    let flat = rng.chance(40);
    let is_elementwise = knobs.mode == Mode::Elementwise;
    let reqntid = reqntid && !is_elementwise;
    let geometries =
        if is_elementwise { elementwise::geometries(&mut rng) } else { geometries(&mut rng, flat, reqntid) };
    let budget = rng.range(u64::from(knobs.size.0), u64::from(knobs.size.1));
    let mut g = Gen {
        rng,
        knobs,
        features,
        globals: String::new(),
        functions: String::new(),
        callees: Vec::new(),
        takers: Vec::new(),
        lookouts: Vec::new(),
        geometries,
        dynamic_shared: 0,
        slots: (budget / 4).next_power_of_two().clamp(8, 32),
        constants: Vec::new(),
        has_shared: false,
        wild: false,
        f: Func::new(budget as i64),
    };
    if is_elementwise {
        return g.finish_elementwise(seed);
    }
    g.globals();
    g.device_functions();
    if knobs.mode == Mode::Calls {
        g.takers();
    }
    let (signature, args) = g.signature();
    g.prologue(flat);
    let rest = g.guard();
    g.body();
    if let Some(rest) = rest {
        g.jump(rest);
        g.place(rest);
        g.f.pool.clear();
        g.f.exited = true;
    }
    g.line(format_args!("ret void"));
    let attributes = g.attribute_text(reqntid);
    g.finish(seed, &signature, args, &attributes)
}

impl Gen<'_> {
    /// All of a kernel that reads and writes an element a thread.
    fn finish_elementwise(mut self, seed: u64) -> GeneratedKernel {
        self.globals.push_str("target triple = \"nvptx64-nvidia-cuda\"\n\n");
        let (signature, args) = elementwise::signature(&mut self.rng);
        self.elementwise();
        self.line(format_args!("ret void"));
        self.finish(seed, &signature, args, "nounwind")
    }

    /// Constant tables in address spaces 4 and 1 and a generic one, and shared memory.
    fn globals(&mut self) {
        let _ = writeln!(self.globals, "target triple = \"nvptx64-nvidia-cuda\"\n");
        for (name, space) in [("const_table", 4), ("global_table", 1), ("plain_table", 0)] {
            let ty = if space == 1 && self.rng.chance(50) { Ty::F32 } else { I32 };
            let mut items = String::new();
            for i in 0..TABLE {
                let item = if ty == I32 {
                    self.constant(I32)
                } else {
                    let eighths = self.rng.below(512) as f64;
                    Val::float(Ty::F32, (eighths - 256.0) / 8.0)
                };
                let comma = if i == 0 { "" } else { ", " };
                let _ = write!(items, "{comma}{ty} {item}");
            }
            let space_text = if space == 0 { String::new() } else { format!("addrspace({space}) ") };
            let _ = writeln!(
                self.globals,
                "@{name} = internal unnamed_addr {space_text}constant [{TABLE} x {ty}] [{items}], align 4"
            );
            let pointer = Val::global(name, space);
            self.constants.push(Array { pointer, elem: ty, len: TABLE, feature: Feature::ConstantLoad });
        }
        self.has_shared = self.rng.chance((self.knobs.weight(Feature::Shared) * 12).min(95));
        if self.has_shared {
            let most = self.geometries.iter().map(|g| g.block_threads()).max().unwrap_or(1).next_power_of_two();
            if self.happens(Feature::DynamicShared) {
                self.dynamic_shared = most * 4;
                let _ = writeln!(self.globals, "@shared = external addrspace(3) global [0 x i32], align 16");
            } else {
                let _ = writeln!(
                    self.globals,
                    "@shared = internal unnamed_addr addrspace(3) global [{most} x i32] undef, align 16"
                );
            }
        }
        self.globals.push('\n');
    }

    /// The kernel's parameters as text, and what they are launched with.
    fn signature(&mut self) -> (String, Vec<ArgSpec>) {
        let threads = u64::from(self.geometries.iter().map(|g| g.threads()).max().unwrap_or(1));
        let buffer = |elem, len: u64, fill| ArgSpec::Buffer { elem, len: len as usize, fill };
        let mut args = vec![
            buffer(Elem::I32, threads * self.slots, Fill::Zero),
            buffer(Elem::I64, threads * WIDE_SLOTS, Fill::Zero),
        ];
        let seeds = [self.rng.bits(), self.rng.bits(), self.rng.bits()];
        let fill = if self.rng.chance(25) { Fill::Iota } else { Fill::Random(seeds[0]) };
        args.push(buffer(Elem::I32, BUFFER, fill));
        args.push(buffer(Elem::F32, BUFFER, Fill::Random(seeds[1])));
        args.push(buffer(Elem::I32, BUFFER, Fill::Random(seeds[2])));
        args.push(buffer(Elem::I32, COUNTERS, Fill::Zero));
        let n = self.rng.pick(&[0, 1, 7, 31, 32, 33, 50, 64, 100, 128, 200, 1000]);
        let scalars = [Val::int(I32, n), self.constant(I32), self.constant(I64)];
        for scalar in scalars {
            let elem = if scalar.ty == I64 { Elem::I64 } else { Elem::I32 };
            args.push(ArgSpec::Scalar { elem, bits: scalar.hi });
        }
        let eighths = self.rng.below(256) as f32;
        args.push(ArgSpec::Scalar { elem: Elem::F32, bits: u64::from(((eighths - 128.0) / 8.0).to_bits()) });
        args.push(ArgSpec::Scalar { elem: Elem::I32, bits: self.rng.range(0, COUNT) });

        // A pointer in the global space is cast to a generic one of the usual name in the prologue.
        let mut text = String::new();
        for (name, attributes) in [
            ("out", "noundef"),
            ("out64", "noundef"),
            ("in", "noalias noundef readonly"),
            ("inf", "noalias noundef readonly captures(none)"),
            ("rw", "noundef"),
            ("ctr", "noundef align 4"),
        ] {
            if self.rng.chance(20) {
                let _ = write!(text, "ptr addrspace(1) {attributes} %{name}.global, ");
                self.f.allocas.push_str(&format!("  %{name} = addrspacecast ptr addrspace(1) %{name}.global to ptr\n"));
            } else {
                let _ = write!(text, "ptr {attributes} %{name}, ");
            }
        }
        text.push_str("i32 noundef %n, i32 noundef %a, i64 noundef %b, float noundef %x, i32 noundef %m");
        self.f.sources = self.constants.clone();
        for (name, elem, feature) in [
            ("in", I32, Feature::ReadOnlyLoad),
            ("inf", Ty::F32, Feature::ReadOnlyLoad),
            ("rw", I32, Feature::MutableLoad),
        ] {
            let pointer = Val::named(name, PTR, 0, Scope::Lane);
            self.f.sources.push(Array { pointer, elem, len: BUFFER, feature });
        }
        for (name, ty, hi) in
            [("n", I32, I32.max()), ("a", I32, I32.max()), ("b", I64, I64.max()), ("x", Ty::F32, 5), ("m", I32, COUNT)]
        {
            self.f.pool.push(Val::named(name, ty, hi, Scope::Block));
        }
        if self.happens(Feature::ByVal) {
            text.push_str(", ptr noundef byval([16 x i32]) align 16 %packed");
            let bytes: Vec<u8> = (0..64).map(|_| self.rng.bits() as u8).collect();
            args.push(ArgSpec::ByVal { bytes });
            self.f.sources.push(Array::words(Val::named("packed", PTR, 0, Scope::Lane), 16, Feature::ReadOnlyLoad));
        }
        (text, args)
    }

    /// `a * b + c`, known to be at most `hi`.
    pub(super) fn mul_add(&mut self, a: Val, b: Val, c: Val, hi: u64) -> Val {
        let product = self.binary("mul", a, b);
        self.bounded("add", product, c, hi)
    }

    /// `a op b`, with a bound that holds for every launch of ours.
    fn bounded(&mut self, op: &str, a: Val, b: Val, hi: u64) -> Val {
        let val = self.binary(op, a, b);
        let val = Val { hi: val.hi.min(hi), ..val };
        self.f.pool.pop();
        self.f.pool.push(val);
        val
    }

    /// Which thread is this, and where are its slots?
    fn prologue(&mut self, flat: bool) {
        let (tid, ntid, ctaid) = (self.sreg("tid.x"), self.sreg("ntid.x"), self.sreg("ctaid.x"));
        let (ltid, block_size, block) = if flat {
            (tid, ntid, ctaid)
        } else {
            let (y, z, ny, nz) = (self.sreg("tid.y"), self.sreg("tid.z"), self.sreg("ntid.y"), self.sreg("ntid.z"));
            let row = self.mul_add(z, ny, y, 1023);
            let ltid = self.mul_add(row, ntid, tid, 1023);
            let area = self.bounded("mul", ntid, ny, 1024);
            let size = self.bounded("mul", area, nz, 1024);
            let (by, bz) = (self.sreg("ctaid.y"), self.sreg("ctaid.z"));
            let (nbx, nby) = (self.sreg("nctaid.x"), self.sreg("nctaid.y"));
            let row = self.mul_add(bz, nby, by, BLOCKS);
            (ltid, size, self.mul_add(row, nbx, ctaid, BLOCKS))
        };
        let gid = self.mul_add(block, block_size, ltid, (BLOCKS + 1) * 1024);
        let wide = self.op(I64, gid.hi, Scope::Lane, format_args!("zext nneg i32 {gid} to i64"));
        let (slot_base, slot_step) = if self.rng.chance(50) {
            let slots = self.slots;
            (self.temp(I64, 1 << 30, Scope::Lane, format_args!("mul nuw nsw i64 {wide}, {slots}")), Val::int(I64, 1))
        } else {
            // Slots of one number side by side, as coalesced code has them.
            let blocks = if flat {
                self.sreg("nctaid.x")
            } else {
                let (x, y, z) = (self.sreg("nctaid.x"), self.sreg("nctaid.y"), self.sreg("nctaid.z"));
                let area = self.bounded("mul", x, y, BLOCKS + 1);
                self.bounded("mul", area, z, BLOCKS + 1)
            };
            let total = self.binary("mul", blocks, block_size);
            (wide, self.temp(I64, total.hi, Scope::Block, format_args!("zext nneg i32 {total} to i64")))
        };
        self.f.kernel = Some(Kernel { gid: wide, ltid, row_length: ntid, block_size, slot_base, slot_step });
        debug_assert!(matches!(gid.name, Name::Reg(_)));
        (self.f.conv, self.f.may_sync) = (Scope::Block, true);
        if self.has_shared {
            let at = self.temp(I64, ltid.hi, Scope::Lane, format_args!("zext nneg i32 {ltid} to i64"));
            let text = format_args!("getelementptr inbounds i32, ptr addrspace(3) @shared, i64 {at}");
            let at = self.temp(Ty::Ptr(3), 0, Scope::Lane, text);
            self.store(gid, at);
        }
        let arrays = match self.knobs.mode {
            Mode::LocalArrays => self.rng.range(2, 4),
            _ => u64::from(self.rng.chance((self.knobs.weight(Feature::LocalArray) * 5).min(90))),
        };
        for _ in 0..arrays {
            self.local_array();
        }
        if self.f.sources.iter().any(|source| source.pointer.name == Name::Named("packed")) && self.rng.chance(50) {
            self.argument_copy();
        }
        let table: fn(&mut Self) = Self::local_table;
        for (percent, make) in [(40, table), (50, Self::local_of_warp), (50, Self::local_pointers)] {
            if self.knobs.mode == Mode::LocalArrays && self.rng.chance(percent) {
                self.note(Feature::LocalArray);
                make(self);
            }
        }
    }

    /// The guard of nearly every real kernel: threads past `n` return at once, or skip the body. Returns the block
    /// after the body in the latter case.
    fn guard(&mut self) -> Option<Label> {
        if !self.happens(Feature::Guard) {
            return None;
        }
        let i = self.f.kernel?.gid;
        let narrow = self.temp(I32, i.hi, Scope::Lane, format_args!("trunc nuw nsw i64 {i} to i32"));
        let inside = self.rng.chance(50);
        let (predicate, limit) = (self.rng.pick(&["slt", "ult"]), "%n");
        let cond = self.temp_bit(Scope::Lane, format_args!("icmp {predicate} i32 {narrow}, {limit}"));
        let (body, out) = (self.label(), self.label());
        self.branch(cond, body, out);
        if inside {
            self.place(body);
            self.f.conv = Scope::Lane;
            return Some(out);
        }
        self.place(out);
        self.line(format_args!("ret void"));
        self.place(body);
        self.f.exited = true;
        None
    }

    /// The statements of the kernel, and stores of a sample of the values that are live at its end.
    fn body(&mut self) {
        match self.knobs.mode {
            Mode::Diamonds => self.diamonds(),
            Mode::Pressure => self.pressure(),
            Mode::Loops => (0..self.rng.range(1, 2)).for_each(|_| self.stream_loop(16)),
            Mode::CountedArrays => (0..self.rng.range(1, 2)).for_each(|_| self.counted_arrays()),
            Mode::Calls => (0..self.takers.len()).for_each(|_| self.take()),
            Mode::Idioms => (0..self.rng.range(2, 4)).for_each(|_| self.idiom()),
            _ => {}
        }
        let left = self.f.budget;
        if left > 0 {
            self.region(left);
        }
        for _ in 0..5 {
            if let Some(val) = self.pool_value(|_| true) {
                self.observe(val);
            }
        }
    }

    fn attribute_text(&mut self, reqntid: bool) -> String {
        let mut text = "convergent nounwind".to_owned();
        let blocks: Vec<[u32; 3]> = self.geometries.iter().map(|g| g.block).collect();
        let shape = |b: [u32; 3]| match b {
            [x, 1, 1] => x.to_string(),
            [x, y, 1] => format!("{x},{y}"),
            [x, y, z] => format!("{x},{y},{z}"),
        };
        if reqntid {
            let _ = write!(text, " \"nvvm.reqntid\"=\"{}\"", shape(blocks[0]));
        } else if self.happens(Feature::MaxNtid) {
            // A bound of each dimension, or of the product alone, which is all that is guaranteed.
            let most = if self.rng.chance(50) {
                [0, 1, 2].map(|d| blocks.iter().map(|b| b[d]).max().unwrap_or(1))
            } else {
                let threads = blocks.iter().map(|b| b.iter().product::<u32>()).max().unwrap_or(1);
                [self.rng.pick(&[threads, threads.next_power_of_two(), 1024]), 1, 1]
            };
            let most = if most.iter().product::<u32>() > 1024 { [1024, 1, 1] } else { most };
            let _ = write!(text, " \"nvvm.maxntid\"=\"{}\"", shape(most));
        }
        if self.happens(Feature::MaxNreg) {
            let registers = self.rng.pick(&[24, 32, 40, 64]);
            let _ = write!(text, " \"nvvm.maxnreg\"=\"{registers}\"");
        }
        text
    }

    fn finish(self, seed: u64, signature: &str, args: Vec<ArgSpec>, attributes: &str) -> GeneratedKernel {
        let mut ir = String::with_capacity(self.f.body.len() + self.functions.len() + self.globals.len() + 1024);
        let launch = Launch { args, geometries: self.geometries, dynamic_shared: self.dynamic_shared };
        let _ = writeln!(ir, "; warpwise fuzz gen --seed {seed} --mode {}", self.knobs.mode.name());
        ir.push_str(&launch.to_comment());
        ir.push_str(&self.globals);
        ir.push_str(&self.functions);
        let _ = writeln!(ir, "define ptx_kernel void @{KERNEL}({signature}) #0 {{\nb{}:", ENTRY.0);
        ir.push_str(&self.f.allocas);
        ir.push_str(&self.f.body);
        let _ = write!(ir, "}}\n\nattributes #0 = {{ {attributes} }}\n\n!0 = !{{}}\n");
        GeneratedKernel { ir, launch, features: self.features }
    }
}
