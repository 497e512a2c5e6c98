//! What is the value of an expression such as `(n+1)*threads/2`?
//!
//! Integer expressions in launch descriptions: literals (decimal, hexadecimal), names, `+ - * / % << >>` and
//! parentheses, with C's precedence and without spaces, because descriptions are split at spaces.

use anyhow::{Result, bail, ensure};

/// Evaluates `text`; `name` gives the values of names.
pub fn eval(text: &str, name: &dyn Fn(&str) -> Option<i64>) -> Result<i64> {
    let mut parser = Parser { rest: text, name };
    let value = parser.binary(0)?;
    ensure!(parser.rest.is_empty(), "'{}' left over in '{text}'", parser.rest);
    Ok(value)
}

struct Parser<'a> {
    rest: &'a str,
    name: &'a dyn Fn(&str) -> Option<i64>,
}

/// Operators by rising precedence.
const LEVELS: [&[&str]; 3] = [&["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

impl Parser<'_> {
    fn binary(&mut self, level: usize) -> Result<i64> {
        let Some(operators) = LEVELS.get(level) else { return self.primary() };
        let mut left = self.binary(level + 1)?;
        while let Some(&operator) = operators.iter().find(|&&o| self.rest.starts_with(o)) {
            self.rest = &self.rest[operator.len()..];
            let right = self.binary(level + 1)?;
            let value = match operator {
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                "%" => left.checked_rem(right),
                "<<" => u32::try_from(right).ok().and_then(|by| left.checked_shl(by)),
                _ => u32::try_from(right).ok().and_then(|by| left.checked_shr(by)),
            };
            let Some(value) = value else { bail!("{left}{operator}{right} has no value") };
            left = value;
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<i64> {
        if let Some(rest) = self.rest.strip_prefix('-') {
            self.rest = rest;
            return Ok(-self.primary()?);
        }
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let value = self.binary(0)?;
            let Some(rest) = self.rest.strip_prefix(')') else { bail!("')' missing before '{}'", self.rest) };
            self.rest = rest;
            return Ok(value);
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        ensure!(!word.is_empty(), "a number or a name is missing before '{rest}'");
        self.rest = rest;
        if let Some(hex) = word.strip_prefix("0x") {
            return Ok(i64::from_str_radix(hex, 16)?);
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(word.parse()?);
        }
        match (self.name)(word) {
            Some(value) => Ok(value),
            None => bail!("nothing is called '{word}' here"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i64> {
        eval(text, &|name| (name == "n").then_some(10))
    }

    #[test]
    fn precedence_names_and_errors() {
        assert_eq!(value("1+2*n").unwrap(), 21);
        assert_eq!(value("(1+2)*n-4/2").unwrap(), 28);
        assert_eq!(value("1<<n-2").unwrap(), 256);
        assert_eq!(value("-n%3").unwrap(), -1);
        assert_eq!(value("0xff").unwrap(), 255);
        for wrong in ["", "m", "1+", "(1", "1)", "n/0", "9x"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }
}
