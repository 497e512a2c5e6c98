//! What is the kernel of a seed, and how is it launched?
//!
//! Every kernel takes the same arguments: `O`, eight words for each thread, its own; the inputs `I`, `F`, `D` and `B`,
//! [`INPUTS`](crate::expr::INPUTS) elements each; `A`, words for atomics; two integers, a float, and a struct by value.

use crate::ast::{Function, Source};
use crate::rng::Rng;
use crate::scope::{Flow, Gen, Helper, Kind, LARGE};
use crate::types::{RECORDS, Scalar, Type};
use std::fmt::Write as _;

/// Kernels of one translation unit: seeds that are equal when divided by this share it.
pub const UNIT: u64 = 32;
/// One unit in this many includes cooperative groups, whose headers take long to read.
const TILES: u64 = 4;
/// Words that a thread writes, and words for atomics.
pub const OUT_WORDS: usize = 8;
pub const ATOMIC_WORDS: usize = 6 * 64;

/// Grid and block of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
}

impl Shape {
    pub fn threads(self) -> usize {
        self.grid.iter().chain(&self.block).product::<u32>() as usize
    }
}

/// A random kernel.
pub struct Kernel {
    pub name: String,
    pub source: Source,
    pub shapes: Vec<Shape>,
    /// Bytes of dynamic shared memory for each thread of a block.
    pub dynamic_shared: u32,
}

const BLOCKS: &[[u32; 3]] = &[
    [1, 1, 1],
    [31, 1, 1],
    [32, 1, 1],
    [33, 1, 1],
    [96, 1, 1],
    [128, 1, 1],
    [1023, 1, 1],
    [1024, 1, 1],
    [16, 16, 1],
    [8, 4, 3],
    [7, 5, 2],
    [64, 2, 1],
    [2, 3, 11],
];

/// The text in front of the kernels of a unit.
pub fn prelude(unit: u64) -> String {
    let tiles = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";
    format!("{}{}", if has_tiles(unit) { tiles } else { "" }, include_str!("prelude.cuh"))
}

pub fn has_tiles(unit: u64) -> bool {
    unit.is_multiple_of(TILES)
}

impl Kernel {
    pub fn new(seed: u64) -> Kernel {
        let mut rng = Rng::new(seed);
        let name = format!("k{seed}");
        let bound = rng.pick(&[0, 0, 0, 64, 128, 256, 1024]);
        let has_tiles = has_tiles(seed / UNIT);
        let fits = |block: &[u32; 3]| {
            let threads: u32 = block.iter().product();
            (bound == 0 || threads <= bound) && (!has_tiles || threads.is_multiple_of(32))
        };
        let blocks: Vec<[u32; 3]> = BLOCKS.iter().copied().filter(fits).collect();
        let mut shapes: Vec<Shape> = Vec::new();
        for _ in 0..3 {
            let shape =
                Shape { grid: rng.pick(&[[1, 1, 1], [2, 1, 1], [3, 1, 1], [2, 2, 1]]), block: rng.pick(&blocks) };
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        let mut kernel =
            Kernel { name, source: Source { head: String::new(), functions: Vec::new() }, shapes, dynamic_shared: 0 };
        kernel.generate(rng, bound, has_tiles);
        kernel
    }

    fn generate(&mut self, mut rng: Rng, bound: u32, has_tiles: bool) {
        let ty = rng.pick(&[Scalar::U32, Scalar::U32, Scalar::F32, Scalar::I32, Scalar::U16, Scalar::F64]);
        let is_dynamic = rng.chance(40);
        let length = if is_dynamic { rng.pick(&[1, 4, 8, 16, 20]) } else { rng.pick(&[1, 2, 4]) };
        let shared = rng.chance(50).then_some((ty, length));
        if let (Some(_), true) = (shared, is_dynamic) {
            let size = match ty {
                Scalar::F64 => 8,
                Scalar::U16 => 2,
                _ => 4,
            };
            self.dynamic_shared = size * length as u32;
        }
        let fuel = rng.pick(&[6, 10, 16, 24, 36]);
        let mut generator = Gen {
            prefix: self.name.clone(),
            names: 0,
            vars: Vec::new(),
            flow: Flow::Divergent,
            around: Vec::new(),
            has_returned: false,
            is_kernel: false,
            helpers: Vec::new(),
            fuel: 0,
            depth: 0,
            has_tiles,
            shared,
            rng,
        };
        for _ in 0..generator.rng.pick(&[0, 0, 0, 1, 2, 3]) {
            let helper = helper(&mut generator);
            self.source.functions.push(helper);
        }
        generator.fuel = fuel;
        self.source.functions.push(kernel(&mut generator, bound, is_dynamic));
    }
}

/// Generates a helper and makes it known.
fn helper(generator: &mut Gen) -> Function {
    let kind = match generator.rng.below(9) {
        0..4 => Kind::Plain,
        4 => Kind::Array,
        5 | 6 => Kind::Record(Type::Record(&RECORDS[generator.rng.below(RECORDS.len())])),
        7 => Kind::Large(generator.rng.pick(&[Scalar::U32, Scalar::U32, Scalar::F32])),
        _ => Kind::Recursive,
    };
    let number = generator.name("h");
    let name = format!("{}_{number}", generator.prefix);
    let called = generator.rng.pick(&["CALLED", "CALLED", "INLINED", ""]);
    let scalar = |of| Type::Scalar(of);
    generator.vars.clear();
    generator.declare("x", scalar(Scalar::U32), 0, true);
    let (result, more) = match kind {
        Kind::Plain => {
            generator.declare("y", scalar(Scalar::I32), 0, true);
            generator.declare("fa", scalar(Scalar::F32), 0, true);
            ("u32", "u32 x, int y, float fa".to_owned())
        }
        Kind::Array => {
            generator.declare("w", scalar(Scalar::U32), 8, true);
            ("u32", "u32* w, u32 x".to_owned())
        }
        Kind::Record(ty) => {
            generator.declare("r", ty, 0, true);
            (ty.name(), format!("{} r, u32 x", ty.name()))
        }
        Kind::Large(ty) => return large(generator, name, ty),
        Kind::Recursive => ("u32", "u32 x, u32 d".to_owned()),
    };
    let mut head = format!("DEV {called} {result} {name}(const u32* I, const float* F, {more}) {{\n");
    head.push_str("  const u32 tx = tix(), gid = bix() * nthr() + tx; (void)gid;");
    if !matches!(kind, Kind::Plain) {
        head.push_str(" const float fa = F[x & 4095]; (void)fa;");
    }
    generator.fuel = generator.rng.range(1, 8);
    // records are returned at the end only
    generator.around = if matches!(kind, Kind::Record(_)) { vec![crate::scope::Around::Fixed] } else { Vec::new() };
    if kind == Kind::Recursive {
        let _ = write!(head, "\n  if (d == 0) return {};", generator.value(Scalar::U32, 2));
    }
    let mut body = Vec::new();
    top(generator, &mut body);
    let mut tail = match kind {
        Kind::Record(_) => "return r;".to_owned(),
        Kind::Recursive => {
            let (argument, sum) = (generator.value(Scalar::U32, 2), generator.value(Scalar::U32, 2));
            format!("return {name}(I, F, {argument}, d - 1) ^ {sum};")
        }
        _ => format!("return {};", generator.value(Scalar::U32, 2)),
    };
    tail.push('\n');
    generator.around.clear();
    generator.vars.clear();
    generator.has_returned = false;
    generator.helpers.push(Helper { name, kind });
    Function { head, body, tail }
}

/// A helper that LLVM does not inline: it is visible, and large. What it works on is in registers only if it is inlined.
fn large(generator: &mut Gen, name: String, ty: Scalar) -> Function {
    let head = format!("__device__ void {name}(const u32* I, const float* F, {}* w, u32 x) {{", ty.name());
    let lines = generator.rng.range(70, 90);
    let mut body = Vec::new();
    for _ in 0..lines {
        let mut place = || format!("w[{}]", generator.rng.below(LARGE));
        let (to, from) = (place(), place());
        let at = generator.rng.below(4096);
        body.push(crate::ast::Stmt::Text(match ty {
            Scalar::F32 => {
                let sign = generator.rng.pick(&["+", "-"]);
                format!("{to} = {from} * F[(x ^ {at}) & 4095] {sign} F[(x + {at}) & 4095] * {to};")
            }
            _ => format!("{to} = mix({from} ^ x, I[(x + {at}) & 4095]);"),
        }));
    }
    generator.vars.clear();
    generator.helpers.push(Helper { name, kind: Kind::Large(ty) });
    Function { head, body, tail: String::new() }
}

/// Statements of a function's own scope, until the fuel is spent.
fn top(generator: &mut Gen, out: &mut Vec<crate::ast::Stmt>) {
    generator.depth = 1;
    while generator.fuel > 0 {
        generator.fuel -= 1;
        generator.statement(out);
    }
    generator.depth = 0;
}

fn kernel(generator: &mut Gen, bound: u32, is_dynamic: bool) -> Function {
    let restrict = generator.rng.pick(&["", "__restrict__ "]);
    let bounds = if bound > 0 { format!("__launch_bounds__({bound}) ") } else { String::new() };
    let mut head = format!(
        "extern \"C\" __global__ {bounds}void {}(u32* {r}O, const u32* {r}I, const float* {r}F, const double* {r}D, \
         const u8* {r}B, u32* {r}A, int n, int m, float fa, Arg p) {{\n  const u32 tx = tix(), nt = nthr(), gid = bix() * \
         nt + tx, wm = lanes(); u32* const out = O + gid * {OUT_WORDS}; (void)nt; (void)wm;",
        generator.prefix,
        r = restrict,
    );
    generator.is_kernel = true;
    generator.flow = Flow::Block;
    if let Some((ty, length)) = generator.shared {
        let name = ty.name();
        if is_dynamic {
            let _ =
                write!(head, "\n  extern __shared__ u64 dynamic_shared[]; {name}* const S = ({name}*)dynamic_shared;");
        } else {
            let threads = if bound == 0 { 1024 } else { bound };
            let _ = write!(head, "\n  __shared__ {name} S[{}];", threads as usize * length);
        }
        let fill = generator.value(ty, 1);
        let _ = write!(
            head,
            "\n  {name}* const sh = S + tx * {length}; for (u32 i = 0; i < {length}; ++i) sh[i] = ({name})({fill});"
        );
        generator.declare("sh", Type::Scalar(ty), length, true);
    }
    if generator.rng.chance(30) {
        generator.declare("out", Type::Scalar(Scalar::U32), OUT_WORDS, true);
    }
    for ty in [Scalar::U32, Scalar::I32, Scalar::F32] {
        let (name, value) = (generator.name("v"), generator.value(ty, 1));
        let _ = write!(head, "\n  {} {name} = {value};", ty.name());
        generator.declare(&name, Type::Scalar(ty), 0, true);
    }
    let mut body = Vec::new();
    top(generator, &mut body);
    let mut tail = String::from("u32 h = 0x811c9dc5u;");
    for var in &generator.vars {
        let mixed = |object: String| match var.ty {
            Type::Scalar(_) => format!("h = mix(h, hs({object}));"),
            Type::Record(record) => {
                let members = record.members.iter().map(|m| format!("h = mix(h, hs({object}.{}));", m.0));
                members.collect::<Vec<_>>().join(" ")
            }
        };
        let _ = match var.length {
            0 => write!(tail, "\n{}", mixed(var.name.clone())),
            length => {
                write!(tail, "\nfor (u32 i = 0; i < {length}; ++i) {{ {} }}", mixed(format!("{}[i]", var.name)))
            }
        };
    }
    tail.push_str("\nout[0] = h;");
    Function { head, body, tail }
}
