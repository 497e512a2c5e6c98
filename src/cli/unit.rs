//! `warpwise unit` (hidden): what does the report of a project need from one translation unit? Runs in a process of its
//! own, so that no source can affect the others.
//!
//! Compiles to device IR and reports on it like `warpwise report`; also compiles with the plugin and counts its remarks.
//! The output lists the files that were read, so that it can be cached until one of them changes.

use super::cuda::compile_device_ir;
use super::flags::ClangFlags;
use super::report::compile_ptx;
use crate::divergence::{ModuleAnalysis, Options};
use crate::geometry::BlockShape;
use crate::llvm::owned::OwnedModule;
use crate::map::{self, page};
use crate::report::index::{Deed, KernelRow, Unit};
use crate::report::model;
use crate::source::Sources;
use anyhow::{Context, Result};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One translation unit of a project, as JSON on standard output.
#[derive(Args)]
pub struct UnitArgs {
    file: PathBuf,
    #[arg(long)]
    block: Option<BlockShape>,
    #[arg(last = true)]
    flags: Vec<String>,
}

/// Runs the subcommand.
pub fn run(args: &UnitArgs) -> Result<()> {
    let flags = ClangFlags::new(&args.flags)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let list = folder.path().join("dependencies").display().to_string();
    let mut clang = flags.for_ir();
    clang.extend(["-MD", "-MF", &list]);
    let (_ir_folder, ir) = compile_device_ir(&args.file, &clang)?;
    let module = OwnedModule::from_file(&ir)?;
    let block = args.block.or(flags.settings.block);
    let analysis = ModuleAnalysis::new(module.handle(), Options { block, simple: false });
    let report = model::build(&analysis, &args.file.display().to_string(), &mut Sources::beside(&args.file));
    let page = page::of_table(&map::describe(&analysis, &args.file), &args.file);
    drop(analysis);
    let deeds = deeds(&args.file, &flags, args.block, folder.path())?;
    let kernels = report.functions.iter().filter(|function| function.is_kernel);
    let unit = Unit {
        kernels: kernels.map(|kernel| KernelRow::new(kernel, &deeds)).collect(),
        deeds,
        page,
        dependencies: dependencies(Path::new(&list))?,
    };
    println!("{}", serde_json::to_string(&unit)?);
    Ok(())
}

/// What the build's own compile with the plugin did and refused, by function and remark: clang is run as the build runs
/// it, and writes down every remark.
fn deeds(file: &Path, flags: &ClangFlags, block: Option<BlockShape>, folder: &Path) -> Result<Vec<Deed>> {
    let record = folder.join("remarks.yaml");
    let mut more = flags.all.clone();
    more.extend(block.map(|shape| format!("-mllvm=-warpwise-block={shape}")));
    more.extend(["-mllvm=-warpwise-remarks=all", "-foptimization-record-passes=warpwise"].map(str::to_owned));
    more.push(format!("-foptimization-record-file={}", record.display()));
    compile_ptx(file, &folder.join("unit.ptx"), &more)?;
    // clang writes no file where nothing was said
    Ok(counted(&std::fs::read_to_string(&record).unwrap_or_default()))
}

/// What was done and refused, counted in LLVM's record of remarks.
fn counted(record: &str) -> Vec<Deed> {
    let mut counts: BTreeMap<(String, String, bool), u32> = BTreeMap::new();
    for remark in record.split("--- !").skip(1) {
        let is_done = remark.starts_with("Passed");
        let field = |name: &str| {
            let line = remark.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.trim().trim_matches(['\'', '"']).to_owned()
        };
        if is_done || remark.starts_with("Missed") {
            *counts.entry((field("Function:"), field("Name:"), is_done)).or_default() += 1;
        }
    }
    let deed = |((symbol, remark, is_done), count)| Deed { symbol, remark, is_done, count };
    counts.into_iter().map(deed).collect()
}

/// The files of a make dependency list: `target: file file \` and so on, with spaces in names escaped by backslashes.
fn dependencies(list: &Path) -> Result<Vec<String>> {
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
                "--- !{kind}\nPass:            warpwise\nName:            {name}\nFunction:        _Z1kPf\nArgs:\n...\n"
            )
        };
        let text =
            [one("Passed", "BranchFused"), one("Analysis", "LaneStride"), one("Missed", "A"), one("Missed", "A")];
        let deeds = counted(&text.concat());
        let found: Vec<_> = deeds.iter().map(|deed| (&*deed.symbol, &*deed.remark, deed.is_done, deed.count)).collect();
        assert_eq!(found, [("_Z1kPf", "A", false, 2), ("_Z1kPf", "BranchFused", true, 1)]);
    }

    #[test]
    fn lists_for_make_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("d");
        std::fs::write(&list, "k.ll: b.h \\\n  /a\\ b/k.cu \\\n a.h b.h\n").unwrap();
        assert_eq!(dependencies(&list).unwrap(), ["/a b/k.cu", "a.h", "b.h"]);
    }
}
