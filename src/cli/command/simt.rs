//! `warpwise simt`: how is a kernel run on the lockstep machine, without a GPU?

use super::{cuda, record, say, simt_args, write};
use crate::map_report::measured::LineObserver;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use simt_args::{Element, Given};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpwise::map::describe;
use warpwise::settings::table::MAX_SHARED;
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_analysis::explain::symbol::{is_named, kernel_symbol};
use warpwise_ir::launch_table::{is_alternative, is_version};
use warpwise_ir::llvm::image::{self, ModuleImage};
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_oracle::check::{Checker, recount};
use warpwise_oracle::simt::{
    Bytes, DivergenceMap, Inputs, LaunchConfig, LaunchReport, Limits, Machine, Nobody, Observer, RaceCheck,
    Reconvergence, Scheduler, Tolerance, compare,
};

/// Run a kernel on the lockstep machine and print what it computed; no GPU is needed.
#[derive(Args)]
pub struct SimtArgs {
    /// The module: textual IR, bitcode, or a .cu file (compiled with clang first)
    #[arg(required_unless_present = "compare")]
    file: Option<PathBuf>,
    /// The kernel, by its symbol or its name in the source; may be left out if there is one only
    #[arg(long, short)]
    kernel: Option<String>,
    /// Blocks: X[,Y[,Z]]
    #[arg(long, default_value = "1", value_parser = parse_shape)]
    grid: [u32; 3],
    /// Threads of a block: X[,Y[,Z]]
    #[arg(long, default_value = "32", value_parser = parse_shape)]
    block: [u32; 3],
    /// Bytes of dynamic shared memory
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_SHARED)))]
    dynamic_shared: u32,
    /// An argument, in order: i32:7, f32:0.5, f32[1024]:zero|iota|fill:V|random:SEED|list:1,2,3|@file.npy, null, bytes:HEX
    #[arg(long = "arg", short = 'a', value_name = "ARG", allow_hyphen_values = true)]
    args: Vec<String>,
    /// A global variable's contents before the launch, as for --arg
    #[arg(long = "global", value_name = "NAME=ARG")]
    globals: Vec<String>,
    /// Save a buffer afterwards: argument number (from 0) or global name, and a file
    #[arg(long = "out", value_name = "N=FILE.npy")]
    outputs: Vec<String>,
    /// Write the launch, its inputs and its results into this folder, for another machine to repeat
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["compare", "check"])]
    record: Option<PathBuf>,
    /// How lanes are scheduled: lockstep, independent, independent:SEED
    #[arg(long, default_value = "lockstep", value_parser = parse_scheduler)]
    scheduler: Scheduler,
    /// Merge split lanes only at immediate post-dominators
    #[arg(long)]
    strict_reconvergence: bool,
    /// Check memory for races: shared, or shared and global
    #[arg(long, value_name = "WHERE", num_args = 0..=1, default_missing_value = "shared")]
    race: Option<RaceWhere>,
    /// Stop after so many instructions
    #[arg(long, default_value_t = Limits::default().steps)]
    max_steps: u64,
    /// Stop at so many nested calls
    #[arg(long, default_value_t = Limits::default().calls)]
    max_calls: u32,
    /// Run the kernel itself, not the version of it that the host would choose
    #[arg(long)]
    no_versions: bool,
    /// Run this alternative of a kernel built with -warpwise-tune: 1 for kernel$t1
    #[arg(long, value_name = "N")]
    alternative: Option<usize>,
    /// Print whole buffers instead of their first elements
    #[arg(long)]
    full: bool,
    /// Compare every dynamic instance of every value, branch and block with what the analysis claims
    #[arg(long, conflicts_with = "compare")]
    check: bool,
    /// Compare the counters of a module that divergence-map rewrote with the machine's own divergence map
    #[arg(long, conflicts_with_all = ["compare", "check"])]
    recount: bool,
    /// Save as a map file what the machine observed or, if divergence-map rewrote the module, what its counters say
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "check"])]
    save_map: Option<PathBuf>,
    /// Write what the machine did on each line, as a table for `warpwise report --html PAGE --lines TABLE`
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["compare", "check"])]
    lines: Option<PathBuf>,
    /// Run two versions on the same inputs under both schedulers and compare all memory
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"], conflicts_with = "file")]
    compare: Option<Vec<PathBuf>>,
    /// With --compare: join products and sums into multiply-adds, as LLVM's back end and ptxas do
    #[arg(long, requires = "compare")]
    contract: bool,
    /// With --compare: seeds of the independent scheduler
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// With --compare: relative difference that float buffers may show
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_parser = parse_tolerance)]
    tolerance: f64,
    /// Further flags for clang, for .cu files
    #[arg(long = "clang-flag", value_name = "FLAG", allow_hyphen_values = true)]
    clang_flags: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RaceWhere {
    Shared,
    Global,
}

fn parse_shape(text: &str) -> Result<[u32; 3], String> {
    let mut shape = [1; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        return Err(format!("{text} has {} extents, but at most three are possible", parts.len()));
    }
    for (extent, part) in shape.iter_mut().zip(parts) {
        *extent = part.trim().parse().map_err(|_| format!("{part} is no number of blocks or threads"))?;
    }
    Ok(shape)
}

fn parse_scheduler(text: &str) -> Result<Scheduler, String> {
    match text.split_once(':') {
        None if text == "lockstep" => Ok(Scheduler::Lockstep),
        None if text == "independent" => Ok(Scheduler::Independent(0)),
        Some(("independent", seed)) => {
            seed.parse().map(Scheduler::Independent).map_err(|_| format!("{seed} is no seed: give a number"))
        }
        _ => Err(format!("{text} is no scheduler: say lockstep, independent or independent:SEED")),
    }
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("{text} is no difference: give a number of at least 0, such as 1e-6"))
}

/// Opens a module from IR, bitcode or CUDA.
pub fn open(path: &Path, clang_flags: &[String]) -> Result<OwnedModule> {
    let names = ["-fno-discard-value-names"]; // arguments and registers with the names of the source
    let flags: Vec<&str> = names.into_iter().chain(clang_flags.iter().map(String::as_str)).collect();
    let compiled = if cuda::is_cuda(path) { Some(cuda::compile_device_ir(path, &flags)?) } else { None };
    let source = compiled.as_ref().map_or(path, |(_, output)| output);
    let module = OwnedModule::from_file(source)?;
    if let Err(message) = module.inkwell().verify() {
        bail!("{} is broken IR: {}", path.display(), message.to_string_lossy().trim());
    }
    Ok(module)
}

impl SimtArgs {
    fn config(&self) -> LaunchConfig {
        let mut config = LaunchConfig::new(self.grid, self.block);
        config.dynamic_shared = self.dynamic_shared;
        config.scheduler = self.scheduler;
        config.limits.steps = self.max_steps;
        config.limits.calls = self.max_calls;
        config.versions = !self.no_versions;
        config.alternative = self.alternative;
        if self.strict_reconvergence {
            config.reconvergence = Reconvergence::PostDominator;
        }
        config.races = RaceCheck { shared: self.race.is_some(), global: self.race == Some(RaceWhere::Global) };
        config
    }

    /// The symbol of the kernel that is named: by its symbol, or by its name in the source, with template arguments if
    /// there are several instantiations.
    fn kernel_in(&self, image: &ModuleImage) -> Result<Option<String>> {
        let Some(name) = &self.kernel else { return Ok(None) };
        let symbols = || image.kernels().map(|id| &image.functions[id.index()].name);
        if symbols().any(|symbol| symbol == name) {
            return Ok(Some(name.clone()));
        }
        // versions and alternatives are copies of kernels, and have their names
        let is_copy = |symbol: &str| is_version(symbol).is_some() || is_alternative(symbol).is_some();
        match symbols().filter(|symbol| is_named(symbol, name) && !is_copy(symbol)).collect::<Vec<_>>().as_slice() {
            [only] => Ok(Some((*only).clone())),
            [] if image.kernels().next().is_none() => bail!("{} has no kernel", image.name),
            [] => {
                let all = symbols().map(|symbol| kernel_symbol(symbol)).collect::<Vec<_>>().join(", ");
                bail!("there is no kernel named {name} in {}; it has {all}", image.name)
            }
            several => {
                let symbols = several.iter().map(|symbol| symbol.as_str()).collect::<Vec<_>>().join(", ");
                bail!("{name} is the name of {} kernels, so say which by its symbol: {symbols}", several.len())
            }
        }
    }

    /// The symbol of what a launch ran: the kernel, or the version of it that was chosen.
    fn launched(&self, image: &ModuleImage, report: &LaunchReport) -> Result<String> {
        if let Some(version) = &report.version {
            return Ok(version.clone());
        }
        let kernel = Machine::new(image).kernel(self.kernel_in(image)?.as_deref())?;
        Ok(image.functions[kernel.index()].name.clone())
    }

    fn inputs(&self) -> Result<(Inputs, Vec<Given>)> {
        let arg = |(i, text): (usize, &String)| simt_args::parse(text).with_context(|| format!("--arg {i} ({text})"));
        let given = self.args.iter().enumerate().map(arg).collect::<Result<Vec<Given>>>()?;
        let mut inputs = Inputs { args: given.iter().map(Given::to_arg).collect(), ..Inputs::default() };
        for text in &self.globals {
            let Some((name, value)) = text.split_once('=') else {
                bail!("--global {text}: say NAME=ARG, such as table=f32[16]:iota");
            };
            let arg = simt_args::parse(value).with_context(|| format!("--global {text}"))?;
            inputs.globals.push((name.to_owned(), arg.data));
        }
        Ok((inputs, given))
    }
}

/// Runs the subcommand.
pub fn run(args: &SimtArgs) -> Result<ExitCode> {
    let (inputs, given) = args.inputs()?;
    if let Some([before, after]) = args.compare.as_deref() {
        return run_compare(args, before, after, &inputs, &given);
    }
    let Some(file) = &args.file else { bail!("no module is given") };
    let module = open(file, &args.clang_flags)?;
    let image = image::import(module.handle(), &file.display().to_string());
    let report = if args.check {
        let kernel = args.kernel_in(&image)?;
        let report = Checker::new(module.handle(), &image).run(kernel.as_deref(), &args.config(), &inputs)?;
        finish(args, &given, &report.launch)?;
        say(&format!("{report}\n"))?;
        return Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    } else if args.recount || args.save_map.is_some() || args.lines.is_some() {
        observed(args, file, (&module, &image), &inputs)?
    } else {
        let report = launch(args, &image, &inputs, &mut Nobody)?;
        if let Some(folder) = &args.record {
            record::write(folder, &args.launched(&image, &report)?, &args.config(), &given, &report)?;
        }
        report
    };
    finish(args, &given, &report)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the kernel, and compares, saves or shows what was counted.
fn observed(
    args: &SimtArgs,
    file: &Path,
    (module, image): (&OwnedModule, &ModuleImage),
    inputs: &Inputs,
) -> Result<LaunchReport> {
    let mut both = (DivergenceMap::default(), LineObserver::default());
    let report = launch(args, image, inputs, &mut both)?;
    let (map, lines) = both;
    if let Some(path) = &args.lines {
        write(path, lines.table(image))?;
    }
    let launched = recount::launch_of(&args.config(), inputs);
    if args.recount {
        let met = recount::compare(image, &map, &launched, &report)?;
        say(&format!("{met} branches were counted as the machine saw them\n"))?;
    }
    if let Some(path) = &args.save_map {
        let map = match recount::saved(&report) {
            // the analysis does not know the launch, as it would not in a build
            Err(recount::RecountError::NotCounted) => {
                let kernel = args.launched(image, &report)?;
                let table = describe(&ModuleAnalysis::new(module.handle(), Options::default()), file);
                recount::file_of(&recount::observed(table, image, &map, &kernel, &launched))
            }
            counted => counted?,
        };
        write(path, map.encode())?;
    }
    Ok(report)
}

/// Launches with an observer.
fn launch(args: &SimtArgs, image: &ModuleImage, inputs: &Inputs, observer: &mut impl Observer) -> Result<LaunchReport> {
    let machine = Machine::new(image);
    let kernel = machine.kernel(args.kernel_in(image)?.as_deref())?;
    Ok(machine.launch(kernel, &args.config(), inputs, observer)?)
}

fn finish(args: &SimtArgs, given: &[Given], report: &LaunchReport) -> Result<()> {
    say(&report.stdout)?;
    let mut saved = Vec::new();
    for text in &args.outputs {
        let Some((what, path)) = text.split_once('=') else {
            bail!("--out {text}: say N=FILE.npy, N being the number of an argument, or NAME=FILE.npy for a global");
        };
        let (bytes, element) = match what.parse::<usize>() {
            Ok(number) => {
                let buffer = report.buffers.get(number).and_then(Option::as_ref);
                let bytes = buffer.with_context(|| format!("--out {text}: argument {number} is no buffer"))?;
                saved.push(number);
                (bytes, element_of(given.get(number)))
            }
            Err(_) => {
                let found = report.globals.iter().find(|global| global.name == what);
                let global = found.with_context(|| format!("--out {text}: there is no such global variable"))?;
                (&global.bytes, Element::U8)
            }
        };
        simt_args::save(Path::new(path), element, &bytes.data).with_context(|| format!("cannot write {path}"))?;
    }
    for (number, buffer) in report.buffers.iter().enumerate() {
        if let Some(bytes) = buffer.as_ref().filter(|_| !saved.contains(&number)) {
            say(&show_buffer(number, element_of(given.get(number)), bytes, args.full))?;
        }
    }
    if let Some(version) = &report.version {
        say(&format!("version {version} ran\n"))?;
    }
    say(&format!("{} instructions, {} lane instructions\n", report.steps, report.lane_steps))?;
    for warning in &report.warnings {
        eprintln!("warpwise: warning: {warning}");
    }
    Ok(())
}

fn element_of(given: Option<&Given>) -> Element {
    given.and_then(|given| given.element).unwrap_or(Element::U8)
}

fn show_buffer(number: usize, element: Element, bytes: &Bytes, full: bool) -> String {
    const SHOWN: usize = 16;
    let size = element.size();
    let count = bytes.data.len() / size;
    let shown = if full { count } else { count.min(SHOWN) };
    let value = |(i, raw): (usize, &[u8])| {
        let undef = bytes.undef.get(i * size..(i + 1) * size);
        let is_undefined = undef.is_some_and(|undef| undef.iter().any(|&bits| bits != 0));
        if is_undefined { "undef".to_owned() } else { element.show(raw) }
    };
    let values: Vec<String> = bytes.data.chunks_exact(size).enumerate().take(shown).map(value).collect();
    let rest = if shown < count { format!(", … ({count} in all)") } else { String::new() };
    format!("arg {number}: {}[{count}] = {}{rest}\n", element.name(), values.join(", "))
}

fn run_compare(args: &SimtArgs, before: &Path, after: &Path, inputs: &Inputs, given: &[Given]) -> Result<ExitCode> {
    let loaded = |path: &Path| -> Result<_> {
        let image = image::import(open(path, &args.clang_flags)?.handle(), &path.display().to_string());
        Ok(ModuleImage { contracts: args.contract, ..image })
    };
    let (first, second) = (loaded(before)?, loaded(after)?);
    let mut configs = vec![LaunchConfig { scheduler: Scheduler::Lockstep, ..args.config() }];
    configs
        .extend((0..args.seeds).map(|seed| LaunchConfig { scheduler: Scheduler::Independent(seed), ..args.config() }));
    let size = |given: &Given| given.element.filter(|element| element.is_float()).map(Element::size);
    let floats: Vec<Option<usize>> = given.iter().map(size).collect();
    let tolerance = Tolerance { relative: args.tolerance, absolute: 0.0 };
    compare(&first, &second, args.kernel_in(&first)?.as_deref(), &configs, inputs, &floats, tolerance)?;
    say(&format!("equal under the lockstep scheduler and {} seeds of the independent one\n", args.seeds))?;
    Ok(ExitCode::SUCCESS)
}
