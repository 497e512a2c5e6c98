//! Does `warpwise opt` give what opt gives with the plugin loaded, and does libwarpwise_opt.so give what `warpwise opt`
//! gives? WARPWISE_STATIC names a folder with those that contain their LLVM (scripts/lib/llvm/static), if they are meant.

use crate::common::{KERNEL, llvm_tool, opt, plugin, root, skip, stderr, stdout};
use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::process::Output;
use warpwise_ir::llvm::dialect::MAJOR;
use warpwise_oracle::fuzz::{Knobs, drive, generate};

fn folder() -> PathBuf {
    std::env::var_os("WARPWISE_STATIC").map_or_else(|| plugin().parent().unwrap().to_owned(), PathBuf::from)
}

/// `warpwise opt` or `warpwise llc`, which finds nothing in its environment if it contains its LLVM.
fn our(tool: &str) -> Command {
    let mut command = Command::new(folder().join("warpwise"));
    if std::env::var_os("WARPWISE_STATIC").is_some() {
        command.env_clear();
    }
    command.arg(tool);
    command
}

fn ours() -> Command {
    our("opt")
}

fn run(mut command: Command, arguments: &[&str], module: &[u8]) -> Output {
    command.args(arguments).write_stdin(module).output().unwrap()
}

/// Runs both on one module: same bytes, same exit, same remarks.
fn same(name: &str, arguments: &[&str], module: &[u8]) {
    let (theirs, own) = (run(opt(), arguments, module), run(ours(), arguments, module));
    if stderr(&theirs).contains("Unknown command line argument") {
        // scripts/lib/llvm/tools.cpp knows fewer
        return assert!(own.status.success(), "{name} {arguments:?}: {}", stderr(&own));
    }
    assert_eq!(own.status.success(), theirs.status.success(), "{name} {arguments:?}: {}", stderr(&own));
    if theirs.status.success() {
        assert!(own.stdout == theirs.stdout, "{name} {arguments:?}: other output");
        // host code of other machines is optimised without knowing them
        let said = stderr(&own);
        let said: Vec<&str> = said.lines().filter(|line| !line.contains("unable to get target")).collect();
        assert_eq!(said, stderr(&theirs).lines().collect::<Vec<_>>(), "{name} {arguments:?}");
    }
}

fn lit_inputs(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            lit_inputs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ll") {
            found.push(path);
        }
    }
}

fn same_on_lit_inputs(one_in: usize) {
    let mut files = Vec::new();
    lit_inputs(&root().join("llvm-tests"), &mut files);
    assert!(files.len() > 300);
    for (number, file) in files.iter().enumerate().step_by(one_in) {
        let (name, module) = (file.display().to_string(), std::fs::read(file).unwrap());
        let remarks = ["-pass-remarks=warpwise", "-pass-remarks-missed=warpwise", "-pass-remarks-analysis=warpwise"];
        let level = [["-O3", "-S"], ["-O2", "-mcpu=sm_90"], ["-O1", "-S"], ["-passes=warpwise", "-S"]][number % 4];
        same(&name, &[remarks.as_slice(), &level].concat(), &module);
    }
}

fn same_on_random_kernels(count: u64) {
    for seed in 0..count {
        let kernel = generate(seed, &Knobs::of_mode(drive::mode_of(seed)));
        same(&format!("seed {seed}"), &["-O3", "-S", "-mcpu=sm_90"], kernel.ir.as_bytes());
    }
}

#[test]
fn output_is_that_of_opt() {
    same_on_lit_inputs(24);
    same_on_random_kernels(4);
}

#[test]
#[ignore = "long"]
fn output_is_that_of_opt_for_all_lit_inputs() {
    same_on_lit_inputs(1);
}

#[test]
#[ignore = "long"]
fn output_is_that_of_opt_for_a_hundred_kernels() {
    same_on_random_kernels(100);
}

#[test]
fn options_are_those_of_opt() {
    let module = KERNEL.as_bytes();
    for arguments in [
        ["-passes=fuse-branches", "-S"].as_slice(),
        &["--passes", "dce", "-verify-each", "-S", "-"],
        &["-p=warpwise", "-warpwise-block=32x2", "-f"],
        &["-S", "-mtriple=nvptx64-nvidia-cuda", "-mattr=+ptx83", "-mcpu", "sm_80"],
        &["-disable-output", "-passes=print<affine-divergence>"],
        &["-S", "-strip-debug", "-strip-named-metadata", "-discard-value-names", "-O1"],
    ] {
        same("the kernel", arguments, module);
    }
    let folder = tempfile::tempdir().unwrap();
    let (input, output, remarks) = ("k.ll", "k.bc", "k.yaml");
    std::fs::write(folder.path().join(input), KERNEL).unwrap();
    let flag = format!("-pass-remarks-output={remarks}");
    let mut command = ours();
    command.current_dir(&folder).args(["-O3", input, "-o", output, &flag, "--load-pass-plugin=x/libwarpwise.so"]);
    command.assert().success().stdout("").stderr("");
    assert!(std::fs::read(folder.path().join(output)).unwrap().starts_with(b"BC\xc0\xde"));
    assert!(std::fs::read_to_string(folder.path().join(remarks)).unwrap().contains("warpwise"));
    let version = run(ours(), &["--version"], b"");
    assert!(stdout(&version).contains(&format!("LLVM version {MAJOR}.")), "{}", stdout(&version));
    if let Some(contained) = std::env::var_os("WARPWISE_STATIC") {
        let size = std::fs::metadata(Path::new(&contained).join("warpwise")).unwrap().len();
        assert!(size < 70_000_000, "the command has {size} bytes");
    }
}

#[test]
fn ptx_is_that_of_llc() {
    for level in ["-O0", "-O1", "-O3"] {
        let own = run(ours(), &[level, "-mcpu=sm_90", "--ptx"], KERNEL.as_bytes());
        assert!(own.status.success(), "{}", stderr(&own));
        let ir = run(opt(), &[level, "-mcpu=sm_90"], KERNEL.as_bytes());
        let theirs = run(llvm_tool("llc"), &[level, "-mcpu=sm_90"], &ir.stdout);
        assert_eq!(stdout(&own), stdout(&theirs), "{level}");
        assert!(stdout(&own).contains(".entry k("));
    }
}

/// With the command lines of cuda-oxide, AdaptiveCpp and Julia's GPUCompiler.
#[test]
fn llc_is_that_of_llvm() {
    let ir = run(ours(), &["-O3", "-S"], KERNEL.as_bytes()).stdout;
    for line in [
        "-march=nvptx64 -mcpu=sm_90 -mattr=+ptx83 -fp-contract=fast --nvvm-reflect-add=__CUDA_PREC_DIV=1",
        "--mtriple=nvptx64-nvidia-cuda --march=nvptx64 --frame-pointer=none --mattr=+ptx80 --mcpu=sm_80 -O3",
        "-mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -nvptx-fma-level=1 -filetype=asm -O0 -",
    ] {
        let line: Vec<&str> = line.split(' ').collect();
        let (own, theirs) = (run(our("llc"), &line, &ir), run(llvm_tool("llc"), &line, &ir));
        assert!(own.status.success(), "{line:?}: {}", stderr(&own));
        assert_eq!(stdout(&own), stdout(&theirs), "{line:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let host = "target triple = \"x86_64-unknown-linux-gnu\"\ndefine void @f() {\n  ret void\n}\n";
    for (name, text, arguments, made) in [
        ("k.ll", KERNEL, ["-mcpu=sm_90"].as_slice(), "k.s"),
        ("host.ll", host, &["-filetype=obj", "--relocation-model=pic"], "host.o"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
        our("llc").current_dir(&folder).args(arguments).arg(name).assert().success().stdout("").stderr("");
        assert!(std::fs::metadata(folder.path().join(made)).unwrap().len() > 100, "{made}");
    }
    for (arguments, name) in
        [(["-passes=dce", "-"], "-passes"), (["-frob", "-"], "-frob"), (["-O2", "no/file.ll"], "no/file.ll")]
    {
        let output = run(our("llc"), &arguments, KERNEL.as_bytes());
        let said = stderr(&output);
        assert!(!output.status.success() && said.starts_with("warpwise-llc: "), "{arguments:?}: {said}");
        assert!(said.contains(name) && said.trim_end().lines().count() == 1, "{arguments:?}: {said}");
    }
}

#[test]
fn what_is_wrong_takes_one_sentence() {
    let host = "target triple = \"x86_64-unknown-linux-gnu\"\ndefine void @f() {\n  ret void\n}\n";
    for (arguments, module, name) in [
        (["-frob", "-S"], KERNEL, "-frob"),
        (["-passes=frob", "-S"], KERNEL, "frob"),
        (["-load-pass-plugin=libother.so", "-S"], KERNEL, "libother.so"),
        (["-O2", "-O3"], KERNEL, "-O"),
        (["-O2", "-passes=dce"], KERNEL, "-passes"),
        (["--ptx", "-S"], KERNEL, "--ptx"),
        (["--ptx", "-O3"], host, "x86_64"),
        (["-warpwise-block=round", "-S"], KERNEL, "round"),
        (["-S", "no/such/file.ll"], KERNEL, "no/such/file.ll"),
        (["-o", "no/such/folder/k.bc"], KERNEL, "no/such/folder/k.bc"),
    ] {
        let output = run(ours(), &arguments, module.as_bytes());
        let said = stderr(&output);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(said.contains(name) && said.trim_end().lines().count() == 1, "{arguments:?}: {said}");
    }
}

/// Modules as older LLVMs wrote them: pointers are opaque since 17, and more was spelt differently until now.
#[test]
fn text_of_older_llvms_is_read() {
    let old = "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n\
        target triple = \"nvptx64-nvidia-cuda\"\n\
        define void @old(ptr %p) \"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\" {\n\
        \x20 %a = alloca i32\n\
        \x20 call void @llvm.lifetime.start.p0(i64 4, ptr %a)\n\
        \x20 %v = call float @llvm.nvvm.ldg.global.f.f32.p1(ptr addrspace(1) null, i32 4)\n\
        \x20 %s = call i32 @llvm.nvvm.rotate.b32(i32 1, i32 2)\n\
        \x20 store i32 %s, ptr %p\n\
        \x20 store float %v, ptr %p\n\
        \x20 call void @llvm.nvvm.barrier0()\n\
        \x20 call void @llvm.lifetime.end.p0(i64 4, ptr %a)\n\
        \x20 ret void\n}\n\
        declare void @llvm.lifetime.start.p0(i64, ptr)\ndeclare void @llvm.lifetime.end.p0(i64, ptr)\n\
        declare float @llvm.nvvm.ldg.global.f.f32.p1(ptr addrspace(1), i32)\n\
        declare i32 @llvm.nvvm.rotate.b32(i32, i32)\ndeclare void @llvm.nvvm.barrier0()\n\
        !nvvm.annotations = !{!0}\n!0 = !{ptr @old, !\"kernel\", i32 1, !\"maxntidx\", i32 128}\n";
    let output = run(ours(), &["-O3", "-mcpu=sm_90", "--ptx"], old.as_bytes());
    let ptx = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    for part in [".entry old(", ".maxntid 128", "bar.sync", "ld.global.nc"] {
        assert!(ptx.contains(part), "{part}: {ptx}");
    }
}

/// As clang 17 and 21 wrote them, with intrinsics and debug information as they were then.
#[test]
fn bitcode_of_older_llvms_is_read() {
    let compile = |name: &str, arguments: &[&str]| {
        let bitcode = std::fs::read(root().join("tests/optimizer/older").join(name)).unwrap();
        let output = run(ours(), arguments, &bitcode);
        assert!(output.status.success(), "{name} {arguments:?}: {}", stderr(&output));
        (stdout(&output), stderr(&output))
    };
    for name in ["17.bc", "21.bc"] {
        let (ptx, remarks) = compile(name, &["-O3", "--ptx", "-pass-remarks=warpwise"]);
        assert!(remarks.contains("pairs.cu:7:7: divergent branch fused"), "{name}: {remarks}");
        assert!(ptx.contains(".entry pairs(") && ptx.contains("bar.sync"), "{name}: {ptx}");
    }
    let without_debug = ["-O3", "--ptx", "-strip-debug"];
    assert_eq!(compile("17.bc", &without_debug), compile("21.bc", &without_debug));
}

/// By ctypes, from threads, in a process that has another LLVM, with symbols for everybody, unless none is named.
#[test]
fn the_library_gives_what_the_command_gives() {
    if Command::new("nm").arg("--version").output().is_err() {
        return skip("nm, of binutils, is not on PATH");
    }
    let folder = folder();
    let mut python = std::process::Command::new("python3");
    python.arg(root().join("tests/optimizer/library.py")).arg(root().join("scripts/wheel")).arg(&folder);
    if std::env::var_os("WARPWISE_STATIC").is_some() {
        let other = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".to_owned());
        python.arg(Path::new(&other).join("lib/libLLVM.so"));
    }
    let output = python.output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}

/// As warpwise_opt.h says, for which C needs nothing but the library.
#[test]
fn c_calls_the_library() {
    let place = tempfile::tempdir().unwrap();
    let (source, program) = (place.path().join("use.c"), place.path().join("use"));
    let text = r#"
#include "warpwise_opt.h"
#include <stdio.h>
int main(void) {
  static char module[1 << 16];
  size_t size = fread(module, 1, sizeof module, stdin);
  warpwise_result *result = warpwise_optimize(module, size, "-O3 -mcpu=sm_90 --ptx");
  const char *wrong = warpwise_error(result);
  printf("%s\n%s\n", wrong ? wrong : warpwise_output(result, &size), warpwise_remarks(result));
  warpwise_free(result);
  return wrong != 0;
}
"#;
    std::fs::write(&source, text).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]).arg(&source).arg("-o").arg(&program);
    cc.arg("-I").arg(root().join("src/opt")).arg(folder().join("libwarpwise_opt.so")).assert().success();
    for (module, succeeds, part) in
        [(KERNEL, true, ".entry k("), (KERNEL, true, "\"DivergentBranch\""), ("odd", false, "LLVM IR")]
    {
        let output = run(Command::new(&program), &[], module.as_bytes());
        assert_eq!(output.status.success(), succeeds, "{}", stderr(&output));
        assert!(stdout(&output).contains(part), "{}", stdout(&output));
    }
}

/// In a process that has the LLVM of Julia, from the file that is installed.
#[test]
#[ignore = "long"]
fn julia_calls_the_library() {
    let Some(julia) = std::env::var_os("WARPWISE_JULIA") else {
        return skip("WARPWISE_JULIA names no Julia 1.5, which scripts/lib/julia fetches");
    };
    let installed = tempfile::tempdir().unwrap();
    let (lib, share) = (installed.path().join("lib"), installed.path().join("share/julia"));
    std::fs::create_dir(&lib).unwrap();
    std::fs::create_dir_all(&share).unwrap();
    std::fs::copy(folder().join("libwarpwise_opt.so"), lib.join("libwarpwise_opt.so")).unwrap();
    std::fs::copy(root().join("src/opt/Warpwise.jl"), share.join("Warpwise.jl")).unwrap();
    let mut command = Command::new(julia);
    command.arg(root().join("tests/optimizer/library.jl")).arg(share.join("Warpwise.jl"));
    let output = command.env_remove("WARPWISE_OPT").output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}
