//! Do two versions of a kernel leave the same memory behind?
//!
//! Both run on the same inputs, once for each launch configuration (and so for each scheduler). Every byte of every
//! buffer is compared, and of every global variable that both versions have and at least one changed. Bytes that the
//! first version leaves undefined may have any value. Floats are compared bit by bit unless a tolerance is given for
//! their buffer.

use super::launch::{Bytes, Inputs, LaunchConfig, LaunchError, LaunchReport, Scheduler};
use super::machine::Machine;
use super::observe::Nobody;
use warpwise_ir::llvm::image::ModuleImage;

/// Allowed difference between floats.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// Largest difference relative to the larger magnitude; 0 for bit by bit.
    pub relative: f64,
    /// Absolute differences below this are ignored.
    pub absolute: f64,
}

impl Tolerance {
    /// No difference allowed.
    pub const EXACT: Tolerance = Tolerance { relative: 0.0, absolute: 0.0 };

    fn allows(self, a: f64, b: f64) -> bool {
        if a == b || (a.is_nan() && b.is_nan()) {
            return true;
        }
        let distance = (a - b).abs();
        distance <= self.absolute || distance <= self.relative * a.abs().max(b.abs())
    }
}

/// Why a comparison could not be completed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CompareError {
    /// The first difference between two versions.
    #[error("{0}")]
    Differ(String),
    /// The request is not valid, or the first version faults.
    #[error("{0}")]
    NotRun(String),
}

fn name_of(scheduler: Scheduler) -> String {
    match scheduler {
        Scheduler::Lockstep => "the lockstep scheduler".into(),
        Scheduler::Independent(seed) => format!("the independent scheduler (seed {seed})"),
    }
}

/// Compares two versions of a kernel under every given configuration. `floats` gives, for each argument whose buffer
/// holds floats, their size in bytes (4 or 8), for the tolerance.
pub fn compare(
    before: &ModuleImage,
    after: &ModuleImage,
    kernel: Option<&str>,
    configs: &[LaunchConfig],
    inputs: &Inputs,
    floats: &[Option<usize>],
    tolerance: Tolerance,
) -> Result<(), CompareError> {
    let (first, second) = (Machine::new(before), Machine::new(after));
    let request = |error: LaunchError| CompareError::NotRun(error.to_string());
    let kernel_before = first.kernel(kernel).map_err(request)?;
    let name = &before.functions[kernel_before.index()].name;
    let kernel_after = second.kernel(Some(name)).map_err(request)?;
    for config in configs {
        let scheduler = name_of(config.scheduler);
        let of = Comparison { scheduler: &scheduler, floats, tolerance };
        let run = |machine: &Machine<'_>, kernel| match machine.launch(kernel, config, inputs, &mut Nobody) {
            Ok(report) => Ok(Ok(report)),
            Err(LaunchError::Fault(fault)) => Ok(Err(fault)),
            Err(error) => Err(request(error)),
        };
        let a = run(&first, kernel_before)?;
        let faults = |fault| CompareError::NotRun(format!("the first version faults under {scheduler}: {fault}"));
        let a = a.map_err(faults)?;
        let found = match run(&second, kernel_after)? {
            Ok(b) => of.reports(&a, &b),
            Err(fault) => Err(format!("the second version faults under {scheduler}: {fault}")),
        };
        found.map_err(CompareError::Differ)?;
    }
    Ok(())
}

/// How two launches are compared.
struct Comparison<'a> {
    scheduler: &'a str,
    floats: &'a [Option<usize>],
    tolerance: Tolerance,
}

impl Comparison<'_> {
    fn reports(&self, a: &LaunchReport, b: &LaunchReport) -> Result<(), String> {
        let scheduler = self.scheduler;
        for (i, (x, y)) in a.buffers.iter().zip(&b.buffers).enumerate() {
            if let (Some(x), Some(y)) = (x, y) {
                self.bytes(x, y, format!("argument {i}"), self.floats.get(i).copied().flatten())?;
            }
        }
        for x in &a.globals {
            // what neither version wrote has its initial value, in which addresses may differ between modules
            if let Some(y) = b.globals.iter().find(|y| y.name == x.name && (x.changed || y.changed)) {
                self.bytes(&x.bytes, &y.bytes, format!("global variable {}", x.name), None)?;
            }
        }
        // with independent scheduling, lanes print in any order
        let in_order = scheduler == name_of(Scheduler::Lockstep);
        let lines = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        if if in_order { a.stdout != b.stdout } else { lines(&a.stdout) != lines(&b.stdout) } {
            let (before, after) = (&a.stdout, &b.stdout);
            return Err(format!("output differs under {scheduler}: {before:?} before, {after:?} after"));
        }
        Ok(())
    }

    fn bytes(&self, a: &Bytes, b: &Bytes, place: String, float: Option<usize>) -> Result<(), String> {
        let Comparison { scheduler, tolerance, .. } = *self;
        if a.data.len() != b.data.len() {
            return Err(format!("{place} has {} bytes before and {} after", a.data.len(), b.data.len()));
        }
        if a.data == b.data && b.undef.is_empty() {
            return Ok(());
        }
        let size = float.unwrap_or(4).max(1);
        let undefined = |bytes: &Bytes, at: usize| bytes.undef.get(at).copied().unwrap_or(0);
        let mut first: Option<usize> = None;
        let mut count = 0;
        for start in (0..a.data.len()).step_by(size) {
            let range = start..(start + size).min(a.data.len());
            let same = range.clone().all(|at| {
                let free = undefined(a, at);
                // what the first version leaves undefined may have any value; what it defines must be defined
                (a.data[at] ^ b.data[at]) & !free == 0 && undefined(b, at) & !free == 0
            });
            let close = || {
                let raw = |bytes: &Bytes| bytes.data[range.clone()].to_vec();
                let value = |bytes: &Bytes| match float {
                    Some(4) => raw(bytes).try_into().ok().map(|raw| f64::from(f32::from_le_bytes(raw))),
                    Some(8) => raw(bytes).try_into().ok().map(f64::from_le_bytes),
                    _ => None,
                };
                let defined = range.clone().all(|at| undefined(b, at) & !undefined(a, at) == 0);
                defined
                    && tolerance != Tolerance::EXACT
                    && value(a).zip(value(b)).is_some_and(|(x, y)| tolerance.allows(x, y))
            };
            if !same && !close() {
                count += 1;
                first.get_or_insert(start);
            }
        }
        let Some(offset) = first else { return Ok(()) };
        let show = |bytes: &Bytes| {
            let range = offset..(offset + size).min(bytes.data.len());
            let raw: String = bytes.data[range.clone()].iter().rev().map(|byte| format!("{byte:02x}")).collect();
            let undef = if range.clone().any(|at| undefined(bytes, at) != 0) { " (undefined)" } else { "" };
            match (float, <[u8; 4]>::try_from(&bytes.data[range.clone()]), <[u8; 8]>::try_from(&bytes.data[range])) {
                (Some(4), Ok(raw4), _) => format!("{} (0x{raw}){undef}", f32::from_le_bytes(raw4)),
                (Some(8), _, Ok(raw8)) => format!("{} (0x{raw}){undef}", f64::from_le_bytes(raw8)),
                _ => format!("0x{raw}{undef}"),
            }
        };
        let (before, after) = (show(a), show(b));
        Err(format!(
            "{place} differs under {scheduler} at byte {offset}: {before} before, {after} after; {count} elements of {size} bytes differ in all"
        ))
    }
}
