//! Is the code for the host unchanged, byte for byte, whatever the options are?

use crate::common::{clang_cuda, llvm_tool, plugin_flag, root, stderr};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn source(name: &str) -> PathBuf {
    root().join("tests/host").join(name)
}

/// The object that clang makes; `None` if this clang cannot make it even without the plugin.
fn object(folder: &TempDir, source: &Path, options: &[&str], plugin: &[&str]) -> Option<Vec<u8>> {
    let is_cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let mut clang = llvm_tool(if is_cpp { "clang++" } else { "clang" });
    // the same name in the same folder, because objects may contain both
    clang.current_dir(folder.path()).arg("-w").args(options).args(plugin).arg("-c").arg(source).args(["-o", "out.o"]);
    let output = clang.output().unwrap();
    if !output.status.success() {
        assert!(plugin.is_empty(), "{options:?} fails with the plugin alone: {}", stderr(&output));
        eprintln!("skipped: {options:?}: {}", stderr(&output).lines().next().unwrap_or_default());
        return None;
    }
    assert!(output.stderr.is_empty(), "{options:?}: {}", stderr(&output));
    Some(std::fs::read(folder.path().join("out.o")).unwrap())
}

/// Number of objects compared.
fn compare(name: &str, all_options: &[&[&str]]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (source, flag) = (source(name), plugin_flag());
    let with_plugin: [&[&str]; 2] = [&[&flag], &[&flag, "-mllvm", "-warpwise-fuse", "-mllvm", "-warpwise-regs=32"]];
    let mut compared = 0;
    for (index, options) in all_options.iter().enumerate() {
        let Some(plain) = object(&folder, &source, options, &[]) else { continue };
        let plugin = with_plugin[index % with_plugin.len()];
        let ours = object(&folder, &source, options, plugin).unwrap();
        assert!(plain == ours, "the plugin changes {name} with {options:?}");
        compared += 1;
    }
    compared
}

#[test]
#[ignore = "long"]
fn templates_stay_as_they_are_with_any_option() {
    let compared = compare(
        "templates.cpp",
        &[&["-O1"], &["-O2"], &["-O2", "-g"], &["-O3", "-flto"], &["-Os"], &["-O2", "-flto=thin"], &["-Oz"]],
    );
    assert_eq!(compared, 7);
}

#[test]
fn loops_stay_as_they_are_with_any_option() {
    let compared = compare(
        "loops.c",
        &[
            &["-O0"],
            &["-O1"],
            &["-O2"],
            &["-O3"],
            &["-Os"],
            &["-Oz"],
            &["-Og", "-g"],
            &["-O3", "-g"],
            &["-O2", "-flto"],
            &["-O2", "-flto=thin"],
            &["-O3", "-flto"],
            &["-O3", "-flto=thin", "-g"],
            &["-O1", "-fsanitize=address"],
            &["-O2", "-fsanitize=undefined"],
            &["-O2", "-fsanitize=thread"],
            &["-O2", "-fprofile-generate"],
            &["-O2", "-fprofile-instr-generate", "-fcoverage-mapping"],
            &["-O2", "-fpic", "-ffast-math"],
            &["-O3", "--target=aarch64-linux-gnu"],
            &["-O3", "--target=riscv64-linux-gnu"],
        ],
    );
    assert!(compared >= 15, "{compared}");
}

#[test]
fn other_devices_stay_as_they_are() {
    compare(
        "loops.c",
        &[
            &["-O1", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib"],
            &["-O3", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib"],
            &["-O3", "--target=spirv64", "-emit-llvm"],
            &["-O2", "--target=spirv64-unknown-unknown"],
        ],
    );
}

/// Counters are registered, and launches choose versions, only where there is device code.
#[test]
fn host_code_without_kernels_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let flag = plugin_flag();
    let counting = [&flag, "-mllvm", "-warpwise-profile-generate", "-mllvm", "-warpwise-versions"];
    let source = source("loops.c");
    for options in [&["-O0"], &["-O2"]] {
        let plain = object(&folder, &source, options, &[]).unwrap();
        assert!(plain == object(&folder, &source, options, &counting).unwrap(), "{options:?}");
    }
    // CUDA host code without any kernel
    std::fs::write(folder.path().join("plain.cu"), "int twice(int x) { return 2 * x; }\n").unwrap();
    let host = |flags: &[&str]| {
        let mut clang = clang_cuda();
        clang.current_dir(folder.path()).args(["plain.cu", "--cuda-host-only", "-c", "-o", "plain.o"]);
        let output = clang.args(flags).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        std::fs::read(folder.path().join("plain.o")).unwrap()
    };
    assert!(host(&[]) == host(&counting));
}
