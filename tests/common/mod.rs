//! How do tests find LLVM's tools, the CUDA tree and the plugin?

pub mod benchmarks;

use assert_cmd::Command;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use warpwise_ir::llvm::dialect::{MAJOR, PREFIX};

/// Call this if a test cannot run because something is missing. Under scripts/test, which counts such tests, it is
/// recorded in the file named by WARPWISE_SKIPS; elsewhere the test fails, so that it never counts as passed.
pub fn skip(why: &str) {
    let Some(list) = std::env::var_os("WARPWISE_SKIPS") else {
        panic!("this test cannot run here: {why}; run scripts/setup, or scripts/test, which counts it as skipped");
    };
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("{test}: {why}\n").replacen('\n', " ", why.matches('\n').count());
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&list);
    let noted = file.and_then(|mut file| std::io::Write::write_all(&mut file, line.as_bytes()));
    noted.unwrap_or_else(|e| panic!("cannot note in {} that {line}: {e}", list.display()));
}

/// The repository.
pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        root.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", root.display()))
    });
    &ROOT
}

/// A tool of the LLVM with which warpwise was built.
pub fn llvm_tool(name: &str) -> Command {
    let prefix = std::env::var(PREFIX).unwrap_or_else(|_| format!("/usr/lib/llvm-{MAJOR}"));
    Command::new(Path::new(&prefix).join("bin").join(name))
}

/// The plugin of this build, which is beside the command.
pub fn plugin() -> PathBuf {
    let plugin = Path::new(env!("CARGO_BIN_EXE_warpwise")).with_file_name("libwarpwise.so");
    assert!(plugin.is_file(), "{} is not built", plugin.display());
    plugin
}

/// The command.
pub fn warpwise() -> Command {
    Command::new(env!("CARGO_BIN_EXE_warpwise"))
}

/// opt with the plugin loaded.
pub fn opt() -> Command {
    let mut opt = llvm_tool("opt");
    opt.arg(format!("-load-pass-plugin={}", plugin().display()));
    opt
}

/// The user's CUDA tree, or the one that scripts/setup downloads.
pub fn cuda_tree() -> PathBuf {
    let cached = || {
        let cache = std::env::var_os("WARPWISE_CACHE").map(PathBuf::from);
        cache.unwrap_or_else(|| root().join(".cache")).join("cuda/nvidia/cu13")
    };
    let tree = std::env::var_os("WARPWISE_CUDA").map_or_else(cached, PathBuf::from);
    assert!(tree.join("nvvm/libdevice").is_dir(), "no CUDA tree at {}: run scripts/setup", tree.display());
    tree
}

/// A file that is made once for all tests, and again when what it depends on, its key, changes.
pub fn kept(key: &[&[u8]], make: impl FnOnce(&Path)) -> PathBuf {
    let mut hash = Sha256::new();
    for part in key {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    if !file.exists() {
        let scratch = tempfile::tempdir_in(&folder).unwrap();
        let made = scratch.path().join("made");
        make(&made);
        std::fs::rename(&made, &file).unwrap();
    }
    file
}

/// Runs clang on a CUDA source without the plugin.
pub fn clang_cuda() -> Command {
    let mut clang = llvm_tool("clang++");
    clang.args(["-x", "cuda", "-Wno-unknown-cuda-version", "--cuda-gpu-arch=sm_90", "-O3", "-g1"]);
    clang.arg(format!("--cuda-path={}", cuda_tree().display()));
    clang
}

/// The flag that loads the plugin into clang.
pub fn plugin_flag() -> String {
    format!("-fpass-plugin={}", plugin().display())
}

/// What a finished command wrote to stderr.
pub fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a finished command wrote to stdout.
pub fn stdout(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A kernel with one divergent branch.
pub const KERNEL: &str = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %exit
then:
  store i32 %t, ptr %p
  br label %exit
exit:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"#;

/// Whether a program is on PATH and says its version.
pub fn is_installed(name: &str) -> bool {
    std::process::Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
}
