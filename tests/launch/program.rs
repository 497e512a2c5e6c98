//! The program that launches a kernel on the stand-in for the CUDA runtime.

use super::common::{llvm_tool, plugin_flag};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/launch").join(name)
}

/// The program, compiled with these flags beside the plugin's.
pub fn build(flags: &[&str]) -> TempDir {
    build_units(&[("program.c", Some(flags))])
}

/// A program of several translation units, each compiled with these flags and the plugin, or without it.
pub fn build_units(units: &[(&str, Option<&[&str]>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let clang = || {
        let mut clang = llvm_tool("clang");
        clang.current_dir(folder.path()).args(["-w", "-O1"]);
        clang
    };
    clang().arg("-c").arg(source("runtime.c")).args(["-o", "runtime.o"]).assert().success();
    let mut link = clang();
    for (unit, flags) in units {
        let object = unit.replace(".c", ".o");
        let mut compile = clang();
        compile.arg("-c").arg(source(unit)).args(["-o", &object]);
        if let Some(flags) = flags {
            compile.arg(plugin_flag()).args(*flags);
        }
        compile.assert().success();
        link.arg(object);
    }
    link.args(["runtime.o", "-pthread", "-o", "program"]).assert().success();
    folder
}
