//! Does the machine compute what CUDA computes, on kernels as clang compiles them at every optimisation level, under
//! both schedulers? And does it report faults correctly?
//!
//! The CUDA tests need clang 22 and a CUDA tree (`WARPWISE_CUDA` or `.cache/cuda`); without them they are skipped (see
//! [`skip`]).

use crate::common::{root, skip};
use std::collections::HashMap;
use warpwise_cli::command::cuda;
use warpwise_ir::llvm::image::{self, ModuleImage};
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_oracle::simt::{
    Arg, BranchCounts, CompareError, DivergenceMap, Inputs, LaneValues, LaunchConfig, LaunchError, LaunchReport,
    Machine, Nobody, Observer, Reconvergence, Scheduler, StepContext, Tolerance, compare,
};

mod faults;
use faults::kernel;

fn load(text: &str) -> ModuleImage {
    let module = OwnedModule::from_text(text, "test").expect("valid IR");
    module.inkwell().verify().unwrap_or_else(|message| panic!("{}", message.to_string_lossy()));
    image::import(module.handle(), "test")
}

/// Declarations that every kernel here may use.
const PRELUDE: &str = r#"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
"#;

fn ir(text: &str) -> ModuleImage {
    load(&format!("{PRELUDE}{text}"))
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn int(value: i32) -> Arg {
    Arg::Value(value.to_le_bytes().to_vec())
}

fn run(image: &ModuleImage, config: &LaunchConfig, args: Vec<Arg>) -> Result<LaunchReport, LaunchError> {
    let machine = Machine::new(image);
    machine.launch(machine.kernel(None)?, config, &Inputs { args, globals: Vec::new() }, &mut Nobody)
}

/// The contents of a buffer as i32.
fn as_ints(report: &LaunchReport, arg: usize) -> Vec<i32> {
    let bytes = report.buffers[arg].as_ref().expect("a buffer");
    assert!(bytes.undef.is_empty(), "undefined bytes in the result");
    bytes.data.chunks_exact(4).map(|raw| i32::from_le_bytes(raw.try_into().unwrap())).collect()
}

const SCHEDULERS: [Scheduler; 3] = [Scheduler::Lockstep, Scheduler::Independent(0), Scheduler::Independent(7)];

/// One CUDA kernel with its launch and the expected results.
struct Case {
    kernel: &'static str,
    grid: u32,
    block: [u32; 3],
    shared: u32,
    args: Vec<Arg>,
    /// Argument and expected contents.
    want: Vec<(usize, Vec<u8>)>,
}

fn case(kernel: &'static str, grid: u32, block: [u32; 3], args: Vec<Arg>, want: Vec<(usize, Vec<u8>)>) -> Case {
    Case { kernel, grid, block, shared: 0, args, want }
}

fn cuda_modules() -> Vec<(String, ModuleImage)> {
    if let Err(why) = cuda::find_clang().and_then(|_| cuda::find_cuda()) {
        skip(&format!("{why:#}"));
        return Vec::new();
    }
    let source = root().join("tests/simt/kernels.cu");
    ["-O0", "-O1", "-O2", "-O3"]
        .into_iter()
        .map(|level| {
            let (_folder, path) = cuda::compile_device_ir(&source, &[level]).expect("clang compiles the kernels");
            let module = OwnedModule::from_file(&path).expect("clang writes valid IR");
            (level.to_owned(), image::import(module.handle(), level))
        })
        .collect()
}

fn fib(n: i32) -> i32 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

fn ladder(t: i32) -> i32 {
    let (mut i, mut sum) = (0, 0);
    loop {
        i += 1;
        if (t ^ i) & 1 != 0 {
            sum += 3 * i;
            if (t + i) % 3 == 0 {
                continue;
            }
        }
        sum ^= i << 4;
        if i > 5 + (t & 7) {
            return sum;
        }
    }
}

fn irreducible(t: i32) -> i32 {
    let (mut i, mut sum) = (t & 3, 0i32);
    let mut second = t & 4 != 0;
    loop {
        if !second {
            sum = sum.wrapping_mul(5).wrapping_add(i);
            if sum & 64 != 0 {
                return sum;
            }
        }
        second = false;
        sum = sum.wrapping_add(7 * i + 1);
        i += 1;
        if i >= 9 + (t & 1) {
            return sum;
        }
    }
}

fn mixture(t: i32, n: i32) -> (i32, f64) {
    let other = (t + 1) % n;
    let mut v = other * (other & 7);
    match t % 5 {
        0 => v += 1000,
        1 => v *= 3,
        3 => v ^= 0x55,
        _ => v -= 5,
    }
    v += [1, 2, 3][(t % 3) as usize];
    let ffs = if t == 0 { 0 } else { t.trailing_zeros() as i32 + 1 };
    v += (t * 77).count_ones() as i32
        + 10 * t.leading_zeros() as i32
        + 100 * ffs
        + (t.reverse_bits() as u32 >> 20) as i32;
    let w = u128::from((t as u64).wrapping_mul(0x0123_4567_89ab_cdef));
    v = v.wrapping_add(((w * w) >> 64) as i32).wrapping_add(((w * w) >> 70) as i32);
    (v, f64::from(t).sqrt() * 2.5)
}

fn cases() -> Vec<Case> {
    let zeros = |n: usize| Arg::Buffer(vec![0; 4 * n]);
    let per_thread = |n: i32, f: &dyn Fn(i32) -> i32| ints(&(0..n).map(f).collect::<Vec<_>>());
    let collatz = |i: i32| {
        let (mut v, mut steps) = (i as u32 + 1, 0);
        while v != 1 {
            v = if v & 1 == 1 { 3 * v + 1 } else { v / 2 };
            steps += 1;
        }
        steps
    };
    let ramp: Vec<f32> = (0..128).map(|i| i as f32).collect();
    let votes: Vec<i32> = (0..32).map(|t| (t * 7 + 3) % 23).collect();
    let vote = |t: usize| {
        let set = |f: &dyn Fn(i32) -> bool| (0..32).filter(|&l| f(votes[l])).fold(0u32, |set, l| set | 1 << l);
        let ballot = set(&|v| v > 10);
        let same = set(&|v| v & 3 == votes[t] & 3);
        let sum: i32 = votes.iter().sum();
        let any = u32::from(votes.contains(&7));
        (ballot ^ same.wrapping_mul(3) ^ (sum as u32 * 5) ^ 7 ^ (any * 11) ^ (votes[t ^ 5] as u32 * 13)) as i32
    };
    let field = |t: i32| {
        let (mut a, b, c) = (t & 7, (t * 3) & 127, (t * 5) & 2047);
        if b > 50 {
            a = c & 7;
        }
        a | b << 8 | c << 16
    };
    let half = |x: f32| half::f16::from_f32(x).to_bits();
    let pairs: Vec<u8> = (0..40).flat_map(|i| half(i as f32 * 0.25).to_le_bytes()).collect();
    let squares: Vec<u8> = (0..40)
        .flat_map(|i| {
            let x = f64::from(i) * 0.25;
            let twice = half::f16::from_f64(x + x).to_f64();
            half::f16::from_f64(x * x + twice).to_le_bytes()
        })
        .collect();
    let bytes: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
    let bins: Vec<i32> =
        (0..16).map(|bin| bytes.iter().filter(|&&b| i32::from(b >> 4) == bin).count() as i32).collect();
    let mut parameters = vec![0u8; 24];
    parameters[0] = 5;
    parameters[8..16].copy_from_slice(&2.5f64.to_le_bytes());
    parameters[16..22].copy_from_slice(&[1, 0, 2, 0, 3, 0]);
    let roots: Vec<u8> = (0..80).flat_map(|t| mixture(t, 80).1.to_le_bytes()).collect();
    let scaled: Vec<f32> = (0..128).map(|i| if i < 100 { 3.0 * i as f32 } else { i as f32 }).collect();
    vec![
        case(
            "saxpy",
            4,
            [33, 1, 1],
            vec![
                int(100),
                Arg::Value(2f32.to_le_bytes().to_vec()),
                Arg::Buffer(floats(&ramp)),
                Arg::Buffer(floats(&ramp)),
            ],
            vec![(3, floats(&scaled))],
        ),
        case(
            "collatz",
            2,
            [65, 1, 1],
            vec![int(100), zeros(130)],
            vec![(1, per_thread(130, &|i| if i < 100 { collatz(i) } else { 0 }))],
        ),
        case("reduce", 2, [64, 1, 1], vec![Arg::Buffer(floats(&ramp)), zeros(2)], vec![(1, floats(&[2016.0, 6112.0]))]),
        case(
            "warp_sum",
            3,
            [64, 1, 1],
            vec![Arg::Buffer(per_thread(192, &|i| i)), zeros(1)],
            vec![(1, ints(&[18336]))],
        ),
        case(
            "halves",
            1,
            [20, 1, 1],
            vec![Arg::Buffer(pairs), zeros(20), zeros(20)],
            vec![(1, squares), (2, floats(&[-0.25; 20]))],
        ),
        case("ladder", 1, [70, 1, 1], vec![zeros(70)], vec![(0, per_thread(70, &ladder))]),
        case("irreducible", 1, [33, 1, 1], vec![zeros(33)], vec![(0, per_thread(33, &irreducible))]),
        case(
            "recursive",
            1,
            [40, 1, 1],
            vec![zeros(40)],
            vec![(0, per_thread(40, &|t| if t % 5 == 2 { 0 } else { fib(t % 11) }))],
        ),
        case(
            "indirect",
            1,
            [40, 1, 1],
            vec![zeros(40)],
            vec![(0, per_thread(40, &|t| [t + 1, t * 2, t - 7][(t % 3) as usize]))],
        ),
        Case {
            shared: 320,
            ..case(
                "mixture",
                1,
                [16, 5, 1],
                vec![Arg::Value(parameters), zeros(80), zeros(160), Arg::Buffer(per_thread(80, &|t| t))],
                vec![(1, per_thread(80, &|t| mixture(t, 80).0)), (2, roots)],
            )
        },
        case("histogram", 3, [64, 1, 1], vec![Arg::Buffer(bytes), int(1000), zeros(16)], vec![(2, ints(&bins))]),
        case(
            "votes",
            1,
            [32, 1, 1],
            vec![Arg::Buffer(ints(&votes)), zeros(32)],
            vec![(1, per_thread(32, &|t| vote(t as usize)))],
        ),
        case("fields", 1, [65, 1, 1], vec![zeros(65)], vec![(0, per_thread(65, &field))]),
    ]
}

#[test]
fn cuda_kernels_at_every_level_under_both_schedulers() {
    for (level, image) in cuda_modules() {
        let machine = Machine::new(&image);
        for case in cases() {
            let kernel = machine.kernel(Some(case.kernel)).unwrap();
            let inputs = Inputs { args: case.args.clone(), globals: Vec::new() };
            for (scheduler, reconvergence) in SCHEDULERS
                .map(|s| (s, Reconvergence::Earliest))
                .into_iter()
                .chain([(Scheduler::Lockstep, Reconvergence::PostDominator)])
            {
                let mut config = LaunchConfig::new([case.grid, 1, 1], case.block);
                config.dynamic_shared = case.shared;
                config.scheduler = scheduler;
                config.reconvergence = reconvergence;
                config.races.shared = true;
                let name = format!("{} {level} {scheduler:?} {reconvergence:?}", case.kernel);
                let report =
                    machine.launch(kernel, &config, &inputs, &mut Nobody).unwrap_or_else(|e| panic!("{name}: {e}"));
                for (arg, want) in &case.want {
                    let got = report.buffers[*arg].as_ref().unwrap();
                    assert!(got.undef.is_empty(), "{name}: argument {arg} has undefined bytes");
                    assert_eq!(&got.data, want, "{name}: argument {arg}");
                }
            }
        }
    }
}

#[test]
fn device_printf_and_libdevice() {
    for (level, image) in cuda_modules() {
        let machine = Machine::new(&image);
        let config = LaunchConfig::new([1, 1, 1], [32, 1, 1]);
        let hello =
            machine.launch(machine.kernel(Some("hello")).unwrap(), &config, &Inputs::default(), &mut Nobody).unwrap();
        assert_eq!(hello.stdout, "thread 0 of 32:  0.00 text|x\nthread 1 of 32:  1.50 text|x\n", "{level}");
        let x: Vec<f64> = (0..32).map(|t| f64::from(t) * 1.7 - 20.0).collect();
        let data = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        let inputs = Inputs { args: vec![Arg::Buffer(data), Arg::Buffer(vec![0; 1024])], globals: Vec::new() };
        let report = machine
            .launch(machine.kernel(Some("trigonometry")).unwrap(), &config, &inputs, &mut Nobody)
            .unwrap_or_else(|error| panic!("{level}: {error}"));
        let got: Vec<f64> = report.buffers[1]
            .as_ref()
            .unwrap()
            .data
            .chunks_exact(8)
            .map(|raw| f64::from_le_bytes(raw.try_into().unwrap()))
            .collect();
        for (t, &x) in x.iter().enumerate() {
            let want = [x.sin(), (x * 0.01).exp(), 1.5f64.powf(x * 0.1), x.atan2(3.0)];
            for (got, want) in got[4 * t..].iter().zip(want) {
                assert!((got - want).abs() <= 4.0 * f64::EPSILON * want.abs().max(1e-3), "{level} {x}: {got} {want}");
            }
        }
    }
}

#[test]
fn odd_widths_and_packed_vectors() {
    let image = ir(&kernel(
        "%a = trunc i32 %t to i5\n%b = mul i5 %a, 7\n%c = sext i5 %b to i24\n%d = sub i24 %c, 3\n%e = zext i24 %d to i33\n\
         %f = shl i33 %e, 9\n%g = lshr i33 %f, 4\n%h = trunc i33 %g to i32\n\
         %slot = alloca i24\nstore i24 %d, ptr %slot\n%back = load i24, ptr %slot\n%wide = sext i24 %back to i32\n\
         %v0 = insertelement <4 x i1> zeroinitializer, i1 true, i32 %t\n%bits = bitcast <4 x i1> %v0 to i4\n\
         %vslot = alloca <4 x i1>\nstore <4 x i1> %v0, ptr %vslot\n%raw = load i8, ptr %vslot\n\
         %bits32 = zext i4 %bits to i32\n%raw32 = zext i8 %raw to i32\n\
         %x = xor i32 %h, %wide\n%y = mul i32 %bits32, 65537\n%z = add i32 %x, %y\n%q = mul i32 %raw32, 3\n%s = add i32 %z, %q\n\
         store i32 %s, ptr %p\nret void",
    ));
    let want: Vec<i32> = (0..4)
        .map(|t: i64| {
            let b = ((t * 7) << 59) >> 59;
            let d = (b - 3) & 0xff_ffff;
            let h = (((d << 9) & 0x1_ffff_ffff) >> 4) as i32;
            let wide = ((d << 40) >> 40) as i32;
            let bits = 1 << t;
            (h ^ wide).wrapping_add(bits * 65537).wrapping_add(bits * 3)
        })
        .collect();
    for scheduler in SCHEDULERS {
        let config = LaunchConfig { scheduler, ..LaunchConfig::new([1, 1, 1], [4, 1, 1]) };
        assert_eq!(as_ints(&run(&image, &config, vec![Arg::Buffer(vec![0; 256])]).unwrap(), 0)[..4], want);
    }
}

type SeenKey = (u32, u32, u64, u32, u32, u64);

/// Records the values that lanes saw in every dynamic instance.
#[derive(Default)]
struct Instances {
    /// (block, warp, call path, function, instruction, iteration) → lane → value.
    seen: HashMap<SeenKey, HashMap<u32, u64>>,
    /// Number of lanes that executed a step together although their own counters differ.
    steps: u64,
}

impl Observer for Instances {
    fn inst(&mut self, at: &StepContext<'_>, values: &LaneValues<'_>) {
        self.steps += 1;
        let Some(slot) = values.slots.first() else { return };
        let key = (at.block_number, at.warp, at.call_path, at.func.0, at.inst, at.iteration);
        let lanes = self.seen.entry(key).or_default();
        for lane in (0..32).filter(|lane| at.active >> lane & 1 != 0) {
            let before = lanes.insert(lane, slot[lane as usize]);
            assert!(before.is_none(), "lane {lane} executes one dynamic instance twice: {key:?}");
        }
    }
}

#[test]
fn dynamic_instances_are_the_same_under_both_schedulers() {
    for (level, image) in cuda_modules().into_iter().filter(|(level, _)| level == "-O0" || level == "-O2") {
        let machine = Machine::new(&image);
        for case in cases()
            .into_iter()
            .filter(|case| matches!(case.kernel, "ladder" | "irreducible" | "recursive" | "indirect" | "collatz"))
        {
            let kernel = machine.kernel(Some(case.kernel)).unwrap();
            let inputs = Inputs { args: case.args.clone(), globals: Vec::new() };
            let watch = |scheduler, reconvergence| {
                let config =
                    LaunchConfig { scheduler, reconvergence, ..LaunchConfig::new([case.grid, 1, 1], case.block) };
                let mut instances = Instances::default();
                machine.launch(kernel, &config, &inputs, &mut instances).unwrap();
                instances.seen
            };
            let lockstep = watch(Scheduler::Lockstep, Reconvergence::Earliest);
            let loose = watch(Scheduler::Independent(5), Reconvergence::Earliest);
            let strict = watch(Scheduler::Lockstep, Reconvergence::PostDominator);
            assert!(lockstep == loose, "{} {level}: lockstep and independent", case.kernel);
            assert!(lockstep == strict, "{} {level}: both reconvergences", case.kernel);
        }
    }
}

#[test]
fn lanes_that_meet_are_in_the_same_iteration() {
    // lanes that continue reach d, the post-dominator of the inner branch, in a different iteration
    let image = ir(&kernel(
        "br label %h\nh:\n%i = phi i32 [0, %0], [%n, %b], [%n, %d]\n%n = add i32 %i, 1\n%c1 = and i32 %t, 1\n%a = icmp eq i32 %c1, 0\n\
         br i1 %a, label %b, label %d\nb:\n%x = add i32 %t, %i\n%y = and i32 %x, 2\n%z = icmp eq i32 %y, 0\n\
         br i1 %z, label %h, label %d\nd:\n%seen = add i32 %i, 0\n%e = icmp ugt i32 %i, 9\nbr i1 %e, label %out1, label %h\n\
         out1:\nstore i32 %i, ptr %p\nret void",
    ));
    struct Same;
    impl Observer for Same {
        fn inst(&mut self, at: &StepContext<'_>, values: &LaneValues<'_>) {
            if at.image.functions[at.func.index()].insts[at.inst as usize].name == "%seen" {
                let mut lanes = (0..32).filter(|lane| at.active >> lane & 1 != 0).map(|lane| values.slots[0][lane]);
                let first = lanes.next();
                assert!(lanes.all(|value| Some(value) == first), "lanes of different iterations met");
            }
        }
    }
    let machine = Machine::new(&image);
    for reconvergence in [Reconvergence::Earliest, Reconvergence::PostDominator] {
        let config = LaunchConfig { reconvergence, ..LaunchConfig::new([1, 1, 1], [32, 1, 1]) };
        let inputs = Inputs { args: vec![Arg::Buffer(vec![0; 256])], globals: Vec::new() };
        machine.launch(machine.kernel(None).unwrap(), &config, &inputs, &mut Same).unwrap();
    }
}

#[test]
fn the_map_counts_visits_splits_and_lanes() {
    let image = ir(&kernel(
        "%c = icmp ult i32 %t, 20\nbr i1 %c, label %a, label %b\na:\nstore i32 1, ptr %p\nbr label %b\nb:\nret void",
    ));
    let machine = Machine::new(&image);
    let mut map = DivergenceMap::default();
    let inputs = Inputs { args: vec![Arg::Buffer(vec![0; 256])], globals: Vec::new() };
    machine
        .launch(machine.kernel(None).unwrap(), &LaunchConfig::new([1, 1, 1], [50, 1, 1]), &inputs, &mut map)
        .unwrap();
    let branches: Vec<BranchCounts> = map.branches.into_values().collect();
    assert_eq!(branches, [BranchCounts { visits: 2, splits: 1, lanes: 50, taken: vec![(1, 20), (2, 30)] }]);
}

#[test]
fn comparison_finds_differences_and_honours_tolerance() {
    let version = |value: &str| {
        ir(&format!("define ptx_kernel void @k(ptr %out) {{\nstore float {value}, ptr %out\nret void\n}}"))
    };
    let (a, b) = (version("1.0"), version("0x3FF0000020000000"));
    let configs = [LaunchConfig::new([1, 1, 1], [1, 1, 1])];
    let inputs = Inputs { args: vec![Arg::Buffer(vec![0; 8])], globals: Vec::new() };
    let run = |other, tolerance| compare(&a, other, None, &configs, &inputs, &[Some(4)], tolerance);
    assert_eq!(run(&a, Tolerance::EXACT), Ok(()));
    let error = run(&b, Tolerance::EXACT).unwrap_err();
    assert!(matches!(error, CompareError::Differ(_)));
    assert!(
        error
            .to_string()
            .starts_with("argument 0 differs under the lockstep scheduler at byte 0: 1 (0x3f800000) before"),
        "{error}"
    );
    assert_eq!(run(&b, Tolerance { relative: 1e-6, absolute: 0.0 }), Ok(()));
}

#[test]
fn bad_requests_are_explained() {
    let image = ir(&kernel("ret void"));
    let config = LaunchConfig::new([1, 1, 1], [32, 1, 1]);
    let text = |config: &LaunchConfig, args| run(&image, config, args).unwrap_err().to_string();
    assert_eq!(text(&config, vec![]), "kernel k takes 1 argument (pointer %out), but 0 are given");
    assert_eq!(
        text(&config, vec![int(1)]),
        "argument 0 (%out): it is a pointer: give a buffer, such as f32[1024]:zero, or null"
    );
    let large = LaunchConfig::new([1, 1, 1], [1024, 2, 1]);
    assert_eq!(text(&large, vec![int(1)]), "a block of [1024, 2, 1] threads, but at most 1024 are allowed");
}
