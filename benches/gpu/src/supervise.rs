//! How does a whole run survive a kernel that hangs or destroys the GPU's context?
//!
//! The kernels run in a worker process ([`crate::worker`]). If the worker ends early, or is silent for too long, the
//! variant that it had begun is recorded as failed, and a new worker continues with that kernel without that variant.
//! So a kernel whose variants were not all timed in one process is timed again from the start.

use crate::manifest::{Device, Manifest, Measured, Outcome, Results};
use crate::variants::{REFERENCE, SECTIONS};
use crate::worker::{Event, Order, load_manifest};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
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
    let kernels: Vec<(String, String)> = manifest
        .kernels
        .iter()
        .filter(|k| wanted(&options.sections, &k.section) && wanted(&options.only, &k.name))
        .map(|k| (k.section.clone(), k.name.clone()))
        .collect();
    ensure!(!kernels.is_empty(), "nothing in the bundle fits these choices");
    let mut run =
        Run { options, total: kernels.len(), kernels, skip: BTreeSet::new(), device: None, measured: BTreeMap::new() };
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
}

impl Run<'_> {
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
                    self.device.get_or_insert(device);
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
