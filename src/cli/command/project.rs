//! `warpwise report --project compile_commands.json`: what is there to know about the kernels of a whole project?
//! Reports on every CUDA translation unit, and an index of all kernels.
//!
//! Each unit is processed in a process of its own ([`super::unit`]), several in parallel. Results are
//! [kept](super::kept), so an interrupted run continues where it stopped, and a second run only processes what has
//! changed. A unit that does not compile is
//! listed and tried again next time. The output depends on the inputs only, not on time, order or the number of jobs.

use super::commands::{DeviceCommand, Entry, device_command};
use super::cuda::{TREE_VARIABLE, find_clang, find_cuda};
use super::kept::{Answers, identity, key};
use super::report::ReportArgs;
use crate::map_report::page;
use crate::report::against::{self, Build};
use crate::report::index::{Failure, Index, Row, Unit};
use crate::report::seen::SeenKernels;
use crate::report::times::Times;
use crate::report::todo;
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use warpwise_ir::geometry::BlockShape;
use warpwise_timer::launch::{is_interrupted, watch_signals};

/// Options for projects only.
#[derive(Args)]
pub struct ProjectArgs {
    /// With --project: number of files that are compiled and analysed at once (default: one for each core).
    #[arg(long, value_name = "N", requires = "project")]
    jobs: Option<usize>,
    /// With --project: where answers are kept (.warpwise beside compile_commands.json).
    #[arg(long, value_name = "DIR", requires = "project")]
    cache: Option<PathBuf>,
}

impl ProjectArgs {
    /// The first that is given; clap lets them pass beside a file, which conflicts with what they require.
    pub fn given(&self) -> Option<&'static str> {
        let given = [(self.jobs.is_some(), "--jobs"), (self.cache.is_some(), "--cache")];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

/// The work for one file.
struct Task {
    directory: PathBuf,
    file: PathBuf,
    flags: Vec<String>,
    is_nvcc: bool,
    /// The CUDA tree.
    cuda: PathBuf,
    block: Option<BlockShape>,
    /// Hash of all of the above and of what looks at it.
    key: String,
}

/// How the report is given.
pub struct Form<'a> {
    pub args: &'a ReportArgs,
    pub times: Option<&'a Times>,
    pub seen: Option<&'a SeenKernels>,
    pub against: Option<Against>,
}

/// What is compared with: another build, or times of another run.
pub enum Against {
    Build(Collected),
    Times(Times),
}

/// What is known of every source of a build.
pub struct Collected {
    /// With rows, but not finished.
    pub index: Index,
    /// Each with its name in the rows.
    pub units: Vec<(String, Unit)>,
}

impl Collected {
    /// A build of one source.
    pub fn of(file: &Path, unit: Unit) -> Collected {
        let mut index = Index { project: file.display().to_string(), ..Index::default() };
        let units = add(&mut index, &[file.display().to_string()], vec![Ok(unit)]);
        Collected { index, units }
    }

    /// Ranks the kernels, compares, and gives the report.
    pub fn give(mut self, form: &Form<'_>) -> Result<()> {
        self.index.finish(form.times, form.seen);
        let new = Build { rows: &self.index.kernels, units: &self.units };
        self.index.changes = form.against.as_ref().map(|other| match other {
            Against::Build(old) => against::changes(Build { rows: &old.index.kernels, units: &old.units }, new),
            Against::Times(times) => {
                let mut rows = self.index.kernels.clone();
                rows.iter_mut().for_each(|row| row.milliseconds = times.of(&row.kernel.symbol));
                against::changes(Build { rows: &rows, ..new }, new)
            }
        });
        if let Some(html) = &form.args.html {
            self.write_pages(html, form).with_context(|| format!("cannot write to {}", html.display()))?;
        }
        match form.args.why {
            Some(line) => print!("{}", todo::why(&self.index.todo, line)?),
            None if form.args.json => println!("{}", serde_json::to_string_pretty(&self.index)?),
            None => anstream::print!("{}", self.index.to_text()),
        }
        Ok(())
    }

    fn write_pages(&mut self, html: &Path, form: &Form<'_>) -> Result<()> {
        for (_, unit) in &mut self.units {
            page::with_counts(&mut unit.page, form.seen);
        }
        let units = || self.units.iter().map(|(name, unit)| (&**name, &unit.page));
        if form.args.single || form.args.project.is_none() {
            return Ok(std::fs::write(html, page::render(&self.index, "", units()))?);
        }
        std::fs::create_dir_all(html.join("files"))?;
        for (name, unit) in units() {
            let kernels = self.index.kernels.iter().filter(|row| row.page == name).cloned().collect();
            let own = Index { kernels, todo: Vec::new(), failures: Vec::new(), changes: None, ..self.index.clone() };
            std::fs::write(html.join(name), page::render(&own, "../index.html", [(name, unit)].into_iter()))?;
        }
        Ok(std::fs::write(html.join("index.html"), page::render(&self.index, "", std::iter::empty()))?)
    }
}

/// Adds what was found of sources to an index.
fn add(index: &mut Index, files: &[String], units: Vec<Result<Unit, String>>) -> Vec<(String, Unit)> {
    let mut named = Vec::new();
    for (file, unit) in files.iter().zip(units) {
        match unit {
            Err(reason) => index.failures.push(Failure { file: file.clone(), reason }),
            Ok(mut unit) => {
                let page = format!("files/{:04}.html", index.units);
                let row = |kernel| Row::new(file, &page, kernel);
                index.units += 1;
                index.kernels.extend(std::mem::take(&mut unit.kernels).into_iter().map(row));
                named.push((page, unit));
            }
        }
    }
    named
}

/// Looks at all sources of a project.
pub fn collect(commands: &Path, args: &ProjectArgs, block: Option<BlockShape>, more: &[String]) -> Result<Collected> {
    let inside = commands.join("compile_commands.json");
    let commands = if commands.is_dir() { &inside } else { commands };
    let text = std::fs::read_to_string(commands).with_context(|| {
        format!(
            "cannot read {}; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, and `bear -- make` for a Makefile",
            commands.display()
        )
    })?;
    let entries: Vec<Entry> =
        serde_json::from_str(&text).with_context(|| format!("{} is no compilation database", commands.display()))?;
    let beside = commands.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cache = args.cache.clone().unwrap_or_else(|| beside.join(".warpwise"));
    let answers =
        Answers::of(&cache).context("results are kept beside the database, and --cache DIR keeps them elsewhere")?;
    let mut index = Index { project: commands.display().to_string(), ..Index::default() };
    let mut tasks = Vec::new();
    let command = std::env::current_exe().context("cannot tell where warpwise is")?;
    let tools = Tools { clang: find_clang()?, command, identity: identity()? };
    for entry in &entries {
        match device_command(entry) {
            Ok(None) => {}
            Ok(Some(mut command)) => {
                command.flags.extend(more.iter().cloned());
                tasks.push(Task::new(entry, command, block, &tools)?);
            }
            Err(error) => {
                let (file, reason) = (entry.file.display().to_string(), format!("{error:#}"));
                index.failures.push(Failure { file, reason });
            }
        }
    }
    if tasks.is_empty() && index.failures.is_empty() {
        bail!("{} names no CUDA source", commands.display());
    }
    tasks.sort_by(|a, b| (&a.file, &a.key).cmp(&(&b.file, &b.key)));
    tasks.dedup_by(|a, b| a.key == b.key);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    watch_signals();
    let units = look_at_all(&tasks, &answers, &tools, args.jobs.unwrap_or(cores).clamp(1, tasks.len().max(1)));
    if is_interrupted() {
        let done = units.iter().filter(|unit| unit.is_ok()).count();
        bail!("stopped: {done} of {} files are looked at; the same command goes on after them", units.len());
    }

    let files: Vec<String> = tasks.iter().map(|task| task.file.display().to_string()).collect();
    let units = add(&mut index, &files, units);
    Ok(Collected { index, units })
}

/// A progress bar on standard error; silent if that is no terminal.
pub fn progress(length: usize) -> ProgressBar {
    styled(ProgressBar::new(length as u64), "{bar:40} {pos}/{len} {wide_msg}")
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Works on every `step`th number of a range (the second excluded), in so many threads, until it is over. Returns the first
/// number on which no work was begun, which may be beyond the range.
pub fn numbers_in_parallel(
    jobs: usize,
    (from, to): (u64, u64),
    step: u64,
    is_over: impl Fn() -> bool + Sync,
    work: impl Fn(u64) + Sync,
) -> u64 {
    let next = AtomicU64::new(from);
    let each = || {
        while !is_over() {
            match next.fetch_add(step, Ordering::Relaxed) {
                number if number < to => work(number),
                _ => return,
            }
        }
    };
    std::thread::scope(|scope| (0..jobs.max(1)).for_each(|_| drop(scope.spawn(each))));
    next.into_inner()
}

/// What is behind a lock, whether or not a thread has panicked that held it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The same once no other thread needs the lock.
pub fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Says on standard error, if that is a terminal, what is waited for; until it is dropped.
pub fn waiting(what: String) -> ProgressBar {
    let bar =
        styled(ProgressBar::new_spinner(), "{spinner} {wide_msg} {elapsed}").with_finish(ProgressFinish::AndClear);
    bar.set_message(what);
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// One result per task, in the order of the tasks.
fn look_at_all(tasks: &[Task], answers: &Answers, tools: &Tools, jobs: usize) -> Vec<Result<Unit, String>> {
    let bar = progress(tasks.len());
    let units = Mutex::new(vec![Err("was not looked at".to_owned()); tasks.len()]);
    numbers_in_parallel(jobs, (0, tasks.len() as u64), 1, is_interrupted, |number| {
        let task = &tasks[number as usize];
        bar.set_message(task.file.display().to_string());
        let unit = task.run(answers, tools).map_err(|error| format!("{error:#}"));
        locked(&units)[number as usize] = unit;
        bar.inc(1);
    });
    bar.finish_and_clear();
    unlocked(units)
}

/// What looks at every file, found once.
struct Tools {
    command: PathBuf,
    clang: PathBuf,
    /// Sizes and ages of the command and the plugin.
    identity: String,
}

impl Task {
    fn new(entry: &Entry, command: DeviceCommand, block: Option<BlockShape>, tools: &Tools) -> Result<Task> {
        // the build's own tree, unless the user says otherwise
        let cuda = match command.cuda.filter(|_| std::env::var_os(TREE_VARIABLE).is_none()) {
            Some(tree) => tree,
            None => find_cuda()?,
        };
        let block_text = block.map(|shape| shape.to_string()).unwrap_or_default();
        let paths = [&tools.clang, &cuda, &entry.directory, &entry.file].map(|path| path.display().to_string());
        let language = if command.is_nvcc { "nvcc" } else { "clang" }.to_owned();
        let said = [&tools.identity, &block_text, &language].into_iter().chain(&paths).chain(&command.flags);
        let (directory, file, key) = (entry.directory.clone(), entry.file.clone(), key(said.map(String::as_str)));
        Ok(Task { directory, file, flags: command.flags, is_nvcc: command.is_nvcc, cuda, block, key })
    }

    fn run(&self, answers: &Answers, tools: &Tools) -> Result<Unit> {
        answers.get(&self.key, &self.directory, || {
            let unit = self.look(tools)?;
            let dependencies = unit.dependencies.clone();
            Ok((unit, dependencies))
        })
    }

    fn look(&self, tools: &Tools) -> Result<Unit> {
        let mut command = Command::new(&tools.command);
        command.current_dir(&self.directory).arg("unit").arg(&self.file);
        // resolved from here, not from the unit's folder
        command.env(TREE_VARIABLE, &self.cuda).env("WARPWISE_CLANG", &tools.clang);
        if let Some(block) = self.block {
            command.args(["--block", &block.to_string()]);
        }
        if self.is_nvcc {
            command.arg("--nvcc");
        }
        let output = command.arg("--").args(&self.flags).output();
        let output = output.with_context(|| format!("cannot run in {}", self.directory.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let reason = said.trim().trim_start_matches("warpwise: ");
            bail!("{}", if reason.is_empty() { output.status.to_string() } else { reason.to_owned() });
        }
        serde_json::from_slice(&output.stdout).context("the answer cannot be read")
    }
}
