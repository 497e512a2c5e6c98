//! How is the C++ of a folder compiled against LLVM's headers? Part of the build scripts of two packages.

use std::path::{Path, PathBuf};
use std::process::exit;

/// Compiles all sources of a folder into one static library, and does so again when a file of it changes. `more` adds
/// what only this folder needs.
pub fn compile(folder: &str, library: &str, llvm_headers: &str, more: impl FnOnce(&mut cc::Build)) {
    for file in files(folder, &["cpp", "h"]) {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    println!("cargo:rerun-if-changed={folder}");
    if is_linting() {
        return;
    }
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
        .flag(format!("-isystem{llvm_headers}"));
    more(&mut build);
    build.file(all_of_folder(folder)).compile(library);
}

/// Whether clippy runs, which links nothing; cargo keeps what is built for it apart from every other build.
fn is_linting() -> bool {
    let wrapper = std::env::var_os("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    Path::new(&wrapper).file_stem().is_some_and(|name| name == "clippy-driver")
}

/// One file that includes all sources of a folder, so that LLVM's headers are read once for them.
fn all_of_folder(folder: &str) -> PathBuf {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let lines: Vec<String> =
        files(folder, &["cpp"]).iter().map(|file| format!("#include \"{}\"\n", root.join(file).display())).collect();
    let all = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join(folder.to_owned() + ".cpp");
    match std::fs::write(&all, lines.concat()) {
        Ok(()) => all,
        Err(error) => fail(&format!("cannot write {}: {error}", all.display())),
    }
}

/// The files of a folder with one of these extensions, in order.
pub fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| fail(&format!("cannot read {folder}/: {e}")));
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| extensions.iter().any(|&wanted| ext == wanted)))
        .collect();
    files.sort();
    files
}

/// Ends the build with a sentence.
pub fn fail(sentence: &str) -> ! {
    eprintln!("error: {sentence}");
    exit(1)
}
