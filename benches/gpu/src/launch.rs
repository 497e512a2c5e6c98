//! How is a kernel launched, and with which arguments?
//!
//! The file NAME.cu of a kernel begins with lines that start with `//@`, the only place with this information:
//!
//! ```text
//! //@ launch grid=264 block=32,8 shared=4*n        dynamic shared memory in bytes, 0 when left out
//! //@ arg coef in f32[n] range(0.5,1.5,1)          a buffer: in, inout or out; its length; its fill (fill::Fill)
//! //@ arg n i32 96                                 a scalar
//! //@ small grid=2 n=8                             what changes at the small size, for machines without a GPU
//! //@ also map                                     sections that run it too
//! //@ regs 24                                      registers a thread may have, forced on every compiler
//! //@ assume restrict                              its pointers do not overlap, though it does not say so
//! ```
//!
//! Arguments are listed in the order of the kernel's parameters. Numbers are expressions ([`crate::expr`]) over the
//! scalar arguments and `threads`, `blocks`, `gx gy gz bx by bz`. A word contains no spaces.

use crate::{expr, fill::Fill};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Element and scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Type {
    fn parse(text: &str) -> Result<Type> {
        Ok(match text {
            "i8" => Type::I8,
            "u8" => Type::U8,
            "i16" => Type::I16,
            "u16" => Type::U16,
            "i32" => Type::I32,
            "u32" => Type::U32,
            "i64" => Type::I64,
            "u64" => Type::U64,
            "f32" => Type::F32,
            "f64" => Type::F64,
            _ => bail!("'{text}' is no type (i8 u8 i16 u16 i32 u32 i64 u64 f32 f64)"),
        })
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    /// Whether elements are floating point.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// Appends `value` as one element, little endian; integers wrap.
    pub fn push(self, value: f64, out: &mut Vec<u8>) {
        match self {
            Type::F32 => out.extend((value as f32).to_le_bytes()),
            Type::F64 => out.extend(value.to_le_bytes()),
            _ => out.extend(&(value as i128).to_le_bytes()[..self.size()]),
        }
    }
}

/// Which way a buffer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Read only: filled once.
    In,
    /// Written only: poisoned before each checked launch, compared afterwards.
    Out,
    /// Read and written: filled before every launch, compared after the checked one.
    InOut,
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arg {
    Buffer { name: String, direction: Direction, ty: Type, len: usize, fill: Fill },
    Scalar { name: String, ty: Type, value: f64 },
}

impl Arg {
    /// Bytes of the kernel parameter.
    pub fn param_size(&self) -> usize {
        match self {
            Arg::Buffer { .. } => 8,
            Arg::Scalar { ty, .. } => ty.size(),
        }
    }
}

/// A launch with all numbers evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    pub args: Vec<Arg>,
}

/// The launch description in a kernel's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The launch at the size that is timed.
    pub full: Launch,
    /// The launch at the size for machines without a GPU.
    pub small: Launch,
    /// Sections that run the kernel besides its own.
    pub also: Vec<String>,
    /// The register limit forced on every compiler.
    pub regs: Option<u32>,
    /// Pointer arguments do not overlap, although the kernel's parameters do not say so.
    pub assume_restrict: bool,
}

/// Maximum size of a buffer, so that a typing error in a description does not exhaust the machine's memory.
const MAX_BUFFER_BYTES: usize = 256 << 20;

impl Description {
    /// Reads the `//@` lines of a kernel's source.
    pub fn parse(source: &str) -> Result<Description> {
        let mut lines = Lines::default();
        for (number, line) in source.lines().enumerate() {
            let Some(line) = line.trim().strip_prefix("//@") else { continue };
            lines.add(line.trim()).with_context(|| format!("line {}", number + 1))?;
        }
        let full = lines.launch(&BTreeMap::new())?;
        ensure!(!lines.small.is_empty(), "no '//@ small' line");
        let small = lines.launch(&lines.small).context("at the small size")?;
        Ok(Description { full, small, also: lines.also, regs: lines.regs, assume_restrict: lines.assume_restrict })
    }
}

/// The lines as text, before names have values.
#[derive(Default)]
struct Lines {
    launch: BTreeMap<String, String>,
    args: Vec<[String; 4]>,
    small: BTreeMap<String, String>,
    also: Vec<String>,
    regs: Option<u32>,
    assume_restrict: bool,
}

impl Lines {
    fn add(&mut self, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let own = |s: &str| s.to_owned();
        match words.as_slice() {
            ["launch", rest @ ..] => self.launch = pairs(rest)?,
            ["small", rest @ ..] => self.small = pairs(rest)?,
            ["also", rest @ ..] => self.also.extend(rest.iter().map(|s| own(s))),
            ["regs", count] => self.regs = Some(count.parse()?),
            ["assume", "restrict"] => self.assume_restrict = true,
            ["arg", name, "out", array] => self.args.push([own(name), own("out"), own(array), own("poison()")]),
            ["arg", name, way @ ("in" | "inout"), array, fill] => {
                self.args.push([own(name), own(way), own(array), own(fill)]);
            }
            ["arg", name, ty, value] => self.args.push([own(name), own("scalar"), own(ty), own(value)]),
            _ => bail!("cannot read '//@ {line}'"),
        }
        Ok(())
    }

    fn launch(&self, change: &BTreeMap<String, String>) -> Result<Launch> {
        let mut names = BTreeMap::new();
        for [name, kind, ty, value] in &self.args {
            // scalars that are floats, or depend on later names, cannot be used in expressions
            if kind == "scalar" && !Type::parse(ty)?.is_float() {
                let text = change.get(name).unwrap_or(value);
                if let Ok(value) = expr::eval(text, &|n| names.get(n).copied()) {
                    names.insert(name.clone(), value);
                }
            }
        }
        for name in change.keys() {
            let known = matches!(name.as_str(), "grid" | "block" | "shared") || self.args.iter().any(|a| a[0] == *name);
            ensure!(known, "'small' changes '{name}', and there is no such thing");
        }
        let setting = |key: &str| change.get(key).or_else(|| self.launch.get(key));
        let shape = |key: &str, names: &BTreeMap<String, i64>| -> Result<[u32; 3]> {
            let text = setting(key).with_context(|| format!("no '{key}=' in a '//@ launch' line"))?;
            let mut shape = [1; 3];
            for (i, part) in text.split(',').enumerate() {
                ensure!(i < 3, "{key} has more than three numbers");
                shape[i] = u32::try_from(expr::eval(part, &|n| names.get(n).copied())?)?;
                ensure!(shape[i] > 0, "{key} has a zero in it");
            }
            Ok(shape)
        };
        let block = shape("block", &names)?;
        for (name, value) in ["bx", "by", "bz"].into_iter().zip(block) {
            names.insert(name.into(), value.into());
        }
        let grid = shape("grid", &names)?;
        for (name, value) in ["gx", "gy", "gz"].into_iter().zip(grid) {
            names.insert(name.into(), value.into());
        }
        let blocks = grid.iter().map(|&n| i64::from(n)).product::<i64>();
        names.insert("blocks".into(), blocks);
        names.insert("threads".into(), blocks * block.iter().map(|&n| i64::from(n)).product::<i64>());
        ensure!(block.iter().product::<u32>() <= 1024, "more than 1024 threads in a block");

        let number = |text: &str| expr::eval(text, &|n| names.get(n).copied());
        let shared = setting("shared").map_or(Ok(0), |text| number(text))?;
        let mut args = Vec::new();
        for [name, kind, ty, value] in &self.args {
            let arg = self.arg(name, kind, ty, change.get(name).unwrap_or(value), &number);
            args.push(arg.with_context(|| format!("argument '{name}'"))?);
        }
        Ok(Launch { grid, block, shared: u32::try_from(shared)?, args })
    }

    fn arg(&self, name: &str, kind: &str, ty: &str, value: &str, number: &dyn Fn(&str) -> Result<i64>) -> Result<Arg> {
        let name = name.to_owned();
        let direction = match kind {
            "in" => Direction::In,
            "out" => Direction::Out,
            "inout" => Direction::InOut,
            _ => {
                let ty = Type::parse(ty)?;
                let value = if ty.is_float() { value.parse()? } else { number(value)? as f64 };
                return Ok(Arg::Scalar { name, ty, value });
            }
        };
        let (ty, len) = ty.strip_suffix(']').and_then(|t| t.split_once('[')).context("a buffer is TYPE[LENGTH]")?;
        let (ty, len) = (Type::parse(ty)?, usize::try_from(number(len)?)?);
        ensure!(len > 0 && len * ty.size() <= MAX_BUFFER_BYTES, "{len} elements");
        Ok(Arg::Buffer { name, direction, ty, len, fill: parse_fill(value, number)? })
    }
}

fn pairs(words: &[&str]) -> Result<BTreeMap<String, String>> {
    words
        .iter()
        .map(|word| {
            let (key, value) = word.split_once('=').with_context(|| format!("'{word}' is not KEY=VALUE"))?;
            Ok((key.to_owned(), value.to_owned()))
        })
        .collect()
}

fn parse_fill(text: &str, number: &dyn Fn(&str) -> Result<i64>) -> Result<Fill> {
    let (word, list) = text.strip_suffix(')').and_then(|t| t.split_once('(')).context("a fill is NAME(NUMBERS)")?;
    let values: Vec<f64> = list
        .split(',')
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<f64>().or_else(|_| number(part).map(|n| n as f64)))
        .collect::<Result<_>>()?;
    Ok(match (word, values.as_slice()) {
        ("poison", []) => Fill::Poison,
        ("zero", []) => Fill::Value(0.0),
        ("fill", &[value]) => Fill::Value(value),
        ("iota", &[start, step]) => Fill::Iota { start, step },
        ("range", &[lo, hi, seed]) if lo < hi => Fill::Range { lo, hi, seed: seed as u64 },
        ("prefix", &[lo, hi, seed]) if lo < hi => Fill::Prefix { lo, hi, seed: seed as u64 },
        ("sorted", &[lo, hi, seed, run]) if lo < hi => Fill::Sorted { lo, hi, seed: seed as u64, run: run as usize },
        ("perm", &[seed]) => Fill::Permutation { seed: seed as u64 },
        ("cycle", [_, ..]) => Fill::Cycle(values),
        _ => bail!(
            "cannot read the fill '{text}' (zero() fill(v) iota(start,step) range(lo,hi,seed) prefix(lo,hi,seed) \
             sorted(lo,hi,seed,run) perm(seed) cycle(v,…))"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// A kernel.
//@ launch grid=n/16,2 block=16,4 shared=4*bx*by
//@ arg in in f32[n*gy] range(-1.5,2,7)
//@ arg out out f64[threads]
//@ arg n i32 64
//@ arg scale f32 0.25
//@ small n=16
//@ also map fuse
//@ regs 24
";

    #[test]
    fn both_sizes_are_worked_out() {
        let Description { full, small, also, regs, assume_restrict } = Description::parse(SOURCE).unwrap();
        assert_eq!((full.grid, full.block, full.shared), ([4, 2, 1], [16, 4, 1], 256));
        assert_eq!(small.grid, [1, 2, 1]);
        let lens = |launch: &Launch| -> Vec<usize> {
            launch.args.iter().filter_map(|a| if let Arg::Buffer { len, .. } = a { Some(*len) } else { None }).collect()
        };
        assert_eq!((lens(&full), lens(&small)), (vec![128, 512], vec![32, 128]));
        assert_eq!(full.args[3], Arg::Scalar { name: "scale".into(), ty: Type::F32, value: 0.25 });
        assert_eq!(full.args.iter().map(Arg::param_size).sum::<usize>(), 24);
        assert_eq!((also, regs, assume_restrict), (vec!["map".to_owned(), "fuse".to_owned()], Some(24), false));
    }

    #[test]
    fn slips_are_errors_that_name_the_place() {
        for (wrong, right, message) in [
            ("n/16,2", "n/0,2", "has no value"),
            ("f64[threads]", "f65[threads]", "'f65' is no type"),
            ("small n=16", "small m=16", "no such thing"),
            ("range(-1.5,2,7)", "range(2)", "argument 'in'"),
            ("block=16,4", "block=64,64", "more than 1024"),
            ("//@ regs 24", "//@ registers 24", "line 9"),
            ("//@ small n=16\n", "", "no '//@ small' line"),
        ] {
            let error = format!("{:#}", Description::parse(&SOURCE.replace(wrong, right)).unwrap_err());
            assert!(error.contains(message), "{error}");
        }
    }
}
