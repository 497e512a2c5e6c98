//! The program that launches a kernel on the stand-in for the CUDA runtime.

use super::common::{llvm_tool, plugin_flag};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/launch").join(name)
}

/// The program, compiled with these flags beside the plugin's.
pub fn build(flags: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let clang = || {
        let mut clang = llvm_tool("clang");
        clang.current_dir(folder.path()).args(["-w", "-O1"]);
        clang
    };
    clang().arg("-c").arg(source("runtime.c")).args(["-o", "runtime.o"]).assert().success();
    clang()
        .arg("-c")
        .arg(source("program.c"))
        .arg(plugin_flag())
        .args(flags)
        .args(["-o", "program.o"])
        .assert()
        .success();
    clang().args(["program.o", "runtime.o", "-pthread", "-o", "program"]).assert().success();
    folder
}
