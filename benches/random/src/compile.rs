//! How does a random source become PTX and a cubin, with the plugin and without?

use crate::rewrite::Rewriting;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The level at which ptxas assembles unless a variant says another.
pub const LEVEL: &str = "-O3";

/// A way of compiling that is compared with itself without the plugin.
#[derive(Clone, Copy)]
pub struct Variant {
    pub name: &'static str,
    /// Options of clang for both builds.
    both: &'static [&'static str],
    /// Options of clang for the build with the plugin.
    ours: &'static [&'static str],
    /// Passes of opt behind clang's own pipeline, in place of the plugin's place in it; both builds go through llc.
    passes: Option<&'static str>,
    /// How the source of the build with the plugin differs.
    pub rewriting: Option<Rewriting>,
    /// In place of the plugin, another level of ptxas: what differs is not ours.
    pub level: Option<&'static str>,
    pub help: &'static str,
}

const fn variant(
    name: &'static str,
    both: &'static [&'static str],
    ours: &'static [&'static str],
    help: &'static str,
) -> Variant {
    Variant { name, both, ours, passes: None, rewriting: None, level: None, help }
}

const fn passes(name: &'static str, passes: &'static str, help: &'static str) -> Variant {
    Variant { passes: Some(passes), ..variant(name, &[], &[], help) }
}

const fn rewritten(name: &'static str, rewriting: Rewriting, help: &'static str) -> Variant {
    Variant { rewriting: Some(rewriting), ..variant(name, &["-ffp-contract=off"], &[], help) }
}

/// Clang's code alone, assembled at another level.
const fn assembled(name: &'static str, level: &'static str, help: &'static str) -> Variant {
    Variant { level: Some(level), ..variant(name, &[], &[], help) }
}

pub const VARIANTS: &[Variant] = &[
    variant("default", &[], &[], "the defaults, at -O3"),
    variant("O1", &["-O1"], &[], "at -O1"),
    variant("O2", &["-O2"], &[], "at -O2"),
    variant("Os", &["-Os"], &[], "at -Os"),
    // the kernels compute NaNs and infinities, which would be undefined
    variant("fast", &["-ffast-math", "-fhonor-nans", "-fhonor-infinities"], &[], "with -ffast-math"),
    variant("off", &["-ffp-contract=off"], &[], "without contraction"),
    variant("restrict", &[], &["-mllvm", "-warpwise-assume-restrict"], "arguments never alias"),
    variant("tune", &[], &["-mllvm", "-warpwise-tune"], "every alternative of the tuner is a kernel of its own"),
    variant(
        "victims",
        &[],
        &["-mllvm", "-warpwise-steer=all+rare"],
        "all spill candidates, also those that do not pay",
    ),
    passes("fuse", "fuse-branches<always>", "every branch that may be melded"),
    passes(
        "unroll",
        "unroll-loops<always>,instcombine<no-verify-fixpoint>,simplifycfg",
        "every loop that may be unrolled",
    ),
    passes("steer", "steer-spills<regs=32;victims=all+rare>", "spills for 32 registers"),
    passes("annotate", "annotate-uniform", "annotations alone"),
    passes(
        "everything",
        "unroll-loops<always>,annotate-uniform,fuse-branches<always>,steer-spills<victims=all+rare>,instcombine<no-verify-fixpoint>",
        "all transforms at once",
    ),
    rewritten(
        "dead-uniform",
        Rewriting::DeadUniform,
        "rewritten: with code that never runs, behind uniform conditions",
    ),
    rewritten(
        "dead-divergent",
        Rewriting::DeadDivergent,
        "rewritten: with code that never runs, behind divergent ones",
    ),
    rewritten("swap", Rewriting::Swap, "rewritten: sides of branches change places"),
    rewritten("opaque", Rewriting::Opaque, "rewritten: uniform values look divergent"),
    rewritten("rotate", Rewriting::Rotate, "rewritten: loops are rotated"),
    rewritten("peel", Rewriting::Peel, "rewritten: first iterations are peeled"),
    rewritten("helpers", Rewriting::Helpers, "rewritten: calls become inline code, inline code calls"),
    rewritten("return", Rewriting::Return, "rewritten: with a return in front that no thread takes"),
    assembled("ptxas-O1", "-O1", "without the plugin: ptxas -O1 against -O3"),
    assembled("ptxas-O0", "-O0", "without the plugin: ptxas -O0 against -O3"),
];

/// What was built without the plugin, once for the variants that mean the same without it.
pub struct Plain<'a, T>(Vec<(&'a Variant, T)>);

impl<'a, T> Plain<'a, T> {
    pub fn new() -> Self {
        Plain(Vec::new())
    }

    /// The build to compare a variant with, made if it is the first of its kind.
    pub fn of(&mut self, variant: &'a Variant, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        let at = match self.0.iter().position(|(other, _)| other.is_plain_as(variant)) {
            Some(at) => at,
            None => {
                self.0.push((variant, make()?));
                self.0.len() - 1
            }
        };
        Ok(&self.0[at].1)
    }
}

impl Variant {
    /// Whether both mean the same without the plugin.
    fn is_plain_as(&self, other: &Variant) -> bool {
        self.both == other.both && self.passes.is_some() == other.passes.is_some()
    }

    /// Its plain build, assembled at other levels of ptxas.
    pub fn at_other_levels(&self) -> Vec<Variant> {
        let others = VARIANTS.iter().filter(|other| other.level.is_some());
        others.map(|other| Variant { name: other.name, both: self.both, level: other.level, ..*other }).collect()
    }
}

pub fn find(name: &str) -> Result<&'static Variant> {
    VARIANTS.iter().find(|v| v.name == name).with_context(|| format!("there is no variant '{name}'"))
}

/// The tools.
#[derive(clap::Args, Clone)]
pub struct Tools {
    /// Prefix of LLVM 22.
    #[arg(long, env = "LLVM_SYS_221_PREFIX", default_value = "/usr/lib/llvm-22")]
    pub llvm: PathBuf,
    /// A CUDA 13 tree, with nvdisasm and cuobjdump for the static checks.
    #[arg(long, env = "WARPWISE_CUDA", default_value = "/usr/local/cuda")]
    pub cuda: PathBuf,
    /// libwarpwise.so.
    #[arg(long, env = "WARPWISE_PLUGIN")]
    pub plugin: PathBuf,
    #[arg(long, default_value = "sm_90")]
    pub arch: String,
}

/// PTX of a source, and the remarks of the plugin.
pub struct Built {
    pub ptx: String,
    /// Kernels and names of remarks that say what was done.
    pub done: Vec<(String, String)>,
    /// Entry points that only launches may run in which certain facts hold.
    pub versions: Vec<String>,
}

/// What LLVM's back end for NVPTX does to IR before it joins products and sums.
const BACK_END: &str = "function(infer-address-spaces,separate-const-offset-from-gep,speculative-execution,slsr,gvn,nary-reassociate,early-cse,gvn)";

impl Tools {
    fn clang(&self, variant: &Variant, source: &Path) -> Command {
        let mut command = Command::new(self.llvm.join("bin/clang++"));
        command.args(["-x", "cuda", "-O3", "-w", "-S", "--cuda-device-only", "-Wno-unknown-cuda-version"]);
        command.arg("-fverify-intermediate-code");
        command.arg(format!("--cuda-path={}", self.cuda.display())).arg(format!("--cuda-gpu-arch={}", self.arch));
        command.arg("-I").arg(self.cuda.join("include/cccl")).args(variant.both).arg(source);
        command
    }

    /// Compiles a source into files in a folder. IR goes through opt and llc: by default through the pipeline of -O3.
    pub fn ptx(&self, source: &Path, variant: &Variant, with_plugin: bool, folder: &Path) -> Result<Built> {
        let with_plugin = with_plugin && variant.level.is_none();
        let kind = if with_plugin { "ours" } else { "plain" };
        let stem = source.file_stem().context("a source without a name")?.to_string_lossy();
        let file = |ending: &str| folder.join(format!("{stem}.{}.{kind}.{ending}", variant.name));
        let (ptx, record) = (file("ptx"), file("yaml"));
        let mut command = self.clang(variant, source);
        let is_ir = source.extension().is_some_and(|ending| ending == "ll");
        match variant.passes {
            None if !is_ir => {
                command.arg("-o").arg(&ptx);
                if with_plugin {
                    command.arg(format!("-fpass-plugin={}", self.plugin.display())).args(variant.ours);
                    command
                        .args(["-Xclang", "-opt-record-passes", "-Xclang", "warpwise", "-Xclang", "-opt-record-file"]);
                    command.arg("-Xclang").arg(&record);
                }
                run(&mut command)?;
            }
            passes => {
                let ir = file("ll");
                if is_ir {
                    fs::copy(source, &ir)?;
                } else {
                    run(command.arg("-emit-llvm").arg("-o").arg(&ir))?;
                }
                if is_ir || with_plugin {
                    let mut opt = Command::new(self.llvm.join("bin/opt"));
                    let ours = if with_plugin { passes } else { None };
                    let pipeline = [is_ir.then_some("default<O3>"), ours].into_iter().flatten().collect::<Vec<_>>();
                    opt.arg("-passes").arg(pipeline.join(","));
                    if with_plugin {
                        opt.arg(format!("-load-pass-plugin={}", self.plugin.display()));
                        opt.arg(format!("-pass-remarks-output={}", record.display()));
                        opt.arg("-pass-remarks-filter=warpwise");
                        // the transforms run in the variant's place, not at the end of LLVM's pipeline
                        opt.args(passes.map(|_| "-warpwise-off"));
                    }
                    run(opt.arg("-S").arg(&ir).arg("-o").arg(&ir))?;
                }
                let mut llc = Command::new(self.llvm.join("bin/llc"));
                llc.args(["-O3", "-mattr=+ptx88"]).arg(format!("-mcpu={}", self.arch));
                if !is_ir {
                    llc.arg("-fp-contract=fast"); // as clang does for CUDA
                }
                if with_plugin {
                    llc.arg(format!("--load-pass-plugin={}", self.plugin.display()));
                }
                run(llc.arg(&ir).arg("-o").arg(&ptx))?;
                fs::remove_file(ir)?;
            }
        }
        let remarks = fs::read_to_string(&record).unwrap_or_default();
        let _ = fs::remove_file(&record);
        let text = fs::read_to_string(&ptx).with_context(|| ptx.display().to_string())?;
        fs::remove_file(ptx)?;
        Ok(Built { ptx: without_lines(&text), done: done(&remarks), versions: versions(&remarks) })
    }

    /// Compiles a source to IR beside it, as [`llc` simplifies it](BACK_END): with clang alone, or with the plugin in a variant.
    pub fn ir(&self, source: &Path, variant: &Variant, is_ours: bool) -> Result<PathBuf> {
        let ir = source.with_extension("ll");
        let mut command = self.clang(variant, source);
        command.args(["-emit-llvm", "-o"]).arg(&ir);
        let passes = variant.passes.filter(|_| is_ours);
        if is_ours && passes.is_none() {
            command.arg(format!("-fpass-plugin={}", self.plugin.display())).args(variant.ours);
        }
        run(&mut command)?;
        for passes in passes.into_iter().chain([BACK_END]) {
            let mut opt = Command::new(self.llvm.join("bin/opt"));
            opt.arg(format!("-load-pass-plugin={}", self.plugin.display())).arg("-passes").arg(passes);
            run(opt.arg("-S").arg(&ir).arg("-o").arg(&ir))?;
        }
        Ok(ir)
    }

    /// Assembles PTX into a file, at a level of ptxas.
    pub fn assemble(&self, ptx: &str, cubin: &Path, level: &str) -> Result<()> {
        let source = cubin.with_extension("ptx");
        fs::write(&source, ptx)?;
        let mut command = Command::new(self.cuda.join("bin/ptxas"));
        run(command.arg(format!("-arch={}", self.arch)).arg(level).arg(&source).arg("-o").arg(cubin))?;
        Ok(fs::remove_file(source)?)
    }

    /// The machine code of a cubin.
    pub fn disassemble(&self, cubin: &Path) -> Result<String> {
        run(Command::new(self.cuda.join("bin/cuobjdump")).arg("-sass").arg(cubin).env("PATH", self.path()?))
    }

    /// cuobjdump looks for nvdisasm there.
    fn path(&self) -> Result<std::ffi::OsString> {
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.cuda.join("bin")).chain(std::env::split_paths(&rest));
        Ok(std::env::join_paths(all)?)
    }
}

/// The longest that a program may run, and how `timeout` ends when one does not keep to it.
const MAX_SECONDS: u32 = 120;
const TIMED_OUT: i32 = 124;

/// Runs a program; what it printed, or an error with the last lines of what it said.
fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().display().to_string();
    // LLVM's scalar evolution takes for ever over some sums of address differences
    let mut limited = Command::new("timeout");
    limited.arg(MAX_SECONDS.to_string()).arg(command.get_program()).args(command.get_args());
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = limited.output().with_context(|| format!("cannot start {program}"))?;
    ensure!(output.status.code() != Some(TIMED_OUT), "{program} takes longer than {MAX_SECONDS} s");
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let lines: Vec<&str> = said.lines().filter(|l| !l.trim().is_empty()).collect();
        let shown = lines.iter().find(|l| l.contains("error")).or(lines.first()).unwrap_or(&"");
        bail!("{program} ended with {}: {shown}", output.status);
    }
    ensure!(!said.contains("LLVM ERROR"), "{said}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// PTX without lines of the source, which clang emits where remarks are recorded.
fn without_lines(ptx: &str) -> String {
    let code = ptx.split_once("\t.section\t.debug").map_or(ptx, |(code, _)| code);
    let is_line =
        |line: &str| ["\t.loc\t", "\t.file\t", "$L__tmp", "$L__func_"].iter().any(|start| line.starts_with(start));
    let lines = code.split_inclusive('\n').filter(|line| !is_line(line));
    lines.map(|line| if line.starts_with(".target") { line.replace(", debug", "") } else { line.to_owned() }).collect()
}

/// The remarks that say what was done.
fn passed(yaml: &str) -> impl Iterator<Item = &str> {
    yaml.split("--- ").filter(|block| block.starts_with("!Passed"))
}

fn field(block: &str, name: &str) -> Option<String> {
    block.lines().find_map(|line| line.strip_prefix(name)).map(|v| v.trim().trim_matches('\'').to_owned())
}

/// Functions and names of the remarks that say what was done.
fn done(yaml: &str) -> Vec<(String, String)> {
    passed(yaml).filter_map(|block| Some((field(block, "Function:")?, field(block, "Name:")?))).collect()
}

/// Symbols of the alternatives to be measured that are versions: `k$t2` is the second behind `plain`.
fn versions(yaml: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in passed(yaml).filter(|block| block.contains("TuningMade")) {
        let names = block.split_once("plain, ").and_then(|(_, rest)| rest.split_once(" (code"));
        let (Some(function), Some((names, _))) = (field(block, "Function:"), names) else { continue };
        let numbered = names.split(", ").zip(1..).filter(|(name, _)| name.trim().starts_with("version"));
        found.extend(numbered.map(|(_, number)| format!("{function}$t{number}")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_not_alternatives_for_every_launch() {
        let yaml = "--- !Passed\nPass:            warpwise\nName:            TuningMade\nFunction:        'k7'\nArgs:\n  - \
                    String:          'to be measured in the program: plain, models, version1, fuse (code 00)'\n...\n";
        assert_eq!(versions(yaml), ["k7$t2"]);
        assert_eq!(done(yaml), [("k7".to_owned(), "TuningMade".to_owned())]);
    }
}
