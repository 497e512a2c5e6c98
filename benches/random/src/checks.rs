//! What can be seen to be wrong in the code itself, without a GPU?
//!
//! **Lost loads.** A register that is undefined on the way to a guarded load lets ptxas merge that load with another one,
//! which these lanes never execute. So each function is assembled twice, as it is and with every `// implicit-def`
//! register set to zero, and must not have fewer loads in machine code the first time. Only functions that have such
//! registers are assembled.
//!
//! **Converted stores.** If a store is narrower than its register and a floating-point instruction has computed that,
//! ptxas stores the number converted to an integer, not its low bits. No function may have such a store.
//!
//! **Lost complements.** Behind a branch that is taken if a register is a constant, ptxas forgets that a logical operation
//! has the register's complement as an operand. No function may have such an operation right behind such a branch.
//!
//! **Lost sums.** If the upper half of a product is only used in sums, ptxas may take one for another. No half may have two.
//!
//! **Multiply-adds.** LLVM contracts `a * b + c` only within a block, so moving code decides how results are rounded. A
//! kernel has products and sums of its own and multiply-adds, of each type. A pass that melds or converts branches makes
//! fewer of each kind: of two that are alike, one stays, and what nobody needs any more goes. A multiply-add that falls
//! apart leaves a sum; one that comes into being takes one. So where there are fewer multiply-adds there may not be more
//! sums, nor more multiply-adds where there are fewer sums. Unrolling makes more of each kind.
//! This does not hold for kernels in which a pass [recomputes](RECOMPUTES), or one [unrolls](UNROLLS) and another
//! [drops](DROPS) code; a change that another melding outweighs is not seen, but the random kernels are many.
//!
//! **Loops** that bring a product to a sum of the next iteration are [as they were](carried).

use crate::carried;
use crate::compile::{Built, LEVEL, Tools, Variant};
use crate::ptx::{self, chunks, functions, parts, words};
use crate::units;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Remarks of passes that drop or add floating-point code: they make versions (also for block sizes whose shared memory
/// suffices), recompute.
const RECOMPUTES: &[&str] = &["VersionMade", "DivisionKept", "PressureRematerialised"];
/// Remarks of passes that make more of all kinds.
const UNROLLS: &[&str] = &["ArraysFreed", "LoopUnrolled"];
/// Remarks of passes that make fewer of all kinds; what an inlined call computes may turn out not to be needed.
const DROPS: &[&str] = &["BranchFused", "BranchRepeated", "BranchesConverted", "CallInlined"];

/// Loads of each function in machine code: global, shared, local, generic.
fn loads(sass: &str) -> BTreeMap<String, BTreeMap<&str, usize>> {
    let mut out: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut function = String::new();
    for line in sass.lines() {
        if let Some((_, name)) = line.split_once("Function : ") {
            name.trim().clone_into(&mut function);
            out.entry(function.clone()).or_default();
        }
        // registers that were spilled, for the last time
        if line.contains("LDL.LU") {
            continue;
        }
        let words = line.split(|c: char| !c.is_ascii_alphanumeric());
        if let Some(load) = words.into_iter().find(|w| matches!(*w, "LDG" | "LDS" | "LDL" | "LD"))
            && let Some(counts) = out.get_mut(&function)
        {
            *counts.entry(load).or_default() += 1;
        }
    }
    out
}

const UNDEFINED: &str = "// implicit-def: ";

/// Loads that ptxas drops or adds because of undefined registers: a line for each function.
pub fn lost_loads(tools: &Tools, ptx: &str, folder: &Path) -> Result<Vec<String>> {
    if !ptx.contains(UNDEFINED) {
        return Ok(Vec::new());
    }
    let kept = chunks(ptx).into_iter().filter(|c| !c.is_entry || c.text.contains(UNDEFINED));
    let before: String = kept.map(|c| c.text).collect();
    let after: String = before.split_inclusive('\n').map(defined).collect();
    let count = |ptx: &str, name: &str| -> Result<String> {
        let cubin = folder.join(name);
        tools.assemble(ptx, &cubin, LEVEL)?;
        tools.disassemble(&cubin)
    };
    let (before, after) = (count(&before, "undefined.cubin")?, count(&after, "defined.cubin")?);
    let (before, after) = (loads(&before), loads(&after));
    // a register that is known to be zero may save loads, and one more may be spilled
    let bodies: BTreeMap<&str, &str> = chunks(ptx).into_iter().map(|c| (c.symbol, c.text)).collect();
    let is_lost = |name: &str, counts: &BTreeMap<&str, usize>| {
        let has_local = bodies.get(name).is_some_and(|text| text.contains("ld.local") || text.contains("call"));
        let defined = after.get(name).into_iter().flatten().filter(|(load, _)| has_local || **load != "LDL");
        defined.into_iter().any(|(load, &count)| counts.get(load).copied().unwrap_or(0) < count)
    };
    let lost = before.iter().filter(|(name, counts)| is_lost(name, counts));
    Ok(lost
        .map(|(name, counts)| format!("{name}: loads {counts:?}, with defined registers {:?}", after.get(name)))
        .collect())
}

/// A line of PTX, a definition in place of a remark that there is none.
fn defined(line: &str) -> String {
    let Some((_, register)) = line.split_once(UNDEFINED) else { return line.to_owned() };
    let register = register.trim();
    match register.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "%p" => format!("\tsetp.ne.b32 {register}, 0, 0;\n"),
        "%rs" | "%h" => format!("\tmov.b16 {register}, 0;\n"),
        "%rd" | "%fd" => format!("\tmov.b64 {register}, 0;\n"),
        "%rq" => format!("\tmov.b128 {register}, {{%rd0, %rd0}};\n"),
        _ => format!("\tmov.b32 {register}, 0;\n"),
    }
}

/// Stores of which ptxas converts what they store: a line for each.
pub fn converted_stores(ptx: &str) -> Vec<String> {
    let of = |chunk: ptx::Chunk| {
        let lines = || chunk.text.lines().map(|line| line.trim_start_matches(|c: char| c.is_whitespace() || c == '{'));
        let code: Vec<(&str, &str)> = lines().filter_map(|line| line.split_once(char::is_whitespace)).collect();
        let is_computed = |(operation, _): &&(&str, &str)| computes_float(operation);
        let result = |(_, operands): &(&'_ str, &'_ str)| operands.split(',').next().unwrap_or("").trim().to_owned();
        // where other ways bring an integer, the register has no type for ptxas
        let is_copied = |(operation, _): &(&str, &str)| operation.starts_with("mov.") || operation.starts_with("st.");
        let is_other = |line: &&(&str, &str)| !is_computed(line) && !is_copied(line);
        let others: BTreeSet<String> = code.iter().filter(is_other).map(result).collect();
        let floats = code.iter().filter(is_computed).map(result).filter(|register| !others.contains(register));
        let floats: BTreeSet<String> = floats.collect();
        let mut out = Vec::new();
        // whether a register has been a float in its block, whatever it is elsewhere; a copy says nothing
        let mut here: BTreeMap<String, bool> = BTreeMap::new();
        for line in lines() {
            if line.starts_with('$') {
                here.clear();
            }
            let Some(code @ (operation, operands)) = line.split_once(char::is_whitespace) else { continue };
            let is_float = |register: &str| here.get(register).copied().unwrap_or_else(|| floats.contains(register));
            if operation.starts_with("mov.") {
                here.remove(&result(&code));
            } else if !operation.starts_with("st.") {
                here.insert(result(&code), is_computed(&&code));
            } else if stored(operands).any(|register| is_narrower(operation, register) && is_float(register)) {
                out.push(format!("{}: ptxas converts: {operation} {operands}", chunk.symbol));
            }
        }
        out
    };
    functions(ptx).flat_map(of).collect()
}

/// Logical operations of which ptxas loses the complement of a register that a branch has found to be a constant, between
/// that branch and the next label: a line for each.
pub fn lost_complements(ptx: &str) -> Vec<String> {
    functions(ptx).flat_map(|chunk| complements(&chunk)).collect()
}

fn complements(chunk: &ptx::Chunk<'_>) -> Vec<String> {
    let mut out = Vec::new();
    // registers by predicate, and whether it says that they are the constant; by label; by register that has the same
    let mut compared: BTreeMap<&str, (&str, bool)> = BTreeMap::new();
    let mut behind: BTreeMap<&str, &str> = BTreeMap::new();
    let mut same: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut known, mut complements): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    // what is set in several places has no root
    let mut set: BTreeMap<&str, usize> = BTreeMap::new();
    for register in chunk.text.lines().filter_map(|line| words(line).nth(1)) {
        *set.entry(register).or_default() += 1;
    }
    let is_set_once = |register: &str| register.starts_with('%') && set.get(register) == Some(&1);
    let is_logical = |operation: &str| ["and.b", "or.b", "xor.b"].iter().any(|logic| operation.starts_with(logic));
    let is_copy = |operation: &str| operation.starts_with("cvt.") || operation.starts_with("mov.");
    let mut falls_through = true;
    for line in chunk.text.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with('$')) {
            let is_only_way = !falls_through && chunk.text.matches(&format!("{label};")).count() == 1;
            known = behind.get(label).filter(|_| is_only_way).copied().into_iter().collect();
            complements.clear();
        }
        let words: Vec<&str> = words(line).collect();
        let root = |register: &str| same.get(register).copied();
        match words[..] {
            [guard, "bra", label] if guard.starts_with('@') => {
                let name = guard.trim_start_matches(['@', '!']);
                if let Some(&(register, equal)) = compared.get(name) {
                    if equal == guard.starts_with("@!") {
                        known.push(register);
                    } else {
                        behind.insert(label, register);
                    }
                }
            }
            [operation, predicate, register, number] if operation.starts_with("setp.") => {
                let equal = operation.starts_with("setp.eq.");
                let is_constant = number.parse::<i64>().is_ok();
                if (equal || operation.starts_with("setp.ne.")) && is_constant && is_set_once(register) {
                    compared.insert(predicate, (root(register).unwrap_or(register), equal));
                }
            }
            [operation, to, from] if operation.starts_with("not.") && from.starts_with('%') => {
                complements.extend(known.contains(&root(from).unwrap_or(from)).then_some(to));
            }
            [operation, to, from] if is_copy(operation) && is_set_once(to) && is_set_once(from) => {
                same.insert(to, root(from).unwrap_or(from));
            }
            [operation, _, a, b] if is_logical(operation) && [a, b].iter().any(|side| complements.contains(side)) => {
                out.push(format!("{}: ptxas loses a complement: {line}", chunk.symbol));
            }
            _ => {}
        }
        if !words.is_empty() && !line.ends_with(':') && !line.starts_with("//") {
            falls_through = !matches!(words[0], "bra" | "bra.uni" | "ret" | "exit" | "trap");
        }
    }
    out
}

/// Upper halves of products that are only used in sums, of which ptxas may take one for another: a line for each.
pub fn lost_sums(ptx: &str) -> Vec<String> {
    let of = |chunk: ptx::Chunk<'_>| {
        let lines = || chunk.text.lines().map(|line| words(line).collect::<Vec<_>>());
        let halves = lines().filter_map(|line| line.first()?.starts_with("mul.hi.").then_some(*line.get(1)?));
        let mut sums: BTreeMap<&str, usize> = halves.map(|half| (half, 0)).collect();
        for line in lines() {
            // a difference is a sum for what stands in front
            let first = line.first().copied().unwrap_or_default();
            let operands = if first.starts_with("add.") { 2 } else { usize::from(first.starts_with("sub.")) };
            for (index, word) in line.get(2..).unwrap_or_default().iter().enumerate() {
                if index < operands {
                    sums.entry(word).and_modify(|count| *count += 1);
                } else {
                    sums.remove(word);
                }
            }
        }
        let several = sums.into_iter().filter(|&(_, count)| count > 1);
        let say = |(half, count)| format!("{}: ptxas may lose one of {count} sums with {half}", chunk.symbol);
        several.map(say).collect::<Vec<_>>()
    };
    functions(ptx).flat_map(of).collect()
}

/// What ptxas gets wrong by itself.
pub fn mistaken(ptx: &str) -> Vec<String> {
    [converted_stores(ptx), lost_complements(ptx), lost_sums(ptx)].concat()
}

/// Whether an operation has a floating-point result; of a conversion's two types, the first is the result's.
fn computes_float(operation: &str) -> bool {
    let is_float =
        |part: &str| part.trim_start_matches('b').starts_with('f') && part.ends_with(|c: char| c.is_ascii_digit());
    let is_type = |part: &&str| is_float(part) || part.starts_with(['s', 'u', 'b']) && part[1..].parse::<u32>().is_ok();
    let mut parts = operation.split('.');
    !matches!(parts.next(), Some("setp" | "st")) && parts.find(is_type).is_some_and(is_float)
}

/// The registers that a store with these operands stores: they stand behind the address.
fn stored(operands: &str) -> impl Iterator<Item = &str> {
    let registers = operands.split_once(']').map_or("", |(_, rest)| rest);
    registers.split(|c: char| !c.is_ascii_alphanumeric() && c != '%').filter(|word| word.starts_with('%'))
}

/// Whether a store is narrower than a register.
fn is_narrower(store: &str, register: &str) -> bool {
    let whole = match register.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "%rs" => 16,
        "%rd" => 64,
        _ => 32,
    };
    store.rsplit('.').next().and_then(|ty| ty.get(1..)?.parse::<u32>().ok()).is_some_and(|bits| bits < whole)
}

/// Products, sums and multiply-adds of a kernel, by type; doubles that are rounded to halves at once.
type Roundings = BTreeMap<(String, &'static str), usize>;

/// A product that one sum uses is a multiply-add, which `ptxas` makes of the two wherever they are.
fn roundings(text: &str) -> Roundings {
    let lines: Vec<(&str, Vec<&str>)> = text.lines().filter_map(parts).collect();
    let kinds: Vec<Option<(&str, &str)>> =
        lines.iter().map(|(operation, operands)| kind(operation, operands)).collect();
    let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, (operation, operands)) in lines.iter().enumerate() {
        let count = usize::from(!operation.starts_with("st."));
        operands.iter().take(count).for_each(|result| *results.entry(result).or_default() += 1);
        let used = operands.iter().skip(count).map(|used| used.trim_matches(['{', '}']));
        used.for_each(|used| users.entry(used).or_default().push(at));
    }
    let may_join = |at: usize| !lines[at].0.contains(".rn");
    let only_user = |at: usize| -> Option<usize> {
        let result = lines[at].1.first()?;
        let [user] = users.get(result)?[..] else { return None };
        (results.get(result) == Some(&1)).then_some(user)
    };
    // the sum that a product is part of, perhaps with the opposite sign, or as the absolute value of a square
    let sum_of = |at: usize| {
        let user = only_user(at)?;
        let is_square = lines[at].1.get(1) == lines[at].1.get(2);
        let is_seen_through = lines[user].0.starts_with("neg.f") || lines[user].0 == "abs.f32" && is_square;
        let user = if is_seen_through { only_user(user)? } else { user };
        matches!(kinds[user], Some(("f32" | "f64", "sum"))).then_some(user).filter(|&user| may_join(user))
    };
    let mut joined = BTreeSet::new();
    let mut out = Roundings::new();
    for (at, kind) in kinds.iter().enumerate().filter_map(|(at, kind)| Some((at, (*kind)?))) {
        let is_part = kind.1 == "mul" && may_join(at) && sum_of(at).is_some_and(|sum| joined.insert(sum));
        let kind = (kind.0.to_owned(), if is_part { "fma" } else { kind.1 });
        *out.entry(kind).or_default() += 1;
    }
    for (ty, kind) in joined.into_iter().filter_map(|sum| kinds[sum]) {
        out.entry((ty.to_owned(), kind)).and_modify(|count| *count -= 1);
    }
    out
}

/// The type and kind of an operation that rounds.
fn kind<'a>(operation: &'a str, operands: &[&str]) -> Option<(&'a str, &'static str)> {
    let parts: Vec<&str> = operation.split('.').collect();
    let (kind, ty) = (*parts.first()?, *parts.last()?);
    if !matches!(ty, "f16" | "f32" | "f64" | "f16x2" | "bf16") {
        return None;
    }
    const TWO: [&str; 4] = ["0f40000000", "0fC0000000", "0d4000000000000000", "0dC000000000000000"];
    let is_twice = || operands.iter().skip(1).take(2).any(|factor| TWO.contains(factor));
    let kind = match kind {
        // twice a value is exact
        "add" if operands.len() == 3 && operands[1] == operands[2] => return None,
        "mul" if is_twice() => return None,
        "fma" if is_twice() => "sum",
        "fma" => "fma",
        "mul" => "mul",
        "add" | "sub" => "sum",
        // a double that becomes a half was rounded to float in between, unless the two are joined
        "cvt" if ty == "f64" && parts.iter().any(|part| part.ends_with("f16")) => "at once",
        _ => return None,
    };
    Some((ty, kind))
}

/// What each function of a module executes, what it calls included, so that inlining changes nothing.
fn roundings_of_functions(ptx: &str) -> BTreeMap<String, Roundings> {
    let all = chunks(ptx).into_iter().filter(|c| c.text.trim_end().ends_with('}'));
    let bodies: BTreeMap<&str, &str> = all.map(|c| (c.symbol, c.text)).collect();
    let mut out = BTreeMap::new();
    bodies.keys().for_each(|name| add_roundings(name, &bodies, &mut Vec::new(), &mut out));
    out
}

/// Adds a function and what it calls; those in `open` are being counted.
fn add_roundings<'a>(
    name: &'a str,
    bodies: &BTreeMap<&'a str, &'a str>,
    open: &mut Vec<&'a str>,
    out: &mut BTreeMap<String, Roundings>,
) {
    let Some(&text) = bodies.get(name).filter(|_| !open.contains(&name) && !out.contains_key(name)) else { return };
    open.push(name);
    let mut sum = roundings(text);
    for called in text.lines().filter_map(callee) {
        add_roundings(called, bodies, open, out);
        for (kind, count) in out.get(called).into_iter().flatten() {
            *sum.entry(kind.clone()).or_default() += count;
        }
    }
    open.pop();
    out.insert(name.to_owned(), sum);
}

/// What a line of PTX calls by its name.
fn callee(line: &str) -> Option<&str> {
    let operands = line.trim_start().strip_prefix("call.uni")?.trim_start();
    let operands = match operands.strip_prefix('(') {
        Some(results) => results.split_once(')')?.1.trim_start_matches([',', ' ']),
        None => operands,
    };
    operands.split([',', ';']).next()
}

/// Kernels whose multiply-adds are not those of clang: a line for each.
pub fn contractions(plain: &str, ours: &Built) -> Vec<String> {
    let has_any = |name: &str, remarks: &[&str]| {
        let is_its = |function: &str| {
            function == name || ptx::owner(name).is_some_and(|seed| ptx::owner(function) == Some(seed))
        };
        ours.done.iter().any(|(function, remark)| is_its(function) && remarks.contains(&remark.as_str()))
    };
    let recomputes = |name: &str| has_any(name, RECOMPUTES) || has_any(name, UNROLLS) && has_any(name, DROPS);
    let (before, after) = (roundings_of_functions(plain), roundings_of_functions(&ours.ptx));
    let mut out = Vec::new();
    for (name, after) in after.iter().filter(|(name, _)| !recomputes(name)) {
        let Some(before) = before.get(ptx::base(name)) else { continue };
        let types: BTreeSet<&String> = before.keys().chain(after.keys()).map(|(ty, _)| ty).collect();
        for ty in types {
            let count = |of: &Roundings, kind| of.get(&(ty.clone(), kind)).copied().unwrap_or(0);
            let (clang, ours) = (count(before, "at once"), count(after, "at once"));
            if clang != ours {
                out.push(format!("{name}: clang rounds {clang} doubles to halves at once, ours {ours}"));
            }
            let [fma, mul, sum] = ["fma", "mul", "sum"].map(|kind| (count(before, kind), count(after, kind)));
            let falls_apart = fma.1 < fma.0 && sum.1 > sum.0;
            let comes_to_be = fma.1 > fma.0 && sum.1 < sum.0;
            if falls_apart || comes_to_be {
                out.push(format!(
                    "{name}: {ty}: clang has {} multiply-adds, {} products, {} sums; ours {}, {}, {}",
                    fma.0, mul.0, sum.0, fma.1, mul.1, sum.1
                ));
            }
        }
    }
    out
}

/// Checks files in several variants, and prints what is wrong: sources and IR both builds, PTX its loads. Returns how
/// much is wrong.
pub fn files(tools: &Tools, variants: &[&Variant], jobs: usize, files: &[PathBuf]) -> Result<usize> {
    let (next, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    units::parallel(jobs, || {
        let folder = tempfile::tempdir()?;
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut found = Vec::new();
            if file.extension().is_some_and(|ending| ending == "ptx") {
                let ptx = std::fs::read_to_string(file)?;
                found.extend(mistaken(&ptx));
                found.extend(lost_loads(tools, &ptx, folder.path())?);
            } else {
                for variant in variants {
                    match both(tools, variant, file, folder.path()) {
                        Err(why) => println!("{} {}: left out: {why:#}", file.display(), variant.name),
                        Ok(lines) => found.extend(lines.into_iter().map(|line| format!("{}: {line}", variant.name))),
                    }
                }
            }
            wrong.fetch_add(found.len(), Ordering::Relaxed);
            found.iter().for_each(|line| println!("{} {line}", file.display()));
        }
        Ok(())
    })?;
    Ok(wrong.into_inner())
}

/// What is wrong with a source or IR in a variant; an error if clang alone cannot compile it.
fn both(tools: &Tools, variant: &Variant, file: &Path, folder: &Path) -> Result<Vec<String>> {
    let ours = tools.ptx(file, variant, true, folder);
    // clang's own code needs no look
    if ours.as_ref().is_ok_and(|ours| ours.done.is_empty()) {
        return Ok(Vec::new());
    }
    let plain = tools.ptx(file, variant, false, folder)?;
    Ok(ours.and_then(|ours| check(tools, &plain.ptx, &ours, folder)).unwrap_or_else(|why| vec![format!("{why:#}")]))
}

/// What the plugin changes that it must not, as far as PTX tells.
pub fn changes(plain: &str, ours: &Built) -> Vec<String> {
    contractions(plain, ours).into_iter().chain(carried::changed(plain, &ours.ptx)).collect()
}

/// All checks of two builds of one source.
pub fn check(tools: &Tools, plain: &str, ours: &Built, folder: &Path) -> Result<Vec<String>> {
    let changed = ptx::changed(plain, &ours.ptx);
    let is_random = !ptx::entries(plain).is_empty();
    let ours_changed = if is_random { ptx::keep(&ours.ptx, &changed) } else { ours.ptx.clone() };
    let mut out = changes(plain, ours);
    out.extend(mistaken(&ours.ptx));
    out.extend(lost_loads(tools, &ours_changed, folder)?);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_registers_are_set() {
        assert_eq!(defined("                                        // implicit-def: %rd7\n"), "\tmov.b64 %rd7, 0;\n");
        assert_eq!(defined(" // implicit-def: %p2\n"), "\tsetp.ne.b32 %p2, 0, 0;\n");
        assert_eq!(defined("\tret;\n"), "\tret;\n");
    }

    #[test]
    fn a_store_of_low_bits_is_seen() {
        let of = |code: &str| converted_stores(&format!(".entry k1()\n{{\n\t{code}\n}}\n")).len();
        assert_eq!(of("mul.f64 \t%rd1, %rd2, %rd3;\n\tst.global.b32 \t[%rd9], %rd1;"), 1);
        assert_eq!(of("{mul.f16 %rs1,%rs2,%rs3;\n}\n\tst.global.b8 \t[%rd9+3], %rs1;"), 1);
        assert_eq!(of("cvt.rn.f32.u32 \t%r1, %r2;\n\tst.shared.b16 \t[%rd9], %r1;"), 1);
        assert_eq!(of("cvt.rn.f32.u32 \t%r1, %r2;\n\tor.b32 \t%r1, %r2, %r3;\n\tst.shared.b16 \t[%rd9], %r1;"), 0);
        assert_eq!(of("mul.f32 \t%r1, %r2, %r3;\n\tst.shared.b16 \t[%rd9], %r1;\n\tor.b32 \t%r1, %r2, %r3;"), 1);
        let copied =
            "mul.f32 \t%r1, %r2, %r3;\n\tbra \t$L__BB0_2;\n\tmov.b32 \t%r1, %r4;\n\tst.shared.b16 \t[%rd9], %r1;";
        assert_eq!(of(copied), 1, "a copy says nothing");
        assert_eq!(of("mul.f32 \t%r1, %r2, %r3;\n\tst.global.v2.b32 \t[%rd9], {%r1, %r1};"), 0);
        assert_eq!(of("cvt.rzi.u64.f64 \t%rd1, %rd3;\n\tst.global.b32 \t[%rd9], %rd1;"), 0);
        assert_eq!(of("mul.f64 \t%rd1, %rd2, %rd3;\n\tmov.b64 %rd4, %rd1;\n\tst.global.b32 \t[%rd9], %rd4;"), 0);
    }

    #[test]
    fn a_complement_of_what_is_known_is_seen() {
        let head = "\tld.global.b32 \t%r1, [%rd1];\n";
        let of = |code: &str| {
            let head = if code.contains("%rs1") { "\tld.global.b8 \t%rs1, [%rd1];\n" } else { head };
            lost_complements(&format!(".entry k1()\n{{\n{head}{code}\n}}\n")).len()
        };
        let lost = "\tnot.b32 \t%r3, %r1;\n\tand.b32 \t%r4, %r3, 7;";
        let equal = "\tsetp.eq.b32 \t%p1, %r1, 4;\n\t@%p1 bra \t$L__BB0_2;\n\tbra.uni \t$L__BB0_3;\n$L__BB0_2:\n";
        let differs = "\tsetp.ne.b32 \t%p1, %r1, 4;\n\t@%p1 bra \t$L__BB0_2;\n";
        assert_eq!(of(&format!("{differs}{lost}")), 1);
        assert_eq!(of(&format!("{equal}{lost}")), 1);
        assert_eq!(of(&format!("{differs}$L__BB0_2:\n{lost}")), 0, "other ways lead there");
        let byte = "\tcvt.u32.u16 \t%r1, %rs1;\n\tsetp.ne.b16 \t%p1, %rs1, 4;\n\t@%p1 bra \t$L__BB0_2;\n";
        assert_eq!(of(&format!("{byte}{lost}")), 1);
        assert_eq!(of(&format!("{lost}\n{differs}")), 0);
        assert_eq!(of(&format!("{differs}{lost}\n\tmov.b32 \t%r1, 1;")), 0, "of another value");
    }

    #[test]
    fn a_sum_that_may_be_lost_is_seen() {
        let of = |code: &str| {
            let half = "mul.hi.u32 \t%r1, %r2, 148102321;\n\tadd.s32 \t%r3, %r1, 7;";
            lost_sums(&format!(".entry k1()\n{{\n\t{half}\n\t{code}\n}}\n")).len()
        };
        assert_eq!(of("add.s32 \t%r4, %r1, 9;"), 1);
        assert_eq!(of("add.s32 \t%r4, %r5, 9;"), 0, "the only one");
        assert_eq!(of("add.s32 \t%r4, %r1, 9;\n\tst.global.b32 \t[%rd1], %r1;"), 0);
        assert_eq!(of("sub.s32 \t%r4, %r2, %r1;\n\tadd.s32 \t%r5, %r4, %r1;"), 0, "as divisions do");
        assert_eq!(of("add.s32 \t%r4, %r1, 9;\n\tcvt.u64.u32 wide, %r1;"), 0);
    }

    #[test]
    fn a_multiply_add_that_falls_apart_is_seen() {
        let entry = |code: &str| format!(".entry k1()\n{{\n{code}}}\n");
        let ours = |code: &str| Built { ptx: entry(code), done: Vec::new(), versions: Vec::new() };
        let (fma, two) = ("\tfma.rn.f32 %a, %b, %c, %d;\n", "\tmul.rn.f32 %a, %b, %c;\n\tadd.rn.f32 %d, %a, %e;\n");
        let both = format!("{fma}{fma}");
        assert!(contractions(&entry(&both), &ours(fma)).is_empty(), "two that are alike are melded");
        assert!(!contractions(&entry(fma), &ours(two)).is_empty());
        assert!(!contractions(&entry(two), &ours(fma)).is_empty());
        assert!(contractions(&entry(&format!("{fma}{two}")), &ours(fma)).is_empty(), "nobody needs it");
        let square = |operation: &str| format!("\tmul.f32 %a, %b, %b;\n\t{operation} %c, %a;\n\tadd.f32 %d, %c, %e;\n");
        let joined = "\tfma.rn.f32 %d, %b, %b, %e;\n";
        assert!(contractions(&entry(joined), &ours(&square("abs.f32"))).is_empty());
        assert!(!contractions(&entry(joined), &ours(&square("sqrt.rn.f32"))).is_empty());
        let twice = entry("\tfma.rn.f32 %d, %b, 0f40000000, %e;\n");
        assert!(
            contractions(&twice, &ours("\tadd.f32 %a, %b, %b;\n\tadd.f32 %d, %a, %e;\n\tadd.f32 %f, %a, %e;\n"))
                .is_empty()
        );
        assert!(!contractions(&entry("\tcvt.rn.f32.f64 %a, %b;\n"), &ours("\tcvt.rn.f16.f64 %a, %b;\n")).is_empty());
        let called = format!(".func h()\n{{\n{fma}}}\n{}", entry("\tcall.uni (r), h, (p);\n"));
        assert!(contractions(&called, &ours(fma)).is_empty(), "inlined");
        assert!(!contractions(&called, &ours(two)).is_empty());
        let unrolled =
            Built { ptx: entry(&both), done: vec![("k1".to_owned(), "LoopUnrolled".to_owned())], versions: Vec::new() };
        assert!(contractions(&entry(fma), &unrolled).is_empty());
    }

    #[test]
    fn loads_are_counted_by_kind() {
        let sass = "\t\tFunction : k\n /*0*/ @!P0 LDG.E.64 R2, desc[UR4][R2.64] ;\n /*1*/ LDC R1, c[0x0] ;\n /*2*/ LDS R1, [R2] ;\n";
        assert_eq!(loads(sass)["k"], BTreeMap::from([("LDG", 1), ("LDS", 1)]));
    }
}
