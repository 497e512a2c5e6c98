//! What does the page of a file show besides its branches? Kernels with what ptxas says of them and what to do next,
//! memory accesses, objects in local memory, and what was done and refused, with a sentence on each remark.

use super::index::{Deed, KernelRow};
use super::model::Report;
use serde_json::{Value, json};

/// What the less obvious remarks mean; docs/PASSES.md has all of them.
const MEANINGS: [(&str, &str); 13] = [
    ("BranchFused", "both sides of a divergent branch are executed once"),
    ("BranchesConverted", "short ways behind divergent branches became selects"),
    ("InvariantLoad", "a load reads memory that the kernel never writes"),
    ("NotFusedOneSided", "there is only one side, as in `if (i >= n) return`: nothing to fuse"),
    ("NotFusedNothingAlike", "the sides have nothing in common"),
    ("NotFusedUnprofitable", "fusing would cost about as much as it saves"),
    ("NotFusedRarelySplits", "lanes mostly agree on the condition"),
    ("NotFusedObstacle", "a side contains something that must not be moved, such as a barrier or an atomic"),
    ("StackInRegisters", "ptxas keeps the small array in registers"),
    ("NoLaunchBound", "state the number of threads: __launch_bounds__, or -mllvm -warpwise-block="),
    ("StackToShared", "an array of each thread moved from local to shared memory"),
    ("BranchTooShort", "ptxas predicates it anyway"),
    ("Unoptimised", "compiled at -O0, where nothing is transformed"),
];

/// The details of a file as JSON for the page's script.
pub fn of(report: &Report, deeds: &[Deed], rows: &[KernelRow]) -> Value {
    let mut accesses: Vec<(Value, u32)> = Vec::new();
    let mut locals = Vec::new();
    for function in &report.functions {
        for access in &function.accesses {
            let row = json!({
                "function": function.name, "place": access.place, "what": access.sentence(), "bytes": access.bytes,
                "sectors": access.sectors, "ideal": access.ideal_sectors, "ways": access.bank_ways,
                "is_costly": access.is_costly, "space": access.space,
            });
            // copies made by unrolling
            match accesses.iter_mut().rev().find(|(known, _)| *known == row) {
                Some((_, count)) => *count += 1,
                None => accesses.push((row, 1)),
            }
        }
        let objects = function.locals.iter();
        locals.extend(
            objects.map(
                |one| json!({"function": function.name, "place": one.place, "name": one.name, "bytes": one.bytes}),
            ),
        );
    }
    let with_count = |(mut row, count): (Value, u32)| {
        row["count"] = count.into();
        row
    };
    let meaning = |deed: &Deed| MEANINGS.iter().find(|(name, _)| *name == deed.remark).map(|(_, text)| *text);
    let kernel = |row: &KernelRow| {
        json!({
            "name": row.name, "symbol": row.symbol, "place": row.place, "machine": row.machine, "branches": row.branches,
            "divergent": row.divergent_branches, "costly": row.bad_strides,
            "repeated": report.functions.iter().find(|f| f.symbol == row.symbol).and_then(|f| f.repeated.clone()),
            "next": row.advice.first().map(|one| format!("{:.0} %: {}: {}", 100.0 * one.share, one.what, one.action)),
        })
    };
    let name = |deed: &Deed| report.functions.iter().find(|f| f.symbol == deed.symbol).map(|f| f.name.clone());
    let deed = |deed: &Deed| {
        json!({
            "function": name(deed).unwrap_or_else(|| deed.symbol.clone()), "place": deed.place, "remark": deed.remark,
            "is_done": deed.is_done, "text": deed.text, "count": deed.count, "meaning": meaning(deed),
        })
    };
    json!({
        "kernels": rows.iter().map(kernel).collect::<Vec<_>>(),
        "accesses": accesses.into_iter().map(with_count).collect::<Vec<_>>(),
        "locals": locals,
        "deeds": deeds.iter().map(deed).collect::<Vec<_>>(),
    })
}
