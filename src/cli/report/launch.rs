//! What can a programmer state about the launches of a kernel, and what would that change? Launch conditions under which
//! branches are uniform, each with what to write; launch bounds and registers, with what ptxas said.

use super::index::{Deed, Machine};
use super::model::LineOf;
use super::seen::Seen;
use serde::{Deserialize, Serialize};
use warpwise_analysis::counts::condition::Predicate;
use warpwise_analysis::counts::table::{FunctionTable, NamedPlace, Table};
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::source::Sources;

/// Number of 32-bit registers of a multiprocessor, and most of one thread; the same on all chips since sm_50.
const REGISTERS: [u32; 2] = [65_536, 255];

/// One thing that can be stated.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// The branches that it is about.
    pub places: Vec<LineOf>,
    /// Under which launches lanes agree there, or what ptxas said.
    pub when: String,
    /// What to do.
    pub action: String,
    /// What to paste into the source or the command line.
    pub paste: Option<String>,
}

/// Everything that can be stated about a kernel. `machine`: what ptxas says of it without the plugin and with it.
pub fn statements(
    table: &Table,
    kernel: &FunctionTable,
    deeds: &[Deed],
    machine: Option<[Machine; 2]>,
    sources: &mut Sources,
) -> Vec<Statement> {
    let place = |at: NamedPlace<'_>| LineOf { file: at.file.to_owned(), line: at.line };
    let mut found = Vec::new();
    for (number, condition) in (0u32..).zip(&kernel.conditions) {
        let branches = kernel.branches.iter().filter(|branch| branch.conditions.contains(&number));
        let mut places: Vec<LineOf> = branches.filter_map(|branch| table.shown(branch)).map(place).collect();
        places.sort();
        places.dedup();
        let text = &condition.text;
        let (action, paste) = match &condition.predicate {
            Predicate::WholeWarps | Predicate::OneRow => {
                let block = "-mllvm -warpwise-block=256".to_owned();
                ("state the block, or let a version take it (-mllvm -warpwise-versions)", Some(block))
            }
            Predicate::Multiples { .. } => {
                let names = text.split(" is a multiple").next().and_then(|names| names.split(" are multiples").next());
                let names = names.unwrap_or_default().split(" and ").filter(|name| *name != "blockDim.x");
                let each: Vec<String> = names.map(|name| format!("{name} &= ~{};", WARP_SIZE - 1)).collect();
                let action = "state the block; if it is always so, this at the head of the kernel changes nothing";
                (action, Some(each.join(" ")))
            }
            Predicate::Covered(_) => match text.rsplit(' ').next().map(str::parse::<u32>) {
                // of the copies of an unrolled loop, each has a limit of its own
                Some(Ok(limit)) if limit < WARP_SIZE || found.iter().any(|one: &Statement| one.places == places) => {
                    continue;
                }
                Some(Ok(limit)) => ("state the bound", Some(format!("__launch_bounds__({limit})"))),
                _ => {
                    let line = places.first().and_then(|at| sources.line(&at.file, at.line));
                    let action = "launch no more threads than there is work, and assume it above the branch";
                    (action, line.and_then(assumption))
                }
            },
        };
        found.push(Statement { places, when: text.clone(), action: action.to_owned(), paste });
    }
    for deed in deeds.iter().filter(|deed| deed.symbol == kernel.symbol && deed.remark == "NoLaunchBound") {
        let bound =
            deed.text.split("up to ").nth(1).and_then(|rest| rest.split(' ').next()).filter(|&bound| bound != "0");
        found.push(Statement {
            places: deed.place.iter().cloned().collect(),
            when: "a stack object would move to shared memory if the number of threads were known".to_owned(),
            action: "state it where the kernel is defined".to_owned(),
            paste: Some(format!("__launch_bounds__({})", bound.unwrap_or("N"))),
        });
    }
    if let Some([before, after]) = machine
        && after.spills > 0
        && after.registers < REGISTERS[1]
    {
        // so many threads may have all the registers that a thread can
        let threads = REGISTERS[0] / (REGISTERS[1] + 1);
        found.push(Statement {
            places: Vec::new(),
            when: format!(
                "ptxas: {} registers and {} bytes of spills a thread ({} and {} without the plugin)",
                after.registers, after.spills, before.registers, before.spills
            ),
            action: format!(
                "the bound caps the registers: with blocks of at most {threads} threads there are {}",
                REGISTERS[1]
            ),
            paste: Some(format!("__launch_bounds__({threads})")),
        });
    }
    found
}

/// Branches that never split although no launch condition is known of them, in one statement.
pub fn never_split(seen: &Seen, known: &[Statement]) -> Option<Statement> {
    let is_known = |at: &LineOf| known.iter().flat_map(|statement| &statement.places).any(|place| place == at);
    let places = seen.places.iter().filter_map(|place| {
        let (file, line) = place.rsplit_once(':')?;
        Some(LineOf { file: file.to_owned(), line: line.parse().ok()? })
    });
    let alone: Vec<LineOf> = places.filter(|at| seen.never_splits(&at.file, at.line) && !is_known(at)).collect();
    (!alone.is_empty()).then(|| Statement {
        places: alone,
        when: "never split in the runs of the map; lanes agree by their data".to_owned(),
        action: "build with the map, and the plugin leaves them as they are".to_owned(),
        paste: Some("-mllvm -warpwise-profile-use=MAP".to_owned()),
    })
}

/// That a bounds check holds, from its line: of `if (i < n)`, or of `if (i >= n) return`. Launch dimensions have no place in
/// an assumption, as clang drops what calls functions.
fn assumption(line: &str) -> Option<String> {
    let condition = line.split_once("if (")?.1;
    let mut depth = 1;
    let end = condition.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    })?;
    let condition = &condition[..end];
    let is_outside = condition.contains('>') && !condition.contains('<');
    let is_plain = !condition.contains("Idx.") && !condition.contains("Dim.");
    let text = if is_outside { format!("!({condition})") } else { condition.to_owned() };
    is_plain.then(|| format!("__builtin_assume({text});"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_checks_become_assumptions() {
        let of = |line: &str| assumption(line).unwrap_or_default();
        assert_eq!(of("  if (f(i) < n && j < m) {"), "__builtin_assume(f(i) < n && j < m);");
        assert_eq!(of("if (i >= n) return;"), "__builtin_assume(!(i >= n));");
        assert_eq!(of("if (threadIdx.x < n)"), "");
        assert_eq!(of("if (i < n"), "");
    }
}
