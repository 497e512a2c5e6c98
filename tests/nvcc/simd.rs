//! Do CUDA's functions on the halves and bytes of words compute what CUDA documents, as `warpwise nvcc` compiles them
//! with its own header, with and without sm_90's instructions for two halves? All pairs of bytes, and edges and random
//! numbers as halves and words, on the lockstep machine, compared lane by lane.

use super::builds;
use std::fs;
use warpwise_ir::llvm::image;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_oracle::simt::{Arg, Inputs, LaunchConfig, Machine, Nobody};

/// The operands in one lane.
struct Lane {
    bits: u32,
    signed: [i64; 3],
    unsigned: [i64; 3],
}

impl Lane {
    fn of(words: [u32; 3], bits: u32, number: u32) -> Lane {
        let unsigned = words.map(|word| i64::from(word >> (number * bits)) & mask(bits));
        Lane { bits, signed: unsigned.map(|value| wrapped(value, bits)), unsigned }
    }
    fn saturated(&self, value: i64) -> i64 {
        value.clamp(-1 << (self.bits - 1), mask(self.bits - 1))
    }
}

fn mask(bits: u32) -> i64 {
    (1 << bits) - 1
}

/// The value that the low bits are as a signed number.
fn wrapped(value: i64, bits: u32) -> i64 {
    value << (64 - bits) >> (64 - bits)
}

/// What a function computes in a lane, from the operands there as they are signed or not.
type InLane = Box<dyn Fn(&Lane) -> i64>;

struct Function {
    call: String,
    bits: u32,
    in_lane: InLane,
    /// Whether the result is the sum over all lanes.
    is_sum: bool,
}

/// `__vadd2` and `__vadd4` and so on.
fn of_both_widths(all: &mut Vec<Function>) {
    let mut put = |name: &str, arguments: &str, of: fn(&Lane) -> i64| {
        for (lanes, bits) in [(2, 16), (4, 8)] {
            let (call, is_sum) = (format!("__v{name}{lanes}({arguments})"), name.starts_with("sad"));
            all.push(Function { call, bits, in_lane: Box::new(of), is_sum });
        }
    };
    put("abs", "a", |l| l.signed[0].abs());
    put("absss", "a", |l| l.saturated(l.signed[0].abs()));
    put("neg", "a", |l| -l.signed[0]);
    put("negss", "a", |l| l.saturated(-l.signed[0]));
    let mut put = |name: &str, of: fn(&Lane) -> i64| put(name, "a, b", of);
    put("absdiffs", |l| (l.signed[0] - l.signed[1]).abs());
    put("absdiffu", |l| (l.unsigned[0] - l.unsigned[1]).abs());
    put("sads", |l| (l.signed[0] - l.signed[1]).abs());
    put("sadu", |l| (l.unsigned[0] - l.unsigned[1]).abs());
    put("add", |l| l.signed[0] + l.signed[1]);
    put("addss", |l| l.saturated(l.signed[0] + l.signed[1]));
    put("addus", |l| (l.unsigned[0] + l.unsigned[1]).min(mask(l.bits)));
    put("sub", |l| l.signed[0] - l.signed[1]);
    put("subss", |l| l.saturated(l.signed[0] - l.signed[1]));
    put("subus", |l| (l.unsigned[0] - l.unsigned[1]).max(0));
    put("avgs", |l| {
        let sum = l.signed[0] + l.signed[1];
        (sum + i64::from(sum >= 0)) >> 1
    });
    put("avgu", |l| (l.unsigned[0] + l.unsigned[1] + 1) >> 1);
    put("haddu", |l| (l.unsigned[0] + l.unsigned[1]) >> 1);
    put("maxs", |l| l.signed[0].max(l.signed[1]));
    put("maxu", |l| l.unsigned[0].max(l.unsigned[1]));
    put("mins", |l| l.signed[0].min(l.signed[1]));
    put("minu", |l| l.unsigned[0].min(l.unsigned[1]));
    type Holds = fn(&Lane) -> bool;
    let comparisons: [(&str, Holds); 10] = [
        ("eq", |l| l.signed[0] == l.signed[1]),
        ("ne", |l| l.signed[0] != l.signed[1]),
        ("ges", |l| l.signed[0] >= l.signed[1]),
        ("geu", |l| l.unsigned[0] >= l.unsigned[1]),
        ("gts", |l| l.signed[0] > l.signed[1]),
        ("gtu", |l| l.unsigned[0] > l.unsigned[1]),
        ("les", |l| l.signed[0] <= l.signed[1]),
        ("leu", |l| l.unsigned[0] <= l.unsigned[1]),
        ("lts", |l| l.signed[0] < l.signed[1]),
        ("ltu", |l| l.unsigned[0] < l.unsigned[1]),
    ];
    for (name, holds) in comparisons {
        for (kind, truth) in [("cmp", -1), ("set", 1)] {
            for (lanes, bits) in [(2, 16), (4, 8)] {
                let in_lane: InLane = Box::new(move |l| truth * i64::from(holds(l)));
                all.push(Function { call: format!("__v{kind}{name}{lanes}(a, b)"), bits, in_lane, is_sum: false });
            }
        }
    }
}

/// `__viaddmax_s16x2` and its like, which NVIDIA's header has, for some by way of those above.
fn of_nvidia(all: &mut Vec<Function>) {
    for (is_max, order) in [(true, "max"), (false, "min")] {
        for (kind, bits, is_signed) in
            [("s16x2", 16, true), ("u16x2", 16, false), ("s32", 32, true), ("u32", 32, false)]
        {
            let of = move |l: &Lane| if is_signed { l.signed } else { l.unsigned };
            let chosen = move |a: i64, b: i64| if is_max { a.max(b) } else { a.min(b) };
            let sum = move |l: &Lane| {
                let sum = l.unsigned[0] + l.unsigned[1];
                if is_signed { wrapped(sum, l.bits) } else { sum & mask(l.bits) }
            };
            let mut put = |call: String, in_lane: InLane| all.push(Function { call, bits, in_lane, is_sum: false });
            for (suffix, least) in [("", i64::MIN), ("_relu", 0)].into_iter().take(1 + usize::from(is_signed)) {
                let three = move |l: &Lane| chosen(chosen(of(l)[0], of(l)[1]), of(l)[2]).max(least);
                put(format!("__vi{order}3_{kind}{suffix}(a, b, c)"), Box::new(three));
                let added = move |l: &Lane| chosen(sum(l), of(l)[2]).max(least);
                put(format!("__viadd{order}_{kind}{suffix}(a, b, c)"), Box::new(added));
                if least == 0 {
                    let two = move |l: &Lane| chosen(of(l)[0], of(l)[1]).max(0);
                    put(format!("__vi{order}_{kind}_relu(a, b)"), Box::new(two));
                }
            }
            // the predicate is put into the lowest bit of the lane
            let (targets, first) = if bits == 16 { ("&high, &low", "high << 16 | low") } else { ("&low", "low") };
            let which = move |l: &Lane| {
                let [a, b, _] = of(l);
                chosen(a, b) ^ i64::from(chosen(a, b) == a)
            };
            put(format!("__vib{order}_{kind}(a, b, {targets}) ^ ({first})"), Box::new(which));
        }
    }
}

/// Words with every pair of bytes in `a` and `b`, and with edges and random numbers as halves and as words.
fn operands() -> [Vec<u32>; 3] {
    let mut words = [const { Vec::new() }; 3];
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    let byte_pairs = |from: u32| {
        (0..4).fold([0; 2], |[a, b], i| {
            let pair = from * 4 + i;
            [a | (pair & 255) << (8 * i), b | (pair >> 8) << (8 * i)]
        })
    };
    let edges = [0, 1, 2, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x00ff, 0x0100, 0xff00, 0x5555, 0xaaaa];
    for i in 0..16384 {
        let [a, b] = byte_pairs(i);
        [a, b, random()].into_iter().zip(&mut words).for_each(|(word, list)| list.push(word));
    }
    for a in edges {
        for b in edges {
            for (low, high) in [(random() & 0xffff, b), (b, random() & 0xffff), (b, b)] {
                let c = [a, b, random()][random() as usize % 3];
                let each = [a | edges[random() as usize % edges.len()] << 16, low | high << 16, c | c << 16];
                each.into_iter().zip(&mut words).for_each(|(word, list)| list.push(word));
                let random = [random(), random(), random()];
                random.into_iter().zip(&mut words).for_each(|(word, list)| list.push(word));
            }
        }
    }
    words
}

#[test]
fn functions_on_parts_of_words() {
    let mut functions = Vec::new();
    of_both_widths(&mut functions);
    of_nvidia(&mut functions);
    let [a, b, c] = operands();
    let count = a.len() / 32 * 32;
    let calls: String = (0..)
        .zip(&functions)
        .map(|(row, function)| format!("  out[{row} * {count} + i] = {};\n", function.call))
        .collect();
    let source = format!(
        "extern \"C\" __global__ void all(const unsigned *as, const unsigned *bs, const unsigned *cs, unsigned *out) {{\n  \
         int i = blockIdx.x * blockDim.x + threadIdx.x;\n  unsigned a = as[i], b = bs[i], c = cs[i];\n  bool high, low;\n\
         {calls}}}\n"
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.cu"), source).unwrap();
    let bytes = |words: &[u32]| Arg::Buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    for arch in ["sm_75", "sm_90"] {
        builds(folder.path(), &format!("-arch={arch} -ptx -emit-llvm all.cu -o all.ll -mllvm -warpwise-off"));
        let module = OwnedModule::from_file(&folder.path().join("all.ll")).unwrap();
        let image = image::import(module.handle(), "all");
        let machine = Machine::new(&image);
        let args = vec![bytes(&a), bytes(&b), bytes(&c), bytes(&vec![0; functions.len() * count])];
        let config = LaunchConfig::new([count as u32 / 32, 1, 1], [32, 1, 1]);
        let kernel = machine.kernel(Some("all")).unwrap();
        let report = machine.launch(kernel, &config, &Inputs { args, globals: Vec::new() }, &mut Nobody).unwrap();
        let results = report.buffers[3].as_ref().unwrap();
        assert!(results.undef.is_empty());
        let mut got = results.data.chunks_exact(4).map(|raw| u32::from_le_bytes(raw.try_into().unwrap()));
        for Function { call, bits, in_lane, is_sum } in &functions {
            for i in 0..count {
                let words = [a[i], b[i], c[i]];
                let want = (0..32 / bits).fold(0, |whole, number| {
                    let value = in_lane(&Lane::of(words, *bits, number));
                    if *is_sum { whole + value } else { whole | (value & mask(*bits)) << (number * bits) }
                });
                assert_eq!(i64::from(got.next().unwrap()), want, "{arch}: {call} of {words:x?}");
            }
        }
    }
}
