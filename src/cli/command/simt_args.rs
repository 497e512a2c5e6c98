//! How are kernel arguments given on the command line? As scalars, buffers, or NumPy files.

use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use warpwise_oracle::simt::Arg;

/// Defines the element types by their names and the numbers that hold their bits.
macro_rules! elements {
    ($($element:ident $name:literal $number:ty,)*) => {
        /// Element types of scalars and buffers.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Element { $($element,)* }

        impl Element {
            const ALL: &[Element] = &[$(Element::$element,)*];
            pub fn name(self) -> &'static str {
                match self { $(Element::$element => $name,)* }
            }
            pub fn size(self) -> usize {
                match self { $(Element::$element => size_of::<$number>(),)* }
            }
        }

        fn read_npy(path: &Path, element: Element) -> Result<Vec<u8>> {
            let shown = path.display();
            let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
            let npy = npyz::NpyFile::new(BufReader::new(file)).with_context(|| format!("{shown} is no NumPy file"))?;
            let dtype = npy.dtype().descr();
            let wrong = || format!("{shown} holds elements of type {dtype}, not {}", element.name());
            Ok(match element {
                $(Element::$element => {
                    let values = npy.into_vec::<$number>().with_context(wrong)?;
                    values.into_iter().flat_map(|value| value.to_le_bytes()).collect()
                })*
            })
        }

        /// Writes a one-dimensional NumPy file. Halves are written as their bits (`u16`).
        pub fn save(path: &Path, element: Element, data: &[u8]) -> Result<()> {
            use npyz::WriterBuilder;
            let file = BufWriter::new(File::create(path)?);
            let count = (data.len() / element.size()) as u64;
            match element {
                $(Element::$element => {
                    let shape = npyz::WriteOptions::new().default_dtype().shape(&[count]);
                    let mut writer = shape.writer(file).begin_nd()?;
                    for &raw in data.as_chunks::<{ size_of::<$number>() }>().0 {
                        writer.push(&<$number>::from_le_bytes(raw))?;
                    }
                    writer.finish()?;
                })*
            }
            Ok(())
        }
    };
}

elements! {
    I8 "i8" i8,
    I16 "i16" i16,
    I32 "i32" i32,
    I64 "i64" i64,
    U8 "u8" u8,
    U16 "u16" u16,
    U32 "u32" u32,
    U64 "u64" u64,
    F16 "f16" u16,
    F32 "f32" f32,
    F64 "f64" f64,
}

/// Maximum size of a buffer in bytes, so that a typing error does not exhaust memory.
const MAX_BYTES: usize = 4 << 30;

impl Element {
    pub fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::F32 | Element::F64)
    }
    fn is_signed(self) -> bool {
        matches!(self, Element::I8 | Element::I16 | Element::I32 | Element::I64)
    }

    fn named(name: &str) -> Result<Element> {
        Element::ALL.iter().copied().find(|element| element.name() == name).with_context(|| {
            let all: Vec<&str> = Element::ALL.iter().map(|element| element.name()).collect();
            format!("{name:?} is no element type; there are {}", all.join(", "))
        })
    }

    /// Bytes of a value written in decimal or, for integers, hexadecimal.
    fn value(self, text: &str) -> Result<Vec<u8>> {
        let text = text.trim();
        if self.is_float() {
            let value: f64 = text.parse().with_context(|| format!("{text:?} is no {}", self.name()))?;
            let bytes = self.float(value);
            let is_named = text.trim_start_matches(['+', '-']).starts_with(['i', 'I']);
            let overflows = bytes == self.float(f64::INFINITY) || bytes == self.float(f64::NEG_INFINITY);
            ensure!(is_named || !overflows, "{text} does not fit into {}: say inf for infinity", self.name());
            return Ok(bytes);
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let parsed = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let magnitude = parsed.with_context(|| format!("{text:?} is no {}", self.name()))?;
        let value = if negative { -magnitude } else { magnitude };
        let bits = 8 * self.size() as u32;
        // a bit pattern may be given in either reading: i32:-1 or i32:0xffffffff
        let fits = value >= -(1i128 << (bits - 1)) && value < 1i128 << bits;
        ensure!(fits && (self.is_signed() || value >= 0), "{text} does not fit into {}", self.name());
        Ok(value.to_le_bytes()[..self.size()].to_vec())
    }

    fn float(self, value: f64) -> Vec<u8> {
        match self {
            Element::F16 => half::f16::from_f64(value).to_le_bytes().to_vec(),
            Element::F32 => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        }
    }

    fn integer(self, value: u64) -> Vec<u8> {
        if self.is_float() { self.float(value as f64) } else { value.to_le_bytes()[..self.size()].to_vec() }
    }

    /// An element as text.
    pub fn show(self, raw: &[u8]) -> String {
        let bits = raw.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        let shift = 64 - 8 * raw.len() as u32;
        match self {
            Element::F16 => float_text(f64::from(half::f16::from_bits(bits as u16)), half::f16::from_bits(bits as u16)),
            Element::F32 => float_text(f64::from(f32::from_bits(bits as u32)), f32::from_bits(bits as u32)),
            Element::F64 => float_text(f64::from_bits(bits), f64::from_bits(bits)),
            _ if self.is_signed() => ((bits << shift) as i64 >> shift).to_string(),
            _ => bits.to_string(),
        }
    }
}

/// A float with the digits that tell it from its neighbours, very large and very small ones with an exponent.
fn float_text(value: f64, shown: impl std::fmt::Display + std::fmt::LowerExp) -> String {
    let is_far = value.is_finite() && value != 0.0 && !(1e-5..1e16).contains(&value.abs());
    if is_far { format!("{shown:e}") } else { shown.to_string() }
}

/// The bytes of an argument as given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Of what a buffer consists; `None` for a value.
    pub element: Option<Element>,
    pub data: Vec<u8>,
}

impl Given {
    /// For a launch.
    pub fn to_arg(&self) -> Arg {
        let data = self.data.clone();
        if self.element.is_some() { Arg::Buffer(data) } else { Arg::Value(data) }
    }
}

/// Parses one argument.
pub fn parse(text: &str) -> Result<Given> {
    if text == "null" {
        return Ok(Given { element: None, data: vec![0; 8] });
    }
    let Some((kind, value)) = text.split_once(':') else {
        bail!("write a scalar as TYPE:VALUE (i32:7), a buffer as TYPE[COUNT]:CONTENTS (f32[1024]:zero)");
    };
    if kind == "bytes" {
        return Ok(Given { element: None, data: hex(value)? });
    }
    let Some((name, count)) = kind.split_once('[') else {
        let element = Element::named(kind)?;
        if let Some(path) = value.strip_prefix('@') {
            return Ok(Given { element: Some(element), data: read_npy(Path::new(path), element)? });
        }
        return Ok(Given { element: None, data: element.value(value)? });
    };
    let element = Element::named(name)?;
    let Some(count) = count.strip_suffix(']') else { bail!("{kind} lacks its closing bracket") };
    let number = || count.parse::<usize>().with_context(|| format!("{count:?} is no number of elements"));
    // contents that have a length of their own
    let own = if let Some(path) = value.strip_prefix('@') {
        Some((path, read_npy(Path::new(path), element)?))
    } else if let Some(list) = value.strip_prefix("list:") {
        let items: Result<Vec<Vec<u8>>> = list.split(',').map(|item| element.value(item)).collect();
        Some(("the list", items?.concat()))
    } else {
        None
    };
    if let Some((what, data)) = own {
        let have = data.len() / element.size();
        let want = if count.is_empty() { have } else { number()? };
        ensure!(have == want, "{what} holds {have} elements, but {want} are announced");
        return Ok(Given { element: Some(element), data });
    }
    let count = number()?;
    let size = count.checked_mul(element.size()).filter(|&size| size <= MAX_BYTES);
    ensure!(size.is_some(), "{count} elements of {} are more than {} GiB", element.name(), MAX_BYTES >> 30);
    let (how, detail) = value.split_once(':').map_or((value, None), |(how, detail)| (how, Some(detail)));
    let mut data = Vec::with_capacity(size.unwrap_or(0));
    match (how, detail) {
        ("zero", None) => data.resize(count * element.size(), 0),
        ("iota", None) => (0..count as u64).for_each(|i| data.extend(element.integer(i))),
        ("zero" | "iota", Some(detail)) => bail!("{how} takes no value, but has {detail:?}; fill:V repeats one value"),
        ("fill", Some(one)) => {
            let one = element.value(one)?;
            (0..count).for_each(|_| data.extend(&one));
        }
        ("fill", None) => bail!("fill lacks its value: say fill:V"),
        ("random", seed) => {
            let seed = seed.map(|seed| seed.parse().with_context(|| format!("{seed:?} is no seed"))).transpose()?;
            let mut state: u64 = seed.unwrap_or(0);
            for _ in 0..count {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^= z >> 31;
                // floats in [0, 1), integers over their whole range
                data.extend(if element.is_float() {
                    element.float((z >> 11) as f64 / (1u64 << 53) as f64)
                } else {
                    element.integer(z)
                });
            }
        }
        _ => bail!("{how:?} is no contents: say zero, iota, fill:V, random:SEED, list:A,B,C or @file.npy"),
    }
    Ok(Given { element: Some(element), data })
}

fn hex(text: &str) -> Result<Vec<u8>> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    ensure!(digits.len().is_multiple_of(2), "an odd number of hexadecimal digits");
    digits
        .chunks(2)
        .map(|pair| {
            let pair: String = pair.iter().collect();
            u8::from_str_radix(&pair, 16).with_context(|| format!("{pair:?} are no hexadecimal digits"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_and_buffers() {
        let value = |data: &[u8]| Given { element: None, data: data.to_vec() };
        assert_eq!(parse("i32:-1").unwrap(), value(&[0xff; 4]));
        assert_eq!(parse("i32:0xffffffff").unwrap(), value(&[0xff; 4]));
        assert_eq!(parse("f32:0.5").unwrap(), value(&0.5f32.to_le_bytes()));
        let buffer = |element, data: &[u8]| Given { element: Some(element), data: data.to_vec() };
        assert_eq!(parse("i16[3]:iota").unwrap(), buffer(Element::I16, &[0, 0, 1, 0, 2, 0]));
        assert_eq!(parse("u8[]:list:1,2").unwrap(), buffer(Element::U8, &[1, 2]));
        assert_eq!(parse("f64[8]:random:3").unwrap(), parse("f64[8]:random:3").unwrap());
    }

    #[test]
    fn floats_are_short() {
        let shown = |value: f32| Element::F32.show(&value.to_le_bytes());
        assert_eq!([0.5, 3e-45, -1e30, 0.0, 1234567.0].map(shown), ["0.5", "3e-45", "-1e30", "0", "1234567"]);
        assert_eq!(shown(f32::INFINITY), "inf");
    }

    #[test]
    fn bad_input_says_what_would_mend_it() {
        let error = |text: &str| format!("{:#}", parse(text).unwrap_err());
        assert!(error("7").contains("TYPE:VALUE"));
        assert!(error("i33:7").contains("there are i8"));
        assert!(error("u8:256").contains("does not fit"));
        assert!(error("f32[4]:ones").contains("zero, iota"));
        assert!(error("f32[x]:zero").contains("no number of elements"));
        assert!(error("f32[2]:list:1,2,3").contains("3 elements"));
        assert!(error("f32[2]:zero:5").contains("fill:V") && error("i32[2]:iota:5").contains("takes no value"));
        assert!(error("f32[2]:fill").contains("fill:V"));
        for text in ["f32:1e400", "f32:1e39", "f16:70000", "f64:-1e400"] {
            assert!(error(text).contains("does not fit"), "{text}");
        }
        assert_eq!(parse("f32:-inf").unwrap().data, f32::NEG_INFINITY.to_le_bytes());
    }
}
