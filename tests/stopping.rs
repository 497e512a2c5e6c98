//! Does Ctrl-C lose anything? Long commands report what they have done, and how to go on.

use crate::common::{cuda_tree, stderr, stdout};
use std::process::{Child, Command, Stdio};

fn started(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.args(arguments).env("WARPWISE_CUDA", cuda_tree()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the process has a handler for Ctrl-C.
fn wait_for_handler(child: &mut Child) {
    const INTERRUPT: u64 = 1 << (2 - 1);
    let path = format!("/proc/{}/status", child.id());
    let handles = || {
        let status = std::fs::read_to_string(&path).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(mask, 16).unwrap() & INTERRUPT != 0
    };
    while !handles() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be stopped");
        std::thread::yield_now();
    }
}

fn interrupt(child: &Child) {
    send("INT", child);
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args(["-s", signal]).arg(child.id().to_string()).status().unwrap().success());
}

#[test]
fn fuzz_says_where_it_stopped() {
    for (what, signal, status) in [("run", "INT", 130), ("mutate", "INT", 130), ("run", "TERM", 143)] {
        let mut child = started(&["fuzz", what, "--seeds", "5..1000000000", "--jobs", "2"]);
        wait_for_handler(&mut child);
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{what}: {output:?}");
        let text = stdout(&output);
        let mut seeds = text.lines().filter_map(|line| line.strip_prefix("seeds from ")?.split_once(" on are left: "));
        let (from, how) = seeds.next().unwrap_or_else(|| panic!("{what}: {text}"));
        assert_eq!(how, format!("--seeds {from}..1000000000 goes on"));
        assert!(from.parse::<u64>().unwrap() >= 5 && text.contains("; 0 failed"), "{text}");
    }
}

#[test]
fn fuzz_refuses_a_run_without_anything_to_compare() {
    for knob in ["--allow-poison", "--schedule-dependent"] {
        let run = |more: &[&str]| {
            let passes = ["fuzz", "run", "--seeds", "5..6", "--passes", "annotate-uniform", knob];
            started(&[&passes, more].concat()).wait_with_output().unwrap()
        };
        let output = run(&[]);
        assert!(!output.status.success() && stderr(&output).contains("--passes has nothing to compare"), "{output:?}");
        let output = run(&["--check"]);
        assert!(output.status.success() && !stdout(&output).contains(" 0 claims"), "{output:?}");
    }
}

#[test]
fn seeds_that_are_done_are_not_left() {
    let output = started(&["fuzz", "run", "--seeds", "5..7"]).wait_with_output().unwrap();
    assert!(output.status.success() && !stdout(&output).contains("left"), "{}", stdout(&output));
}

#[test]
fn a_report_of_a_project_goes_on_after_the_files_that_are_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let entries: Vec<_> = (0..3)
        .map(|number| {
            let file = format!("k{number}.cu");
            std::fs::write(path(&file), "__global__ void k(float *p) { p[threadIdx.x] = 1.0f; }\n").unwrap();
            serde_json::json!({"directory": folder.path(), "file": file, "command": "nvcc -arch=sm_90 -c k.cu"})
        })
        .collect();
    std::fs::write(path("compile_commands.json"), serde_json::to_string(&entries).unwrap()).unwrap();
    let place = folder.path().display().to_string();
    let run = || started(&["report", "--project", &place, "--jobs", "1"]);
    let mut child = run();
    wait_for_handler(&mut child);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert!(!output.status.success() && said.contains("of 3 files are looked at; the same command goes on"), "{said}");
    let output = run().wait_with_output().unwrap();
    assert!(output.status.success() && stdout(&output).contains("3 kernels in 3 files"), "{}", stdout(&output));
}
