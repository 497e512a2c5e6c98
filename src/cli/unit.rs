//! `warpwise unit` (hidden): what a report of a whole project asks of one translation unit, in a process of its own, so
//! that no source can take the others down.
//!
//! Compiles to device IR, looks at it as `warpwise report` does, runs the default pipeline on it and counts what it said.
//! What was read is named, so that the answer can be kept until one of those files changes.

use super::cuda::compile_device_ir;
use super::flags::ClangFlags;
use crate::divergence::{ModuleAnalysis, Options};
use crate::geometry::BlockShape;
use crate::llvm::owned::OwnedModule;
use crate::llvm::remark::{Host, Kind};
use crate::map::{self, page};
use crate::pipeline::{self, Pass, Session};
use crate::report::index::{Deed, KernelRow, Unit};
use crate::report::model;
use crate::source::Sources;
use anyhow::{Context, Result};
use clap::Args;
use std::cell::RefCell;
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
    let block = args.block.or(flags.block);
    let analysis = ModuleAnalysis::new(module.handle(), Options { block, simple: false });
    let report = model::build(&analysis, &args.file.display().to_string(), &mut Sources::beside(&args.file));
    let page = page::of_table(&map::describe(&analysis, &args.file), &args.file);
    drop(analysis);
    let deeds = deeds(&module, &flags, block)?;
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

/// What the default pipeline did and refused, by function and remark.
fn deeds(module: &OwnedModule, flags: &ClangFlags, block: Option<BlockShape>) -> Result<Vec<Deed>> {
    let mut parameters = flags.parameters.clone();
    parameters.extend(block.map(|shape| format!("block={shape}")));
    let said = RefCell::new(Vec::new());
    let session = Session::default();
    let host = Host::collecting(&said, session.said());
    pipeline::run(Pass::Default, module.handle(), &parameters.join(";"), &session, &host)?;
    let mut counts: BTreeMap<(String, String, bool), u32> = BTreeMap::new();
    for remark in said.into_inner() {
        if matches!(remark.kind, Kind::Passed | Kind::Missed) {
            *counts.entry((remark.function, remark.name, remark.kind == Kind::Passed)).or_default() += 1;
        }
    }
    let deed = |((symbol, remark, is_done), count)| Deed { symbol, remark, is_done, count };
    Ok(counts.into_iter().map(deed).collect())
}

/// The files of a list for make: `target: file file \` and so on, blanks in names behind backslashes.
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
    fn lists_for_make_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("d");
        std::fs::write(&list, "k.ll: b.h \\\n  /a\\ b/k.cu \\\n a.h b.h\n").unwrap();
        assert_eq!(dependencies(&list).unwrap(), ["/a b/k.cu", "a.h", "b.h"]);
    }
}
