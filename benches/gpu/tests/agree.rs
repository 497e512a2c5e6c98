//! Does the comparison work, with a driver without a GPU (`fake_driver.c`)? Differences must be reported, and a case
//! that ends a process must not end the run.

mod common;

use std::path::Path;
use std::process::Output;

/// A case whose kernel fills a buffer of eight floats with 1.0, or does what `does` says.
fn case(folder: &Path, name: &str, does: &str, judge: &str) {
    let at = folder.join(name);
    std::fs::create_dir(&at).unwrap();
    let ones: Vec<u8> = [1f32; 8].iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(at.join("before"), vec![0u8; 32]).unwrap();
    std::fs::write(at.join("after"), ones).unwrap();
    std::fs::write(at.join("judge"), judge).unwrap();
    std::fs::write(at.join("kernel.cubin"), format!("{does}\0")).unwrap();
    let launch = r#"{"kernel": "k_plain", "grid": [1, 1, 1], "block": [8, 1, 1], "dynamic_shared": 0, "globals": [],
        "args": [{"buffer": {"element": "f32", "before": "before", "after": "after"}}, {"value": [8, 0, 0, 0]}]}"#;
    std::fs::write(at.join("launch.json"), launch).unwrap();
}

fn run(folder: &Path) -> Output {
    common::with_fake_driver(folder)
        .arg("agree")
        .arg(folder)
        .arg("--out")
        .arg(folder.join("agree.json"))
        .output()
        .unwrap()
}

#[test]
fn every_case_has_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    case(folder, "a", "good", "");
    case(folder, "b", "near", "");
    case(folder, "c", "near", "ulp 0 1000");
    case(folder, "d", "crash", "");
    case(folder, "e", "fault", "");
    case(folder, "f", "wrong", "free-counts 0");
    case(folder, "g", "good", "");
    let output = run(folder);
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "ok   a                                32 bytes identical",
        "BAD  b                                32 bytes compared, WRONG 8 times: argument 0[0] is 1.0001",
        "ok   c                                8 floats within 839 ulp (allowed 1000)",
        "BAD  d                                FAILED: the worker ended with",
        "BAD  e                                FAILED: ",
        "ok   f                                1 of 8 counts differ: argument 0[3] is 2",
        "ok   g                                32 bytes identical",
        "Fake 1, CUDA 13.0: 7 cases, 3 differ; 96 bytes bit by bit, 8 floats in ulp, 8 counts",
    ];
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line:?} is not {expected:?} …\n{text}");
    }
    assert_eq!(lines.len(), expected.len(), "{text}");
    assert!(!output.status.success());
    let results = std::fs::read_to_string(folder.join("agree.json")).unwrap();
    assert!(results.contains("\"case\": \"e\""));
}

#[test]
fn agreement_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    case(folder.path(), "a", "good", "");
    assert!(run(folder.path()).status.success());
}
