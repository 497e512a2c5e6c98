//! Does a program compiled with -warpwise-tune take fair turns among a kernel's alternatives, measure them without waiting,
//! and write what it measured? On the stand-in for the CUDA runtime of tests/launch, whose clock is scripted.

use crate::common::{clang_cuda, plugin_flag, stderr, stdout};
use crate::launch::program::{build, build_units};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;
use warpwise::choices::{Alternative, Choices, Decision, Measured, decide};
use warpwise_ir::launch_table::{self, Tuning};

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| build(&["-mllvm", "-warpwise-tune"]))
}

/// What a run of the program has left.
struct Ran {
    folder: TempDir,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn path(&self) -> PathBuf {
        self.folder.path().join("warpwise-choices.jsonl")
    }

    /// The lines of the choice file that the program wrote into its working directory.
    fn measured(&self) -> Vec<Measured> {
        Choices::read(&self.path()).map_or(Vec::new(), |choices| choices.all().to_vec())
    }

    /// What was measured in the only launches that were measured.
    fn only(&self) -> Measured {
        let mut all = self.measured();
        assert_eq!(all.len(), 1, "{}", self.stdout);
        all.remove(0)
    }

    /// The function of each launch.
    fn functions(&self) -> Vec<&str> {
        let launches = self.stdout.lines().filter(|line| line.contains("LaunchKernel"));
        launches.map(|line| line.split(' ').nth(1).unwrap()).collect()
    }
}

fn run_with(environment: &[(&str, &str)], commands: &str) -> Ran {
    run_program(program(), environment, commands)
}

fn run_program(program: &Path, environment: &[(&str, &str)], commands: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let mut program = assert_cmd::Command::new(program);
    program.current_dir(folder.path()).args(commands.split_whitespace()).env("MALLOC_PERTURB_", "165");
    for name in ["WARPWISE_TUNE", "WARPWISE_TUNE_FILE", "WARPWISE_VERSIONS"] {
        program.env_remove(name);
    }
    let output = program.envs(environment.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{commands}: {}", stdout(&output));
    Ran { folder, stdout: stdout(&output), stderr: stderr(&output) }
}

fn run(commands: &str) -> Ran {
    run_with(&[], commands)
}

fn alternative(measured: &Measured, name: &str) -> Alternative {
    measured.of_alternative(name).unwrap_or_else(|| panic!("{name} is not in {measured:?}")).clone()
}

/// Two alternatives without conditions: one is faster than the kernel, one slower.
const TWO: &str = "tuning 0x12ab alternative models 0 1 0 alternative fuse 0 1 0 time 0 100 time 1 80 time 2 130";

#[test]
fn launches_take_turns_and_what_they_take_is_written() {
    let ran = run(&format!("{TWO} block 64 2 1 own 40 often 90"));
    let functions = ran.functions();
    // in every round each once, in an order that changes
    let mut orders: Vec<&[&str]> = functions.chunks(3).collect();
    for round in &orders {
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, ["k", "k$t1", "k$t2"], "{functions:?}");
    }
    orders.sort_unstable();
    orders.dedup();
    assert_eq!(orders.len(), 6, "all orders occur");
    let measured = ran.only();
    let of = &measured.of;
    assert_eq!((of.kernel.as_str(), of.hash.as_str(), of.gpu.as_str()), ("k", "00000000000012ab", "sm_90"));
    assert_eq!((of.block, of.shared, measured.launches), ([64, 2, 1], 40, 90));
    // the first round loads code
    let plain = alternative(&measured, "plain");
    assert_eq!((plain.time.count, plain.time.mean.round(), plain.gain.count), (29, 100.0, 0));
    for (name, gain) in [("models", 20.0), ("fuse", -30.0)] {
        let found = alternative(&measured, name);
        assert_eq!((found.time.count, found.gain.count), (29, 29));
        assert!((found.gain.mean - gain).abs() < 0.01 && found.gain.squares < 0.1, "{found:?}");
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn runs_append_and_files_are_named_by_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("here-%p.jsonl");
    let environment = [("WARPWISE_TUNE_FILE", file.to_str().unwrap())];
    let first = run_with(&environment, &format!("{TWO} often 30 block 64 1 1 often 30"));
    assert!(!first.path().exists());
    run_with(&environment, &format!("{TWO} often 30"));
    let written: Vec<PathBuf> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(written.len(), 2, "a file for each process: {written:?}");
    let one = folder.path().join("one.jsonl");
    let environment = [("WARPWISE_TUNE_FILE", one.to_str().unwrap())];
    for _ in 0..3 {
        run_with(&environment, &format!("{TWO} often 30"));
    }
    let merged = Choices::read(&one).unwrap();
    assert_eq!(alternative(&merged.all()[0], "plain").time.count, 27);
    let nowhere = run_with(&[("WARPWISE_TUNE_FILE", "/no/such/folder/file")], &format!("{TWO} often 30"));
    assert_eq!(
        nowhere.stderr,
        "warpwise: cannot write /no/such/folder/file: nothing that was measured is kept; set WARPWISE_TUNE_FILE\n"
    );
}

#[test]
fn what_varies_with_the_launch_does_not_count_as_a_difference() {
    // launches differ by up to 1000 µs, for some time; alternatives by 20
    let measured = run(&format!("{TWO} set wave 500 often 3000")).only();
    let Decision::Alternative { name, .. } = decide(&[&measured]) else { panic!("{measured:?}") };
    assert_eq!(name, "models");
    // and with noise alone nothing is chosen
    for seed in 0..8 {
        let same = format!("tuning 1 alternative models 0 1 0 time 0 100 time 1 100 own {seed} set noise 30 often 600");
        assert_eq!(decide(&[&run(&same).only()]), Decision::Plain);
    }
}

#[test]
fn nothing_waits_for_events() {
    // no event ever happens: turns end after as many rounds as are awaited
    let ran = run(&format!("{TWO} set late 1 often 200 awaited"));
    assert!(ran.stdout.ends_with("96 events\n"), "{}", ran.stdout);
    assert_eq!(ran.functions()[48..], ["k"; 152]);
    assert!(ran.measured().is_empty());
    // they happen later
    let ran = run(&format!("{TWO} set late 1 often 30 set late 0 often 30"));
    assert_eq!(alternative(&ran.only(), "plain").time.count, 19);
}

#[test]
fn captures_contexts_and_failures_are_not_measured() {
    let plain = |ran: &Ran| ran.functions().iter().all(|&name| name == "k") && ran.measured().is_empty();
    assert!(plain(&run(&format!("{TWO} set capturing 1 often 60 awaited"))));
    for name in ["cuEventCreate", "cuEventRecord", "cuEventQuery", "cuEventElapsedTime"] {
        let ran = run(&format!("{TWO} set missing {name} often 60 error"));
        assert!(plain(&ran) && ran.stdout.ends_with("error 0\n"), "{name}: {}", ran.stdout);
    }
    for name in ["cuEventRecord", "cuEventQuery", "cuEventElapsedTime", "cuLaunchKernel"] {
        let ran = run(&format!("{TWO} set failing {name} often 60 error"));
        assert!(ran.measured().is_empty() && ran.stdout.ends_with("error 0\n"), "{name}: {}", ran.stdout);
        assert_eq!(ran.functions().len(), 60, "{name}: every launch runs once");
        assert_eq!(ran.functions()[3..], ["k"; 57], "{name}");
    }
    // events of a context that is gone are not asked for
    let ran = run(&format!("{TWO} set late 1 often 30 set late 0 set context 0"));
    assert!(ran.measured().is_empty());
    // an alternative that the device code lacks
    assert!(run(&format!("{TWO} set lacks 1 often 60")).functions().iter().all(|&name| name == "k"));
}

#[test]
fn alternatives_run_only_where_they_may() {
    // `k$t1` has 256 bytes for each warp. 16 of its blocks are resident on each of 132 multiprocessors: blocks of a larger
    // grid that wait for each other would not all be resident
    let table = "tuning 7 alternative version 256 16 0 set blocks 16 time 0 100 time 1 50";
    let ran = run(&format!("{table} block 64 1 1 grid 2112 1 1 often 40 grid 2113 1 1 often 40"));
    let functions = ran.functions();
    assert!(functions[..40].contains(&"k$t1") && !functions[40..].contains(&"k$t1"));
    assert!(ran.stdout.contains("cuLaunchKernel k$t1 grid 2112x1x1 block 64x1x1 dynamic 512"));
    let measured = ran.only();
    let version = alternative(&measured, "version");
    assert_eq!((version.gain.count, version.gain.mean.round()), (19, 50.0));
    let with_slots = "tuning 7 alternative version 16 1 0";
    assert!(!run(&format!("{with_slots} block 31 1 1 often 40")).functions().contains(&"k$t1"));
    assert!(run(&format!("{with_slots} block 32 1 1 often 40")).functions().contains(&"k$t1"));
    // where no alternative may run, that is known too
    let never = run("tuning 7 alternative models 300000 1 0 time 0 100 often 60").only();
    assert_eq!((never.alternatives.len(), decide(&[&never])), (1, Decision::Plain));
}

#[test]
fn a_table_that_is_not_ours_is_not_used() {
    for broken in [
        "word 0 0", "word 2 7", "word 2 3", "words 2", "words 7", "word 3 0", "word 3 0x41", "word 5 0x100000000",
        "word 6 3",
    ] {
        assert!(run(&format!("{TWO} {broken} often 9")).functions().iter().all(|&name| name == "k"), "{broken}");
    }
    // both sides write and read the same
    let version = launch_table::LaunchVersion { align: 1, ..Default::default() };
    let alternatives = vec![("models".to_owned(), version.clone()), ("fuse".to_owned(), version)];
    let words = Tuning { hash: 0x12ab, alternatives }.encode();
    let commands: String = words.iter().enumerate().map(|(at, word)| format!("word {at} {word} ")).collect();
    let same = run(&format!("tuning 0 {commands} words {} time 0 9 often 60", words.len())).only();
    assert_eq!((same.of.hash.as_str(), same.alternatives.len()), ("00000000000012ab", 3));
}

#[test]
fn online_settles_on_the_fastest() {
    let online = [("WARPWISE_TUNE", "online"), ("WARPWISE_VERSIONS", "say")];
    let ran = run_with(&online, &format!("{TWO} often 900 awaited"));
    assert_eq!(ran.stderr, "warpwise: k, block 32x1x1, 0 bytes of dynamic shared memory: settled on models\n");
    let events = |ran: &Ran| ran.stdout.rsplit('\n').nth(1).unwrap().to_owned();
    // until then, what a build that is not tuned has
    let functions = ran.functions();
    let turns = |name: &str| functions.iter().filter(|&&launched| launched == name).count();
    assert!(functions[..100].iter().all(|&name| name == "k$t1"), "{functions:?}");
    assert_eq!((turns("k"), turns("k$t2")), (17, 5), "what is slower for certain has few turns");
    assert!(!ran.path().exists(), "a file is written if one is named");
    // nothing is faster: the usual one, in the end without events
    for (name, settled, ran_at_last) in [("models", "models", "k$t1"), ("fuse", "plain", "k")] {
        let same = format!("tuning 1 alternative {name} 0 1 0 time 0 100 time 1 100 set noise 5 often 4000 awaited");
        let ran = run_with(&online, &same);
        assert!(ran.stderr.ends_with(&format!("settled on {settled}\n")), "{}", ran.stderr);
        assert_eq!((&ran.functions()[3900..], events(&ran)), (&[ran_at_last; 100][..], "1028 events".to_owned()));
    }
    // the models were wrong
    let wrong = "tuning 1 alternative models 0 1 0 time 0 100 time 1 130 often 900";
    assert_eq!(run_with(&online, wrong).functions()[600..], ["k"; 300]);
    let ran = run_with(&[("WARPWISE_TUNE", "off")], &format!("{TWO} often 60 awaited"));
    assert!(ran.functions().iter().all(|&name| name == "k") && events(&ran) == "0 events" && !ran.path().exists());
}

#[test]
fn online_costs_little() {
    let times = [300, 100, 101, 104, 180, 120, 900];
    let mut table = "tuning 1 alternative models 0 1 0".to_owned() + &" alternative fuse 0 1 0".repeat(5);
    times.iter().enumerate().for_each(|(number, time)| table += &format!(" time {number} {time}"));
    for launches in [40, 300, 2000, 20_000] {
        let ran = run_with(&[("WARPWISE_TUNE", "online")], &format!("{table} often {launches}"));
        let functions = ran.functions();
        let number = |name: &str| name.strip_prefix("k$t").map_or(0, |number| number.parse().unwrap());
        let lost: usize = functions.iter().map(|name| times[number(name)] - 100).sum();
        // what the first turns may cost is not known before
        assert!(lost <= 2 * launches + 1200, "{lost} of {launches}");
        assert_eq!(lost == 0, launches <= 300, "{lost} of {launches}");
    }
}

#[test]
fn threads_launch_at_the_same_time() {
    for _ in 0..5 {
        let ran = run(&format!("{TWO} set prints 0 threads 8"));
        assert!(ran.stdout.starts_with("8000 launches, 1 look-ups\n"), "{}", ran.stdout);
        let measured = ran.only();
        assert!(measured.launches <= 8000 && alternative(&measured, "plain").time.count > 0, "{measured:?}");
    }
}

/// Each object measures its own kernels, and all write to the same file.
#[test]
fn objects_share_a_file() {
    let flags: &[&str] = &["-mllvm", "-warpwise-tune"];
    let program = build_units(&[("program.c", Some(flags)), ("unit.c", Some(flags))]);
    let ran = run_program(&program, &[], &format!("{TWO} often 30 {}", "other ".repeat(30)));
    let mut kernels: Vec<(String, u64)> =
        ran.measured().iter().map(|measured| (measured.of.kernel.clone(), measured.launches)).collect();
    kernels.sort();
    assert_eq!(kernels, [("j".to_owned(), 30), ("k".to_owned(), 30)], "{}", ran.stdout);
}

/// A program of several objects, some without alternatives, is one program.
#[test]
fn tables_of_versions_are_used_without_measuring() {
    let ran = run("version 0 1 0 often 60 awaited");
    assert!(ran.functions().iter().all(|&name| name == "k$v1") && ran.stdout.ends_with("0 events\n"));
    assert!(Path::new(&ran.path()).try_exists().is_ok_and(|exists| !exists));
}

/// The code of each kernel in PTX, without what only names differ in.
fn kernels(ptx: &str) -> Vec<(String, String)> {
    let entries = ptx.split(".visible .entry ").skip(1);
    let code = |entry: &str| {
        let (name, rest) = entry.split_once('(').unwrap();
        let body = rest.split_once("\n)").unwrap().1.split("\n}").next().unwrap();
        let lines = body.lines().map(|line| line.split("//").next().unwrap().trim());
        let mut words: Vec<&str> = lines.flat_map(|line| line.split_inclusive([' ', '\t', ',', '[', ';'])).collect();
        // names of labels, arguments and variables, which contain the kernel's
        words.iter_mut().for_each(|word| {
            if word.contains('$')
                || word.contains("_param_")
                || word.contains("__local_depot")
                || word.contains("_slots")
            {
                *word = "name ";
            }
        });
        (name.to_owned(), words.concat())
    };
    entries.map(code).collect()
}

/// Every alternative of a kernel of a CUDA source, chosen, gives the code that was measured; `-g` makes no
/// difference. Returns the names of the alternatives.
fn builds_what_was_measured(kernel: &str, text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.cu"), text).unwrap();
    let compile = |flags: &[&str]| {
        let mut clang = clang_cuda();
        clang.current_dir(folder.path()).args(["k.cu", "--cuda-device-only", "-S", "-O3", "-o", "k.s"]).args(flags);
        let output = clang.arg(plugin_flag()).args(["-Rpass=warpwise", "-Rpass-missed=warpwise"]).output().unwrap();
        assert!(output.status.success(), "{flags:?}: {}", stderr(&output));
        (kernels(&std::fs::read_to_string(folder.path().join("k.s")).unwrap()), stderr(&output))
    };
    let (measured, said) = compile(&["-mllvm", "-warpwise-tune"]);
    let made = said.split("to be measured in the program: plain, ").nth(1).unwrap_or_else(|| panic!("{said}"));
    let (names, rest) = made.split_once(" (code ").unwrap();
    let hash = &rest[..16];
    let names: Vec<String> = names.split(", ").map(str::to_owned).collect();
    for (number, name) in (1..).zip(&names) {
        let sample = |name: &str, gain: &str| format!("{{\"name\":\"{name}\",\"n\":9,\"mean\":5,\"m2\":0{gain}}}");
        let gain = ",\"gain_n\":9,\"gain\":1,\"gain_m2\":0";
        let line = format!(
            "{{\"kernel\":\"{kernel}\",\"hash\":\"{hash}\",\"gpu\":\"sm_90\",\"block\":[32,1,1],\"shared\":0,\"launches\":9,\
             \"alternatives\":[{},{}]}}\n",
            sample("plain", ""),
            sample(name, gain)
        );
        std::fs::write(folder.path().join("choices"), line).unwrap();
        let (built, said) = compile(&["-mllvm", "-warpwise-choices=choices"]);
        assert!(said.contains(&format!("built as '{name}'")), "{name}: {said}");
        let (_, said) = compile(&["-mllvm", "-warpwise-choices=choices", "-g"]);
        assert!(said.contains(&format!("built as '{name}'")), "{name}, -g: {said}");
        let code = |all: &[(String, String)], wanted: &str| {
            all.iter().find(|(known, _)| known == wanted).unwrap_or_else(|| panic!("{wanted}")).1.clone()
        };
        let version = format!("{kernel}$v1");
        let place = if name == "version" { &version } else { kernel };
        assert_eq!(code(&built, place), code(&measured, &format!("{kernel}$t{number}")), "{name}");
    }
    names
}

#[test]
fn what_is_built_is_what_was_measured() {
    let names = builds_what_was_measured(
        "ring",
        "extern \"C\" __global__ void ring(const unsigned *in, float *out, int n) {\n\
           float held[12]; int t = blockIdx.x * blockDim.x + threadIdx.x; float sum = 0;\n\
           for (int i = 0; i < 12; i++) held[i] = in[t + i];\n\
           for (int i = 0; i < n; i++) { unsigned r = in[t * 7 + i];\n\
             if (r & 1) held[r % 12] = held[(r >> 8) % 12] * 0.5f + 1.0f;\n\
             else held[r % 12] = held[(r >> 4) % 12] * 0.25f + 3.0f; }\n\
           for (int i = 0; i < 12; i++) sum += held[i];\n\
           out[t] = sum; }\n",
    );
    assert!(names.len() >= 2, "{names:?}");
    let names = builds_what_was_measured(
        "spills",
        "extern \"C\" __global__ void __launch_bounds__(256, 8) spills(const float *in, float *out, int n) {\n\
           float v[48]; int t = blockIdx.x * 256 + threadIdx.x;\n\
           _Pragma(\"unroll\") for (int i = 0; i < 48; i++) v[i] = in[t * 48 + i];\n\
           for (int r = 0; r < n; r++)\n\
             { _Pragma(\"unroll\") for (int i = 0; i < 48; i++) v[i] = v[i] * v[(i + 1) % 48] + v[(i + 7) % 48]; }\n\
           _Pragma(\"unroll\") for (int i = 0; i < 48; i++) out[t * 48 + i] = v[i]; }\n",
    );
    assert_eq!(names, ["smem"]);
}
