//! `warpwise fusion`: how many branches could fuse-branches fuse, and where does it pay?
//!
//! A `.cu` file is compiled without optimisation and then transformed as clang's pipeline has done when `fuse-branches`
//! first runs: inlined, promoted to registers, simplified, with loops in simplified form.

use super::cuda::compile_device_ir;
use crate::divergence::Options;
use crate::fuse::census::{Census, count};
use crate::geometry::BlockShape;
use crate::llvm::optimise::optimise;
use crate::llvm::owned::OwnedModule;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

const CLEAN_UP: &str = "nvvm-reflect,function(simplifycfg,sroa,early-cse),always-inline,cgscc(inline,function-attrs),\
    globaldce,function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify)";

/// Count branches by whether they are alike, divergent, and worth fusing.
#[derive(Args)]
pub struct FusionArgs {
    /// CUDA sources (.cu), textual IR (.ll) or bitcode (.bc); IR is taken as it is.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Shape of every block: X, XxY or XxYxZ.
    #[arg(long)]
    block: Option<BlockShape>,
}

/// Runs the subcommand.
pub fn run(args: &FusionArgs) -> Result<()> {
    let mut rows: Vec<(String, Census)> = Vec::new();
    for file in &args.files {
        let options = Options { block: args.block, simple: false };
        if file.extension().is_some_and(|extension| extension == "cu") {
            let (_folder, ir) = compile_device_ir(file, &["-Xclang", "-disable-llvm-passes"])?;
            let module = OwnedModule::from_file(&ir)?;
            optimise(&module, CLEAN_UP).map_err(anyhow::Error::msg)?;
            rows.extend(count(module.handle(), options));
        } else {
            rows.extend(count(OwnedModule::from_file(file)?.handle(), options));
        }
    }
    rows.retain(|row| row.1.branches > 0);
    let mut total = Census::default();
    for row in &rows {
        total += row.1;
    }
    rows.push(("total".to_owned(), total));
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    println!("{:width$}  branches  unifiable  divergent  profitable", "function");
    for (name, Census { branches, unifiable, divergent, profitable }) in &rows {
        println!("{name:width$}  {branches:8}  {unifiable:9}  {divergent:9}  {profitable:10}");
    }
    Ok(())
}
