//! What did a program with counters count? Divergence maps, read from files, added up and looked up by branch.

pub mod condition;
pub mod table;

use serde::Serialize;
use std::path::{Path, PathBuf};
use table::{BranchTable, ConditionTable, FunctionTable, Table, TableError};
use warpwise_ir::llvm::handle::Inst;
use warpwise_rt::format::{FormatError, Map};

/// Prefix of every symbol that `divergence-map` creates.
pub const SYMBOL: &str = "__warpwise_map";

/// Why a map cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{}: {error}", path.display())]
    Format { path: PathBuf, error: FormatError },
    #[error("{}: module {number}: {error}", path.display())]
    Table { path: PathBuf, number: usize, error: TableError },
    #[error("{}: module {number} has {found} counters, but its table speaks of {wanted}", path.display())]
    Mismatch { path: PathBuf, number: usize, wanted: u32, found: usize },
}

/// One module of a map, ready for queries.
#[derive(Clone, Debug)]
pub struct Counted {
    pub table: Table,
    pub counts: Vec<u64>,
}

/// The counts of one branch.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct BranchCounts {
    /// Number of groups of lanes that reached it.
    pub visits: u64,
    /// Number of visits in which lanes took different targets.
    pub splits: u64,
    /// Number of lanes that reached it, over all visits.
    pub lanes: u64,
    /// Number of lanes that went to each target.
    pub taken: Vec<u64>,
}

impl BranchCounts {
    /// Adds the counts of a copy of the branch.
    pub fn add(&mut self, other: &BranchCounts) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.visits, other.visits);
        add(&mut self.splits, other.splits);
        add(&mut self.lanes, other.lanes);
        self.taken.resize(self.taken.len().max(other.taken.len()), 0);
        self.taken.iter_mut().zip(&other.taken).for_each(|(sum, &taken)| add(sum, taken));
    }
    /// Splits per visit, from 0 to 1.
    pub fn split_rate(&self) -> f64 {
        self.splits as f64 / self.visits.max(1) as f64
    }
    /// Average number of lanes missing from a warp of 32 in a visit.
    pub fn lanes_idle(&self) -> f64 {
        if self.visits == 0 { 0.0 } else { 32.0 - self.lanes as f64 / self.visits as f64 }
    }
}

/// Reads a map and all of its tables.
pub fn read(path: &Path) -> Result<(Map, Vec<Counted>), MapError> {
    let bytes = std::fs::read(path).map_err(|error| MapError::Read { path: path.to_owned(), error })?;
    let map = Map::decode(&bytes).map_err(|error| MapError::Format { path: path.to_owned(), error })?;
    let modules = tables(&map, path)?;
    Ok((map, modules))
}

/// Reads several maps as one; counts of equal modules are added up.
pub fn read_all(paths: &[PathBuf]) -> Result<(Map, Vec<Counted>), MapError> {
    let mut all = Map::default();
    for path in paths {
        all.add(&read(path)?.0);
    }
    let modules = tables(&all, paths.first().map_or(Path::new(""), PathBuf::as_path))?;
    Ok((all, modules))
}

fn tables(map: &Map, path: &Path) -> Result<Vec<Counted>, MapError> {
    let mut modules = Vec::new();
    for (index, module) in map.modules.iter().enumerate() {
        let number = index + 1;
        let (header, table) =
            Table::decode(&module.table).map_err(|error| MapError::Table { path: path.to_owned(), number, error })?;
        if header.words as usize != module.counts.len() {
            let (wanted, found) = (header.words, module.counts.len());
            return Err(MapError::Mismatch { path: path.to_owned(), number, wanted, found });
        }
        modules.push(Counted { table, counts: module.counts.clone() });
    }
    Ok(modules)
}

impl Counted {
    /// The counts of a branch; `None` if it is not counted.
    pub fn of(&self, branch: &BranchTable) -> Option<BranchCounts> {
        let record = self.counts.get(branch.slot? as usize..)?.get(..branch.words() as usize)?;
        let [visits, splits, lanes, others @ ..] = record else { return None };
        let first = lanes.saturating_sub(others.iter().sum());
        let taken = std::iter::once(first).chain(others.iter().copied()).collect();
        Some(BranchCounts { visits: *visits, splits: *splits, lanes: *lanes, taken })
    }

    /// Number of launches in which a condition held; `None` if nothing tested it.
    pub fn held(&self, condition: &ConditionTable) -> Option<u64> {
        self.counts.get(condition.held? as usize).copied()
    }

    /// Whether every launch had one property under which the analysis calls the branch uniform.
    pub fn is_uniform_as_launched(&self, function: &FunctionTable, branch: &BranchTable) -> bool {
        let launches = self.launches(function).filter(|&launches| launches > 0);
        let conditions = branch.conditions.iter().filter_map(|&number| function.conditions.get(number as usize));
        launches.is_some() && conditions.into_iter().any(|condition| self.held(condition) == launches)
    }

    /// Number of launches of a kernel.
    pub fn launches(&self, function: &FunctionTable) -> Option<u64> {
        self.counts.get(function.launches? as usize).copied()
    }
}

/// Counts by place in the source, for transforms that use the counts of an earlier run.
#[derive(Clone, Debug, Default)]
pub struct Feedback {
    places: std::collections::HashMap<(String, u32, u32), BranchCounts>,
}

impl Feedback {
    /// Reads a map.
    pub fn read(path: &Path) -> Result<Feedback, MapError> {
        Ok(Feedback::of(&read(path)?.1))
    }

    /// From modules that have been read.
    pub fn of(modules: &[Counted]) -> Feedback {
        let mut feedback = Feedback::default();
        for module in modules {
            for branch in module.table.functions.iter().flat_map(|function| &function.branches) {
                let (Some(place), Some(counts)) = (module.table.places(branch).next(), module.of(branch)) else {
                    continue;
                };
                let key = (place.file.to_owned(), place.line, place.column);
                feedback.places.entry(key).or_default().add(&counts);
            }
        }
        feedback
    }

    /// The counts of a branch of the module being compiled, by its place in the source.
    pub fn of_branch(&self, branch: Inst<'_>) -> Option<&BranchCounts> {
        let place = branch.debug_loc()?;
        self.at(&place.file(), place.line(), place.column())
    }

    /// Visits, splits and lanes of all branches at the innermost place `file:line:column`, including copies made by
    /// unrolling and inlining; `None` if nothing was counted there.
    pub fn at(&self, file: &str, line: u32, column: u32) -> Option<&BranchCounts> {
        self.places.get(&(file.to_owned(), line, column))
    }
}
