//! Which loops have multiply-adds only if `ptxas` unrolls them?
//!
//! Those that bring a product of one iteration to a sum of the next, and those of a constant number of iterations that bring one
//! from in front of them to a sum. Whether `ptxas` unrolls an innermost loop depends on all that is in it, so such a loop must
//! be in both builds as it is in one.

use crate::ptx::{base, chunks, functions, parts, words};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::once;

/// A loop: how often it has each operation.
type Body = BTreeMap<String, usize>;

/// Functions that have other such loops than without the plugin: a line for each.
pub fn changed(plain: &str, ours: &str) -> Vec<String> {
    let before: BTreeMap<&str, &str> = chunks(plain).into_iter().map(|chunk| (chunk.symbol, chunk.text)).collect();
    let mut out = Vec::new();
    for chunk in functions(ours) {
        let Some(before) = before.get(base(chunk.symbol)).map(|text| loops(text)) else { continue };
        for body in loops(chunk.text).into_iter().filter(|body| !before.contains(body)) {
            out.push(format!("{}: ptxas may unroll a loop that brings a product to a sum: {body:?}", chunk.symbol));
        }
    }
    out
}

/// The innermost loops of a function that bring a product to a sum.
fn loops(text: &str) -> BTreeSet<Body> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let labels: BTreeMap<&str, usize> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((line.split_once(':')?.0, at))).collect();
    let comments = |at: usize| lines[at + 1..].iter().copied().take_while(|line| line.starts_with("//"));
    let is_inner = |at: usize| once(lines[at]).chain(comments(at)).any(|line| line.contains("Inner Loop Header"));
    let target = |line: &str| line.split_once("bra").and_then(|(_, rest)| labels.get(words(rest).last()?)).copied();
    let backward = |(at, line): (usize, &&str)| target(line).filter(|&to| to <= at && is_inner(to)).map(|to| (to, at));
    // of several ways back, the last
    let all: BTreeMap<usize, usize> = lines.iter().enumerate().filter_map(backward).collect();
    let brings = |&(from, to): &(usize, usize)| {
        let (front, body) = (&lines[..from], &lines[from..=to]);
        let Flow { summed, products } = Flow::of(body);
        !summed.is_disjoint(&products) || is_counted(body, front) && !summed.is_disjoint(&Flow::of(front).products)
    };
    all.into_iter().filter(brings).map(|(from, to)| operations(&lines[from..=to])).collect()
}

/// What registers hold.
#[derive(Default)]
struct Flow<'t> {
    /// What a sum uses, and nothing above it has computed. Twice a value is a product, written as a sum.
    summed: BTreeSet<&'t str>,
    /// Those in which there are products at the end.
    products: BTreeSet<&'t str>,
}

impl<'t> Flow<'t> {
    fn of(lines: &[&'t str]) -> Self {
        let (mut flow, mut defined) = (Flow::default(), BTreeSet::new());
        for (operation, words) in lines.iter().filter_map(|line| parts(line)) {
            let Some((&result, sources)) = words.split_first() else { continue };
            let is_float = ["f16", "f32", "f64"].iter().any(|ty| operation.ends_with(ty));
            let is = |starts: &[&str]| starts.iter().any(|start| operation.starts_with(start));
            let is_joinable = is_float && !operation.contains(".rn");
            let is_copy = is(&["mov.b", "neg.", "abs."]) && sources.iter().any(|source| flow.products.contains(source));
            if is_joinable && is(&["add.", "sub."]) && sources.first() != sources.get(1) {
                flow.summed.extend(sources.iter().copied().filter(|source| !defined.contains(*source)));
            }
            if is_joinable && operation.starts_with("mul.") || is_copy {
                flow.products.insert(result);
            } else if is_float {
                flow.products.remove(result);
            }
            defined.insert(result);
        }
        flow
    }
}

/// Whether how often a loop runs may be a constant: what counts from a number in front of it is compared with another.
fn is_counted(body: &[&str], front: &[&str]) -> bool {
    let is_number = |word: Option<&&str>| word.is_some_and(|word| word.parse::<i64>().is_ok());
    let mut counters = BTreeSet::new();
    for (operation, words) in front.iter().filter_map(|line| parts(line)) {
        let Some(&result) = words.first() else { continue };
        if operation.starts_with("mov.b") && is_number(words.get(1)) {
            counters.insert(result);
        } else {
            counters.remove(result);
        }
    }
    body.iter().filter_map(|line| parts(line)).any(|(operation, words)| {
        let counts = is_number(words.last()) && words.get(1).is_some_and(|word| counters.contains(word));
        if counts && operation.starts_with("add.") {
            counters.insert(words[0]);
        }
        counts && operation.starts_with("setp.")
    })
}

/// The operations, but for jumps and copies, which the order of blocks decides, and numbered names of prototypes.
fn operations(body: &[&str]) -> Body {
    const LEFT_OUT: [&str; 5] = ["bra", "mov.", "//", ".pragma", "prototype_"];
    let mut out = Body::new();
    for (operation, _) in body.iter().filter_map(|line| parts(line)) {
        if !LEFT_OUT.iter().any(|start| operation.starts_with(start)) && !operation.ends_with(':') {
            *out.entry(operation.to_owned()).or_default() += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_loop_is_seen_if_it_brings_a_product_to_a_sum() {
        let entry = |code: &str| {
            format!(
                ".entry k1()\n{{\n$L__BB0_1: // =>This Inner Loop Header: Depth=1\n\tsub.f32 \t%r3, %r1, %r2;\n{code}\t@%p1 bra \t$L__BB0_1;\n}}\n"
            )
        };
        let product = "\tmul.f32 \t%r2, %r3, %r4;\n";
        let wide = format!("{product}\tadd.s32 \t%r7, %r7, 1;\n");
        let count = |before: &str, after: &str| changed(&entry(before), &entry(after)).len();
        assert_eq!(count(product, &wide), 1);
        assert_eq!(count(product, product), 0);
        let other = wide.replace("%r2,", "%r5,");
        assert_eq!(count(product, &other), 0);
        let copied = format!("{other}\tmov.b32 \t%r2, %r5;\n");
        assert_eq!(count(product, &copied), 1);
        assert_eq!(count(product, &wide.replace("mul.f32", "mul.rn.f32")), 0);
    }

    #[test]
    fn a_changed_loop_is_seen_if_it_brings_a_product_from_in_front_of_it_to_a_sum() {
        let entry = |first: &str, code: &str| {
            format!(
                ".entry k1()\n{{\n\tmul.f32 \t%r1, %r2, %r3;\n\tmov.b32 \t%r4, {first};\n$L__BB0_1: // =>This Inner Loop Header: Depth=1\n\tadd.f32 \t%r1, %r1, %r5;\n{code}\tadd.s32 \t%r4, %r4, -1;\n\tsetp.ne.b32 \t%p1, %r4, 0;\n\t@%p1 bra \t$L__BB0_1;\n}}\n"
            )
        };
        let more = "\txor.b32 \t%r7, %r7, 1;\n";
        assert_eq!(changed(&entry("40", ""), &entry("40", more)).len(), 1);
        assert_eq!(changed(&entry("%r6", ""), &entry("%r6", more)).len(), 0);
    }
}
