//! Do the transforms preserve debug information on every lit file about them as well as LLVM's own passes do, and is a
//! kernel's PTX the same with and without it?
//!
//! LLVM's `debugify` gives a module full debug information: a line for each instruction and a variable for each value.
//! After the transform
//!
//! 1. records must be well formed: not between phis, after the values that they name, and in the right function;
//! 2. every instruction must have a line, or line zero of its function;
//! 3. every variable that LLVM's own `instcombine,simplifycfg` would keep must still be described, if only as having an
//!    unknown value: it must not be left with an old one;
//! 4. LLVM's passes must be able to process the module;
//! 5. the code must be the same as without debug information.

use crate::common::{clang_cuda, opt, plugin_flag, root, stderr, stdout};
use std::path::{Path, PathBuf};
use warpwise::settings::{DEFAULT, INLINE_CALLS};
use warpwise_ir::llvm::debug_check::{Told, dress, stripped};
use warpwise_ir::llvm::dialect::MAJOR;
use warpwise_ir::llvm::optimise::transform;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_oracle::fuzz::recipes::PASSES;

/// Flags of a RUN line that change the transformation, not what is printed.
const FLAGS: [&str; 2] = ["-warpwise-", "-mcpu"];

/// LLVM's own measure of what can be preserved; the result of a transform must survive it, too.
const CLEAN_UP: &str = "function(instcombine<no-verify-fixpoint>,simplifycfg)";
/// Number of messages of each kind that are shown.
const SHOWN: usize = 5;

/// How many variables were preserved.
#[derive(Clone, Copy, Default, Debug)]
struct Kept {
    /// Variables that LLVM's own passes preserve.
    expected: usize,
    /// Those of them whose value is known somewhere after the transform.
    known: usize,
}

/// Who changes a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Editors {
    /// Our passes alone, so [`Kept`] is due to them.
    Ours,
    /// LLVM's passes too, which lose lines and variables now and then.
    Both,
}

/// Checks the result of a transform on a module.
fn check(text: &str, editors: Editors, run: impl Fn(&str) -> Result<OwnedModule, String>) -> Result<Kept, String> {
    let load = |text: &str| OwnedModule::from_text(text, "debug").map_err(|e| e.to_string());
    let print = |module: &OwnedModule| module.inkwell().print_to_string().to_string();
    // a parsed module is named after its buffer
    let dressed = load(text)?;
    let plain = print(&dressed);
    dress(&dressed)?;
    let full = print(&dressed);
    transform(&dressed, CLEAN_UP, None)?;
    let expected = Told::of(&dressed).known;

    let after = run(&full)?;
    let told = Told::of(&after);
    complain("malformed debug information", &told.bad)?;
    let mut kept = Kept::default();
    if editors == Editors::Ours {
        complain("no debug location", &told.bare)?;
        let lost: Vec<String> = expected
            .iter()
            .filter(|name| !told.known.contains(*name) && !told.unknown.contains(*name))
            .cloned()
            .collect();
        complain("variables lost", &lost)?;
        let known = expected.iter().filter(|name| told.known.contains(*name)).count();
        kept = Kept { expected: expected.len(), known };
    }
    transform(&load(&print(&after))?, CLEAN_UP, None).map_err(|e| format!("after {CLEAN_UP}: {e}"))?;
    let (with, without) = (stripped(&after), stripped(&run(&plain)?));
    let differs = with.lines().zip(without.lines()).find(|(with, without)| !is_same(with, without));
    if let Some((with, without)) = differs {
        return Err(format!("the code differs with debug information: `{with}` instead of `{without}`"));
    }
    if with.lines().count() != without.lines().count() {
        return Err("the code differs with debug information: it has not as many lines as without".to_owned());
    }
    Ok(kept)
}

/// Whether two lines of a module are the same, or contain source lines and may differ.
fn is_same(with: &str, without: &str) -> bool {
    let is_text = |line: &str| line.starts_with('@') && line.contains("__warpwise_map");
    with == without || (is_text(with) && is_text(without))
}

fn complain(what: &str, sentences: &[String]) -> Result<(), String> {
    if sentences.is_empty() {
        return Ok(());
    }
    let shown = sentences.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    Err(format!("{what}, {} in all: {shown}", sentences.len()))
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|ext| ext == extension));
    found.sort();
    found
}

/// The pipelines that a lit file runs on itself, each with its flags.
fn pipelines(text: &str) -> Vec<(String, Vec<String>)> {
    let runs = text.lines().filter_map(|line| line.split_once("RUN:")).map(|(_, run)| run.trim());
    let mut found = Vec::new();
    let of_itself = |run: &&str| run.starts_with("%opt") && run.split('|').next().is_some_and(|opt| opt.contains("%s"));
    for run in runs.filter(of_itself) {
        let words = shlex::split(run).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(String::as_str).take_while(|word| *word != "|").collect();
        let passes = words.iter().find_map(|word| word.strip_prefix("-passes="));
        let is_ours = |passes: &&str| PASSES.iter().any(|one| passes.contains(one.pass)) || passes.contains(DEFAULT);
        let Some(passes) = passes.filter(|passes| is_ours(passes) && !passes.contains('%')) else { continue };
        let is_flag = |word: &&&str| FLAGS.iter().any(|flag| word.starts_with(flag)) && !word.contains('%');
        let flags = words.iter().filter(is_flag);
        let pipeline = (passes.to_owned(), flags.map(|&flag| flag.to_owned()).collect());
        if !found.contains(&pipeline) {
            found.push(pipeline);
        }
    }
    found
}

/// A module after opt with the plugin.
fn run(text: &str, passes: &str, flags: &[String]) -> Result<OwnedModule, String> {
    let output =
        opt().args(["-S", "-verify-each", "-passes", passes]).args(flags).arg("-").write_stdin(text).output().unwrap();
    if !output.status.success() {
        return Err(stderr(&output));
    }
    OwnedModule::from_text(&stdout(&output), "transformed").map_err(|e| e.to_string())
}

#[test]
fn transforms_of_lit_files_keep_debug_information() {
    let (mut pairs, mut expected, mut known, mut wrong) = (0, 0, 0, Vec::new());
    let folders = PASSES.iter().flat_map(|tested| tested.folders);
    let all = folders.flat_map(|folder| files(&root().join("llvm-tests").join(folder), "ll"));
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        let code: String = text.lines().filter(|line| !line.starts_with(';')).map(|line| format!("{line}\n")).collect();
        let is_for_another =
            text.contains("; REQUIRES: llvm-") && !text.contains(&format!("; REQUIRES: llvm-{MAJOR}\n"));
        if is_for_another || code.contains("!DISubprogram") {
            continue; // for another LLVM, or has debug information of its own
        }
        for (passes, flags) in pipelines(&text) {
            // what is inlined goes through LLVM's pipeline for a function
            let of_llvm = ["default<", "function(", INLINE_CALLS].iter().any(|part| passes.contains(part));
            let editors = if of_llvm { Editors::Both } else { Editors::Ours };
            match check(&code, editors, |text| run(text, &passes, &flags)) {
                Ok(kept) => {
                    expected += kept.expected;
                    known += kept.known;
                }
                Err(problem) => wrong.push(format!("{} {passes} {flags:?}: {problem}", file.display())),
            }
            pairs += 1;
        }
    }
    println!("{pairs} pairs of a file and a pipeline; {known} of {expected} variables keep a value");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(pairs > 200, "{pairs}");
    assert!(known * 10 > expected * 9, "{known} of {expected} variables keep a value");
}

/// PTX without lines that only serve debuggers.
fn bare_ptx(text: &str) -> Vec<String> {
    let code = text.split("\t.section\t.debug").next().unwrap_or_default();
    let is_debug = |line: &str| {
        let line = line.trim();
        line.is_empty()
            || line.starts_with("//")
            || line.starts_with(".loc")
            || line.starts_with(".file")
            || line.starts_with(".section")
            || line.starts_with("$L__tmp")
            || line.starts_with("$L__func_")
            || line.starts_with("$L__info_string")
    };
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    lines.filter(|line| !is_debug(line)).map(|line| line.replace(", debug", "")).collect()
}

/// The PTX of a kernel, with and without full debug information.
fn both(file: &Path, flags: &[&str]) -> [Vec<String>; 2] {
    [["-g", "--cuda-noopt-device-debug"], ["-g0", "-O3"]].map(|debug| {
        let output = clang_cuda()
            .args(["--cuda-device-only", "-S", "-O3", "-o", "-", "-I"])
            .arg(root().join("benches/gpu/kernels"))
            .args(flags)
            .args(debug)
            .arg(file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{} {debug:?}: {}", file.display(), stderr(&output));
        bare_ptx(&stdout(&output))
    })
}

/// Kernels that a transform changes, and how it is requested.
const KERNELS: [(&str, &[&str]); 8] = [
    ("fuse/arms", &["-warpwise-fuse"]),
    ("fuse/bitonic", &["-warpwise-fuse"]),
    ("fuse/loops_in_arms", &["-warpwise-fuse"]),
    ("spill/affine_victims", &["-warpwise-steer=all+rare"]),
    ("spill/float4_array", &["-warpwise-steer"]),
    ("spill/struct_array", &["-warpwise-steer"]),
    ("annotate/stencil7", &["-warpwise-annotate"]),
    ("annotate/vote_loop", &["-warpwise-annotate"]),
];

#[test]
fn ptx_is_the_same_with_debug_information() {
    ptx_is_the_same(2);
}

#[test]
#[ignore = "long"]
fn ptx_of_all_kernels_is_the_same_with_debug_information() {
    ptx_is_the_same(1);
}

/// Compares one kernel in so many.
fn ptx_is_the_same(one_in: usize) {
    let plugin = plugin_flag();
    for (kernel, options) in KERNELS.into_iter().step_by(one_in) {
        let file = root().join("benches/gpu/kernels").join(format!("{kernel}.cu"));
        let flags: Vec<&str> =
            std::iter::once(plugin.as_str()).chain(options.iter().flat_map(|option| ["-mllvm", option])).collect();
        let [with, without] = both(&file, &flags);
        let differs = with.iter().zip(&without).find(|(with, without)| with != without);
        assert!(differs.is_none() && with.len() == without.len(), "{kernel}: {differs:?}");
    }
}
