//! `warpwise report`: what is uniform, affine and divergent in a source, line by line, and what does it cost?
//!
//! A `.cu` file is compiled twice: to device IR, before any of our transforms, about which the report is; and, with
//! `--ptx`, to PTX with the plugin loaded. At -O0 variables are in memory; they are first promoted to values, or the
//! report would be about nothing but loads and stores.

use super::cuda::{Made, compile_device, compile_device_ir, find_plugin, is_cuda};
use super::flags::ClangFlags;
use super::{project, unit};
use crate::report::seen::SeenKernels;
use crate::report::times::Times;
use crate::report::{lines, model, text, todo};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use std::path::{Path, PathBuf};
use warpwise_analysis::counts;
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_analysis::explain::symbol::is_named;
use warpwise_ir::geometry::BlockShape;
use warpwise_ir::llvm::optimise::optimise;
use warpwise_ir::llvm::owned::OwnedModule;

/// Report what is uniform, affine and divergent in a CUDA source, in LLVM IR or in a whole project.
#[derive(Args)]
pub struct ReportArgs {
    /// CUDA source (.cu), textual IR (.ll) or bitcode (.bc).
    #[arg(required_unless_present = "project")]
    file: Option<PathBuf>,
    /// Instead of one file: every CUDA source of a project, from its compile_commands.json.
    #[arg(long, value_name = "compile_commands.json", conflicts_with_all = ["file", "ptx", "functions"])]
    pub(super) project: Option<PathBuf>,
    /// Pages, left here: one self-contained page; with --project, a folder with an index and a page for each file.
    #[arg(long, value_name = "OUT")]
    pub(super) html: Option<PathBuf>,
    /// With --project: all pages in one file, to be sent.
    #[arg(long, requires = "html")]
    pub(super) single: bool,
    /// A divergence map of the program, whose counts are shown beside kernels and lines; may be repeated.
    #[arg(long, value_name = "MAP")]
    map: Vec<PathBuf>,
    /// What was measured of each line, for pages: what `ncu --csv --page source --print-source cuda,sass` or
    /// `warpwise simt --lines` wrote; may be repeated.
    #[arg(long, value_name = "TABLE", requires = "html")]
    lines: Vec<PathBuf>,
    /// What changed, by kernel and line, from another build: its compile_commands.json or its source; or from another
    /// run: its times.
    #[arg(long, value_name = "BUILD", conflicts_with_all = ["why", "inventory"])]
    against: Option<PathBuf>,
    #[command(flatten)]
    of_project: project::ProjectArgs,
    /// Also compile to PTX with the plugin loaded, and leave it here.
    #[arg(long, value_name = "OUT.ptx")]
    ptx: Option<PathBuf>,
    /// One JSON document instead of text.
    #[arg(long)]
    pub(super) json: bool,
    /// Measured times, by which kernels and what to do are ranked: what `warpwise time --json TIMES ./program` or
    /// `ncu --csv --page raw ./program` wrote.
    #[arg(long, value_name = "TIMES")]
    times: Option<PathBuf>,
    /// Instead of the list: line N of it with all its places and the reasons.
    #[arg(long, value_name = "N", conflicts_with_all = ["json", "html", "inventory"])]
    pub(super) why: Option<usize>,
    /// After what to do first: every line with its class, every branch, access and object.
    #[arg(long, conflicts_with = "project")]
    inventory: bool,
    /// Shape of every block: X, XxY or XxYxZ.
    #[arg(long)]
    block: Option<BlockShape>,
    /// Only these functions, by symbol or by plain name.
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// Flags for clang; later flags win over warpwise's own (sm_90, -O3, -g1).
    #[arg(last = true, value_name = "CLANG FLAGS")]
    flags: Vec<String>,
}

/// Extensions of sources whose device code clang compiles only if it is told to, and how.
const HOST_SOURCES: [&str; 5] = ["c", "cc", "cpp", "cxx", "C"];

/// Runs the subcommand.
pub fn run(args: &ReportArgs) -> Result<()> {
    let times = args.times.as_deref().map(Times::read).transpose()?;
    let seen = args.seen()?;
    let against = args.against.as_deref().map(|path| args.against(path)).transpose()?;
    let form = project::Form { args, times: times.as_ref(), seen: seen.as_ref(), against };
    if let Some(commands) = &args.project {
        let all = project::collect(commands, &args.of_project, args.block, &args.flags)?;
        let has_any = !all.units.is_empty();
        all.give(&form)?;
        ensure!(has_any, "no source of {} could be looked at", commands.display());
        return Ok(());
    }
    let Some(file) = &args.file else { bail!("no file is given") };
    if let Some(name) = args.of_project.given() {
        bail!("{name} is for --project compile_commands.json, and {} is one file", file.display());
    }
    if args.json && args.html.is_some() {
        bail!("--json and --html are two forms of one report: ask for one of them");
    }
    let is_unit = args.html.is_some() || args.against.is_some();
    if !args.map.is_empty() && !is_unit {
        bail!(
            "--map is for --project compile_commands.json and for a page (--html), and {} is one file",
            file.display()
        );
    }
    let is_cuda = is_cuda(file);
    if file.extension().is_some_and(|extension| HOST_SOURCES.iter().any(|host| extension == *host)) {
        bail!(
            "{} is C or C++, of which a report needs the device code: for OpenMP, clang -fopenmp \
             -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target -march=sm_90 -O3 -g1 -nogpulib --offload-device-only -S \
             -emit-llvm -o kernel.ll makes it; then report on kernel.ll",
            file.display()
        );
    }
    if !is_cuda && (args.ptx.is_some() || !args.flags.is_empty()) {
        bail!("--ptx and clang flags are for CUDA sources, and {} is none (.cu)", file.display());
    }
    let waiting = project::waiting(format!("compiling and analysing {}", file.display()));
    if is_unit {
        let build = args.build(file)?;
        drop(waiting);
        return build.give(&form);
    }
    let flags = ClangFlags::new(&args.flags)?;
    let mut notes = Vec::new();
    let (_folder, module) = if is_cuda {
        let (folder, ir) = compile_device_ir(file, &flags.for_ir())?;
        let module = OwnedModule::from_file(&ir)?;
        if flags.is_unoptimised {
            optimise(&module, "function(mem2reg)").map_err(anyhow::Error::msg)?;
            notes.push(
                "compiled without optimisation; variables are shown as if they were kept in registers".to_owned(),
            );
        }
        (Some(folder), module)
    } else {
        (None, read_ir(file)?)
    };
    let analysis = ModuleAnalysis::new(module.handle(), Options { block: args.block.or(flags.settings.block) });
    let mut report = model::build(&analysis, file);
    keep_named(&mut report, &args.functions)?;
    report.notes = notes;
    report.rank(times.as_ref());
    drop(waiting);
    match args.why {
        Some(line) => print!("{}", todo::why(&report.todo, line)?),
        None if args.json => println!("{}", serde_json::to_string_pretty(&report)?),
        None => anstream::print!("{}", text::render(&report, times.is_some(), args.inventory)),
    }
    if let Some(ptx) = &args.ptx {
        eprint!("{}", compile_ptx(file, ptx, &flags.all)?); // remarks and warnings the user's flags asked for
    }
    Ok(())
}

impl ReportArgs {
    /// What maps and tables of lines say.
    fn seen(&self) -> Result<Option<SeenKernels>> {
        let mut seen = match self.map.as_slice() {
            [] => SeenKernels::default(),
            paths => SeenKernels::of(&counts::read_all(paths)?.1),
        };
        self.lines.iter().try_for_each(|path| lines::read(path, &mut seen.lines))?;
        Ok((!self.map.is_empty() || !self.lines.is_empty()).then_some(seen))
    }

    /// A build of one source.
    fn build(&self, file: &Path) -> Result<project::Collected> {
        let flags = ClangFlags::new(&self.flags)?;
        let unit = if is_cuda(file) {
            unit::look(file, &flags, self.block)?
        } else {
            let options = Options { block: self.block.or(flags.settings.block) };
            unit::of_ir(&ModuleAnalysis::new(read_ir(file)?.handle(), options), file)
        };
        Ok(project::Collected::of(file, unit))
    }

    /// The other build or run, told apart by what it is.
    fn against(&self, path: &Path) -> Result<project::Against> {
        let is_source = ["cu", "ll", "bc"].iter().any(|known| path.extension().is_some_and(|own| own == *known));
        let mut build = match path.is_dir() || path.ends_with("compile_commands.json") {
            true => project::collect(path, &self.of_project, self.block, &self.flags)?,
            false if is_source => self.build(path)?,
            false => return Ok(project::Against::Times(Times::read(path)?)),
        };
        build.index.finish(None, None);
        Ok(project::Against::Build(build))
    }
}

/// A module for NVPTX.
fn read_ir(file: &Path) -> Result<OwnedModule> {
    let is_ir = file.extension().is_some_and(|extension| extension == "ll" || extension == "bc");
    let hint = || format!("{} is no CUDA source (.cu), and is read as LLVM IR", file.display());
    let module = OwnedModule::from_file(file);
    let module = if is_ir { module? } else { module.with_context(hint)? };
    if !module.handle().is_nvptx() {
        bail!("{} is code for '{}', and warpwise looks at NVPTX only", file.display(), module.handle().triple());
    }
    Ok(module)
}

fn keep_named(report: &mut model::Report, names: &[String]) -> Result<()> {
    for name in names {
        if !report.functions.iter().any(|function| is_named(&function.symbol, name)) {
            let all: Vec<&str> = report.functions.iter().map(|function| function.name.as_str()).collect();
            bail!("{} has no function '{name}' with a body; it has {}", report.input, all.join(", "));
        }
    }
    if !names.is_empty() {
        report.functions.retain(|function| names.iter().any(|name| is_named(&function.symbol, name)));
    }
    Ok(())
}

/// Compiles to PTX with the plugin loaded; gives what clang said.
fn compile_ptx(source: &Path, ptx: &Path, flags: &[String]) -> Result<String> {
    let plugin = format!("-fpass-plugin={}", find_plugin()?.display());
    let flags: Vec<&str> = ["-g1", &plugin].into_iter().chain(flags.iter().map(String::as_str)).collect();
    compile_device(source, Made::Ptx, &flags, ptx)
}
