//! What is the smallest source that is still wrong? The source of a seed loses statements, sides of branches, loops
//! around their bodies, helpers and operands, as long as it stays wrong, and stays free of undefined behaviour: what
//! bounds an index, a divisor, a shift, a signed number or a mask of lanes keeps its bound.

use crate::ast::{Body, Source, Stmt, lists};
use std::time::{Duration, Instant};

/// Reduces a source until nothing can go, or the time is over.
pub fn reduce(source: Source, time: Duration, is_wrong: &mut dyn FnMut(&Source) -> bool) -> Source {
    let (start, mut best) = (Instant::now(), source);
    for chunk in [16, 4, 1] {
        loop {
            let before = best.clone();
            let mut at = 0;
            while let Some(edited) = edit(&best, at, chunk) {
                if start.elapsed() > time {
                    return best;
                }
                if edited != best && is_wrong(&edited) {
                    best = edited;
                } else {
                    at += 1;
                }
            }
            if best == before {
                break;
            }
        }
    }
    best
}

/// The source after its edit number `at`, if it has so many.
fn edit(source: &Source, at: usize, chunk: usize) -> Option<Source> {
    let mut out = source.clone();
    let mut left = at;
    // helpers, not the kernel
    if left + 1 < out.functions.len() {
        out.functions.remove(left);
        return Some(out);
    }
    left -= out.functions.len().saturating_sub(1);
    let mut is_done = false;
    for function in &mut out.functions {
        lists(&mut function.body, &mut |list| {
            for i in (0..list.len()).step_by(chunk) {
                if is_done {
                    return;
                }
                let shapes = if chunk == 1 { simpler(&list[i]) } else { Vec::new() };
                if left == 0 {
                    list.drain(i..(i + chunk).min(list.len()));
                    is_done = true;
                } else if let Some(shape) = shapes.get(left - 1) {
                    list.splice(i..=i, shape.iter().cloned());
                    is_done = true;
                } else {
                    left -= 1 + shapes.len();
                }
            }
        });
    }
    if is_done {
        return Some(out);
    }
    if chunk > 1 {
        return None;
    }
    for function in &mut out.functions {
        lists(&mut function.body, &mut |list| {
            for stmt in list.iter_mut() {
                let text = match stmt {
                    Stmt::Text(text) | Stmt::If { condition: text, .. } => text,
                    Stmt::Loop(inner) => &mut inner.count,
                    Stmt::Parts { .. } => continue,
                };
                if is_done {
                    return;
                }
                let simpler = shorter(text);
                if let Some(new) = simpler.get(left) {
                    text.clone_from(new);
                    is_done = true;
                } else {
                    left -= simpler.len();
                }
            }
        });
    }
    is_done.then_some(out)
}

/// What can stand in place of a statement: what is inside.
fn simpler(stmt: &Stmt) -> Vec<Body> {
    match stmt {
        Stmt::Text(_) => Vec::new(),
        Stmt::If { condition, then, other } => {
            let mut out = vec![then.clone(), other.clone()];
            if !other.is_empty() && !then.is_empty() {
                out.push(vec![Stmt::If { condition: condition.clone(), then: then.clone(), other: Body::new() }]);
            }
            out
        }
        Stmt::Loop(inner) => {
            let mut body = vec![Stmt::Text(format!("const u32 {} = 0;", inner.counter))];
            body.extend(inner.body.iter().cloned());
            vec![body]
        }
        Stmt::Parts { parts, .. } => parts.iter().map(|(_, body)| body.clone()).collect(),
    }
}

/// The text with one group in parentheses replaced by one of its operands, or by 1.
fn shorter(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    if text.contains("(const Line") {
        return out; // addresses that are aligned
    }
    for (open, _) in text.match_indices('(') {
        let Some(close) = matching(text, open) else { continue };
        let (before, inside, after) = (&text[..open], &text[open + 1..close], &text[close + 1..]);
        let is_call = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_cast = after.starts_with(|c: char| c.is_alphanumeric() || c == '(');
        if is_call || is_cast || names_lanes(inside) {
            continue;
        }
        if inside.len() > 1 {
            out.push(format!("{before}1{after}"));
        }
        let is_bound = ["[", "/ ", "% ", "<< ", ">> "].iter().any(|end| before.ends_with(end));
        if let Some((left, operator, right)) = operands(inside)
            && !is_bound
            && !matches!(operator, "&" | "%" | "?" | ":")
        {
            out.push(format!("{before}{left}{after}"));
            out.push(format!("{before}{right}{after}"));
        }
    }
    out
}

/// Whether a text may say which lanes are here.
fn names_lanes(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word.strip_prefix('w').is_some_and(|rest| rest == "m" || rest.parse::<u32>().is_ok()))
}

fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at);
        }
    }
    None
}

/// The operands of the first operator that is in no parentheses.
fn operands(text: &str) -> Option<(&str, &str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 => {
                let (operator, right) = text[at + 1..].split_once(' ')?;
                return Some((&text[..at], operator, right));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn what_matters_stays() {
        let source = Kernel::new(11).source;
        let text = source.print();
        let marked = text.lines().rfind(|line| line.contains("v3 = ")).expect("a statement").trim().to_owned();
        let small = reduce(source, Duration::from_secs(60), &mut |s| s.print().contains(&marked));
        assert!(small.print().contains(&marked));
        assert!(small.print().len() * 2 < text.len(), "{}", small.print());
    }

    #[test]
    fn bounds_stay() {
        assert_eq!(shorter("v = ((a + b) & 7);"), ["v = 1;", "v = (1 & 7);", "v = (a & 7);", "v = (b & 7);"]);
        assert_eq!(shorter("a[(x ^ y) & 3] = (u32)(x / (y | 1u));").len(), 1 + 3 + 1);
        assert!(shorter("x = __shfl_sync((wm & ~w3), v, 1);").is_empty());
    }
}
