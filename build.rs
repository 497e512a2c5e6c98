//! Which LLVM do we build against, and is it the right one?
//!
//! Finds LLVM 22 through `LLVM_SYS_221_PREFIX`, then `llvm-config-22` on PATH, then the usual prefix of
//! Debian's packages; compiles the C++ registration layer in `passes/` against its headers.

use std::path::{Path, PathBuf};
use std::process::{Command, exit};

const LLVM_MAJOR: &str = "22";
const USUAL_PREFIX: &str = "/usr/lib/llvm-22";
/// Registration with the pass manager, and the part of the LLVM boundary that is C++.
const CPP_FOLDERS: [&str; 2] = ["passes", "src/llvm"];
/// What both sides number: instructions as Rust has them, and as C++ writes them.
const INSTRUCTIONS: &str = "src/inst.rs";
const WALK: &str = "src/llvm/walk.h";
/// What launches call in host code with versions, as bitcode in the plugin.
const LAUNCH_FOLDER: &str = "src/launch";
const LAUNCH: &str = "src/launch/launch.c";
const MEND: &str = "install LLVM 22 with `scripts/setup` (Debian: `apt-get install llvm-22-dev`), or set LLVM_SYS_221_PREFIX to its prefix";

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    println!("cargo:rerun-if-changed=build.rs");
    for folder in CPP_FOLDERS {
        for file in cpp_files(folder, &["cpp", "h"]) {
            println!("cargo:rerun-if-changed={}", file.display());
        }
        println!("cargo:rerun-if-changed={folder}");
    }

    println!("cargo:rerun-if-changed={INSTRUCTIONS}");
    for file in cpp_files(LAUNCH_FOLDER, &["c", "h"]) {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    compare_enumerations();

    let config = find_llvm_config();
    let version = query(&config, "--version");
    if version.split('.').next() != Some(LLVM_MAJOR) {
        fail(&format!("{} is LLVM {version}, but warpwise is built for LLVM {LLVM_MAJOR}; {MEND}", config.display()));
    }
    // most of what a library of LLVM offers is not called for every module: look it up when it is
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,lazy");
    if !is_linting() {
        compile_passes(&query(&config, "--includedir"), &version);
    }
    let clang = Path::new(&query(&config, "--bindir")).join("clang");
    compile_launch(&clang, "launch.bc", &[]);
    compile_launch(&clang, "launch_tune.bc", &["-DWARPWISE_TUNE"]);
}

/// Whether clippy runs, which links nothing; cargo keeps what is built for it apart from every other build.
fn is_linting() -> bool {
    let wrapper = std::env::var_os("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    Path::new(&wrapper).file_stem().is_some_and(|name| name == "clippy-driver")
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

fn compile_passes(include_dir: &str, version: &str) {
    let mut build = cc::Build::new();
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        build.define("NDEBUG", None);
    }
    build
        .cpp(true)
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-Wno-redundant-move")
        .flag_if_supported("-Wno-dangling-reference")
        .flag_if_supported("-Wno-maybe-uninitialized")
        .include("src/llvm")
        .flag(format!("-isystem{include_dir}"))
        .define("WARPWISE_LLVM_VERSION", Some(format!("\"{version}\"").as_str()))
        .define("WARPWISE_VERSION", Some(format!("\"{}\"", env!("CARGO_PKG_VERSION")).as_str()))
        .files(CPP_FOLDERS.map(all_of_folder))
        .compile("warpwise_passes");
}

/// One file that includes all sources of a folder, so that LLVM's headers are read once for them.
fn all_of_folder(folder: &str) -> PathBuf {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let lines: Vec<String> = cpp_files(folder, &["cpp"])
        .iter()
        .map(|file| format!("#include \"{}\"\n", root.join(file).display()))
        .collect();
    let all = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join(folder.replace('/', "_") + ".cpp");
    match std::fs::write(&all, lines.concat()) {
        Ok(()) => all,
        Err(error) => fail(&format!("cannot write {}: {error}", all.display())),
    }
}

/// Compiles the launch function to bitcode for this machine, by the clang of the same LLVM, which can be linked into
/// what that clang compiles.
fn compile_launch(clang: &Path, name: &str, defines: &[&str]) {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join(name);
    let flags = ["-O2", "-g0", "-fPIC", "-fno-ident", "-Wall", "-Wextra", "-Werror", "-emit-llvm", "-c", LAUNCH, "-o"];
    match Command::new(clang).args(flags).arg(&out).args(defines).status() {
        Ok(status) if status.success() => {}
        Ok(_) => fail(&format!("{} does not compile {LAUNCH}", clang.display())),
        Err(error) => fail(&format!("cannot run {}: {error}; install clang {LLVM_MAJOR}: {MEND}", clang.display())),
    }
}

fn cpp_files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| fail(&format!("cannot read {folder}/: {e}")));
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| extensions.iter().any(|&wanted| ext == wanted)))
        .collect();
    files.sort();
    files
}

fn fail(sentence: &str) -> ! {
    eprintln!("error: {sentence}");
    exit(1)
}
