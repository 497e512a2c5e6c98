//! Does the plugin behave inside opt: on odd modules, with bad parameters, with every way to request the analysis?

use crate::common::{KERNEL, llvm_tool, opt, plugin, stderr, stdout};
use std::process::Command;
use warpwise_ir::llvm::dialect::MAJOR;

fn print(module: &str, passes: &str) -> (bool, String) {
    let output = opt().args(["-disable-output", "-passes", passes, "-"]).write_stdin(module).output().unwrap();
    (output.status.success(), stderr(&output))
}

#[test]
fn modules_and_functions_are_printed_alike() {
    let (_, at_module) = print(KERNEL, "print<affine-divergence>");
    let (_, at_function) = print(KERNEL, "function(print<affine-divergence>)");
    assert_eq!(at_module, at_function);
    assert!(at_module.starts_with("affine divergence for 'k' (block unknown):\n%entry: convergent\n"), "{at_module}");
    assert!(at_module.contains("  br %c: divergent\n"), "{at_module}");
}

#[test]
fn results_are_cached_and_dropped() {
    let passes = "require<affine-divergence>,require<affine-divergence>,print<affine-divergence>,\
                  invalidate<affine-divergence>,require<affine-divergence>";
    let output = opt()
        .args(["-disable-output", "-debug-pass-manager", "-passes", passes, "-"])
        .write_stdin(KERNEL)
        .output()
        .unwrap();
    let said = stderr(&output);
    let runs =
        said.lines().filter(|line| line.contains("Running analysis: ") && line.contains("AffineDivergence")).count();
    assert_eq!(runs, 2, "{said}");
    assert!(said.contains("Invalidating analysis: ") && said.contains("AffineDivergence"), "{said}");
}

#[test]
fn a_changed_function_is_analysed_anew() {
    let module = KERNEL.replace("%c = icmp slt i32 %t, %n", "%z = sub i32 %t, %t\n  %c = icmp slt i32 %z, %n");
    let (_, said) = print(&module, "function(require<affine-divergence>,instcombine,print<affine-divergence>)");
    assert!(!said.contains("%z") && said.contains("br %c: uniform"), "{said}");
}

#[test]
fn odd_modules_do_no_harm() {
    let modules = [
        "",
        "target triple = \"nvptx64-nvidia-cuda\"\n",
        "target triple = \"nvptx64-nvidia-cuda\"\ndeclare void @f()\n",
        "define void @f() {\n  unreachable\n}\n",
        "target triple = \"nvptx64-nvidia-cuda\"\ndefine void @f() {\n  unreachable\n}\n",
        "target triple = \"nvptx64-nvidia-cuda\"\ndefine void @f() {\na:\n  br label %b\nb:\n  br label %b\n}\n",
        "target triple = \"nvptx-nvidia-cuda\"\ndefine ptx_kernel void @f(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n",
        "target triple = \"x86_64-linux-gnu\"\ndefine i32 @f() {\n  ret i32 1\n}\n",
        "target triple = \"amdgcn-amd-amdhsa\"\ndefine amdgpu_kernel void @f() {\n  ret void\n}\n",
        "target triple = \"nvptx64-nvidia-cuda\"\n@g = alias void (), ptr @f\ndefine void @f() {\n  ret void\n}\n",
    ];
    for module in modules {
        for passes in ["print<affine-divergence>", "function(print<affine-divergence>)", "warpwise-remarks"] {
            let (fine, said) = print(module, passes);
            assert!(fine && !said.contains("internal error"), "{passes}: {module}\n{said}");
        }
    }
}

#[test]
fn other_targets_are_named_as_such() {
    let (_, said) = print("define void @f() {\n  ret void\n}\n", "print<affine-divergence>");
    assert_eq!(said, "affine divergence for 'f': not analysed, the target is not NVPTX\n");
}

#[test]
fn bad_parameters_name_the_value() {
    for (parameter, part) in [
        ("block=0", "'0'"),
        ("block=2048", "'2048'"),
        ("block=foo", "'foo'"),
        ("block=16x", "'16x'"),
        ("regs=32", "'regs'"),
        (";;", "';;'"),
        ("frobnicate", "'frobnicate'"),
    ] {
        let (fine, said) = print(KERNEL, &format!("print<affine-divergence<{parameter}>>"));
        assert!(!fine && said.contains(part), "{parameter}: {said}");
    }
    let output = opt().args(["-warpwise-block=0", "-passes=verify", "-"]).write_stdin(KERNEL).output().unwrap();
    assert!(!output.status.success() && stderr(&output).contains("'0'"), "{}", stderr(&output));
}

/// A program that looks like another LLVM to the plugin: its `LLVMGetVersion` says so.
#[test]
fn another_llvm_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("other.c"), folder.path().join("libother.so"));
    let next = MAJOR + 1;
    let text =
        format!("void LLVMGetVersion(unsigned *a, unsigned *b, unsigned *c) {{ *a = {next}; *b = 1; *c = 0; }}\n");
    std::fs::write(&source, text).unwrap();
    let compiler = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).output().unwrap();
    assert!(compiler.status.success(), "{}", stderr(&compiler));
    let output =
        opt().env("LD_PRELOAD", &library).args(["-passes=verify", "-disable-output", "-"]).write_stdin(KERNEL).output();
    let output = output.unwrap();
    let said = stderr(&output);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains(&format!("built for LLVM {MAJOR} and cannot be loaded into LLVM {next}")), "{said}");
    assert_eq!(said.contains("libwarpwise-23.so"), next == 23, "{said}");
}

#[test]
fn options_are_listed() {
    let output = opt().arg("--help-hidden").output().unwrap();
    let said = stdout(&output);
    assert!(said.contains("--warpwise-block=<X[xYxZ]>") && said.contains("--warpwise-remarks=<WHOSE>"), "{said}");
}

#[test]
fn llc_compiles_the_same_code_with_the_plugin() {
    let compile = |with_plugin: bool| {
        let mut llc = llvm_tool("llc");
        if with_plugin {
            llc.arg(format!("--load-pass-plugin={}", plugin().display()));
        }
        let output = llc.args(["-mcpu=sm_90", "-o", "-", "-"]).write_stdin(KERNEL).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        output.stdout
    };
    assert_eq!(compile(true), compile(false));
}

#[test]
fn remarks_cost_nothing_when_nobody_listens() {
    let (fine, said) = print(KERNEL, "warpwise-remarks");
    assert!(fine && said.is_empty(), "{said}");
}
