//! How is inline PTX split into statements, operands and types? This is syntax only; `decode_asm` gives it meaning.

use super::code::{Fmt, Mode};
use super::names;

/// A PTX type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PtxType {
    pub bits: u16,
    pub class: PtxClass,
    /// Two elements in one register.
    pub pair: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PtxClass {
    Bits,
    Unsigned,
    Signed,
    Float(Fmt),
    Predicate,
}

pub(super) fn type_of(word: &str) -> Option<PtxType> {
    let whole = |bits, class| Some(PtxType { bits, class, pair: false });
    let pair = |class| Some(PtxType { bits: 16, class, pair: true });
    match word {
        "pred" => whole(1, PtxClass::Predicate),
        "f16" => whole(16, PtxClass::Float(Fmt::Half)),
        "bf16" => whole(16, PtxClass::Float(Fmt::BFloat)),
        "f32" => whole(32, PtxClass::Float(Fmt::Single)),
        "f64" => whole(64, PtxClass::Float(Fmt::Double)),
        "f16x2" => pair(PtxClass::Float(Fmt::Half)),
        "bf16x2" => pair(PtxClass::Float(Fmt::BFloat)),
        "u16x2" => pair(PtxClass::Unsigned),
        "s16x2" => pair(PtxClass::Signed),
        _ => {
            let class = match word.chars().next()? {
                'b' => PtxClass::Bits,
                'u' => PtxClass::Unsigned,
                's' => PtxClass::Signed,
                _ => return None,
            };
            let bits: u16 = word[1..].parse().ok()?;
            if matches!(bits, 8 | 16 | 32 | 64) { whole(bits, class) } else { None }
        }
    }
}

/// Opcode, modifiers and types of an instruction.
pub(super) struct Parts<'t> {
    pub op: &'t str,
    pub words: Vec<&'t str>,
    pub kinds: Vec<PtxType>,
}

impl Parts<'_> {
    pub fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
    pub fn mode(&self) -> Mode {
        names::mode(self.words.iter().copied())
    }
}

pub(super) fn space_of(word: &str) -> Option<u8> {
    Some(match word {
        "global" => 1,
        "shared" | "shared::cta" => 3,
        "const" => 4,
        "local" => 5,
        _ => return None,
    })
}

/// Statements without their semicolons, labels with their colons; scopes are flattened, comments dropped.
pub(super) fn statements(text: &str) -> Vec<String> {
    let text = text.replace("%%", "%").replace("$$", "$");
    let mut list = Vec::new();
    let mut current = String::new();
    let mut depth = 0;
    for c in text.chars() {
        let at_start = current.trim().is_empty();
        match c {
            '{' if at_start => current.clear(),
            '}' if at_start && depth == 0 => current.clear(),
            ';' => {
                list.push(current.trim().to_owned());
                current.clear();
            }
            ':' if is_name(current.trim()) => {
                list.push(format!("{}:", current.trim()));
                current.clear();
            }
            _ => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                current.push(c);
            }
        }
    }
    list.push(current.trim().to_owned());
    list.retain(|statement| !statement.is_empty());
    list
}

/// The guard of a statement.
pub(super) struct Guard<'a> {
    pub name: &'a str,
    /// Whether the statement is executed where the predicate is false.
    pub negated: bool,
}

/// A statement without its guard, `@p` or `@!p`; `None` if nothing follows the guard.
pub(super) fn guarded(statement: &str) -> Option<(Option<Guard<'_>>, &str)> {
    let Some(rest) = statement.strip_prefix('@') else { return Some((None, statement)) };
    let (guard, plain) = rest.split_once(' ')?;
    let (negated, name) = guard.strip_prefix('!').map_or((false, guard), |name| (true, name));
    Some((Some(Guard { name, negated }), plain))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))
}

/// Splits operands at top-level commas.
pub(super) fn split_operands(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    let mut current = String::new();
    let mut depth = 0;
    for c in text.chars() {
        match c {
            ',' if depth == 0 => list.push(std::mem::take(&mut current).trim().to_owned()),
            _ => {
                depth += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
                current.push(c);
            }
        }
    }
    if !current.trim().is_empty() {
        list.push(current.trim().to_owned());
    }
    list
}

/// The members of `{a, b}`.
pub(super) fn braces(text: &str) -> Option<Vec<String>> {
    Some(split_operands(text.strip_prefix('{')?.strip_suffix('}')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_statements_and_operands() {
        let text = "{ .reg .f16 low,high; mov.b32 {low,high}, $1; mov.b16 $0, low;}";
        assert_eq!(statements(text), [".reg .f16 low,high", "mov.b32 {low,high}, $1", "mov.b16 $0, low"]);
        assert_eq!(split_operands("{low,high}, [$1+4], 7"), ["{low,high}", "[$1+4]", "7"]);
        assert_eq!(braces("{a, b}"), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(statements("{add.f16x2 $0,$1,$2; }"), ["add.f16x2 $0,$1,$2"]);
        assert_eq!(
            statements("{ a: @p bra b; st.shared::cta.b8 [a], c; b: }"),
            ["a:", "@p bra b", "st.shared::cta.b8 [a], c", "b:"]
        );
    }
}
