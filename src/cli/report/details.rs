//! What does a page show of a source besides its lines and branches? Memory accesses, objects in local memory, and what was
//! done and refused; and what each remark means, as docs/PASSES.md tells it.

use super::index::Deed;
use super::model::{Local, Report};
use serde_json::{Map, Value, json};

/// The tables of remarks, below the passes that emit them.
const PASSES: &str = include_str!("../../../docs/PASSES.md");

/// For each remark, who emits it, and what it means: `{"BranchFused": ["fuse-branches", "how much was melded, …"]}`.
pub fn legend() -> Value {
    let mut legend = Map::new();
    let mut pass = String::new();
    for line in PASSES.lines() {
        if let Some(title) = line.strip_prefix("## ").or(line.strip_prefix("### ")) {
            pass = title.replace('`', "");
        }
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [names, .., meaning] = cells.as_slice() else { continue };
        let is_row = line.starts_with("| `") && names.split('`').nth(1).is_some_and(is_remark);
        let names: Vec<&str> = names.split('`').skip(1).step_by(2).filter(|_| is_row).collect();
        let parts: Vec<&str> = meaning.split("; ").collect();
        for (number, &name) in names.iter().enumerate() {
            let part = if parts.len() == names.len() { parts[number] } else { meaning };
            legend.entry(name).or_insert_with(|| json!([pass, without_links(part)]));
        }
    }
    Value::Object(legend)
}

/// Whether a word is the name of a remark: `BranchFused`.
fn is_remark(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase()) && word.chars().all(char::is_alphanumeric)
}

/// Markdown without the targets of its links: `[the model](FUSE.md)` is `the model`.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        plain += &before.replacen('[', "", 1);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    (plain + rest).replace('`', "")
}

/// The details of a file as JSON for the page's script.
pub fn of(report: &Report, deeds: &[Deed]) -> Value {
    let mut accesses: Vec<(Value, String, u32)> = Vec::new();
    let mut locals = Vec::new();
    for function in &report.functions {
        for access in &function.accesses {
            let row = json!({
                "function": function.name, "place": access.place, "action": access.action, "bytes": access.bytes,
                "sectors": access.sectors, "ideal": access.ideal_sectors, "ways": access.bank_ways,
                "is_costly": access.is_costly, "space": access.space,
            });
            // copies made by inlining and unrolling, of which the first is shown
            match accesses.iter_mut().rev().find(|(known, _, _)| *known == row) {
                Some((_, _, count)) => *count += 1,
                None => accesses.push((row, access.sentence(), 1)),
            }
        }
        let name = &function.name;
        let object = |one: &Local| json!({"function": name, "place": one.place, "name": one.name, "bytes": one.bytes});
        locals.extend(function.locals.iter().map(object));
    }
    let with_count = |(mut row, what, count): (Value, String, u32)| {
        (row["what"], row["count"]) = (what.into(), count.into());
        row
    };
    let repeated = report.functions.iter().filter_map(|function| Some((&function.name, function.repeated.as_ref()?)));
    let name = |deed: &Deed| report.functions.iter().find(|f| f.symbol == deed.symbol).map(|f| f.name.clone());
    let deed = |deed: &Deed| {
        json!({
            "function": name(deed).unwrap_or_else(|| deed.symbol.clone()), "place": deed.place, "remark": deed.remark,
            "is_done": deed.is_done, "text": deed.text, "count": deed.count,
        })
    };
    json!({
        "repeated": repeated.collect::<Vec<_>>(),
        "accesses": accesses.into_iter().map(with_count).collect::<Vec<_>>(),
        "locals": locals,
        "deeds": deeds.iter().map(deed).collect::<Vec<_>>(),
    })
}
