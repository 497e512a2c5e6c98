//! Does each variant of a kernel still compute the same, and how long does it take?
//!
//! One process, one GPU, a list of kernels. For each kernel, every variant is launched once on fresh buffers, and its
//! results are compared with the reference's, bit by bit. Those that are correct are then timed alternately (one launch
//! of each per round, starting with a different one each time), so that clock drift affects all equally. The reference
//! takes part twice: the difference between the two is noise.
//!
//! A faulty kernel can end or hang the process. So everything is reported as it happens, one JSON line each, and the
//! parent ([`crate::supervise`]) starts another worker without the culprit.

use crate::cuda::{Buffer, Device, Function, Shape};
use crate::fill::POISON;
use crate::launch::{Arg, Direction, Launch, Type};
use crate::manifest::{self, Build, Kernel, Manifest, Measured, Outcome, UNBUILT};
use crate::stats;
use crate::variants::{self, Made, REFERENCE};
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a worker has to do, read from standard input.
#[derive(Serialize, Deserialize)]
pub struct Order {
    pub bundle: PathBuf,
    /// Section and name.
    pub kernels: Vec<(String, String)>,
    /// Section, name and variant of earlier failures.
    pub skip: BTreeSet<(String, String, String)>,
    /// Milliseconds of timed launches per kernel, all variants together.
    pub budget_ms: f64,
    /// Launch each variant once at the small size, however long that takes.
    pub small: bool,
}

/// What a worker reports.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Device(manifest::Device),
    /// A launch that is about to happen, in case nothing is heard afterwards.
    Begin {
        variant: String,
    },
    Measured(Measured),
    /// The GPU is lost to this process because of the failure reported last.
    Lost,
    KernelDone,
}

/// The second, independent timing of the reference.
pub const AGAIN: &str = "again";

/// Launches before timing begins.
const WARM_UPS: usize = 5;
/// Smallest number of timed launches.
const MIN_LAUNCHES: usize = 20;
/// Largest number of timed launches.
const MAX_LAUNCHES: usize = 100;
/// Maximum relative error of another compiler's results, which contracts products and sums differently.
const OTHER_COMPILERS_ERROR: f64 = 1e-3;

/// Runs the order on standard input.
pub fn main() -> Result<()> {
    let order: Order = serde_json::from_reader(std::io::stdin().lock()).context("reading the order")?;
    let manifest = load_manifest(&order.bundle)?;
    let device = Device::open()?;
    let (major, minor) = device.capability;
    let arch = format!("sm_{major}{minor}");
    if arch != manifest.arch.trim_end_matches(|c: char| c.is_ascii_lowercase()) {
        bail!("this bundle was built for {}, and the GPU here ({}) is {arch}", manifest.arch, device.name);
    }
    tell(&Event::Device(manifest::Device {
        name: device.name.clone(),
        driver: device.driver.clone(),
        multiprocessors: device.multiprocessors,
    }));
    for (section, name) in &order.kernels {
        let kernel = manifest.kernels.iter().find(|k| k.section == *section && k.name == *name);
        let kernel = kernel.with_context(|| format!("no kernel {name} in section {section}"))?;
        Bench { device: &device, order: &order, kernel }.run()?;
        tell(&Event::KernelDone);
    }
    Ok(())
}

pub fn load_manifest(bundle: &Path) -> Result<Manifest> {
    let path = bundle.join("manifest.json");
    let text = std::fs::read_to_string(&path).with_context(|| format!("no bundle here: {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} cannot be read", path.display()))
}

fn tell(event: &Event) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let line = serde_json::to_string(event).expect("events are plain data");
    // nobody reads the output: the supervisor is gone
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

struct Bench<'a> {
    device: &'a Device,
    order: &'a Order,
    kernel: &'a Kernel,
}

/// A variant that can be launched.
struct Ready<'a> {
    variant: &'a str,
    function: Function,
    relative_error: f64,
    times: Vec<f64>,
}

impl Bench<'_> {
    fn run(&self) -> Result<()> {
        let mut memory = Memory::new(self.device, self.launch())?;
        let mut reference = None;
        let mut ready = Vec::new();
        // the reference first, because the others are compared with it
        let builds = &self.kernel.builds;
        let first = builds.iter().filter(|b| b.variant == REFERENCE);
        for build in first.chain(builds.iter().filter(|b| b.variant != REFERENCE)) {
            let variant = build.variant.as_str();
            if build.variant != REFERENCE && reference.is_none() {
                self.report(variant, Outcome::Failed { why: "the reference did not run".into() });
                continue;
            }
            if self.order.skip.contains(&(self.kernel.section.clone(), self.kernel.name.clone(), variant.to_owned())) {
                continue; // reported by an earlier worker
            }
            match self.first_launch(build, &mut memory) {
                Err(error) => self.failed(variant, &error),
                Ok((function, results)) => {
                    match compare(build, reference.get_or_insert_with(|| results.clone()), &results) {
                        Ok(relative_error) => {
                            ready.push(Ready { variant, function, relative_error, times: Vec::new() })
                        }
                        Err(wrong) => self.report(variant, wrong),
                    }
                }
            }
        }
        if let Some(reference) = ready.first().filter(|r| r.variant == REFERENCE) {
            let again = Ready { variant: AGAIN, function: reference.function, relative_error: 0.0, times: Vec::new() };
            ready.push(again);
        }
        self.time(&mut ready, &mut memory)?;
        for Ready { variant, function, relative_error, mut times } in ready {
            let occupancy = self.device.occupancy(function, self.shape())?;
            let local_bytes = self.device.local_bytes(function)?;
            let time = stats::summary(&mut times);
            self.report(variant, Outcome::Ran { relative_error, time, occupancy, local_bytes });
        }
        memory.free(self.device)
    }

    fn launch(&self) -> &Launch {
        if self.order.small { &self.kernel.small } else { &self.kernel.launch }
    }

    fn shape(&self) -> Shape {
        let &Launch { grid, block, shared, .. } = self.launch();
        Shape { grid, block, shared }
    }

    /// One launch on fresh buffers, and what it wrote.
    fn first_launch(&self, build: &Build, memory: &mut Memory) -> Result<(Function, Vec<Output>)> {
        let cubin = build.made.as_ref().map_err(|why| anyhow!("{UNBUILT}: {why}"))?;
        tell(&Event::Begin { variant: build.variant.clone() });
        let path = self.order.bundle.join(&cubin.file);
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let function = self.device.function(&bytes, &cubin.entry, self.launch().shared)?;
        memory.poison(self.device)?;
        memory.restore(self.device)?;
        self.device.launch(function, self.shape(), &mut memory.params)?;
        self.device.synchronize()?;
        Ok((function, memory.outputs(self.device)?))
    }

    fn time(&self, ready: &mut [Ready], memory: &mut Memory) -> Result<()> {
        let shape = self.shape();
        let count = ready.len();
        let mut round = 0;
        let warm_ups = if self.order.small { 0 } else { WARM_UPS };
        let mut rounds = warm_ups.max(1);
        let mut spent = 0.0;
        while round < rounds {
            for turn in 0..count {
                let Ready { variant, function, times, .. } = &mut ready[(turn + round) % count];
                if round == 0 {
                    tell(&Event::Begin { variant: (*variant).to_owned() });
                }
                memory.restore(self.device)?;
                match self.device.time(*function, shape, &mut memory.params) {
                    Ok(ms) if round < warm_ups => spent += ms,
                    Ok(ms) => times.push(ms),
                    // it ran before, so the process cannot continue
                    Err(error) => {
                        let culprit = if *variant == AGAIN { REFERENCE } else { *variant };
                        self.failed(culprit, &error);
                        tell(&Event::Lost);
                        return Err(error);
                    }
                }
            }
            round += 1;
            if round == warm_ups {
                let launches = (self.order.budget_ms * WARM_UPS as f64 / spent) as usize;
                rounds += launches.clamp(MIN_LAUNCHES, MAX_LAUNCHES);
            }
        }
        Ok(())
    }

    fn failed(&self, variant: &str, error: &anyhow::Error) {
        self.report(variant, Outcome::Failed { why: format!("{error:#}") });
        // a fault inside a kernel destroys the context
        if self.device.synchronize().is_err() {
            tell(&Event::Lost);
            std::process::exit(1);
        }
    }

    fn report(&self, variant: &str, outcome: Outcome) {
        let Kernel { name, section, .. } = self.kernel;
        tell(&Event::Measured(Measured {
            section: section.clone(),
            kernel: name.clone(),
            variant: variant.to_owned(),
            outcome,
        }));
    }
}

/// What a launch wrote to one buffer.
#[derive(Clone)]
struct Output {
    name: String,
    ty: Type,
    bytes: Vec<u8>,
}

/// The largest relative error, or what is wrong.
fn compare(build: &Build, reference: &[Output], results: &[Output]) -> Result<f64, Outcome> {
    let other_compiler = variants::find(&build.variant).is_some_and(|v| matches!(v.made, Made::Nvcc));
    let (mut wrong, mut worst) = (Vec::new(), 0.0f64);
    for (expected, found) in reference.iter().zip(results) {
        if expected.bytes == found.bytes {
            continue;
        }
        let size = expected.ty.size();
        for (i, (e, f)) in expected.bytes.chunks(size).zip(found.bytes.chunks(size)).enumerate() {
            if e == f {
                continue;
            }
            let (e, f) = (show(expected.ty, e), show(expected.ty, f));
            let error = (e - f).abs() / e.abs().max(f.abs());
            if other_compiler && expected.ty.is_float() && error <= OTHER_COMPILERS_ERROR {
                worst = worst.max(error);
            } else {
                wrong.push(format!("{}[{i}] is {f}, should be {e}", expected.name));
            }
        }
    }
    if wrong.is_empty() {
        Ok(worst)
    } else {
        Err(Outcome::Wrong { elements: wrong.len(), first: wrong.swap_remove(0) })
    }
}

/// An element's value, near enough for a message.
fn show(ty: Type, bytes: &[u8]) -> f64 {
    let mut wide = [0u8; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    let shift = 64 - 8 * bytes.len();
    match ty {
        Type::F32 => f32::from_bits(unsigned as u32).into(),
        Type::F64 => f64::from_bits(unsigned),
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => unsigned as f64,
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => ((unsigned << shift) as i64 >> shift) as f64,
    }
}

/// The kernel's buffers on the device, and its parameters.
struct Memory {
    params: Vec<Vec<u8>>,
    buffers: Vec<Held>,
}

struct Held {
    name: String,
    ty: Type,
    direction: Direction,
    live: Buffer,
    /// As it was filled; only for buffers that are read and written.
    pristine: Option<Buffer>,
}

impl Memory {
    fn new(device: &Device, launch: &Launch) -> Result<Memory> {
        let mut memory = Memory { params: Vec::new(), buffers: Vec::new() };
        for arg in &launch.args {
            match arg {
                Arg::Scalar { ty, value, .. } => {
                    let mut bytes = Vec::new();
                    ty.push(*value, &mut bytes);
                    memory.params.push(bytes);
                }
                Arg::Buffer { name, direction, ty, len, fill } => {
                    let bytes = fill.bytes(*ty, *len);
                    let filled = device.alloc(bytes.len())?;
                    device.upload(filled, &bytes)?;
                    let (live, pristine) = match direction {
                        Direction::InOut => (device.alloc(bytes.len())?, Some(filled)),
                        Direction::In | Direction::Out => (filled, None),
                    };
                    memory.params.push(live.address.to_le_bytes().to_vec());
                    memory.buffers.push(Held { name: name.clone(), ty: *ty, direction: *direction, live, pristine });
                }
            }
        }
        Ok(memory)
    }

    fn poison(&self, device: &Device) -> Result<()> {
        let mut outs = self.buffers.iter().filter(|b| b.direction == Direction::Out);
        outs.try_for_each(|out| device.fill(out.live, POISON))
    }

    fn restore(&self, device: &Device) -> Result<()> {
        let mut pairs = self.buffers.iter().filter_map(|b| Some((b.live, b.pristine?)));
        pairs.try_for_each(|(live, pristine)| device.copy(live, pristine))
    }

    fn outputs(&self, device: &Device) -> Result<Vec<Output>> {
        let written = self.buffers.iter().filter(|b| b.direction != Direction::In);
        written.map(|b| Ok(Output { name: b.name.clone(), ty: b.ty, bytes: device.download(b.live)? })).collect()
    }

    fn free(self, device: &Device) -> Result<()> {
        for buffer in self.buffers {
            device.free(buffer.live)?;
            buffer.pristine.map_or(Ok(()), |pristine| device.free(pristine))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(ty: Type, values: &[f64]) -> Vec<Output> {
        let mut bytes = Vec::new();
        values.iter().for_each(|v| ty.push(*v, &mut bytes));
        vec![Output { name: "o".into(), ty, bytes }]
    }

    fn judge(variant: &str, ty: Type, expected: &[f64], found: &[f64]) -> Result<f64, Outcome> {
        let build = Build { variant: variant.into(), flags: String::new(), made: Err(String::new()) };
        compare(&build, &output(ty, expected), &output(ty, found))
    }

    #[test]
    fn only_another_compiler_may_round_otherwise() {
        let (near, far) = ([1.0, 2.0000002], [1.0, 2.1]);
        assert_eq!(judge("warpwise", Type::F32, &near, &near), Ok(0.0));
        assert!(judge("warpwise", Type::F32, &[1.0, 2.0], &near).is_err());
        assert!(judge("nvcc", Type::F32, &[1.0, 2.0], &near).is_ok_and(|error| error > 0.0));
        assert!(judge("nvcc", Type::F32, &[1.0, 2.0], &far).is_err());
        let wrong = judge("nvcc", Type::I16, &[5.0, -7.0], &[5.0, -8.0]);
        assert_eq!(wrong, Err(Outcome::Wrong { first: "o[1] is -8, should be -7".into(), elements: 1 }));
        assert!(judge("nvcc", Type::F32, &[1.0], &[f64::NAN]).is_err(), "not a number is never near");
    }
}
