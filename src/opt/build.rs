//! What must be compiled for the optimizer beside its Rust? C++ against the LLVM that `warpwise_ir` has found.

#[path = "../ir/cpp.rs"]
mod cpp;

use cpp::{compile, fail, files};

/// Headers of the plugin and of the LLVM boundary.
const SHARED: [&str; 2] = ["../ir/llvm", "../../passes"];

fn main() {
    for file in ["build.rs", "../ir/cpp.rs"] {
        println!("cargo:rerun-if-changed={file}");
    }
    for file in SHARED.iter().flat_map(|folder| files(folder, &["h"])) {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    // what is exported is what lib.rs exports, and nothing of the packages and of the LLVM in it
    println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    if std::env::var("TARGET").as_deref() == Ok("x86_64-unknown-linux-gnu") {
        // the plugin's flag that leaves LLVM out reaches this library too; a whole name goes before its pattern
        let library = format!("{}/libLLVM-{}.so", llvm("LIBRARIES"), if cfg!(feature = "llvm23") { 23 } else { 22 });
        println!("cargo:rustc-cdylib-link-arg=-Wl,--remap-inputs={library}={library}");
    }
    compile("llvm", "warpwise_opt_llvm", &llvm("HEADERS"), |build| {
        build.includes(SHARED).define("WARPWISE_VERSION", Some(concat!('"', env!("CARGO_PKG_VERSION"), '"')));
    });
}

/// What the build script of `warpwise_ir` says of LLVM.
fn llvm(what: &str) -> String {
    let name = format!("DEP_WARPWISE_LLVM_{what}");
    std::env::var(&name).unwrap_or_else(|_| fail(&format!("{name} is not set by src/ir/build.rs")))
}
