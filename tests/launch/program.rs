//! The program that launches a kernel on the stand-in for the CUDA runtime. Each test is a process of its own, so what is
//! compiled is kept for the others.

use crate::common::{kept, llvm_tool, plugin, plugin_flag, root};
use std::path::PathBuf;
use std::sync::OnceLock;

fn folder() -> PathBuf {
    root().join("tests/launch")
}

/// All that may change what is compiled here, except for flags.
fn inputs() -> &'static [u8] {
    static INPUTS: OnceLock<Vec<u8>> = OnceLock::new();
    INPUTS.get_or_init(|| {
        let sources = ["program.c", "unit.c", "runtime.c", "runtime.h"].map(|name| folder().join(name));
        sources.iter().chain([&plugin()]).flat_map(|path| std::fs::read(path).unwrap()).collect()
    })
}

/// The object of a source, compiled with these flags and the plugin, or without it.
fn object(source: &str, flags: Option<&[&str]>) -> PathBuf {
    kept(&[b"object", source.as_bytes(), format!("{flags:?}").as_bytes(), inputs()], |object| {
        let mut clang = llvm_tool("clang");
        clang.args(["-w", "-O1", "-c"]).arg(folder().join(source)).arg("-o").arg(object);
        if let Some(flags) = flags {
            clang.arg(plugin_flag()).args(flags);
        }
        clang.assert().success();
    })
}

/// The program, compiled with these flags beside the plugin's.
pub fn build(flags: &[&str]) -> PathBuf {
    build_units(&[("program.c", Some(flags))])
}

/// A program of several translation units, each compiled with these flags and the plugin, or without it.
pub fn build_units(units: &[(&str, Option<&[&str]>)]) -> PathBuf {
    kept(&[b"program", format!("{units:?}").as_bytes(), inputs()], |program| {
        let objects = units.iter().map(|(unit, flags)| object(unit, *flags));
        llvm_tool("clang")
            .args(objects)
            .arg(object("runtime.c", None))
            .args(["-pthread", "-o"])
            .arg(program)
            .assert()
            .success();
    })
}
