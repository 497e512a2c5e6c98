//! What did the branches of each kernel do in the runs of a divergence map, and what was measured of each line?

use super::lines::{LineCounts, Lines};
use super::times::of_plain;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use warpwise_analysis::counts::{BranchCounts, Counted};
use warpwise_ir::source::place;
use warpwise_timer::names::alike;

/// What was counted for one kernel and the functions of the same name in all modules of the map.
#[derive(Serialize, Clone, PartialEq, Debug, Default)]
pub struct Seen {
    pub launches: u64,
    /// Number of divergent branches that were reached.
    pub reached: u32,
    /// How many of those never split.
    pub never_split: u32,
    /// How many of those are uniform by a condition that held in every launch.
    pub uniform_as_launched: u32,
    pub visits: u64,
    pub splits: u64,
    /// `file:line` of the branches that never split, without folders.
    pub places: BTreeSet<String>,
    /// `file:line` of those that did.
    #[serde(skip)]
    split_places: BTreeSet<String>,
    /// The counts of each branch, by [`key`].
    #[serde(skip)]
    branches: BTreeMap<String, BranchCounts>,
}

/// A location without folders, which may differ from build to build.
pub fn key(location: &str) -> String {
    let places: Vec<&str> = location.split(" inlined at ").map(|at| at.rsplit('/').next().unwrap_or(at)).collect();
    places.join(" inlined at ")
}

impl Seen {
    /// Whether the branches at a place were reached and never split.
    pub fn never_splits(&self, file: &str, line: u32) -> bool {
        let place = place(file, line);
        self.places.contains(&place) && !self.split_places.contains(&place)
    }
}

/// By the names of kernels.
#[derive(Clone, Debug, Default)]
pub struct SeenKernels {
    kernels: BTreeMap<String, Seen>,
    /// What was measured of each line.
    pub lines: Lines,
}

impl SeenKernels {
    /// From the modules of a map.
    pub fn of(modules: &[Counted]) -> SeenKernels {
        let mut kernels: BTreeMap<String, Seen> = BTreeMap::new();
        for module in modules {
            for function in &module.table.functions {
                let seen = kernels.entry(alike(&function.symbol)).or_default();
                seen.launches += module.launches(function).unwrap_or(0);
                for branch in &function.branches {
                    let Some(counts) = module.of(branch).filter(|counts| counts.visits > 0) else { continue };
                    seen.branches.entry(key(&module.table.location(branch))).or_default().add(&counts);
                    if !branch.is_divergent {
                        continue;
                    }
                    seen.reached += 1;
                    seen.visits += counts.visits;
                    seen.splits += counts.splits;
                    seen.never_split += u32::from(counts.splits == 0);
                    let is_uniform = counts.splits == 0 && module.is_uniform_as_launched(function, branch);
                    seen.uniform_as_launched += u32::from(is_uniform);
                    for at in module.table.places(branch).filter(|at| at.line > 0) {
                        let places = if counts.splits == 0 { &mut seen.places } else { &mut seen.split_places };
                        places.insert(place(at.file, at.line));
                    }
                }
            }
        }
        SeenKernels { kernels, lines: Lines::new() }
    }

    /// Whether anything was counted in a map.
    pub fn has_map(&self) -> bool {
        !self.kernels.is_empty()
    }

    /// Everything that is known of a kernel by line and by branch, for pages.
    pub fn of_lines(&self, symbol: &str) -> Option<Value> {
        let (seen, lines) = (self.get(symbol), of_plain::<BTreeMap<String, LineCounts>>(&self.lines, &alike(symbol)));
        let launches = seen.map(|seen| seen.launches);
        let is_known = seen.is_some() || lines.is_some();
        is_known.then(|| json!({"launches": launches, "branches": seen.map(|seen| &seen.branches), "lines": lines}))
    }

    /// What was counted for a kernel; `None` if the map does not know it.
    pub fn get(&self, symbol: &str) -> Option<&Seen> {
        self.kernels.get(&alike(symbol))
    }
}
