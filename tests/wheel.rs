//! Does the wheel work in a fresh environment: the command, the plugin's flags for build scripts, the Python module?

use crate::common::{KERNEL, cuda_tree, plugin, root, skip, stderr, stdout};
use assert_cmd::Command;
use std::fs;
use std::path::Path;

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

#[test]
fn a_fresh_environment_has_the_command_and_the_module() {
    let folder = tempfile::tempdir().unwrap();
    let environment = folder.path().join("env");
    let made = std::process::Command::new("python3").args(["-m", "venv"]).arg(&environment).output();
    if !made.as_ref().is_ok_and(|made| made.status.success()) {
        return skip("python3 -m venv makes no environment: install python3-venv");
    }
    let target = plugin().parent().unwrap().parent().unwrap().to_owned();
    let script = root().join("scripts/package");
    let output = Command::new(script)
        .env("CARGO_TARGET_DIR", target)
        .args(["--no-build", "wheel"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let wheel = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let wheel = wheel.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "whl")).unwrap();
    let python = |arguments: &[&str]| {
        let mut python = Command::new(environment.join("bin/python"));
        python.env("WARPWISE_CUDA", cuda_tree()).current_dir(folder.path());
        let output = python.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    python(&["-m", "pip", "install", "--no-index", "--quiet", wheel.to_str().unwrap()]);

    let flags = python(&["-m", "warpwise", "flags"]);
    let own = flags.split_whitespace().find_map(|flag| flag.strip_prefix("-fpass-plugin=")).unwrap();
    assert!(own.contains("site-packages/warpwise/lib/") && Path::new(own).is_file(), "{flags}");
    fs::write(folder.path().join("k.ll"), KERNEL).unwrap();
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
