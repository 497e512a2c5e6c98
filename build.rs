//! What must be compiled for the plugin beside its Rust? The C++ registration layer in `passes/`, against the LLVM that
//! `warpwise_ir` has found, and what launches call in host code, as bitcode.

#[path = "src/ir/cpp.rs"]
mod cpp;

use cpp::{compile, fail, files};
use std::path::{Path, PathBuf};
use std::process::Command;

const PASSES: &str = "passes";
/// Headers that both share.
const SHARED: &str = "src/ir/llvm";
/// What launches call in host code with versions, as bitcode in the plugin.
const LAUNCH_FOLDER: &str = "src/launch";
const LAUNCH: &str = "src/launch/launch.c";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/ir/cpp.rs");
    for file in files(SHARED, &["h"]).into_iter().chain(files(LAUNCH_FOLDER, &["c", "h"])) {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    // most of what a library of LLVM offers is not called for every module: look it up when it is
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,lazy");
    if std::env::var("TARGET").as_deref() == Ok("x86_64-unknown-linux-gnu") {
        take_llvm_from_the_program();
    }
    compile(PASSES, "warpwise_passes", &llvm("HEADERS"), |build| {
        build.include(SHARED).define("WARPWISE_VERSION", Some(concat!('"', env!("CARGO_PKG_VERSION"), '"')));
    });
    let beside = Path::new(&llvm("PROGRAMS")).join("clang");
    let clang = if beside.is_file() { beside } else { PathBuf::from("clang") };
    compile_launch(&clang, "launch.bc", &[]);
    compile_launch(&clang, "launch_tune.bc", &["-DWARPWISE_TUNE"]);
}

/// LLVM is that of the program that loads the plugin (`passes/symbols.cpp`), so no library of LLVM is linked; Rust's linker
/// for this target is LLD. A program that holds LLVM seldom has its C API, whose functions call what there is in C++: they
/// are linked into the plugin where this LLVM has static libraries.
fn take_llvm_from_the_program() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,--remap-inputs=*/libLLVM*.so*=/dev/null");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for (library, member) in [("libLLVMCore.a", "Core.cpp.o"), ("libLLVMTarget.a", "Target.cpp.o")] {
        let library = Path::new(&llvm("LIBRARIES")).join(library);
        if !library.is_file() {
            return;
        }
        match Command::new("ar").current_dir(&out).arg("x").arg(&library).arg(member).status() {
            Ok(status) if status.success() => {
                println!("cargo:rustc-cdylib-link-arg={}", out.join(member).display());
            }
            _ => fail(&format!("`ar x {} {member}` failed; install binutils", library.display())),
        }
    }
}

/// What the build script of `warpwise_ir` says of LLVM.
fn llvm(what: &str) -> String {
    let name = format!("DEP_WARPWISE_LLVM_{what}");
    std::env::var(&name).unwrap_or_else(|_| fail(&format!("{name} is not set by src/ir/build.rs")))
}

/// Compiles the launch function to bitcode for this machine, by the clang of the same LLVM, which can be linked into
/// what that clang compiles. If this LLVM comes without one, an older one on PATH will do.
fn compile_launch(clang: &Path, name: &str, defines: &[&str]) {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join(name);
    let flags = ["-O2", "-g0", "-fPIC", "-fno-ident", "-Wall", "-Wextra", "-Werror", "-emit-llvm", "-c", LAUNCH, "-o"];
    match Command::new(clang).args(flags).arg(&out).args(defines).status() {
        Ok(status) if status.success() => {}
        Ok(_) => fail(&format!("{} does not compile {LAUNCH}", clang.display())),
        Err(error) => fail(&format!("cannot run {}: {error}; install the clang of this LLVM", clang.display())),
    }
}
