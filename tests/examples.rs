//! Do the examples compute the expected results, without a GPU?
//!
//! Each `examples/*.cu` begins with lines that say how its kernels are run on the lockstep machine and what they must
//! compute:
//!
//! ```text
//! // simt: --kernel NAME --grid X,Y --block X,Y --arg …      options of `warpwise simt`
//! // expect: 3[14] = 2, 2, 1                                 argument 3 contains these numbers from element 14 on
//! // expect: 1 as NAME                                       argument 1 is what the earlier run of NAME left in it
//! ```
//!
//! Every run checks all claims of the analysis (`--check`) and watches shared memory for races. It is repeated on the
//! code after the transforms, which must print the same numbers.

use crate::common::{clang_cuda, opt, root, stderr, stdout, warpwise};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Allowed difference of a result, relative to the larger number or to 1.
const TOLERANCE: f64 = 1e-4;

fn examples() -> Vec<PathBuf> {
    let folder = root().join("examples");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|ext| ext == "cu")).collect();
    files.sort();
    files
}

struct Run {
    options: Vec<String>,
    kernel: String,
    expected: Vec<String>,
}

fn runs(source: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("// simt: ") {
            let options: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            let kernel = options.iter().skip_while(|word| *word != "--kernel").nth(1).expect(line).clone();
            runs.push(Run { options, kernel, expected: Vec::new() });
        } else if let Some(text) = line.strip_prefix("// expect: ") {
            runs.last_mut().expect("expect: before simt:").expected.push(text.to_owned());
        }
    }
    runs
}

/// The numbers of each argument, from "arg N: f32[COUNT] = a, b, …".
fn buffers(printed: &str) -> HashMap<usize, Vec<f64>> {
    let mut buffers = HashMap::new();
    for line in printed.lines() {
        let Some((number, rest)) = line.strip_prefix("arg ").and_then(|rest| rest.split_once(": ")) else { continue };
        let Some((_, values)) = rest.split_once(" = ") else { continue };
        buffers.insert(number.parse().unwrap(), numbers(values));
    }
    buffers
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(", ").map(|value| value.trim().parse().unwrap_or(f64::NAN)).collect()
}

fn agree(got: &[f64], want: &[f64]) -> bool {
    let close = |(got, want): (&f64, &f64)| (got - want).abs() <= TOLERANCE * want.abs().max(1.0);
    got.len() >= want.len() && got.iter().zip(want).all(close)
}

/// Why the run is not as expected, if it is not.
fn compare(run: &Run, printed: &str, earlier: &HashMap<String, String>) -> Result<(), String> {
    let got = buffers(printed);
    for expected in &run.expected {
        let (argument, from, want) = match expected.split_once(" as ") {
            Some((argument, kernel)) => {
                let argument = argument.parse().unwrap();
                (argument, 0, buffers(&earlier[kernel])[&argument].clone())
            }
            None => {
                let (place, values) = expected.split_once(" = ").expect(expected);
                let (argument, from) = place.strip_suffix(']').and_then(|place| place.split_once('[')).expect(expected);
                (argument.parse().unwrap(), from.parse().unwrap(), numbers(values))
            }
        };
        let values = got.get(&argument).and_then(|values| values.get(from..)).unwrap_or(&[]);
        if !agree(values, &want) {
            let shown = &values[..values.len().min(want.len())];
            return Err(format!("{}: expected {expected}, but argument {argument} holds {shown:?}", run.kernel));
        }
    }
    Ok(())
}

fn run_all(ir: &Path, source: &str, faults: &mut Vec<String>) {
    let mut earlier = HashMap::new();
    for run in runs(source) {
        let mut command = warpwise();
        command.arg("simt").arg(ir).args(["--check", "--race", "--full"]).args(&run.options);
        let output = command.output().unwrap();
        let printed = stdout(&output);
        let name = ir.display();
        if !output.status.success() || !printed.contains(" claims compared, 0 violated") {
            let said: Vec<&str> = printed.lines().filter(|line| !line.starts_with("arg ")).collect();
            faults.push(format!("{name}: {}: {}{}", run.kernel, said.join("\n"), stderr(&output)));
        } else if let Err(fault) = compare(&run, &printed, &earlier) {
            faults.push(format!("{name}: {fault}"));
        }
        earlier.insert(run.kernel, printed);
    }
}

#[test]
fn kernels_compute_what_is_expected_and_no_claim_is_violated() {
    let folder = tempfile::tempdir().unwrap();
    let mut faults = Vec::new();
    for path in examples() {
        let source = std::fs::read_to_string(&path).unwrap();
        let plain = folder.path().join(path.file_stem().unwrap()).with_extension("ll");
        let compiled =
            clang_cuda().args(["--cuda-device-only", "-S", "-emit-llvm", "-o"]).arg(&plain).arg(&path).output();
        let compiled = compiled.unwrap();
        assert!(compiled.status.success() && compiled.stderr.is_empty(), "{}", stderr(&compiled));
        run_all(&plain, &source, &mut faults);
        let transformed = plain.with_extension("warpwise.ll");
        let made = opt().args(["-passes=warpwise<fuse;steer>", "-S", "-o"]).arg(&transformed).arg(&plain).output();
        assert!(made.as_ref().unwrap().status.success(), "{}", stderr(&made.unwrap()));
        run_all(&transformed, &source, &mut faults);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_kernel_is_run_and_every_example_has_a_lit_file() {
    let lit = root().join("llvm-tests/examples");
    let mut faults = Vec::new();
    for path in examples() {
        let source = std::fs::read_to_string(&path).unwrap();
        let runs = runs(&source);
        let code = source.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join(" ");
        for rest in code.split("__global__ ").skip(1) {
            let is_name = |word: &&str| !word.contains([')', '*']) && *word != "__launch_bounds__";
            let symbol = rest.split('(').find_map(|part| part.split_whitespace().last().filter(is_name)).unwrap();
            if !runs.iter().any(|run| run.kernel == symbol) {
                faults.push(format!("{}: kernel {symbol} is not run", path.display()));
            }
        }
        let test = lit.join(path.file_stem().unwrap()).with_extension("test");
        if !test.is_file() {
            faults.push(format!("{} is missing", test.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
