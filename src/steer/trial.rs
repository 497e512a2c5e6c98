//! Which kernels does the pass not improve, according to `ptxas`? With `-warpwise-ptxas=PATH` they are left alone.
//!
//! The whole pass is first tried on a copy of the module. This is off by default, because a build would depend on a
//! program that is not part of the compiler. A kernel is improved if it moves fewer bytes to and from local memory,
//! weighted by loop depth (read from the machine code if `nvdisasm` is beside `ptxas`; otherwise the stack frame and
//! the spills), and no fewer blocks fit on a multiprocessor. A kernel with a second body keeps the frame of the first,
//! so it only must not get worse.

use crate::geometry::{BlockShape, Geometry};
use crate::gpu::Chip;
use crate::gpu::occupancy::USUAL_THREADS;
use crate::launch_table::{MAX_VERSIONS, version_of};
use crate::llvm::handle::{Function, Module};
use crate::llvm::ptx::Scratch;
use crate::llvm::remark::{Host, Kind};
use crate::ptxas::{Measured, Measurements, assemble};
use rustc_hash::FxHashSet;
use std::path::Path;

/// Names of the kernels that the pass, tried on a copy, does not improve, and of the versions that are no better than their
/// kernels. All blocks have the given shape, if it is known.
pub fn refused(
    module: Module<'_>,
    block: Option<BlockShape>,
    ptxas: &str,
    host: &Host<'_>,
    pass: impl FnOnce(Module<'_>),
) -> FxHashSet<String> {
    let nobody = FxHashSet::default();
    let defined = || module.functions().filter(|function| !function.is_declaration() && function.is_ptx_kernel());
    let Some(first) = defined().next() else { return nobody };
    let tried = Scratch::copy_of(module);
    pass(tried.handle());
    let versions: FxHashSet<String> =
        tried.handle().functions().filter(|&function| has_second_body(function)).map(Function::name).collect();
    let cpu = first.target_cpu();
    let features = first.string_attribute("target-features").unwrap_or_default();
    let measure = |scratch: Scratch| {
        let ptx = scratch.into_ptx(&cpu, &features)?;
        assemble(Path::new(ptxas), &ptx, &cpu, &[])
    };
    let both = measure(Scratch::copy_of(module)).and_then(|before| Ok((before, measure(tried)?)));
    let (before, after) = match both {
        Ok(both) => both,
        Err(message) => {
            let message = format!("ptxas gives no numbers, the model decides: {message}");
            host.emit(Kind::Warning, first, None, "PtxasFails", &message);
            return nobody;
        }
    };
    let chip = Chip::of(&cpu);
    let mut refused = nobody;
    for function in defined() {
        let name = function.name();
        refused.extend(versions_refused(function, &before, &after, host));
        let (Some(old), Some(new)) = (before.get(&name), after.get(&name)) else { continue };
        if old == new {
            continue;
        }
        let geometry = Geometry::from_attributes(|attribute| function.string_attribute(attribute));
        let stated = block.map(|shape| shape.threads());
        let threads = geometry.exact.map(|shape| shape.threads()).or(geometry.max_threads).or(stated);
        let blocks = |measured: &Measured| {
            chip.resident_blocks(
                threads.unwrap_or(USUAL_THREADS),
                measured.resources.registers,
                measured.resources.shared.into(),
            )
        };
        let eased = new.local() < old.local() || (versions.contains(&name) && new.local() == old.local());
        if eased && blocks(new) >= blocks(old) {
            continue;
        }
        let message = format!(
            "left as it was: ptxas finds {} bytes in local memory instead of {}, and {} blocks on a multiprocessor instead of {}",
            new.local(),
            old.local(),
            blocks(new),
            blocks(old)
        );
        host.emit(Kind::Missed, function, None, "PtxasDisagrees", &message);
        refused.insert(name);
    }
    refused
}

/// Names of the versions that the pass made of a kernel, if they do not use less local memory than it did. How many blocks
/// fit on a multiprocessor is known at the launch, and tested there.
fn versions_refused(kernel: Function<'_>, before: &Measurements, after: &Measurements, host: &Host<'_>) -> Vec<String> {
    let symbol = kernel.name();
    let Some(old) = before.get(&symbol) else { return Vec::new() };
    let made = (1..=MAX_VERSIONS).map(|number| version_of(&symbol, number)).filter(|name| !before.contains_key(name));
    let mut refused = Vec::new();
    for (name, new) in made.filter_map(|name| Some((name.clone(), after.get(&name)?))) {
        let figures = format!(
            "ptxas finds {} bytes in local memory instead of {}, and {} registers instead of {}",
            new.local(),
            old.local(),
            new.resources.registers,
            old.resources.registers
        );
        if new.local() < old.local() {
            host.emit(Kind::Analysis, kernel, None, "VersionMeasured", &format!("version {name}: {figures}"));
        } else {
            let message = format!("version {name} is not made: {figures}");
            host.emit(Kind::Missed, kernel, None, "PtxasDisagrees", &message);
            refused.push(name);
        }
    }
    refused
}

fn has_second_body(function: Function<'_>) -> bool {
    function.blocks().next().is_some_and(|entry| entry.name().starts_with("warpwise.entry"))
}
