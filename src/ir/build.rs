//! Which LLVM do we build against, and is it the right one?
//!
//! Finds LLVM 22 through `LLVM_SYS_221_PREFIX`, then `llvm-config-22` on PATH, then the usual prefix of Debian's
//! packages; compiles the C++ part of the LLVM boundary against its headers; tells the build script of the plugin where
//! it is.

mod cpp;

use cpp::{compile, fail};
use std::path::{Path, PathBuf};
use std::process::Command;

const LLVM_MAJOR: &str = "22";
const USUAL_PREFIX: &str = "/usr/lib/llvm-22";
/// What both sides number: instructions as Rust has them, and as C++ writes them.
const INSTRUCTIONS: &str = "inst.rs";
const WALK: &str = "llvm/walk.h";
const MEND: &str = "install LLVM 22 with `scripts/setup` (Debian: `apt-get install llvm-22-dev`), or set LLVM_SYS_221_PREFIX to its prefix";

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    for file in ["build.rs", "cpp.rs", INSTRUCTIONS] {
        println!("cargo:rerun-if-changed={file}");
    }
    compare_enumerations();
    let config = find_llvm_config();
    let version = query(&config, "--version");
    if version.split('.').next() != Some(LLVM_MAJOR) {
        fail(&format!("{} is LLVM {version}, but warpwise is built for LLVM {LLVM_MAJOR}; {MEND}", config.display()));
    }
    let headers = query(&config, "--includedir");
    compile("llvm", "warpwise_llvm", &headers, |_| {});
    println!("cargo:headers={headers}");
    println!("cargo:programs={}", query(&config, "--bindir"));
}

/// Opcodes and flags cross from C++ to Rust as numbers: both sides must name the same ones in the same order.
fn compare_enumerations() {
    let text = |path: &str| std::fs::read_to_string(path).unwrap_or_else(|e| fail(&format!("cannot read {path}: {e}")));
    let (rust, cpp) = (text(INSTRUCTIONS), text(WALK));
    let pairs = [("pub enum Opcode {", "enum WarpwiseOpcode"), ("pub struct Flags: u16 {", "enum WarpwiseFlag")];
    for (ours, theirs) in pairs {
        let (ours_listed, theirs_listed) = (enumerators(&rust, ours), enumerators(&cpp, theirs));
        if ours_listed.is_empty() || ours_listed != theirs_listed {
            fail(&format!(
                "`{ours}` of {INSTRUCTIONS} and `{theirs}` of {WALK} differ:\n{ours_listed:?}\n{theirs_listed:?}"
            ));
        }
    }
}

/// Names and values of an enumeration: `CondBr`, `WW_COND_BR` and `const COND_BR` are `CONDBR`.
fn enumerators(text: &str, head: &str) -> Vec<String> {
    let body = text.split(head).nth(1).and_then(|rest| rest.split('}').next()).unwrap_or("");
    let body = body.split_once('{').map_or(body, |(_, behind)| behind);
    let code = body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let name = |line: &str| {
        let line = line.trim_start_matches("const ").trim_start_matches("WW_").trim_end_matches([',', ';']);
        line.chars().filter(|c| !matches!(c, '_' | ' ')).collect::<String>().to_uppercase()
    };
    code.map(name).collect()
}

fn find_llvm_config() -> PathBuf {
    if let Some(prefix) = std::env::var_os("LLVM_SYS_221_PREFIX") {
        let config = Path::new(&prefix).join("bin/llvm-config");
        if !config.is_file() {
            fail(&format!(
                "LLVM_SYS_221_PREFIX is {}, but there is no bin/llvm-config in it; {MEND}",
                prefix.to_string_lossy()
            ));
        }
        return config;
    }
    let on_path = PathBuf::from("llvm-config-22");
    if Command::new(&on_path).arg("--version").output().is_ok_and(|o| o.status.success()) {
        return on_path;
    }
    let usual = Path::new(USUAL_PREFIX).join("bin/llvm-config");
    if usual.is_file() {
        return usual;
    }
    fail(&format!("no LLVM {LLVM_MAJOR} found; {MEND}"))
}

fn query(config: &Path, flag: &str) -> String {
    match Command::new(config).arg(flag).output() {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).trim().to_owned(),
        _ => fail(&format!("`{} {flag}` failed; {MEND}", config.display())),
    }
}
