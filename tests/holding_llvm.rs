//! Do programs that contain LLVM, instead of using its shared library, load the plugin? And what does it say to those
//! that have no LLVM at all?

use crate::common::{KERNEL, kept, llvm_tool, plugin, root, skip, stderr, stdout};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Loads a plugin as LLVM does, and gives the version of its interface.
const WITHOUT_LLVM: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
struct Info { unsigned version; const char *words[2]; void *functions[2]; };
int main(int count, char **arguments) {
  void *library = dlopen(arguments[1], RTLD_LAZY);
  if (!library) return puts(dlerror()), 1;
  struct Info (*get)(void) = (struct Info (*)(void))dlsym(library, "llvmGetPassPluginInfo");
  printf("%u\n", get().version);
  return 0;
}
"#;

/// The plugin as scripts/install leaves it.
fn installed() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("libwarpwise.so");
    fs::copy(plugin(), &copy).unwrap();
    run(Command::new(root().join("scripts/lib/weaken")).arg(&copy));
    (folder, copy)
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", stderr(&output));
    stdout(&output)
}

fn llvm_config(flags: &[&str]) -> Vec<String> {
    let output = llvm_tool("llvm-config").args(flags).output().unwrap();
    stdout(&output).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_compiler_that_holds_llvm_loads_the_plugin_and_no_other_llvm() {
    let mut libraries = llvm_config(&["--link-static", "--libs", "core", "irreader", "linker", "passes", "plugins"]);
    let mut folder = llvm_config(&["--libdir"]).concat();
    if libraries.is_empty() {
        // of scripts/lib/llvm/setup; whole, as the plugin uses what the program itself does not
        libraries = vec!["-Wl,--whole-archive,-lLLVM-23,--no-whole-archive".into()];
        folder = llvm_config(&["--prefix"]).concat() + "/static";
    }
    if !Path::new(&folder).join("libLLVMCore.a").is_file() {
        return skip("this LLVM has no static libraries");
    }
    let source = root().join("tests/holding_llvm/compiler.cpp");
    let (text, version) = (fs::read(&source).unwrap(), llvm_config(&["--version"]).concat());
    let compiler = kept(&[&text, folder.as_bytes(), version.as_bytes()], |made| {
        let mut cxx = Command::new("c++");
        cxx.args(["-std=c++17", "-fno-rtti", "-fno-exceptions", "-DNDEBUG", "-fuse-ld=lld", "-rdynamic"]);
        cxx.args(llvm_config(&["--bindir"]).iter().map(|tools| format!("-B{tools}")));
        cxx.args(llvm_config(&["--includedir"]).iter().map(|headers| format!("-isystem{headers}")));
        cxx.arg(&source).arg("-o").arg(made).arg(format!("-L{folder}")).args(&libraries);
        // what LLVM calls of libraries for compression and XML is called for other inputs
        run(cxx.arg("-Wl,--unresolved-symbols=ignore-all"));
    });
    let (folder, plugin) = installed();
    let module = folder.path().join("k.ll");
    fs::write(&module, KERNEL).unwrap();
    let mut command = Command::new(&compiler);
    command.arg(&plugin).arg(&module).args(["-warpwise-block=64", "-pass-remarks-analysis=warpwise"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("uniform if 64 <= n"), "{}", stderr(&output));
    assert_eq!(stdout(&output), "", "a second LLVM");
}

#[test]
fn a_program_without_llvm_is_told_so() {
    let (folder, plugin) = installed();
    let program = folder.path().join("program");
    fs::write(folder.path().join("program.c"), WITHOUT_LLVM).unwrap();
    run(Command::new("cc").arg(folder.path().join("program.c")).arg("-ldl").arg("-o").arg(&program));
    let output = Command::new(&program).arg(&plugin).output().unwrap();
    assert_eq!((output.status.success(), stdout(&output).as_str()), (true, "0\n"), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1);
    assert!(stderr(&output).contains("this program cannot use warpwise"), "{}", stderr(&output));
}

#[test]
fn opt_loads_it_as_before() {
    let (_folder, installed) = installed();
    let print = |plugin: &Path| {
        let mut opt = llvm_tool("opt");
        opt.arg(format!("-load-pass-plugin={}", plugin.display()));
        let output = opt.args(["-passes=default<O2>", "-S", "-"]).write_stdin(KERNEL).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    assert_eq!(print(&installed), print(&plugin()));
}
