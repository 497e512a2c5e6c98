//! Does the plugin behave inside clang: remarks with source lines, an optimisation record, an untouched host side?

use crate::common::{clang_cuda, plugin_flag, root, stderr, stdout};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tempfile::TempDir;

const SOURCE: &str = "\
__global__ void k(float *p, int n) {
  int i = threadIdx.x;
  if (i < n)
    p[3 * i] = 1.0f;
}
int main() { k<<<1, 32>>>(nullptr, 0); }
";

fn source() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.cu");
    std::fs::write(&path, SOURCE).unwrap();
    (folder, path)
}

fn compile(flags: &[&str]) -> (TempDir, String, Vec<u8>) {
    let (folder, path) = source();
    let out = folder.path().join("out");
    let output = clang_cuda().current_dir(folder.path()).arg("k.cu").args(flags).arg("-o").arg(&out).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(path.is_file());
    let bytes = std::fs::read(&out).unwrap();
    (folder, stderr(&output), bytes)
}

#[test]
fn remarks_have_source_lines() {
    let flags = ["--cuda-device-only", "-S", &plugin_flag(), "-Rpass-analysis=warpwise"];
    let (_folder, said, _) = compile(&flags);
    assert!(said.contains("k.cu:3:"), "{said}");
    assert!(said.contains("remark: branch diverges: `threadIdx.x < "), "{said}");
    assert!(said.contains("k.cu:4:"), "{said}");
    assert!(said.contains("lanes 12 bytes apart: 12 sectors per request instead of 4"), "{said}");
    assert!(said.contains("[-Rpass-analysis=warpwise]"), "{said}");
}

#[test]
fn no_remarks_unless_asked_for() {
    let (_folder, said, _) = compile(&["--cuda-device-only", "-S", &plugin_flag()]);
    assert_eq!(said, "");
}

#[test]
fn remarks_go_into_the_record() {
    let flags = [
        "--cuda-device-only",
        "-S",
        &plugin_flag(),
        "-fsave-optimization-record",
        "-foptimization-record-file=record.yaml",
    ];
    let (folder, _, _) = compile(&flags);
    let record = std::fs::read_to_string(folder.path().join("record.yaml")).unwrap();
    let ours: Vec<&str> = record.split("--- !").filter(|entry| entry.contains("warpwise")).collect();
    assert!(ours.iter().any(|entry| entry.contains("DivergentBranch") && entry.contains("Line: 3")), "{record}");
    assert!(ours.iter().any(|entry| entry.contains("LaneStride") && entry.contains("Line: 4")), "{record}");
}

#[test]
fn the_host_module_is_left_alone() {
    // in one folder, because debug information contains its name
    let (folder, _) = source();
    let host = |flags: &[&str]| {
        let mut clang = clang_cuda();
        clang.current_dir(folder.path()).args(["k.cu", "--cuda-host-only", "-c", "-emit-llvm", "-o", "host.bc"]);
        let output = clang.args(flags).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
        std::fs::read(folder.path().join("host.bc")).unwrap()
    };
    assert!(host(&[]) == host(&[&plugin_flag(), "-Rpass-analysis=warpwise"]));
}

#[test]
fn options_reach_the_plugin() {
    let flags = ["--cuda-device-only", "-S", &plugin_flag(), "-Rpass-analysis=warpwise"];
    let (_folder, unknown, _) = compile(&flags);
    assert!(unknown.contains("if warps lie along x"), "{unknown}");
    let mut stated = flags.to_vec();
    stated.extend(["-mllvm", "-warpwise-block=32"]);
    let (_folder, known, _) = compile(&stated);
    assert!(known.contains("12 sectors per request") && !known.contains("if warps lie"), "{known}");
    let (folder, _) = source();
    let output = clang_cuda()
        .current_dir(folder.path())
        .args(["k.cu", "--cuda-device-only", "-S", "-o", "out", &plugin_flag(), "-mllvm", "-warpwise-block=foo"])
        .output()
        .unwrap();
    assert!(!output.status.success() && stderr(&output).contains("'foo'"), "{}", stderr(&output));
}

#[test]
fn unoptimised_code_compiles() {
    let (_folder, said, ptx) = compile(&["--cuda-device-only", "-S", &plugin_flag(), "-O0"]);
    assert_eq!(said, "");
    assert!(String::from_utf8_lossy(&ptx).contains(".entry"));
}

/// The text of each function of PTX, by name.
fn functions(ptx: &str) -> BTreeMap<String, String> {
    let starts = ptx.match_indices("\n{\n").map(|(brace, _)| ptx[..brace].rfind("\n.").map_or(0, |at| at + 1));
    let texts = starts.filter_map(|start| {
        let text = &ptx[start..];
        let text = &text[..text.find("\n}\n")?];
        let head = text.split_once('(')?.0;
        // a result stands in brackets before the name
        let name = if head.ends_with(' ') { text.split_once(") ")?.1.split('(').next()? } else { head };
        Some((name.split_whitespace().last()?.to_owned(), text.to_owned()))
    });
    texts.collect()
}

/// Sources whose candidates are refused, that have none, and one of which a kernel is melded.
const SOURCES: [&str; 10] = [
    "examples/histogram.cu",
    "examples/lu.cu",
    "examples/prefix_sum.cu",
    "examples/stencil3d.cu",
    "examples/transpose.cu",
    "benches/gpu/kernels/fuse/even_odd.cu",
    "benches/gpu/kernels/fuse/merge_sort.cu",
    "benches/gpu/kernels/fuse/threaded_tail.cu",
    "benches/gpu/kernels/fuse/unalike_arms.cu",
    "benches/gpu/kernels/fuse/unalike_tails.cu",
];

#[test]
fn functions_that_no_pass_changes_become_the_same_ptx() {
    unchanged_functions_are_the_same(2);
}

#[test]
#[ignore = "long"]
fn functions_of_more_sources_become_the_same_ptx() {
    unchanged_functions_are_the_same(1);
}

/// Compares one source in so many.
fn unchanged_functions_are_the_same(one_in: usize) {
    let root = root();
    let (mut same, mut refused) = (0, 0);
    for source in SOURCES.into_iter().step_by(one_in) {
        let folder = tempfile::tempdir().unwrap();
        let ptx = |flags: &[&str]| {
            let mut clang = clang_cuda();
            clang.args(["--cuda-device-only", "-S", "-o", "-", "-I"]).arg(root.join("benches/gpu/kernels")).args(flags);
            let output = clang.current_dir(folder.path()).arg(root.join(source)).output().unwrap();
            assert!(output.status.success(), "{source}: {}", stderr(&output));
            functions(&stdout(&output))
        };
        let record = ["-fsave-optimization-record", "-foptimization-record-file=record.yaml"];
        let ours = ptx(&[&plugin_flag(), "-mllvm", "-warpwise-remarks=all", record[0], record[1]]);
        let record = std::fs::read_to_string(folder.path().join("record.yaml")).unwrap();
        let told = |kind: &str| -> Vec<&str> {
            // paths in other passes' entries may hold the name, too
            let is_ours =
                |entry: &str| entry.lines().any(|line| line.starts_with("Pass:") && line.ends_with(" warpwise"));
            let entries = record.split("--- !").filter(|entry| entry.starts_with(kind) && is_ours(entry));
            entries.filter_map(|entry| entry.split_once("\nFunction:")?.1.lines().next()).map(str::trim).collect()
        };
        let (changed, missed) = (told("Passed"), told("Missed"));
        for (name, text) in ptx(&[]).iter().filter(|(name, _)| !changed.contains(&name.as_str())) {
            assert_eq!(ours.get(name), Some(text), "{source}: {name}");
            same += 1;
            refused += usize::from(missed.contains(&name.as_str()));
        }
    }
    assert!(
        same * one_in >= 12 && refused * one_in >= 8,
        "{same} functions compared, {refused} of them with a refusal"
    );
}
