//! How does a whole run survive a kernel that hangs or destroys the GPU's context?
//!
//! The kernels run in a worker process ([`crate::worker`]). If the worker ends early, or is silent for too long, the
//! variant that it had begun is recorded as failed, and a new worker continues with that kernel without that variant.
//! So a kernel whose variants were not all timed in one process is timed again from the start.
//!
//! What is measured is kept in a file beside the results after each kernel, so a run that was stopped goes on from there.

use crate::manifest::{Device, Manifest, Measured, Outcome, Results};
use crate::variants::{REFERENCE, SECTIONS};
use crate::worker::{Event, Order, load_manifest};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What to run, and with which limits.
pub struct Options {
    pub bundle: PathBuf,
    /// Empty: all.
    pub sections: Vec<String>,
    /// Empty: all.
    pub only: Vec<String>,
    /// Milliseconds of timed launches per kernel.
    pub budget_ms: f64,
    /// Launch each variant once at the small size, without timing.
    pub small: bool,
    /// Maximum time without output from a worker.
    pub silence: Duration,
    /// Where the kernels that are done are kept until all are.
    pub part: Option<PathBuf>,
}

/// What a run that was stopped has measured.
#[derive(Default, Serialize, Deserialize)]
struct Part {
    /// Of the bundle and the options: a part of another run is of no use.
    identity: u64,
    device: Option<Device>,
    done: Vec<(String, String)>,
    measured: Vec<Measured>,
}

impl Part {
    /// What is kept of a run like this; nothing if there is none.
    fn read(options: &Options, identity: u64) -> Part {
        let kept = options.part.as_ref().and_then(|path| std::fs::read(path).ok());
        let kept: Option<Part> = kept.and_then(|text| serde_json::from_slice(&text).ok());
        kept.filter(|kept| kept.identity == identity).unwrap_or(Part { identity, ..Part::default() })
    }
}

/// A hash of everything that is run, and of how long.
fn identity(options: &Options, manifest: &Manifest) -> Result<u64> {
    let mut hasher = std::hash::DefaultHasher::new();
    serde_json::to_string(manifest)?.hash(&mut hasher);
    options.budget_ms.to_bits().hash(&mut hasher);
    for cubin in manifest.kernels.iter().flat_map(|kernel| &kernel.builds).filter_map(|build| build.made.as_ref().ok())
    {
        std::fs::read(options.bundle.join(&cubin.file)).unwrap_or_default().hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Runs the kernels of the bundle; progress is printed to standard error.
pub fn run(options: &Options) -> Result<Results> {
    let manifest = load_manifest(&options.bundle)?;
    if let Some(section) = options.sections.iter().find(|s| !SECTIONS.contains(&s.as_str())) {
        bail!("there is no section '{section}' (sections: {})", SECTIONS.join(", "));
    }
    if let Some(name) = options.only.iter().find(|name| manifest.kernels.iter().all(|k| k.name != **name)) {
        bail!("there is no kernel '{name}' in the bundle");
    }
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|s| s == name);
    let part = Part::read(options, identity(options, &manifest)?);
    let kernels: Vec<(String, String)> = manifest
        .kernels
        .iter()
        .filter(|k| wanted(&options.sections, &k.section) && wanted(&options.only, &k.name))
        .map(|k| (k.section.clone(), k.name.clone()))
        .collect();
    ensure!(!kernels.is_empty(), "nothing in the bundle fits these choices");
    let mut run = Run {
        options,
        total: kernels.len(),
        kernels,
        skip: BTreeSet::new(),
        device: part.device.clone(),
        measured: BTreeMap::new(),
        part,
    };
    run.go_on();
    while !run.kernels.is_empty() {
        run.worker()?;
    }
    run.finish(manifest)
}

type Key = (String, String, String);

struct Run<'a> {
    options: &'a Options,
    total: usize,
    /// Kernels still to do; the first one is in progress.
    kernels: Vec<(String, String)>,
    skip: BTreeSet<Key>,
    device: Option<Device>,
    measured: BTreeMap<Key, Outcome>,
    part: Part,
}

impl Run<'_> {
    /// Takes over what is kept of the kernels that this run is to measure.
    fn go_on(&mut self) {
        let wanted: BTreeSet<(String, String)> = self.kernels.iter().cloned().collect();
        for Measured { section, kernel, variant, outcome } in self.part.measured.clone() {
            if wanted.contains(&(section.clone(), kernel.clone())) {
                self.measured.insert((section, kernel, variant), outcome);
            }
        }
        self.kernels.retain(|kernel| !self.part.done.contains(kernel));
        let kept = self.total - self.kernels.len();
        if let (Some(path), true) = (&self.options.part, kept > 0) {
            eprintln!("goes on where it was stopped: {kept} of {} kernels are kept in {}", self.total, path.display());
        }
    }

    /// Keeps what was measured of a kernel that is done.
    fn keep(&mut self, section: String, name: String) -> Result<()> {
        let Some(path) = &self.options.part else { return Ok(()) };
        let of_kernel = self.measured.iter().filter(|((s, kernel, _), _)| *s == section && *kernel == name);
        self.part.measured.extend(of_kernel.map(|((section, kernel, variant), outcome)| Measured {
            section: section.clone(),
            kernel: kernel.clone(),
            variant: variant.clone(),
            outcome: outcome.clone(),
        }));
        self.part.done.push((section, name));
        self.part.device.clone_from(&self.device);
        // never half of it
        let new = path.with_extension("new");
        std::fs::write(&new, serde_json::to_string(&self.part)?).with_context(|| new.display().to_string())?;
        std::fs::rename(&new, path).with_context(|| path.display().to_string())
    }

    /// One worker, until it has finished or died.
    fn worker(&mut self) -> Result<()> {
        let order = Order {
            bundle: self.options.bundle.clone(),
            kernels: self.kernels.clone(),
            skip: self.skip.clone(),
            budget_ms: self.options.budget_ms,
            small: self.options.small,
        };
        let mut child = Command::new(std::env::current_exe()?)
            .arg("worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a worker")?;
        let mut stdin = child.stdin.take().context("the worker has no input")?;
        stdin.write_all(serde_json::to_string(&order)?.as_bytes())?;
        drop(stdin);
        let events = listen(&mut child)?;
        let mut begun: Option<String> = None;
        let mut started = Instant::now();
        let why = loop {
            match events.recv_timeout(self.options.silence) {
                Ok(Event::Device(device)) => {
                    eprintln!("{} ({} multiprocessors), {}", device.name, device.multiprocessors, device.driver);
                    let known = self.device.get_or_insert_with(|| device.clone());
                    if let (Some(path), true) = (&self.options.part, known.name != device.name) {
                        child.kill()?;
                        bail!("{} was measured on {}: remove it to begin anew", path.display(), known.name);
                    }
                }
                Ok(Event::Begin { variant }) => begun = Some(variant),
                Ok(Event::Measured(Measured { section, kernel, variant, outcome })) => {
                    self.measured.insert((section, kernel, variant), outcome);
                }
                // the failure has been reported; only the variant must be left out
                Ok(Event::Lost) => break String::new(),
                Ok(Event::KernelDone) => {
                    begun = None;
                    let (section, name) = self.kernels.remove(0);
                    let done = self.total - self.kernels.len();
                    eprintln!("[{done}/{}] {section} {name}: {:.1} s", self.total, started.elapsed().as_secs_f64());
                    started = Instant::now();
                    self.keep(section, name)?;
                }
                Err(RecvTimeoutError::Timeout) => {
                    child.kill()?;
                    break format!("nothing heard for {} s: it hangs", self.options.silence.as_secs());
                }
                Err(RecvTimeoutError::Disconnected) => break "the process that ran it died".to_owned(),
            }
        };
        let status = child.wait()?;
        if self.kernels.is_empty() && status.success() {
            return Ok(());
        }
        let Some(variant) = begun else {
            // it never launched anything: no driver, no GPU, or a broken bundle
            let mut message = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                std::io::Read::read_to_string(&mut stderr, &mut message)?;
            }
            let message = message.trim().trim_start_matches("error: ");
            bail!("{}", if message.is_empty() { "the worker ended without a word" } else { message });
        };
        let (section, name) = self.kernels[0].clone();
        let variant = if variant == crate::worker::AGAIN { REFERENCE.to_owned() } else { variant };
        eprintln!("{section} {name}: {variant} failed{}{why}", if why.is_empty() { "" } else { ": " });
        let key = (section, name, variant);
        if !why.is_empty() {
            self.measured.insert(key.clone(), Outcome::Failed { why });
        }
        if !self.skip.insert(key) {
            // the variant was left out and the kernel still fails, so the kernel is given up
            self.kernels.remove(0);
        }
        Ok(())
    }

    fn finish(self, manifest: Manifest) -> Result<Results> {
        let measured = self
            .measured
            .into_iter()
            .map(|((section, kernel, variant), outcome)| Measured { section, kernel, variant, outcome })
            .collect();
        let device = self.device.context("no worker ever reached a GPU")?;
        Ok(Results { device, manifest, measured })
    }
}

/// The lines of a worker as events; the channel closes when the worker ends.
fn listen(child: &mut Child) -> Result<Receiver<Event>> {
    let stdout = BufReader::new(child.stdout.take().context("the worker has no output")?);
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in stdout.lines() {
            let Some(event) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else { break };
            if sender.send(event).is_err() {
                break;
            }
        }
    });
    Ok(receiver)
}

/// Writes the results to the requested file.
pub fn save(results: &Results, path: &Path) -> Result<()> {
    std::fs::write(path, serde_json::to_string_pretty(results)?).with_context(|| path.display().to_string())
}
