//! Does each decision about the examples' kernels stay what it was? `tests/trace.txt` has them all, with their numbers: a
//! threshold that changes shows as a difference. `WARPWISE_UPDATE=1` in the environment writes the file anew.

use crate::common::benchmarks::has_cuda;
use crate::common::{clang_cuda, kept, opt, root, stderr};

/// Device code of a source as clang's front end makes it.
fn front_end(source: &std::path::Path) -> std::path::PathBuf {
    let text = std::fs::read(source).unwrap();
    let header = std::fs::read(root().join("examples/check.h")).unwrap();
    kept(&[b"front end", &text, &header], |made| {
        let mut clang = clang_cuda();
        clang.args(["--cuda-device-only", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
        let output = clang.arg(source).arg("-o").arg(made).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    })
}

#[test]
fn decisions_are_those_of_the_golden_file() {
    if !has_cuda() {
        return;
    }
    let mut sources: Vec<_> = std::fs::read_dir(root().join("examples")).unwrap().map(|e| e.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "cu"));
    sources.sort();
    let mut text = String::new();
    for source in sources {
        let output = opt()
            .args(["-passes=default<O3>", "-disable-output", "-warpwise-trace"])
            .arg(front_end(&source))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        text += &format!("# {}\n{}", source.file_name().unwrap().to_string_lossy(), stderr(&output));
    }
    let golden = root().join("tests/trace.txt");
    if std::env::var_os("WARPWISE_UPDATE").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    let known = std::fs::read_to_string(&golden).unwrap();
    let (was, is): (Vec<&str>, Vec<&str>) = (known.lines().collect(), text.lines().collect());
    let gone: Vec<&&str> = was.iter().filter(|line| !is.contains(line)).collect();
    let new: Vec<&&str> = is.iter().filter(|line| !was.contains(line)).collect();
    assert!(known == text, "decisions have changed (WARPWISE_UPDATE=1 accepts that)\ngone: {gone:#?}\nnew: {new:#?}");
}
