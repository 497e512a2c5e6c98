//! `warpwise unit` (hidden): what does the report of a project need from one translation unit? Runs in a process of its
//! own, so that no source can affect the others.
//!
//! What clang's front end makes of the device side is compiled without the plugin, and reported on as `warpwise report`
//! does it, and with the plugin, whose remarks are counted. The output lists the files that were read, so that it can be
//! cached until one of them changes.

use super::cuda::{compile_device_ir, find_clang, find_cuda, find_cuda_of, find_plugin};
use super::flags::ClangFlags;
use super::nvcc::headers;
use super::temporary_folder;
use crate::map_report::page::{self, Reported};
use crate::ptxas::assemble;
use crate::report::index::{Deed, KernelRow, Machine, Unit};
use crate::report::launch::statements;
use crate::report::model::{self, FunctionReport, LineOf, Report};
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use warpwise::map;
use warpwise_analysis::counts::table::Table;
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_ir::geometry::BlockShape;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_ir::source::Sources;
use warpwise_listing::Resources;

/// One translation unit of a project, as JSON on standard output.
#[derive(Args)]
pub struct UnitArgs {
    file: PathBuf,
    #[arg(long)]
    block: Option<BlockShape>,
    /// The build is written for nvcc: what `warpwise nvcc` declares is declared.
    #[arg(long)]
    nvcc: bool,
    #[arg(last = true)]
    flags: Vec<String>,
}

/// Runs the subcommand.
pub fn run(args: &UnitArgs) -> Result<()> {
    let folder = temporary_folder()?;
    let mut flags = args.flags.clone();
    if args.nvcc {
        flags.splice(0..0, headers::flags(folder.path(), &find_cuda()?, &find_clang()?, &args.flags, true)?);
    }
    let mut unit = look(&args.file, &ClangFlags::new(&flags)?, args.block)?;
    unit.dependencies.retain(|file| !Path::new(file).starts_with(folder.path()));
    println!("{}", serde_json::to_string(&unit)?);
    Ok(())
}

/// Looks at one translation unit: what the code is, and what the build's own compile makes of it.
pub fn look(file: &Path, flags: &ClangFlags, block: Option<BlockShape>) -> Result<Unit> {
    let folder = temporary_folder()?;
    let at = |name: &str| folder.path().join(name);
    let front = FrontEnd::of(file, flags, &at("dependencies"))?;
    let (plain, with_plugin) = (at("plain.bc"), at("plugin.bc"));
    front.optimise(&ClangFlags::behind_front_end(&flags.plain), &plain)?;
    let analysis_block = block.or(flags.settings.block);
    let options = || Options { block: analysis_block };
    let module = OwnedModule::from_file(&plain)?;
    let analysis = ModuleAnalysis::new(module.handle(), options());
    let (report, table) = (model::build(&analysis, file), map::describe(&analysis, file));
    drop(analysis);
    let deeds = deeds(&front, flags, block, &with_plugin)?;
    let module = OwnedModule::from_file(&with_plugin)?;
    let mut after =
        (!flags.is_unoptimised).then(|| model::build(&ModuleAnalysis::new(module.handle(), options()), file));
    // how often a loop turns is a guess, and the same for one whose turns do four times as much
    let is_comparable = |symbol: &str| !deeds.iter().any(|one| one.symbol == symbol && one.remark == "LoopUnrolled");
    after.iter_mut().for_each(|after: &mut Report| after.functions.retain(|function| is_comparable(&function.symbol)));
    let machine = machine(&front, flags, [&plain, &with_plugin]);
    let mut unit = of(&table, file, (&report, after.as_ref(), &deeds), &machine);
    unit.dependencies = dependencies(&at("dependencies"))?;
    // what nvcc declares lay in a temporary folder
    unit.dependencies.retain(|file| Path::new(file).is_file());
    Ok(unit)
}

/// What clang's front end makes of the device side, which is then optimised and compiled as the build does it, with the
/// plugin and without.
struct FrontEnd {
    _folder: TempDir,
    ir: PathBuf,
    /// The target, as it would be said on clang's command line.
    target: Vec<String>,
}

impl FrontEnd {
    /// `list`: where the names of the files that were read are written.
    fn of(file: &Path, flags: &ClangFlags, list: &Path) -> Result<FrontEnd> {
        let list = list.display().to_string();
        let mut clang = flags.for_ir();
        clang.extend(["-MD", "-MF", &list, "-Xclang", "-disable-llvm-passes"]);
        let (folder, ir) = compile_device_ir(file, &clang)?;
        let module = OwnedModule::from_file(&ir)?;
        let mut target = vec!["--target=nvptx64-nvidia-cuda".to_owned()];
        if let Some(function) = module.handle().functions().find(|function| !function.is_declaration()) {
            target.push(format!("-march={}", function.target_cpu()));
            let features = function.string_attribute("target-features").unwrap_or_default();
            let version = features.split(',').filter(|one| one.starts_with("+ptx"));
            target.extend(version.flat_map(|one| ["-Xclang", "-target-feature", "-Xclang", one].map(str::to_owned)));
        }
        Ok(FrontEnd { _folder: folder, ir, target })
    }

    /// Runs LLVM's passes.
    fn optimise(&self, flags: &[&str], output: &Path) -> Result<()> {
        self.clang(&self.ir, &[flags, &["-emit-llvm", "-c", "-fno-discard-value-names"]].concat(), output)
    }

    /// Makes PTX of what was optimised.
    fn code(&self, ir: &Path, flags: &ClangFlags, output: &Path) -> Result<()> {
        let flags = ClangFlags::behind_front_end(&flags.plain);
        self.clang(ir, &[&flags, &["-S", "-Xclang", "-disable-llvm-passes"][..]].concat(), output)
    }

    fn clang(&self, ir: &Path, flags: &[&str], output: &Path) -> Result<()> {
        let clang = find_clang()?;
        let mut command = Command::new(&clang);
        command.args(["-w", "-x", "ir"]).arg(ir).args(flags).args(&self.target).arg("-o").arg(output);
        let done = command.output().with_context(|| format!("cannot run {}", clang.display()))?;
        ensure!(done.status.success(), "clang cannot compile its own IR:\n{}", String::from_utf8_lossy(&done.stderr));
        Ok(())
    }
}

/// Rows of the kernels, and the source for a page. `machine`: by symbol, what ptxas says without the plugin and with it.
pub fn of(table: &Table, file: &Path, reports: Reported<'_>, machine: &BTreeMap<String, [Machine; 2]>) -> Unit {
    let (report, after, deeds) = reports;
    let mut sources = Sources::beside(file);
    let row = |kernel: &FunctionReport| {
        let machine = machine.get(&kernel.symbol).copied();
        let same = |report: &Report| Some(report.functions.iter().find(|one| one.symbol == kernel.symbol)?.costs);
        let described = table.functions.iter().find(|one| one.symbol == kernel.symbol);
        KernelRow {
            costs: [Some(kernel.costs), after.and_then(same)],
            statements: described.map_or_else(Vec::new, |one| statements(table, one, deeds, machine, &mut sources)),
            ..KernelRow::new(kernel, deeds, machine)
        }
    };
    let kernels = report.functions.iter().filter(|function| function.is_kernel).map(row).collect();
    let page = page::unit(table, file, None, Some(reports));
    Unit { kernels, deeds: deeds.to_vec(), page, dependencies: Vec::new() }
}

/// What is known of IR.
pub fn of_ir(analysis: &ModuleAnalysis<'_>, file: &Path) -> Unit {
    let report = model::build(analysis, file);
    of(&map::describe(analysis, file), file, (&report, None, &[]), &BTreeMap::new())
}

/// What ptxas says of each kernel of the IR without the plugin and with it; nothing if it cannot be run.
fn machine(front: &FrontEnd, flags: &ClangFlags, irs: [&Path; 2]) -> BTreeMap<String, [Machine; 2]> {
    let architecture =
        flags.all.iter().rev().find_map(|flag| warpwise_analysis::gpu::chip::name_in(flag.split_once('=')?.1));
    let architecture = architecture.unwrap_or_else(|| warpwise_ir::llvm::target::USUAL.to_owned());
    let of = |ir: &Path| -> Result<_> {
        let ptx = ir.with_extension("ptx");
        front.code(ir, flags, &ptx)?;
        let text = without_debug(&std::fs::read_to_string(ptx).context("clang wrote no PTX")?);
        let ptxas = find_cuda_of(&flags.plain)?.join("bin/ptxas");
        assemble(&ptxas, &text, &architecture)
    };
    let [Ok(before), Ok(after)] = irs.map(of) else { return BTreeMap::new() };
    let pair = |(name, kernel): (String, Resources)| {
        let other = after.get(&name)?;
        Some((name, [kernel, *other].map(Machine::from)))
    };
    before.into_iter().filter_map(pair).collect()
}

/// PTX without debug information, with which ptxas does not optimise.
fn without_debug(ptx: &str) -> String {
    let code = ptx.split("\t.section").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.starts_with("\t.loc\t"));
    lines.collect::<Vec<_>>().join("\n").replacen(", debug", "", 1)
}

/// Compiles with the plugin, as the build does: what it did and refused, by function, remark and line.
fn deeds(front: &FrontEnd, flags: &ClangFlags, block: Option<BlockShape>, output: &Path) -> Result<Vec<Deed>> {
    let record = output.with_extension("yaml");
    let plugin = format!("-fpass-plugin={}", find_plugin()?.display());
    let block = block.map(|shape| format!("-mllvm=-warpwise-block={shape}"));
    let file = format!("-foptimization-record-file={}", record.display());
    let mut words = vec![plugin.as_str(), &file, "-foptimization-record-passes=warpwise"];
    words.extend(ClangFlags::behind_front_end(&flags.all));
    words.extend(block.as_deref());
    words.push("-mllvm=-warpwise-remarks=all");
    front.optimise(&words, output)?;
    // clang writes no file where nothing was said
    Ok(counted(&std::fs::read_to_string(&record).unwrap_or_default()))
}

/// What was done and refused, counted in LLVM's record of remarks.
fn counted(record: &str) -> Vec<Deed> {
    let mut deeds: Vec<Deed> = Vec::new();
    for remark in record.split("--- !").skip(1) {
        let is_done = remark.starts_with("Passed");
        if !is_done && !remark.starts_with("Missed") {
            continue;
        }
        let field = |name: &str| {
            let line = remark.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            plain(line)
        };
        let strings = remark.lines().filter_map(|line| line.trim_start().strip_prefix("- String:"));
        let deed = Deed {
            symbol: field("Function:"),
            remark: field("Name:"),
            is_done,
            place: place_of(&field("DebugLoc:")),
            text: strings.map(plain).collect(),
            count: 1,
        };
        let is_same = |known: &&mut Deed| Deed { count: known.count, ..deed.clone() } == **known;
        match deeds.iter_mut().find(is_same) {
            Some(known) => known.count += 1,
            None => deeds.push(deed),
        }
    }
    deeds.sort_by(|a, b| (&a.symbol, &a.remark, &a.place, &a.text).cmp(&(&b.symbol, &b.remark, &b.place, &b.text)));
    deeds
}

/// A scalar of YAML without its quotes.
fn plain(text: &str) -> String {
    let text = text.trim();
    match text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(quoted) => quoted.replace("''", "'"),
        None => text.trim_matches('"').to_owned(),
    }
}

/// `{ File: a.cu, Line: 10, Column: 3 }`
fn place_of(text: &str) -> Option<LineOf> {
    let (file, rest) = text.trim_start_matches("{ File:").rsplit_once(", Line:")?;
    let line = rest.split(',').next()?.trim().parse().ok()?;
    Some(LineOf { file: plain(file), line })
}

/// The files of a make dependency list: `target: file file \` and so on, with spaces in names escaped by backslashes.
pub(super) fn dependencies(list: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(list).context("clang wrote no list of what it read")?;
    let joined = text.replace("\\\n", " ");
    let files = joined.split_once(": ").map_or("", |(_, files)| files);
    let mut found: Vec<String> = vec![String::new()];
    let mut characters = files.trim().chars().peekable();
    while let Some(character) = characters.next() {
        let last = found.len() - 1;
        match character {
            '\\' if characters.peek().is_some_and(|&next| next == ' ' || next == '#') => {
                found[last].extend(characters.next());
            }
            '$' if characters.peek() == Some(&'$') => {}
            blank if blank.is_whitespace() => found.push(String::new()),
            other => found[last].push(other),
        }
    }
    found.retain(|file| !file.is_empty());
    found.sort();
    found.dedup();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_counted() {
        let one = |kind: &str, name: &str| {
            format!(
                "--- !{kind}\nPass:            warpwise\nName:            {name}\nDebugLoc:        {{ File: 'a b.cu', Line: 7, Column: 3 }}\nFunction:        _Z1kPf\nArgs:\n  - String:          'it''s so'\n...\n"
            )
        };
        let text =
            [one("Passed", "BranchFused"), one("Analysis", "LaneStride"), one("Missed", "A"), one("Missed", "A")];
        let deeds = counted(&text.concat());
        let found: Vec<_> = deeds.iter().map(|deed| (&*deed.symbol, &*deed.remark, deed.is_done, deed.count)).collect();
        assert_eq!(found, [("_Z1kPf", "A", false, 2), ("_Z1kPf", "BranchFused", true, 1)]);
        assert_eq!(deeds[0].place, Some(LineOf { file: "a b.cu".to_owned(), line: 7 }));
        assert_eq!(deeds[0].text, "it's so");
    }

    #[test]
    fn lists_for_make_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("d");
        std::fs::write(&list, "k.ll: b.h \\\n  /a\\ b/k.cu \\\n a.h b.h\n").unwrap();
        assert_eq!(dependencies(&list).unwrap(), ["/a b/k.cu", "a.h", "b.h"]);
    }
}
