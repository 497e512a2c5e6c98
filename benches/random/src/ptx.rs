//! Which kernels of a module differ from those of another, and how is PTX cut down to some of them?
//!
//! LLVM numbers labels, calls and stack frames through the whole module: texts are compared without these numbers.

use std::collections::{BTreeMap, BTreeSet};

/// A piece of a module: a function, or what stands between two.
pub struct Chunk<'a> {
    /// The function's symbol; empty for other text.
    pub symbol: &'a str,
    pub text: &'a str,
    /// Whether the kernel itself, not a helper or a declaration.
    pub is_entry: bool,
}

/// A module as its pieces, which make up the whole text.
pub fn chunks(ptx: &str) -> Vec<Chunk<'_>> {
    let (mut out, mut start, mut at) = (Vec::new(), 0, 0);
    let mut lines = ptx.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let begin = at;
        at += line.len();
        let is_entry = line.contains(".entry ");
        if !is_entry && !line.starts_with(".func") && !line.contains(" .func ") {
            continue;
        }
        // a definition ends where its braces close, a declaration with a semicolon
        let braces = |line: &str| line.matches('{').count() as isize - line.matches('}').count() as isize;
        let (mut last, mut depth, mut is_open) = (line, 0, false);
        while !(is_open && depth == 0 || !is_open && last.trim_end().ends_with(';')) {
            let Some(next) = lines.next() else { break };
            at += next.len();
            depth += braces(next);
            is_open |= depth > 0;
            last = next;
        }
        out.push(Chunk { symbol: "", text: &ptx[start..begin], is_entry: false });
        let text = &ptx[begin..at];
        out.push(Chunk { symbol: symbol(text), text, is_entry });
        start = at;
    }
    out.push(Chunk { symbol: "", text: &ptx[start..], is_entry: false });
    out
}

/// The functions of a module.
pub fn functions(ptx: &str) -> impl Iterator<Item = Chunk<'_>> {
    chunks(ptx).into_iter().filter(|chunk| !chunk.symbol.is_empty())
}

/// The name that a function's text declares: it stands in front of the parameters, behind what is returned.
fn symbol(text: &str) -> &str {
    let after = text.find(".entry").or_else(|| text.find(".func")).map_or(text, |at| &text[at..]);
    let after = after.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start();
    let after = match after.strip_prefix('(') {
        Some(results) => results.split_once(')').map_or("", |(_, rest)| rest).trim_start(),
        None => after,
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    &after[..after.find(|c| !is_part(c)).unwrap_or(after.len())]
}

/// What a line consists of: operations, operands, guards.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).filter(|word| !word.is_empty())
}

/// The operation of a line, its guard left out, and its operands.
pub fn parts(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = words(line.split("//").next()?).skip_while(|word| word.starts_with('@'));
    Some((words.next()?, words.collect()))
}

/// The kernel of an alternative, which has its name, and behind a dollar sign its own.
pub fn base(symbol: &str) -> &str {
    symbol.split_once('$').map_or(symbol, |(base, _)| base)
}

/// The kernel of this crate that a function belongs to: itself, an alternative or version of it, or its helper, whose
/// name follows its length when it is mangled.
pub fn owner(symbol: &str) -> Option<u64> {
    let plain = symbol.strip_prefix("_ZL").map_or(symbol, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let digits = plain.strip_prefix('k')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// A function's text without what depends on its place in the module.
pub fn normal(text: &str) -> String {
    const NUMBERED: [&str; 4] = ["$L__BB", "callseq ", "prototype_", "__local_depot"];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, word)) = NUMBERED.iter().filter_map(|word| Some((rest.find(word)?, word))).min() {
        out.push_str(&rest[..at + word.len()]);
        rest = rest[at + word.len()..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out.push_str(rest);
    out
}

/// The functions of each kernel, one text.
fn kernels(ptx: &str) -> BTreeMap<u64, String> {
    let mut out: BTreeMap<u64, String> = BTreeMap::new();
    for chunk in chunks(ptx) {
        if let Some(seed) = owner(chunk.symbol) {
            out.entry(seed).or_default().push_str(&normal(chunk.text));
        }
    }
    out
}

/// The kernels whose code differs.
pub fn changed(before: &str, after: &str) -> BTreeSet<u64> {
    let (before, after) = (kernels(before), kernels(after));
    before.keys().chain(after.keys()).copied().filter(|seed| before.get(seed) != after.get(seed)).collect()
}

/// The module without the functions of other kernels.
pub fn keep(ptx: &str, seeds: &BTreeSet<u64>) -> String {
    let kept = chunks(ptx).into_iter().filter(|c| owner(c.symbol).is_none_or(|seed| seeds.contains(&seed)));
    kept.map(|c| c.text).collect()
}

/// Every kernel's entry points: itself, and what follows its name behind a dollar sign.
pub fn entries(ptx: &str) -> Vec<(u64, String)> {
    let found = chunks(ptx).into_iter().filter(|c| c.is_entry);
    found.filter_map(|c| Some((owner(c.symbol)?, c.symbol.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = ".version 8.8\n.func  (.param .b32 r) _ZL6k33_h1PKj\n(\n\t.param .b64 x\n)\n;\n.visible .const .b8 T[2];\n\
        .visible .entry k33(\n\t.param .b64 p\n)\n.maxntid 64\n{\n\tbra $L__BB7_2;\n}\n                // -- End\n.visible .entry k33$t1()\n{\n\tret;\n}\n.entry k4()\n{\n\tret;\n}\n";

    #[test]
    fn functions_are_found_and_nothing_is_lost() {
        let all = chunks(MODULE);
        assert_eq!(all.iter().map(|c| c.text).collect::<String>(), MODULE);
        let symbols: Vec<_> = all.iter().map(|c| c.symbol).filter(|s| !s.is_empty()).collect();
        assert_eq!(symbols, ["_ZL6k33_h1PKj", "k33", "k33$t1", "k4"]);
        assert_eq!(symbols.iter().map(|s| owner(s)).collect::<Vec<_>>(), [Some(33), Some(33), Some(33), Some(4)]);
        assert_eq!(owner("__internal_trig"), None);
    }

    #[test]
    fn only_other_code_is_a_change() {
        assert!(changed(MODULE, &MODULE.replace("BB7", "BB12")).is_empty());
        assert_eq!(changed(MODULE, &MODULE.replace("BB7_2", "BB7_3")), [33].into());
        let kept = keep(MODULE, &[4].into());
        assert!(!kept.contains("k33") && kept.contains(".entry k4") && kept.contains(".const"));
        assert_eq!(entries(&kept), [(4, "k4".to_owned())]);
    }
}
