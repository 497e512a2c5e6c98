//! Do the counters of an instrumented module agree with what the lockstep machine observed? Every branch, word by word.
//!
//! The machine records its own map of the instrumented module, including the instrumentation's own branches. What it
//! observed at the original branches is compared with what the module counted in its own memory.

use crate::simt::{Arg, BranchCounts, DivergenceMap, Inputs, LaunchConfig, LaunchReport};
use warpwise_analysis::counts::condition::Launch;
use warpwise_analysis::counts::table::{BranchTable, FunctionTable, Header, Table, TableError};
use warpwise_analysis::counts::{Counted, SYMBOL};
use warpwise_ir::llvm::image::{FunctionImage, ModuleImage};
use warpwise_rt::format::{Map, Module};

/// Blocks that only the instrumentation branches to.
const OWN: &[&str] = &["%warpwise.add", "%warpwise.flush", "%warpwise.launch"];

/// Why nothing can be compared, or what differs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecountError {
    #[error("the module has no divergence map: run divergence-map over it first")]
    NotCounted,
    #[error("the module's table cannot be read: {0}")]
    Table(#[from] TableError),
    #[error("{0}")]
    Differs(String),
}

/// The counts of an instrumented module during a launch on the machine, as a map.
pub fn saved(report: &LaunchReport) -> Result<Map, RecountError> {
    let (table, counts) = raw(report)?;
    Ok(map_of(table.to_vec(), counts))
}

fn map_of(table: Vec<u8>, counts: Vec<u64>) -> Map {
    Map { runs: vec!["host=lockstep machine".to_owned()], modules: vec![Module { table, counts }] }
}

/// The bytes of the table, and the sums over the replicas.
fn raw(report: &LaunchReport) -> Result<(&[u8], Vec<u64>), RecountError> {
    let with_end =
        |end: &str| report.globals.iter().find(|global| global.name.starts_with(SYMBOL) && global.name.ends_with(end));
    let (Some(table), Some(counters)) = (with_end("_table"), with_end("_counters")) else {
        return Err(RecountError::NotCounted);
    };
    let header = Header::read(&table.bytes.data)?;
    let mut counts = vec![0u64; header.words as usize];
    for (i, raw) in counters.bytes.data.chunks_exact(8).enumerate() {
        counts[i % header.words as usize] += u64::from_le_bytes(raw.try_into().unwrap_or_default());
    }
    Ok((&table.bytes.data, counts))
}

/// A launch on the machine, as conditions see it.
pub fn launch_of(config: &LaunchConfig, inputs: &Inputs) -> Launch {
    let bytes = |arg: &Arg| match arg {
        Arg::Value(bytes) => bytes.clone(),
        Arg::Buffer(_) => Vec::new(),
    };
    Launch { grid: config.grid, block: config.block, arguments: inputs.args.iter().map(bytes).collect() }
}

/// Compares; returns how many branches were both counted and executed.
pub fn compare(
    image: &ModuleImage,
    seen: &DivergenceMap,
    launch: &Launch,
    report: &LaunchReport,
) -> Result<usize, RecountError> {
    let (table, counts) = raw(report)?;
    let table = Table::decode(table)?.1;
    let mut met = 0;
    for function in &table.functions {
        compare_conditions(function, &counts, launch)?;
        let symbol = &function.symbol;
        let Some(id) = image.function(symbol) else { continue };
        let body = &image.functions[id.index()];
        let original = original_branches(body);
        if original.len() != function.branches.len() {
            let (table, module) = (function.branches.len(), original.len());
            return Err(RecountError::Differs(format!(
                "{symbol}: the table has {table} branches, the module {module}"
            )));
        }
        for (branch, inst) in function.branches.iter().zip(original) {
            let Some(slot) = branch.slot else { continue };
            let record = &counts[slot as usize..][..branch.words() as usize];
            let saw = seen.branches.get(&(id, inst));
            let expected = saw.map_or_else(|| vec![0; record.len()], |saw| words_of(branch, saw));
            met += usize::from(saw.is_some());
            let splits = saw.is_some_and(|saw| saw.splits > 0);
            let holds =
                |&&number: &&u32| splits && function.conditions[number as usize].predicate.holds(launch) == Some(true);
            let block = &function.blocks[branch.block as usize].name;
            if let Some(&number) = branch.conditions.iter().find(holds) {
                let condition = &function.conditions[number as usize].text;
                let text = format!("{symbol}, block {block}: the branch split although {condition}");
                return Err(RecountError::Differs(text));
            }
            if record != expected {
                let text = format!("the machine saw {expected:?}, the module counted {record:?}");
                return Err(RecountError::Differs(format!("{symbol}, block {block}: {text}")));
            }
        }
    }
    Ok(met)
}

/// Compares the conditions that a kernel tested with what they are for the launch.
fn compare_conditions(kernel: &FunctionTable, counts: &[u64], launch: &Launch) -> Result<(), RecountError> {
    let launches = kernel.launches.map_or(0, |word| counts[word as usize]);
    for condition in kernel.conditions.iter().filter(|_| launches > 0) {
        let counted = condition.held.map(|word| counts[word as usize]);
        if let (Some(seen), Some(counted)) = (condition.predicate.holds(launch), counted)
            && counted != u64::from(seen) * launches
        {
            let (kernel, condition) = (&kernel.symbol, &condition.text);
            let text = format!("that {condition} is {seen} for this launch, the module counted {counted}");
            return Err(RecountError::Differs(format!("{kernel}: {text}")));
        }
    }
    Ok(())
}

/// A map of what the machine observed of one launch of a module without counters: its table, and the counts that counters
/// would have. `kernel` is the symbol of what ran.
pub fn observed(mut table: Table, image: &ModuleImage, seen: &DivergenceMap, kernel: &str, launch: &Launch) -> Counted {
    let mut counts: Vec<u64> = Vec::new();
    for function in &mut table.functions {
        if function.symbol == kernel {
            function.launches = Some(counts.len() as u32);
            counts.push(1);
            for condition in &mut function.conditions {
                let holds = condition.predicate.holds(launch);
                condition.held = holds.map(|_| counts.len() as u32);
                counts.extend(holds.map(u64::from));
            }
        }
        let Some(id) = image.function(&function.symbol) else { continue };
        let body = &image.functions[id.index()];
        let insts = original_branches(body);
        if insts.len() != function.branches.len() {
            continue;
        }
        for (branch, inst) in function.branches.iter_mut().zip(insts) {
            let saw = seen.branches.get(&(id, inst));
            branch.slot = Some(counts.len() as u32);
            counts.extend(saw.map_or_else(|| vec![0; branch.words() as usize], |saw| words_of(branch, saw)));
        }
    }
    Counted { table, counts }
}

/// The same as a file.
pub fn file_of(counted: &Counted) -> Map {
    map_of(counted.table.encode(1, counted.counts.len() as u32), counted.counts.clone())
}

/// The record that a branch should have.
fn words_of(branch: &BranchTable, saw: &BranchCounts) -> Vec<u64> {
    let mut targets: Vec<(u32, u64)> = Vec::new();
    for &(block, lanes) in &saw.taken {
        match targets.iter_mut().find(|target| target.0 == block) {
            Some(target) => target.1 += lanes,
            None => targets.push((block, lanes)),
        }
    }
    let mut words = vec![saw.visits, saw.splits, saw.lanes];
    words.extend(targets.iter().skip(1).map(|target| target.1));
    words.resize(branch.words() as usize, 0);
    words
}

/// Terminators with several targets that existed before instrumentation, in reachable blocks, in order.
fn original_branches(function: &FunctionImage) -> Vec<u32> {
    let mut reached = vec![false; function.blocks.len()];
    let mut open = vec![0usize];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            open.extend(function.blocks[block].successors.iter().map(|&next| next as usize));
        }
    }
    let is_own = |block: u32| {
        let name = &function.blocks[block as usize].name;
        OWN.iter().any(|own| name.starts_with(own))
    };
    function
        .blocks
        .iter()
        .zip(reached)
        .filter(|(block, reached)| {
            let first = block.successors.first();
            *reached
                && block.successors.iter().any(|next| Some(next) != first)
                && !block.successors.iter().any(|&next| is_own(next))
        })
        .map(|(block, _)| block.first + block.count - 1)
        .collect()
}
