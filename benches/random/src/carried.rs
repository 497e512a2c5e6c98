//! Which loops have multiply-adds only if `ptxas` unrolls them?
//!
//! Those that bring a product of one iteration to a sum of the next. Whether `ptxas` unrolls an innermost loop depends on all
//! that is in it, so such a loop must be in both builds as it is in one.

use crate::ptx::{base, chunks, functions, parts, words};
use std::collections::{BTreeMap, BTreeSet};

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

/// The innermost loops of a function that bring a product to a sum of the next iteration.
fn loops(text: &str) -> BTreeSet<Body> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let labels: BTreeMap<&str, usize> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((line.split_once(':')?.0, at))).collect();
    let is_inner = |at: usize| lines[at].contains("Inner Loop Header");
    let target = |line: &str| line.split_once("bra").and_then(|(_, rest)| labels.get(words(rest).last()?)).copied();
    let backward = |(at, line): (usize, &&str)| target(line).filter(|&to| to <= at && is_inner(to)).map(|to| (to, at));
    // of several ways back, the last
    let all: BTreeMap<usize, usize> = lines.iter().enumerate().filter_map(backward).collect();
    let bodies = all.iter().map(|(&from, &to)| &lines[from..=to]);
    bodies.filter(|body| carries(body)).map(operations).collect()
}

/// Whether a sum uses what a product below it computes, unless another sum or multiply-add computes the register behind that.
/// Twice a value is a product, written as a sum.
fn carries(body: &[&str]) -> bool {
    let (mut summed, mut products, mut defined): (BTreeSet<&str>, BTreeSet<&str>, BTreeSet<&str>) = Default::default();
    for (operation, words) in body.iter().filter_map(|line| parts(line)) {
        let Some((&result, sources)) = words.split_first() else { continue };
        let is_float = ["f16", "f32", "f64"].iter().any(|ty| operation.ends_with(ty));
        let is = |starts: &[&str]| starts.iter().any(|start| operation.starts_with(start));
        let is_joinable = is_float && !operation.contains(".rn");
        let is_copy = is(&["mov.b", "neg.", "abs."]) && sources.iter().any(|source| products.contains(source));
        if is_joinable && is(&["add.", "sub."]) && sources.first() != sources.get(1) {
            summed.extend(sources.iter().copied().filter(|source| !defined.contains(*source)));
        }
        if is_joinable && operation.starts_with("mul.") || is_copy {
            products.insert(result);
        } else if is_float {
            products.remove(result);
        }
        defined.insert(result);
    }
    !summed.is_disjoint(&products)
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
}
