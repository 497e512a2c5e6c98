//! Does a launch choose the version where it may run, and the kernel itself wherever anything is amiss? Launch stubs like
//! clang's are compiled with the plugin and run on a stand-in for the CUDA runtime (tests/launch), without a GPU.

pub mod program;

use crate::common::{clang_cuda, llvm_tool, plugin_flag, stderr, stdout};
use program::{build, build_units};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use warpwise_ir::launch_table;

const VERSIONS: [&str; 2] = ["-mllvm", "-warpwise-versions"];

fn output(program: &Path, mode: Option<&str>, commands: &str) -> std::process::Output {
    let mut program = assert_cmd::Command::new(program);
    // the C library fills what it allocates, so that nothing works by chance
    program.args(commands.split_whitespace()).env_remove("WARPWISE_VERSIONS").env("MALLOC_PERTURB_", "165");
    if let Some(mode) = mode {
        program.env("WARPWISE_VERSIONS", mode);
    }
    let output = program.output().unwrap();
    assert!(output.status.success(), "{commands}: {}", stdout(&output));
    output
}

/// What the program prints.
fn run(commands: &str) -> String {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    stdout(&output(PROGRAM.get_or_init(|| build(&VERSIONS)), None, commands))
}

/// Which function each launch runs: `k` or a version.
fn functions(commands: &str) -> Vec<String> {
    let printed = run(commands);
    let launches = printed.lines().filter(|line| line.contains("LaunchKernel"));
    launches.map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect()
}

/// The function of the last launch.
fn function(commands: &str) -> String {
    functions(commands).pop().unwrap_or_default()
}

fn chosen(version: &str, launch: &str) -> bool {
    match function(&format!("{version} {launch} launch")).as_str() {
        "k$v1" => true,
        "k" => false,
        other => panic!("{version} {launch}: {other}"),
    }
}

const ANY: &str = "version 0 1 0";

#[test]
fn a_launch_runs_the_version_with_everything_as_it_was() {
    let printed = run("version 0 1 0 grid 3 4 5 block 8 4 2 own 100 stream 7 launch launch error");
    let line = "cuLaunchKernel k$v1 grid 3x4x5 block 8x4x2 dynamic 100 stream 7\n";
    assert_eq!(printed, [line, line, "error 0\n"].concat());
    let printed = run("grid 3 4 5 block 8 4 2 own 100 stream 7 launch");
    assert_eq!(printed, "cudaLaunchKernel k grid 3x4x5 block 8x4x2 dynamic 100 stream 7\n");
}

#[test]
fn slots_are_for_a_warp_or_more() {
    for (block, runs) in [("31 1 1", false), ("1 1 32", true), ("5 3 2", false), ("4 4 2", true), ("1024 1 1", true)] {
        assert_eq!(chosen("version 16 1 0", &format!("block {block}")), runs, "{block}");
        assert!(chosen(ANY, &format!("block {block}")), "{block}");
    }
}

#[test]
fn slots_lie_behind_the_programs_own_shared_memory() {
    let dynamic = |version: &str, launch: &str| {
        let printed = run(&format!("version {version} 0 {launch} launch"));
        let of_version = printed.lines().find(|line| line.starts_with("cuLaunchKernel"))?;
        let number = of_version.split("dynamic ").nth(1)?.split(' ').next()?.parse().ok()?;
        let limit = printed.lines().find_map(|line| line.strip_prefix("limit of k$v1 is ")?.parse().ok());
        Some((number, limit))
    };
    let plain = |bytes: u64| Some((bytes, None));
    let raised = |bytes: u64| Some((bytes, Some(bytes)));
    assert_eq!(dynamic("256 16", "block 64 1 1"), plain(512));
    assert_eq!(dynamic("256 16", "block 64 1 1 own 1"), plain(528));
    assert_eq!(dynamic("256 16", "block 64 1 1 own 16"), plain(528));
    assert_eq!(dynamic("256 128", "block 32 1 1 own 129"), plain(256 + 256));
    assert_eq!(dynamic("256 1", "block 32 1 1 own 3"), plain(3 + 256));
    assert_eq!(dynamic("256 1", "block 33 1 1 own 3"), plain(3 + 512));
    assert_eq!(dynamic("128 4", "block 8 4 2 own 6"), plain(8 + 256));
    assert_eq!(dynamic("128 4", "block 5 5 5 own 6"), plain(8 + 512));
    assert_eq!(dynamic("0 1", "own 7"), plain(7));
    // the limit of 48 KiB, and that of a block
    assert_eq!(dynamic("1536 16", "block 1024 1 1"), plain(49152));
    assert_eq!(dynamic("1536 1", "block 1024 1 1 own 1"), raised(49153));
    assert_eq!(dynamic("7264 1", "block 1024 1 1"), raised(232_448));
    assert_eq!(dynamic("7264 1", "block 1024 1 1 own 1"), None);
    assert_eq!(dynamic("32768 1", "block 1024 1 1"), None);
    // a program that has asked for more than 48 KiB itself
    assert_eq!(dynamic("128 16", "set limit 100000 own 100000 block 256 1 1"), raised(101_024));
    // whose own is too much for the kernel gets the kernel's error
    let printed = run("version 0 1 0 own 50000 launch error set limit 60000 launch error");
    let refused = "cudaLaunchKernel k grid 1x1x1 block 32x1x1 dynamic 50000 stream 0\nerror 1\n";
    let launched =
        "limit of k$v1 is 50000\ncuLaunchKernel k$v1 grid 1x1x1 block 32x1x1 dynamic 50000 stream 0\nerror 0\n";
    assert_eq!(printed, [refused, launched].concat());
}

#[test]
fn slots_take_no_more_of_the_cache_than_the_grid_needs() {
    // of 233472 bytes a block takes 1024 and its slots; without slots, nothing is set
    let carveouts = |commands: &str| {
        let printed = run(commands);
        let set = printed.lines().filter_map(|line| line.strip_prefix("carveout of k$v1 is "));
        set.map(|percent| percent.parse::<u32>().unwrap()).collect::<Vec<_>>()
    };
    let version = "version 4096 16 0 block 256 1 1";
    assert_eq!(carveouts(&format!("{version} grid 1 1 1 launch")), [15]);
    assert_eq!(carveouts(&format!("{version} grid 132 1 1 launch grid 7 3 2 launch")), [15]);
    assert_eq!(carveouts(&format!("{version} grid 133 1 1 launch grid 1 1 1 launch")), [29, 15]);
    assert_eq!(carveouts(&format!("{version} own 2048 grid 265 1 1 launch")), [47]);
    // six blocks fit, however many there are
    assert_eq!(carveouts(&format!("{version} grid 65535 65535 65535 launch launch")), [87]);
    assert_eq!(carveouts("version 0 1 0 block 256 1 1 own 2048 launch"), [] as [u32; 0]);
}

#[test]
fn occupancy_decides() {
    // with 64 threads 32 blocks of the kernel fit
    for (keep, least) in [(0, 1), (1, 32), (2, 24), (3, 16), (4, 8), (32, 1)] {
        let version = format!("version 32 1 {keep} block 64 1 1");
        assert!(chosen(&version, &format!("set blocks {least}")), "{keep}");
        assert!(!chosen(&version, &format!("set blocks {}", least - 1)), "{keep}");
    }
    // of 232448 bytes one block fits, and with 1024 threads two of the kernel
    assert!(chosen("version 7264 1 3", "block 1024 1 1"));
    assert!(!chosen("version 7264 1 2", "block 1024 1 1"));
}

#[test]
fn blocks_that_may_wait_for_each_other_stay_resident() {
    // 132 multiprocessors, on each 16 blocks of the version and 32 of the kernel
    let version = "version 32 1 3 set blocks 16 block 64 1 1";
    for (grid, runs) in [
        ("2112 1 1", true),
        ("2113 1 1", false),
        ("4224 1 1", false),
        ("1056 2 2", false),
        ("4225 1 1", true),
        ("65535 65535 65535", true),
    ] {
        assert_eq!(chosen(version, &format!("grid {grid}")), runs, "{grid}");
    }
    assert!(chosen("version 32 1 2 block 64 1 1", "grid 4224 1 1"));
    // decided anew at each launch with the same block
    let launches = format!("{version} grid 2112 1 1 launch grid 2113 1 1 launch grid 2112 1 1 launch");
    assert_eq!(functions(&launches), ["k$v1", "k", "k$v1"]);
}

#[test]
fn a_table_that_is_not_ours_is_not_used() {
    assert!(chosen(ANY, ""));
    for broken in [
        "word 0 0", "word 0 0x3130534549575257", "words 0", "words 1", "words 3", "words 513",
        "word 1 0xffffffffffffffff", "word 1 0x100000000", "word 2 0", "word 2 24", "word 2 0x8000000000000000",
        "word 3 0xffffffffffffffff", "set lacks 1", "set table 0",
    ] {
        assert!(!chosen(ANY, broken), "{broken}");
    }
}

#[test]
fn what_fails_launches_the_kernel_and_leaves_no_error() {
    let kernel = "cudaLaunchKernel k grid 1x1x1 block 32x1x1 dynamic 0 stream 0\n";
    let functions = [
        "cuCtxGetId",
        "cuStreamIsCapturing",
        "cuLaunchKernel",
        "cuThreadExchangeStreamCaptureMode",
        "cuFuncGetModule",
        "cuModuleGetGlobal",
        "cuModuleGetFunction",
        "cuStreamCreate",
        "cuMemcpyDtoHAsync",
        "cuStreamSynchronize",
        "cuStreamDestroy",
        "cuFuncGetAttribute",
        "cuFuncSetAttribute",
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    ];
    for name in functions {
        let printed = run(&format!("{ANY} set missing {name} launch launch error"));
        assert_eq!(printed, [kernel, kernel, "error 0\n"].concat(), "{name}");
    }
    for failing in ["cudaGetFuncBySymbol", "cuLaunchKernel"] {
        let printed = run(&format!("{ANY} set failing {failing} launch launch error"));
        assert_eq!(printed, [kernel, kernel, "error 0\n"].concat(), "{failing}");
    }
    // an error of the program's own stays, and nothing is looked up as long as it does
    let version = "cuLaunchKernel k$v1 grid 1x1x1 block 32x1x1 dynamic 0 stream 0\n";
    let printed =
        run(&format!("{ANY} set context 0 block 2000 1 1 launch set context 1 block 32 1 1 launch error launch error"));
    let bad = "cudaLaunchKernel k grid 1x1x1 block 2000x1x1 dynamic 0 stream 0\n";
    assert_eq!(printed, [bad, kernel, "error 1\n", version, "error 0\n"].concat());
    // a kernel that cannot be launched reports its own error
    let printed = run("set refuses 1 launch error");
    assert_eq!(printed, [kernel, "error 1\n"].concat());
}

#[test]
fn captures_and_clusters_run_the_kernel() {
    assert_eq!(functions(&format!("{ANY} set capturing 1 launch set capturing 0 launch")), ["k", "k$v1"]);
    assert_eq!(
        functions(&format!("{ANY} launch set capturing 1 launch set capturing 0 launch")),
        ["k$v1", "k", "k$v1"]
    );
    assert!(!chosen(ANY, "set cluster 2"));
}

/// Only launch stubs are changed: what the program asks the runtime for concerns the kernel itself.
#[test]
fn what_the_program_calls_itself_reaches_the_runtime() {
    let printed =
        run(&format!("{ANY} launch pointer itself cooperative ex occupancy limit 60000 own 50000 launch error"));
    let shape = "grid 1x1x1 block 32x1x1 dynamic 0 stream 0";
    let own = "grid 1x1x1 block 32x1x1 dynamic 50000 stream 0";
    assert_eq!(
        printed,
        format!(
            "cuLaunchKernel k$v1 {shape}\ncuLaunchKernel k$v1 {shape}\ncudaLaunchKernel k {shape}\n\
             cudaLaunchCooperativeKernel k {shape}\ncudaLaunchKernelExC k {shape}\ncudaOccupancy of k\n\
             cudaFuncSetAttribute k 60000\nlimit of k$v1 is 50000\ncuLaunchKernel k$v1 {own}\nerror 0\n"
        )
    );
}

/// Translation units with and without the plugin, in any combination, are one program.
#[test]
fn translation_units_are_linked_in_any_combination() {
    let tuned: &[&str] = &["-mllvm", "-warpwise-tune"];
    for (first, second, expected) in [
        (Some(&VERSIONS[..]), Some(&VERSIONS[..]), ["k$v1", "j$v1", "k$v1", "j$v1"]),
        (Some(&VERSIONS[..]), None, ["k$v1", "j", "k$v1", "j"]),
        (None, Some(&VERSIONS[..]), ["k", "j$v1", "k", "j$v1"]),
        (Some(&VERSIONS[..]), Some(tuned), ["k$v1", "j$v1", "k$v1", "j$v1"]),
        (None, None, ["k", "j", "k", "j"]),
    ] {
        let program = build_units(&[("program.c", first), ("unit.c", second)]);
        let printed = stdout(&output(&program, None, &format!("{ANY} launch other launch other error")));
        let mut ran: Vec<&str> = printed.lines().map(|line| line.split(' ').nth(1).unwrap()).collect();
        assert_eq!(ran.pop(), Some("0"), "{printed}");
        assert_eq!(ran, expected, "{first:?} {second:?}");
    }
}

#[test]
fn each_context_has_its_own_look_up() {
    assert_eq!(functions(&format!("{ANY} set context 0 launch set context 7 launch")), ["k", "k$v1"]);
    let launches = "launch set context 2 set table 0 launch set context 1 launch set context 2 set table 1 launch";
    assert_eq!(functions(&format!("{ANY} {launches}")), ["k$v1", "k", "k$v1", "k"]);
    // lists are bounded: more contexts than one program uses get the kernel
    let many: String = (1..=20).map(|context| format!("set context {context} launch ")).collect();
    let ran = functions(&format!("{ANY} {many} set context 1 launch"));
    assert_eq!(ran.iter().filter(|name| *name == "k$v1").count(), 17);
    let shapes: String = (1..=40).map(|x| format!("block {x} 1 1 launch ")).collect();
    let ran = functions(&format!("{ANY} {shapes} block 1 1 1 launch"));
    assert_eq!(ran.iter().filter(|name| *name == "k$v1").count(), 33);
}

#[test]
fn threads_launch_at_the_same_time() {
    for _ in 0..5 {
        assert_eq!(run(&format!("{ANY} set prints 0 threads 8")), "8000 launches, 1 look-ups\n");
    }
    assert_eq!(
        run("set prints 0 threads 8 error"),
        "8000 launches, 1 look-ups\nonly 0 launches of the version\nerror 0\n"
    );
}

#[test]
fn the_environment_switches_versions_off_and_has_them_told() {
    let program = build(&VERSIONS);
    let commands = "version 32 1 3 set blocks 16 block 64 1 1 grid 2112 1 1 launch launch grid 2113 1 1 launch launch \
                    block 32 1 1 launch";
    let off = output(&program, Some("off"), commands);
    assert!(!stdout(&off).contains("cuLaunchKernel"), "{}", stdout(&off));
    assert_eq!(stderr(&off), "");
    assert_eq!(stderr(&output(&program, None, commands)), "");
    let told = output(&program, Some("say"), commands);
    assert_eq!(
        stderr(&told),
        "warpwise: k, block 64x1x1, 0 bytes of dynamic shared memory: version 1 runs\n\
         warpwise: k, block 64x1x1, 0 bytes of dynamic shared memory: the kernel itself runs\n\
         warpwise: k, block 32x1x1, 0 bytes of dynamic shared memory: the kernel itself runs\n"
    );
    let told = output(&program, Some("say"), "launch launch");
    assert_eq!(stderr(&told), "warpwise: k: the kernel itself runs: it has no versions\n");
    for (block, why) in
        [("31x1x1", "it is for blocks of at least a warp"), ("1024x1x1", "a block has not that much shared memory")]
    {
        let told = output(&program, Some("say"), &format!("version 9600 1 0 block {} launch", block.replace('x', " ")));
        assert_eq!(
            stderr(&told),
            format!(
                "warpwise: k$v1 is not used with blocks of {block} and 0 bytes: {why}\n\
                 warpwise: k, block {block}, 0 bytes of dynamic shared memory: the kernel itself runs\n"
            )
        );
    }
}

#[test]
fn streams_of_threads_and_unoptimised_code() {
    let program = build(&["-DPER_THREAD", VERSIONS[0], VERSIONS[1]]);
    let commands = format!("{ANY} launch stream 7 launch stream 1 launch stream 0 set capturing 1 launch");
    assert_eq!(
        stdout(&output(&program, None, &commands)),
        "cuLaunchKernel k$v1 grid 1x1x1 block 32x1x1 dynamic 0 stream 2\n\
         cuLaunchKernel k$v1 grid 1x1x1 block 32x1x1 dynamic 0 stream 7\n\
         cuLaunchKernel k$v1 grid 1x1x1 block 32x1x1 dynamic 0 stream 1\n\
         cudaLaunchKernel_ptsz k grid 1x1x1 block 32x1x1 dynamic 0 stream 0\n"
    );
    let program = build(&["-O0", VERSIONS[0], VERSIONS[1]]);
    assert!(stdout(&output(&program, None, &format!("{ANY} launch"))).starts_with("cuLaunchKernel k$v1"));
    // without the option, and with everything off, launches are what they were
    for flags in [&[][..], &["-mllvm", "-warpwise-off", VERSIONS[0], VERSIONS[1]]] {
        let program = build(flags);
        assert!(stdout(&output(&program, None, &format!("{ANY} launch"))).starts_with("cudaLaunchKernel k "));
    }
}

/// The launch function and the compiler's side agree on tables and on launches.
#[test]
fn both_readers_choose_the_same_version() {
    let mut ran = [0; 2];
    for words in [[0, 1, 0], [16, 16, 0], [4096, 16, 0], [7264, 1, 0], [16, 0, 0], [16, 24, 0]] {
        let table: Vec<u64> = [launch_table::MAGIC].into_iter().chain(words).collect();
        let version = launch_table::decode(&table);
        let [bytes, align, keep] = words;
        for (threads, own) in [(1, 0), (31, 0), (32, 0), (33, 5), (64, 16), (1024, 0), (1024, 1)] {
            let fits = |version: &launch_table::LaunchVersion| version.dynamic_shared(own, threads) <= 232_448;
            let is_chosen = version.as_ref().is_some_and(|version| version.is_for(threads) && fits(version));
            let launch = format!("block {threads} 1 1 own {own}");
            assert_eq!(chosen(&format!("version {bytes} {align} {keep}"), &launch), is_chosen, "{words:?} {launch}");
            ran[usize::from(is_chosen)] += 1;
        }
    }
    assert!(ran.iter().all(|&count| count > 9), "{ran:?}");
}

/// The stubs that clang makes of CUDA sources, with each of its ways to register kernels.
#[test]
fn clangs_own_stubs_are_diverted() {
    let folder = tempfile::tempdir().unwrap();
    let text = "template <class T> __global__ void t(T *p, int n) { p[n] = n; }\n\
                static __global__ void s(float *p) { *p = 1; }\n\
                struct B { int a[40]; };\n\
                __global__ void k(B b, float *p) { *p = b.a[3]; }\n\
                void go(float *p) { t<<<2, 64>>>(p, 3); s<<<1, 32, 100>>>(p); B b = {}; auto f = k; f<<<1, 32>>>(b, p); }\n";
    std::fs::write(folder.path().join("k.cu"), text).unwrap();
    for flags in [
        &["--offload-new-driver"][..],
        &["--no-offload-new-driver"],
        &["-fgpu-rdc", "--offload-new-driver"],
        &["-fgpu-rdc", "--no-offload-new-driver"],
        &["-O0"],
        &["-O3", "-g"],
        &["-DCUDA_API_PER_THREAD_DEFAULT_STREAM", "-Xclang", "-fgpu-default-stream=per-thread"],
        &["-fPIE", "-fno-plt", "-march=native", "-fshort-wchar"],
    ] {
        let mut clang = clang_cuda();
        clang.current_dir(folder.path()).args(["k.cu", "-c", "-o", "k.o"]).args(flags);
        let output = clang.arg(plugin_flag()).args(VERSIONS).arg("-Rpass-missed=warpwise").output().unwrap();
        assert!(output.status.success(), "{flags:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("launches run the kernel itself"), "{flags:?}: {}", stderr(&output));
        let symbols = stdout(&llvm_tool("llvm-nm").current_dir(folder.path()).arg("k.o").output().unwrap());
        assert_eq!(symbols.matches(" __warpwise_launch_stub").count(), 3, "{flags:?}: {symbols}");
        assert!(symbols.contains("w cudaGetFuncBySymbol"), "{flags:?}: {symbols}");
    }
}
