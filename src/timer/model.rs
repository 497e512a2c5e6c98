//! What are the figures of a run? Plain data by kernel, in the form in which it is written as JSON.
//!
//! The JSON is [`Run`], format "warpwise-times", version 1. Within a version fields may be added, but none is removed
//! or changes its meaning. Times are nanoseconds of GPU time, memory is in bytes. docs/TIMING.md describes the format.

use crate::format::{CLUSTER, COOPERATIVE, GRAPH, PROGRAMMATIC, shape_of_key};
use crate::names;
use crate::read::{Figures, Left};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A run of a program.
#[derive(Serialize, Deserialize, Clone)]
pub struct Run {
    #[serde(skip_deserializing, default = "format")]
    pub format: &'static str,
    pub version: u32,
    pub command: Vec<String>,
    /// `exit 0`, `signal 6`.
    pub ended: String,
    pub wall_seconds: f64,
    pub processes: Vec<Process>,
    /// The most expensive kernel first.
    pub kernels: Vec<KernelTimes>,
}

/// One process that used the CUDA driver.
#[derive(Serialize, Deserialize, Clone)]
pub struct Process {
    pub process: u32,
    pub program: String,
    /// Version of the driver: 13000 for CUDA 13.0.
    pub driver: u32,
    /// Host time used by the measurement, in seconds.
    pub own_seconds: f64,
    /// Launches that became nodes of CUDA graphs.
    pub captured_launches: u64,
    /// Copies to the host; counted by `compare` only.
    pub copies: u64,
    pub copied_bytes: u64,
    pub managed_bytes: u64,
    /// The driver's error (CUresult) that ended a context, so that running launches were lost; 0 for none.
    pub driver_error: u32,
    pub devices: Vec<Device>,
}

/// A GPU as a process saw it.
#[derive(Serialize, Deserialize, Clone)]
pub struct Device {
    pub ordinal: u32,
    pub name: String,
    /// Compute capability times ten: 90 for sm_90.
    pub capability: u32,
    pub multiprocessors: u32,
    pub threads_per_multiprocessor: u32,
}

/// One kernel on one GPU, or one CUDA graph, summed over all processes.
#[derive(Serialize, Deserialize, Clone)]
pub struct KernelTimes {
    /// Name as in the source.
    pub name: String,
    /// As the driver knows it.
    pub mangled: String,
    /// `kernel` or `graph`.
    pub kind: Cow<'static, str>,
    /// The kernels of a graph, and how often each occurs in it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub graph_kernels: Vec<GraphKernel>,
    pub device: u32,
    pub launches: u64,
    /// Launches whose time is known. For the others the total contains an estimate.
    pub timed: u64,
    /// Launches whose time was not read when the program ended.
    pub unread: u64,
    pub total_ns: f64,
    /// Share of the total time of all kernels and graphs, 0 to 1.
    pub share: f64,
    pub mean_ns: f64,
    pub median_ns: f64,
    pub least_ns: f64,
    pub most_ns: f64,
    pub registers: u32,
    pub local_bytes: u32,
    pub static_shared_bytes: u32,
    pub is_cooperative: bool,
    pub is_clustered: bool,
    /// Whether it was launched such that it may start before its predecessor ends; its timed launches could not.
    pub is_programmatic: bool,
    /// Number of blocks in the smallest and in the largest timed grid.
    pub blocks: Option<(u64, u64)>,
    /// The most frequent shape first.
    pub shapes: Vec<Shape>,
    /// Launches with shapes not listed.
    pub other_shapes: u64,
}

/// A kernel in a graph.
#[derive(Serialize, Deserialize, Clone)]
pub struct GraphKernel {
    pub name: String,
    pub times: usize,
}

/// Blocks of one shape.
#[derive(Serialize, Deserialize, Clone)]
pub struct Shape {
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub launches: u64,
    pub blocks_per_multiprocessor: u32,
    /// Resident threads divided by those that a multiprocessor can hold, 0 to 1.
    pub occupancy: Option<f64>,
    /// Blocks per cluster; 0 without clusters.
    pub cluster: u32,
}

fn format() -> &'static str {
    "warpwise-times"
}

/// Computes the figures of a run from the tables of its processes.
pub fn run(command: Vec<String>, ended: String, wall_seconds: f64, left: &[Left]) -> Run {
    let mut merged: BTreeMap<_, (Vec<&Figures>, u32)> = BTreeMap::new();
    for left in left {
        for kernel in left.kernels.iter().filter(|kernel| kernel.launches > 0) {
            let Figures { name, device, registers, local, static_shared, flags, .. } = kernel;
            let key = (name, device, registers, local, static_shared, flags & GRAPH);
            let known = left.process.devices.iter().find(|known| known.ordinal == *device);
            let entry = merged.entry(key).or_default();
            entry.0.push(kernel);
            entry.1 = known.map_or(0, |known| known.threads_per_multiprocessor);
        }
    }
    let mut kernels: Vec<KernelTimes> = merged.into_values().map(|(parts, threads)| merge(&parts, threads)).collect();
    let total: f64 = kernels.iter().map(|kernel| kernel.total_ns).sum();
    for kernel in &mut kernels {
        kernel.share = if total > 0.0 { kernel.total_ns / total } else { 0.0 };
    }
    kernels.sort_by(|one, other| other.total_ns.total_cmp(&one.total_ns).then_with(|| one.mangled.cmp(&other.mangled)));
    let processes = left.iter().map(|left| left.process.clone()).collect();
    Run { format: format(), version: 1, command, ended, wall_seconds, processes, kernels }
}

fn merge(parts: &[&Figures], threads_per_multiprocessor: u32) -> KernelTimes {
    let first = parts[0];
    let sum = |of: fn(&Figures) -> u64| parts.iter().map(|part| of(part)).sum::<u64>();
    let (launches, timed) = (sum(|part| part.launches), sum(|part| part.timed));
    let mean = if timed > 0 { sum(|part| part.sum) as f64 / timed as f64 / 1e3 } else { 0.0 };
    // A timed launch represents the untimed ones before it; those after the last timed one are represented by the mean.
    let uncovered = launches.saturating_sub(sum(|part| part.covered));
    let mut samples: Vec<u64> = parts.iter().flat_map(|part| part.samples.iter().copied()).collect();
    samples.sort_unstable();
    let flags = parts.iter().fold(0, |flags, part| flags | part.flags);
    let graph = names::graph(&first.name);
    let blocks = parts.iter().filter_map(|part| part.blocks);
    KernelTimes {
        name: graph.as_ref().map_or_else(|| names::demangled(&first.name), graph_name),
        mangled: first.name.clone(),
        kind: Cow::Borrowed(if flags & GRAPH != 0 { "graph" } else { "kernel" }),
        graph_kernels: graph.map_or_else(Vec::new, |(_, kernels)| {
            kernels.into_iter().map(|(name, times)| GraphKernel { name: names::demangled(&name), times }).collect()
        }),
        device: first.device,
        launches,
        timed,
        unread: sum(|part| part.chosen).saturating_sub(timed),
        total_ns: sum(|part| part.weighted) as f64 / 1e3 + uncovered as f64 * mean,
        share: 0.0,
        mean_ns: mean,
        median_ns: median(&samples) / 1e3,
        least_ns: parts.iter().map(|part| part.least).min().filter(|_| timed > 0).unwrap_or(0) as f64 / 1e3,
        most_ns: parts.iter().map(|part| part.most).max().unwrap_or(0) as f64 / 1e3,
        registers: first.registers,
        local_bytes: first.local,
        static_shared_bytes: first.static_shared,
        is_cooperative: flags & COOPERATIVE != 0,
        is_clustered: flags & CLUSTER != 0,
        is_programmatic: flags & PROGRAMMATIC != 0,
        blocks: blocks.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1))),
        shapes: shapes(parts, threads_per_multiprocessor),
        other_shapes: sum(|part| part.other_shapes),
    }
}

fn shapes(parts: &[&Figures], threads_per_multiprocessor: u32) -> Vec<Shape> {
    let mut merged: BTreeMap<(u64, u32, u32), u64> = BTreeMap::new();
    for (key, launches, resident, cluster) in parts.iter().flat_map(|part| part.shapes.iter().copied()) {
        *merged.entry((key, resident, cluster)).or_default() += launches;
    }
    let mut shapes: Vec<Shape> = merged
        .into_iter()
        .map(|((key, resident, cluster), launches)| {
            let (block, dynamic_shared_bytes) = shape_of_key(key);
            let threads = f64::from(resident) * block.map(f64::from).iter().product::<f64>();
            let occupancy = (threads_per_multiprocessor > 0).then(|| threads / f64::from(threads_per_multiprocessor));
            Shape { block, dynamic_shared_bytes, launches, blocks_per_multiprocessor: resident, occupancy, cluster }
        })
        .collect();
    shapes.sort_by_key(|shape| std::cmp::Reverse(shape.launches));
    shapes
}

fn graph_name((count, kernels): &(usize, Vec<(String, usize)>)) -> String {
    let each = kernels.iter().map(|(name, times)| {
        let name = names::short(&names::demangled(name));
        if *times == 1 { name } else { format!("{name} x{times}") }
    });
    let each: Vec<String> = each.collect();
    let plural = if *count == 1 { "" } else { "s" };
    let tail = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
    format!("graph of {count} kernel{plural}{tail}")
}

/// The median of sorted values; 0 if there are none.
fn median(sorted: &[u64]) -> f64 {
    let length = sorted.len();
    if length == 0 { 0.0 } else { (sorted[(length - 1) / 2] as f64 + sorted[length / 2] as f64) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(launches: u64, times: &[u64]) -> Figures {
        Figures {
            name: "_Z5scalePfi".to_owned(),
            device: 0,
            flags: 0,
            registers: 16,
            local: 0,
            static_shared: 0,
            launches,
            timed: times.len() as u64,
            chosen: times.len() as u64,
            sum: times.iter().sum(),
            weighted: times.iter().sum(),
            covered: times.len() as u64,
            least: times.iter().copied().min().unwrap_or(u64::MAX),
            most: times.iter().copied().max().unwrap_or(0),
            blocks: Some((1, 4)),
            shapes: vec![(crate::format::shape_key([32, 4, 1], 1024), launches, 8, 0)],
            other_shapes: 0,
            samples: times.to_vec(),
        }
    }

    #[test]
    fn launches_left_out_count_by_the_mean() {
        let one = figures(4, &[1_000_000, 3_000_000]);
        let merged = merge(&[&one], 2048);
        assert_eq!(merged.name, "scale(float*, int)");
        assert_eq!((merged.total_ns, merged.median_ns, merged.least_ns), (8000.0, 2000.0, 1000.0));
        assert_eq!(merged.shapes[0].block, [32, 4, 1]);
        assert_eq!(merged.shapes[0].occupancy, Some(0.5));
        assert_eq!((merged.unread, merged.timed), (0, 2));
    }

    #[test]
    fn a_kernel_without_any_time_has_none() {
        let merged = merge(&[&figures(4, &[])], 0);
        assert_eq!((merged.total_ns, merged.least_ns, merged.median_ns), (0.0, 0.0, 0.0));
        assert_eq!(merged.shapes[0].occupancy, None);
    }

    #[test]
    fn processes_are_added_up() {
        let (one, other) = (figures(2, &[1_000_000, 1_000_000]), figures(1, &[4_000_000]));
        let merged = merge(&[&one, &other], 2048);
        assert_eq!((merged.launches, merged.total_ns, merged.median_ns), (3, 6000.0, 1000.0));
        assert_eq!(merged.shapes.len(), 1);
    }
}
