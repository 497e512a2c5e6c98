//! Does the runner work, with a driver without a GPU (`fake_driver.c`)? Failures must be reported, and the run must
//! continue.

mod common;

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use warpwise_bench::launch::Description;
use warpwise_bench::manifest::{Build, Counts, Cubin, Kernel, Manifest, Outcome, Results};

const SOURCE: &str = "//@ launch grid=1 block=n\n//@ arg out out f32[n]\n//@ arg n i32 64\n//@ small n=32\n";

/// A bundle of one kernel a name, with what each variant's cubin does.
fn bundle(folder: &Path, arch: &str, kernels: &[(&str, &[(&str, &str)])]) {
    let Description { full, small, .. } = Description::parse(SOURCE).unwrap();
    let kernels = kernels.iter().map(|(name, variants)| Kernel {
        name: (*name).into(),
        section: "spill".into(),
        launch: full.clone(),
        small: small.clone(),
        regs: None,
        builds: variants
            .iter()
            .map(|(variant, does)| {
                let file = format!("{name}.{variant}.cubin");
                std::fs::write(folder.join(&file), format!("{does}\0")).unwrap();
                let cubin = Cubin { file, entry: "k_plain".into(), counts: Counts::default() };
                let made = if *does == "absent" { Err("no plugin was given".into()) } else { Ok(cubin) };
                Build { variant: (*variant).into(), flags: String::new(), made }
            })
            .collect(),
    });
    let manifest = Manifest { arch: arch.into(), commit: String::new(), tools: Vec::new(), kernels: kernels.collect() };
    std::fs::write(folder.join("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
}

fn run(folder: &Path) -> Output {
    common::with_fake_driver(folder)
        .args(["run", "--silence", "1", "--out"])
        .arg(folder.join("results.json"))
        .arg(folder)
        .output()
        .unwrap()
}

fn results(folder: &Path) -> Results {
    serde_json::from_str(&std::fs::read_to_string(folder.join("results.json")).unwrap()).unwrap()
}

#[test]
fn failures_of_one_variant_are_told_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = [
        ("clang", "good"),
        ("nvcc", "near"),
        ("smem", "wrong"),
        ("annotate", "refuse"),
        ("fuse", "fault"),
        ("steer", "hang"),
        ("told", "crash"),
        ("warpwise", "near"),
        ("by_hand", "good"),
    ];
    let kernels: [(&str, &[_]); 3] = [
        ("first", &first),
        ("no_reference", &[("clang", "crash"), ("nvcc", "good")]),
        ("last", &[("clang", "good"), ("nvcc", "good"), ("steer", "absent")]),
    ];
    bundle(folder, "sm_90", &kernels);
    let output = run(folder);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}");

    let results = results(folder);
    let outcome = |kernel: &str, variant: &str| results.outcome("spill", kernel, variant).unwrap();
    let why = |kernel: &str, variant: &str| match outcome(kernel, variant) {
        Outcome::Failed { why } => why.clone(),
        other => panic!("{kernel} {variant}: {other:?}"),
    };
    for (kernel, variant) in [("first", "clang"), ("first", "by_hand"), ("first", "again"), ("last", "nvcc")] {
        assert_eq!(results.ms("spill", kernel, variant), Some(0.5), "{kernel} {variant}\n{err}");
    }
    assert!(matches!(outcome("first", "nvcc"), Outcome::Ran { relative_error, .. } if *relative_error > 0.0));
    let told = Outcome::Wrong { first: "out[3] is 2, should be 1".into(), elements: 1 };
    assert_eq!(*outcome("first", "smem"), told);
    assert!(matches!(outcome("first", "warpwise"), Outcome::Wrong { elements: 64, .. }));
    assert!(why("first", "annotate").starts_with("launching: CUDA_ERROR_FAKE"));
    assert!(why("first", "fuse").contains("CUDA_ERROR_FAKE"));
    assert!(why("first", "steer").contains("hangs"));
    assert!(why("first", "told").contains("died"));
    assert!(why("no_reference", "clang").contains("died"));
    assert!(why("no_reference", "nvcc").contains("the reference did not run"));
    assert!(why("last", "steer").contains("no plugin was given"));

    assert!(out.contains("== spill ==") && out.contains("0.5000 (1.00)"), "{out}");
    assert!(out.contains("spill first smem: 1 wrong elements: out[3] is 2, should be 1"), "{out}");

    let plot = Command::new(env!("CARGO_BIN_EXE_warpwise-bench"))
        .args(["plot", "--out"])
        .args([folder.to_path_buf(), folder.join("results.json")])
        .output()
        .unwrap();
    assert!(plot.status.success(), "{}", String::from_utf8_lossy(&plot.stderr));
    let svg = std::fs::read_to_string(folder.join("spill.svg")).unwrap();
    assert!(svg.contains("<title>first, by hand: 1.00×</title>") && !svg.contains("no_reference"), "{svg}");
}

#[test]
fn a_run_that_was_stopped_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bundle(folder, "sm_90", &[("first", &[("clang", "good")]), ("second", &[("clang", "hang")])]);
    let mut stopped = common::with_fake_driver(folder);
    stopped.args(["run", "--silence", "6000", "--out"]).arg(folder.join("results.json")).arg(folder);
    let mut child = stopped.process_group(0).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("[1/2] spill first")), "it ended before it was stopped");
    let part = folder.join("results.part.json");
    // the kernel's line is printed before it is kept
    while !part.exists() {
        std::thread::yield_now();
    }
    // with the worker that hangs
    assert!(Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status().unwrap().success());
    child.wait().unwrap();
    assert!(!folder.join("results.json").exists());

    let output = run(folder);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    assert!(err.contains("goes on where it was stopped: 1 of 2 kernels are kept in "), "{err}");
    assert!(!err.contains("spill first:"), "{err}");
    assert_eq!(results(folder).ms("spill", "first", "clang"), Some(0.5), "{err}");
    assert!(results(folder).outcome("spill", "second", "clang").is_some() && !part.exists(), "{err}");
    assert!(!String::from_utf8_lossy(&run(folder).stderr).contains("goes on"));
}

#[test]
fn small_launches_are_counted_and_nothing_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bundle(folder, "sm_90", &[("k", &[("clang", "good"), ("warpwise", "wrong")])]);
    let run = |only: &str| {
        common::with_fake_driver(folder).args(["run", "--small", "--only", only]).arg(folder).output().unwrap()
    };
    let output = run("k");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!output.status.success() && err.contains("error: some variants are wrong"), "{err}");
    assert!(out.starts_with("spill k warpwise: Wrong"), "{out}");
    assert!(out.ends_with("3 variants on small sizes, 1 wrong or failed\n"), "{out}");
    assert!(!folder.join("results.json").exists());
}

#[test]
fn a_bundle_for_another_gpu_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    bundle(folder.path(), "sm_80", &[("k", &[("clang", "good")])]);
    let output = run(folder.path());
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(err.contains("built for sm_80, and the GPU here (Fake 1) is sm_90"), "{err}");
}

#[test]
fn no_bundle_and_no_driver_are_one_sentence_each() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_warpwise-bench");
    let output = Command::new(program).arg("run").arg(folder.path()).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: no bundle here: "));
    bundle(folder.path(), "sm_90", &[("k", &[("clang", "good")])]);
    std::fs::write(folder.path().join("libcuda.so.1"), "no library").unwrap();
    let output = Command::new(program)
        .args(["run", "--out"])
        .arg(folder.path().join("results.json"))
        .arg(folder.path())
        .env("LD_LIBRARY_PATH", folder.path())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.starts_with("error: no NVIDIA driver found: libcuda.so.1"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}
