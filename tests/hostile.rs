//! Does the command survive whatever a person may type, and do the passes survive every valid module?

use crate::common::{KERNEL, stderr, stdout, warpwise};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Every subcommand that takes a file, with its other arguments.
const COMMANDS: &[&[&str]] = &[
    &["simt"],
    &["simt", "--compare"],
    &["report"],
    &["map", "show"],
    &["map", "merge"],
    &["map", "diff"],
    &["map", "json"],
    &["map", "html"],
    &["tune", "show"],
    &["tune", "json"],
    &["doctor"],
    &["flags"],
    &["unit"],
    &["fuzz", "check"],
    &["fuzz", "survive"],
    &["fuzz", "mutate", "--seeds", "0..1", "--corpus"],
    &["fuzz", "mutate", "--seeds", "0..1", "--output"],
    &["fuzz", "gen", "--seed", "1", "--output"],
];

fn never_panics(arguments: &[&str], file: &Path) {
    let output = warpwise().args(arguments).arg(file).output().expect("it runs");
    let said = stderr(&output);
    let code = output.status.code();
    let bad = said.contains("panicked") || code.is_none_or(|code| code > 2);
    assert!(!bad, "{arguments:?} {}: {:?}\n{said}", file.display(), output.status);
}

#[test]
fn file_names_need_not_be_utf8() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for arguments in COMMANDS {
        let inside = folder.path().join(OsStr::from_bytes(b"k\xff\xfe.ll"));
        std::fs::write(&inside, KERNEL).expect("it can be written");
        never_panics(arguments, &inside);
        // In the same folder: `--output` would write it to the current one.
        never_panics(arguments, &folder.path().join(OsStr::from_bytes(b"\xff is not there")));
    }
}

#[test]
fn a_module_with_a_name_that_is_not_utf8_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join(OsStr::from_bytes(b"k\xff.ll"));
    std::fs::write(&file, KERNEL).expect("it can be written");
    warpwise().arg("report").arg(&file).assert().success();
}

#[test]
fn standard_output_may_be_closed() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let program = env!("CARGO_BIN_EXE_warpwise");
    let output = std::process::Command::new(program).args(["fuzz", "gen", "--seed", "1"]).stdout(writer).output();
    let output = output.expect("it runs");
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(141));
}

/// A few modules; scripts/fuzz tries many.
#[test]
fn every_pass_survives_odd_modules() {
    let output = warpwise().args(["fuzz", "mutate", "--seeds", "0..200", "--limit", "600"]).output().expect("it runs");
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}
