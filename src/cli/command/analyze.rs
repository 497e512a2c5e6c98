//! `warpwise analyze`: what does the analysis say about a file of LLVM IR? Prints the text of
//! `print<affine-divergence>`.

use clap::Args;
use std::path::PathBuf;
use warpwise_analysis::divergence::hypothesis::conditions_in;
use warpwise_analysis::divergence::print::Printer;
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_ir::geometry::BlockShape;
use warpwise_ir::llvm::owned::OwnedModule;

/// Print what is uniform, affine and divergent in a module of LLVM IR.
#[derive(Args)]
pub struct AnalyzeArgs {
    /// Textual IR or bitcode.
    file: PathBuf,
    /// Shape of every block: X, XxY or XxYxZ.
    #[arg(long)]
    block: Option<BlockShape>,
    /// Only these functions.
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// The simple analysis: uniform or divergent, no forms.
    #[arg(long)]
    simple: bool,
}

/// Runs the subcommand.
pub fn run(args: &AnalyzeArgs) -> anyhow::Result<()> {
    let module = OwnedModule::from_file(&args.file)?;
    let handle = module.handle();
    for name in &args.functions {
        if handle.function(name).is_none_or(|function| function.is_declaration()) {
            anyhow::bail!("{} has no function '{name}' with a body", args.file.display());
        }
    }
    let analysis = ModuleAnalysis::new(handle, Options { block: args.block, simple: args.simple });
    for function in handle.functions().filter(|function| !function.is_declaration()) {
        if args.functions.is_empty() || args.functions.contains(&function.name()) {
            let (facts, handles) = analysis.facts(function);
            let conditions = conditions_in(&analysis, &facts, &handles);
            print!("{}", Printer::new(&facts, &handles).with_conditions(conditions).function());
        }
    }
    Ok(())
}
