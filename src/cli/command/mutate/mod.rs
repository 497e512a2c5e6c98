//! `warpwise fuzz mutate` and `warpwise fuzz survive`: does every pass survive every valid module?
//!
//! Modules are created and tried by child processes, one batch of seeds each. A child reports its current seed and
//! [stage](stages), so that the parent knows what killed it or takes forever, and continues after it with another
//! child.

mod stages;

use super::project::{locked, numbers_in_parallel, progress, unlocked};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_oracle::fuzz::odd::Pool;
use warpwise_timer::launch::{is_interrupted, watch_signals};

/// Number of seeds in a batch: reading a corpus takes as long as some hundred modules.
const BATCH: u64 = 1000;

/// Try every pass on odd modules: none may crash or leave a broken module, whatever the modules compute.
///
/// A seed names a random kernel or a module of a corpus, then edited: operands, branches, flags, attributes,
/// blocks. Only those that LLVM's verifier accepts are tried. The analysis prints and reports each of them, and every
/// transform, the default pipeline and all of them in a row run over it; the result must verify.
#[derive(Args)]
pub struct MutateArgs {
    /// `A..B`, the second excluded.
    #[arg(long, value_parser = super::fuzz::parse_range)]
    seeds: (u64, u64),
    /// Start from the modules in this folder too (.ll and .bc, and those in folders below).
    #[arg(long, value_name = "FOLDER")]
    corpus: Vec<PathBuf>,
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Seconds that one stage may take for one module.
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Stop after so many seconds, whatever seeds are left.
    #[arg(long)]
    seconds: Option<u64>,
    /// Stop at the first failure.
    #[arg(long)]
    first: bool,
    /// Save the modules that fail into this folder, as SEED.bc.
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// Write the module of the first seed here, as bitcode, and try nothing.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Try the modules in this process, and say so on standard output.
    #[arg(long, hide = true)]
    child: bool,
}

/// Try every pass on one module, as `mutate` does, each in a process of its own.
#[derive(Args)]
pub struct SurviveArgs {
    /// Textual IR or bitcode.
    file: PathBuf,
    /// This stage only, in this process: `analysis`, `machine`, or a pipeline as `opt -passes=` takes it.
    #[arg(long)]
    stage: Option<String>,
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Succeed if and only if it fails as this `KIND@STAGE`, as `mutate` names it: for llvm-reduce.
    #[arg(long)]
    interesting: Option<String>,
}

/// What went wrong with a seed.
struct Failure {
    seed: u64,
    stage: String,
    /// `crash`, `slow` or `invalid`.
    kind: &'static str,
    message: String,
}

/// Runs `warpwise fuzz mutate`.
pub fn mutate(args: &MutateArgs) -> Result<ExitCode> {
    if args.child {
        return child(args).map(|()| ExitCode::SUCCESS);
    }
    if let Some(path) = &args.output {
        let seed = args.seeds.0;
        let Some(module) = pool(&args.corpus)?.module(seed) else { bail!("seed {seed} names no valid module") };
        super::write(path, module.to_bitcode())?;
        return Ok(ExitCode::SUCCESS);
    }
    for folder in &args.corpus {
        std::fs::read_dir(folder).with_context(|| format!("cannot read the folder {}", folder.display()))?;
    }
    let start = Instant::now();
    let stop = AtomicBool::new(false);
    let done = Mutex::new(Done::default());
    let bar = progress((args.seeds.1 - args.seeds.0) as usize);
    watch_signals();
    let trouble = Mutex::new(None);
    let late = || is_interrupted() || args.seconds.is_some_and(|limit| start.elapsed().as_secs() >= limit);
    let is_over = || stop.load(Ordering::Relaxed) || late();
    let next = numbers_in_parallel(args.jobs, args.seeds, BATCH, is_over, |from| {
        if let Err(error) = batch(args, (from, (from + BATCH).min(args.seeds.1)), &late, &stop, &done, &bar) {
            stop.store(true, Ordering::Relaxed);
            locked(&trouble).get_or_insert(error);
        }
    });
    bar.finish_and_clear();
    if let Some(error) = unlocked(trouble) {
        return Err(error);
    }
    let Done { modules, failures, left } = unlocked(done);
    let seconds = start.elapsed().as_secs_f64();
    let stages = stages::names().count();
    println!("{modules} modules, {stages} stages each, in {seconds:.1} s; {} failed", failures.len());
    let left = left.unwrap_or(u64::MAX).min(next);
    if left < args.seeds.1 {
        println!("{}", super::fuzz::left((left, args.seeds.1)));
    }
    if let Some(folder) = &args.save {
        save(folder, &failures, args)?;
    }
    Ok(super::fuzz::status(failures.is_empty()))
}

/// What has been tried so far.
#[derive(Default)]
struct Done {
    modules: u64,
    failures: Vec<Failure>,
    /// The first seed of the batches that were not finished.
    left: Option<u64>,
}

fn pool(folders: &[PathBuf]) -> Result<Pool> {
    Pool::of_folders(folders).context("cannot read the corpus")
}

/// This command for other seeds.
fn again(args: &MutateArgs, (from, to): (u64, u64)) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
    command.args(["fuzz", "mutate", "--seeds"]).arg(format!("{from}..{to}"));
    args.corpus.iter().for_each(|folder| _ = command.arg("--corpus").arg(folder));
    Ok(command)
}

/// Tries the seeds of a batch, in as many children as necessary.
fn batch(
    args: &MutateArgs,
    (mut from, to): (u64, u64),
    late: &dyn Fn() -> bool,
    stop: &AtomicBool,
    done: &Mutex<Done>,
    bar: &ProgressBar,
) -> Result<()> {
    while from < to && !stop.load(Ordering::Relaxed) && !late() {
        let mut command = again(args, (from, to))?;
        command.arg("--child");
        let mut at = (from, String::new());
        let mut modules = 0;
        let mut found = Vec::new();
        let how = watch(command, args.limit, |line| {
            let mut words = line.splitn(3, '\t');
            let (word, seed, rest) = (words.next(), words.next(), words.next().unwrap_or_default());
            let seed: u64 = seed.and_then(|seed| seed.parse().ok()).unwrap_or(from);
            match word {
                Some("at") => at = (seed, rest.to_owned()),
                Some("bad") => {
                    let (stage, message) = (at.1.clone(), rest.to_owned());
                    found.push(Failure { seed, stage, kind: "invalid", message });
                }
                Some("end") => {
                    modules += 1;
                    bar.inc(1);
                }
                _ => {}
            }
            !late()
        })?;
        // the terminal sends Ctrl-C to the child too
        let how = how.filter(|_| !is_interrupted());
        let is_cut = how.is_none() && late();
        from = if how.is_some() { at.0 + 1 } else { to };
        found.extend(how.map(|(kind, message)| Failure { seed: at.0, stage: at.1, kind, message }));
        for failure in &found {
            let said = format!("seed {}: {}@{}: {}", failure.seed, failure.kind, failure.stage, failure.message);
            bar.suspend(|| println!("{said}"));
        }
        stop.fetch_or(args.first && !found.is_empty(), Ordering::Relaxed);
        let mut done = locked(done);
        if is_cut {
            done.left = Some(done.left.map_or(at.0, |left| left.min(at.0)));
        }
        done.modules += modules;
        done.failures.extend(found);
    }
    Ok(())
}

/// Runs a child process that may be silent for so many seconds, and stops it if `goes_on` says so of a line that it prints.
/// What went wrong, in a word and a sentence.
fn watch(
    command: Command,
    limit: u64,
    mut goes_on: impl FnMut(&str) -> bool,
) -> Result<Option<(&'static str, String)>> {
    let mut watched = Watched::start(command)?;
    loop {
        match watched.lines.recv_timeout(Duration::from_secs(limit)) {
            Ok(line) if goes_on(&line) => {}
            Ok(_) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => return Ok(Some(("slow", format!("no end after {limit} s")))),
            Err(RecvTimeoutError::Disconnected) => return Ok(watched.end()?.map(|message| ("crash", message))),
        }
    }
}

/// A child process whose standard output is read line by line, and which is killed when this value is dropped.
struct Watched {
    child: Child,
    lines: Receiver<String>,
    errors: std::fs::File,
}

impl Watched {
    fn start(mut command: Command) -> Result<Watched> {
        let errors = tempfile::tempfile().context("cannot make a temporary file")?;
        let sink = errors.try_clone().context("cannot use a temporary file")?;
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(sink).spawn();
        let mut child = child.context("cannot start this program again")?;
        let (send, lines) = channel();
        if let Some(output) = child.stdout.take() {
            let mut lines = BufReader::new(output).lines().map_while(Result::ok);
            std::thread::spawn(move || lines.try_for_each(|line| send.send(line)));
        }
        Ok(Watched { child, lines, errors })
    }

    /// Waits for the child; what it died of, if it did.
    fn end(&mut self) -> Result<Option<String>> {
        let status = self.child.wait().context("cannot wait for a child")?;
        if status.success() {
            return Ok(None);
        }
        let mut said = Vec::new();
        self.errors.seek(SeekFrom::Start(0))?;
        self.errors.read_to_end(&mut said)?;
        let said = String::from_utf8_lossy(&said);
        let line =
            said.lines().find(|line| line.contains("panicked") || line.contains("ERROR") || line.contains("error"));
        let line = line.or(said.lines().next()).unwrap_or("it said nothing");
        let next = said.lines().skip_while(|&l| l != line).nth(1).unwrap_or_default();
        Ok(Some(format!("{status}: {line} {next}")))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Tries the modules of some seeds in this process.
fn child(args: &MutateArgs) -> Result<()> {
    die_of_panics();
    let pool = pool(&args.corpus)?;
    let mut out = std::io::stdout().lock();
    for seed in args.seeds.0..args.seeds.1 {
        writeln!(out, "at\t{seed}\tgeneration")?;
        let Some(module) = pool.module(seed) else { continue };
        let bitcode = module.to_bitcode();
        for stage in stages::names() {
            writeln!(out, "at\t{seed}\t{stage}")?;
            if let Err(message) = stages::run(&bitcode, stage) {
                writeln!(out, "bad\t{seed}\t{}", message.replace('\n', " "))?;
            }
        }
        writeln!(out, "end\t{seed}")?;
    }
    Ok(())
}

/// The plugin handles a panic of the analysis as "nothing known"; here it counts as a crash.
fn die_of_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        std::process::abort();
    }));
}

fn save(folder: &Path, failures: &[Failure], args: &MutateArgs) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for failure in failures {
        let path = folder.join(format!("{}.bc", failure.seed));
        let mut command = again(args, (failure.seed, failure.seed + 1))?;
        command.arg("--output").arg(&path).stderr(Stdio::null());
        if command.status().context("cannot start this program again")?.success() {
            println!("saved {} ({}@{})", path.display(), failure.kind, failure.stage);
        }
    }
    Ok(())
}

/// Runs `warpwise fuzz survive`.
pub fn survive(args: &SurviveArgs) -> Result<ExitCode> {
    let module = OwnedModule::from_file(&args.file)?;
    if let Err(message) = module.verify() {
        bail!("{} is not valid: {message}", args.file.display());
    }
    if let Some(stage) = &args.stage {
        die_of_panics();
        return match stages::run(&module.to_bitcode(), stage) {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(message) => {
                println!("invalid@{stage}: {message}");
                Ok(ExitCode::FAILURE)
            }
        };
    }
    let wanted = args.interesting.as_deref().and_then(|name| name.split_once('@'));
    let mut failed = false;
    for stage in stages::names().filter(|&stage| wanted.is_none_or(|(_, wanted)| stage == wanted)) {
        let Some((kind, message)) = try_stage(&args.file, stage, args.limit)? else { continue };
        if args.interesting.is_none() {
            println!("{kind}@{stage}: {message}");
        }
        failed |= wanted.is_none_or(|(wanted, _)| wanted == kind);
    }
    Ok(if failed == wanted.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one stage in a process of its own.
fn try_stage(file: &Path, stage: &str, limit: u64) -> Result<Option<(&'static str, String)>> {
    let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
    command.args(["fuzz", "survive"]).arg(file).args(["--stage", stage]);
    let mut said = None;
    let end = watch(command, limit, |line| {
        said.get_or_insert(line.to_owned());
        true
    })?;
    let said = said.filter(|_| end.as_ref().is_none_or(|(kind, _)| *kind != "slow"));
    Ok(said.map(|line| ("invalid", line)).or(end))
}
