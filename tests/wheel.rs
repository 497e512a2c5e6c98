//! Does the wheel work in a fresh environment: the command, the plugin's flags for build scripts, the Python module?

use crate::common::{KERNEL, cuda_tree, plugin, root, skip, stderr, stdout};
use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

const SCRIPT: &str = r#"
import json, sys, warpwise
text = open(sys.argv[1]).read()
report = warpwise.report(text, block="32x2")
assert report["functions"][0]["block"] == "32x2x1", report["functions"][0]["block"]
json.dumps(report)
assert "<code>k</code>" in report._repr_html_() and "1 of 1" in report._repr_html_()
class Compiled:
    asm = {"llir": text.replace('target triple = "nvptx64-nvidia-cuda"', "")}
assert warpwise.report(Compiled())["functions"][0]["name"] == "k"
assert warpwise.optimize(text, "-O3").output.startswith(b"BC")
done = warpwise.optimize(Compiled(), "-O3", "-mcpu=sm_90", "--ptx")
assert ".entry k(" in done.output and done.remarks[0]["function"] == "k", done
try:
    warpwise.report("define void @f( {")
    raise SystemExit("broken IR was taken")
except RuntimeError as error:
    assert "LLVM IR" in str(error), error
try:
    warpwise.report(7)
    raise SystemExit("a number was taken")
except TypeError as error:
    assert "int" in str(error)
"#;

const COLUMN: &str = "\
__global__ void column(int *p) {
  __shared__ int tile[32][32];
  tile[threadIdx.x][0] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[0][threadIdx.x];
}
";

/// A new environment with the wheel of this build in it; none, if Python makes none.
fn environment(folder: &Path) -> Option<PathBuf> {
    let environment = folder.join("env");
    let made = std::process::Command::new("python3").args(["-m", "venv"]).arg(&environment).output();
    if !made.as_ref().is_ok_and(|made| made.status.success()) {
        skip("python3 -m venv makes no environment: install python3-venv");
        return None;
    }
    let target = plugin().parent().unwrap().parent().unwrap().to_owned();
    let script = root().join("scripts/package");
    let output = Command::new(script)
        .env("CARGO_TARGET_DIR", target)
        .args(["--no-build", "wheel"])
        .arg(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let wheel = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let wheel = wheel.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "whl")).unwrap();
    let install = ["-m", "pip", "install", "--no-index", "--quiet", wheel.to_str().unwrap()];
    Command::new(environment.join("bin/python")).args(install).assert().success();
    fs::write(folder.join("k.ll"), KERNEL).unwrap();
    Some(environment)
}

#[test]
fn a_fresh_environment_has_the_command_and_the_module() {
    let folder = tempfile::tempdir().unwrap();
    let Some(environment) = environment(folder.path()) else { return };
    let python = |arguments: &[&str]| {
        let mut python = Command::new(environment.join("bin/python"));
        python.env("WARPWISE_CUDA", cuda_tree()).current_dir(folder.path());
        let output = python.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };

    let flags = python(&["-m", "warpwise", "flags"]);
    let own = flags.split_whitespace().find_map(|flag| flag.strip_prefix("-fpass-plugin=")).unwrap();
    assert!(own.contains("site-packages/warpwise/lib/") && Path::new(own).is_file(), "{flags}");
    fs::write(folder.path().join("use.py"), SCRIPT).unwrap();
    python(&["use.py", "k.ll"]);

    // an example, by the script that pip has made
    let example = root().join("examples/avg_square.cu");
    for (name, arguments) in
        [("warpwise", ["report"].as_slice()), ("warpwise-nvcc", &["-arch=sm_90", "-ptx", "-o", "a.ptx"])]
    {
        let mut command = Command::new(environment.join("bin").join(name));
        command.env("WARPWISE_CUDA", cuda_tree()).current_dir(folder.path());
        let output = command.args(arguments).arg(&example).output().unwrap();
        assert!(output.status.success(), "{name}: {}", stderr(&output));
    }
    assert!(fs::read_to_string(folder.path().join("a.ptx")).unwrap().contains("avgSquare"));
}

/// Nothing is on PATH and nothing named. What is installed contains its LLVM if scripts/lib/llvm/static was run before.
#[test]
#[ignore = "long"]
fn the_wheel_needs_no_llvm() {
    let folder = tempfile::tempdir().unwrap();
    let Some(environment) = environment(folder.path()) else { return };
    fs::write(folder.path().join("use.py"), SCRIPT).unwrap();
    let is_contained = plugin().parent().unwrap().with_file_name("static").join("warpwise").exists();
    let plugins = if is_contained { "['libwarpwise-23.so', 'libwarpwise.so'" } else { "['libwarpwise.so'" };
    for (program, words, part) in [
        ("warpwise", ["opt", "-O3", "-S", "k.ll"].as_slice(), "define ptx_kernel void @k("),
        ("warpwise-opt", &["-O3", "-mcpu=sm_90", "--ptx", "k.ll"], ".entry k("),
        ("warpwise-llc", &["-mcpu=sm_90", "k.ll", "-o", "-"], ".entry k("),
        ("warpwise", &["report", "k.ll"], "k"),
        ("warpwise", &["simt", "k.ll", "--arg", "i32[1]:zero", "--arg", "i32:1"], "0"),
        ("warpwise", &["time", "--help"], "Usage"),
        ("warpwise", &["compare", "--help"], "Usage"),
        ("python", &["use.py", "k.ll"], ""),
        ("python", &["-c", "import os, warpwise; print(sorted(os.listdir(warpwise.path('lib'))))"], plugins),
    ] {
        let mut command = Command::new(environment.join("bin").join(program));
        let output = command.env_clear().current_dir(folder.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{program} {words:?}: {}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains(part), "{program} {words:?}: {}", stdout(&output));
    }
    // what clang says of a variable of a function, LLVM 23 expects elsewhere
    fs::write(folder.path().join("column.cu"), COLUMN).unwrap();
    let mut report = Command::new(environment.join("bin/warpwise"));
    report.env("WARPWISE_CUDA", cuda_tree()).env_remove("LD_LIBRARY_PATH").current_dir(folder.path());
    let output = report.args(["report", "column.cu"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("column.cu:3 "), "{}{}", stdout(&output), stderr(&output));
}
