//! What does device `printf` print? C formats applied to CUDA's packed argument buffer.

use std::iter::Peekable;
use std::str::Chars;

/// Maximum field width.
const WIDEST: i32 = 4096;

/// Formats; returns the text and the number of conversions. `read(offset, size)` reads the argument buffer, in which
/// every argument has its natural alignment and floats are doubles.
pub fn render(
    format: &str,
    read: &mut dyn FnMut(u64, u64) -> u64,
    read_text: &mut dyn FnMut(u64) -> String,
) -> (String, u32) {
    let mut out = String::new();
    let mut count = 0;
    let mut offset = 0u64;
    let mut next = |size: u64| {
        let at = offset.next_multiple_of(size);
        offset = at + size;
        read(at, size)
    };
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let spec = Spec::parse(&mut chars, &mut next);
        let Some(conversion) = chars.next() else { break };
        if conversion == '%' {
            out.push('%');
            continue;
        }
        count += 1;
        match converted(conversion, &spec, &mut next, read_text) {
            Some((sign, body)) => spec.pad(conversion, sign, &body, &mut out),
            None => out.extend(['%', conversion]),
        }
    }
    (out, count)
}

/// The part between `%` and the conversion.
#[derive(Default)]
struct Spec {
    /// Those of `-+ #0` that are given.
    flags: String,
    width: usize,
    precision: Option<usize>,
    /// An integer of eight bytes.
    long: bool,
}

impl Spec {
    fn parse(chars: &mut Peekable<Chars<'_>>, next: &mut dyn FnMut(u64) -> u64) -> Spec {
        let mut spec = Spec::default();
        spec.flags.extend(std::iter::from_fn(|| chars.next_if(|c| "-+ #0".contains(*c))));
        let width = number(chars, next);
        spec.flags.extend((width < 0).then_some('-'));
        spec.width = width.unsigned_abs() as usize;
        if chars.next_if_eq(&'.').is_some() {
            spec.precision = Some(number(chars, next).max(0) as usize);
        }
        while let Some(length) = chars.next_if(|c| "lzjthL".contains(*c)) {
            spec.long |= "lzjt".contains(length);
        }
        spec
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Writes a converted argument in its field.
    fn pad(&self, conversion: char, sign: &str, body: &str, out: &mut String) {
        let digits = self.precision.filter(|_| "diuxXo".contains(conversion));
        let body = format!("{body:0>0$}", digits.unwrap_or(0));
        let pad = self.width.saturating_sub(sign.len() + body.chars().count());
        let (before, zeros, behind) = match () {
            () if self.has('-') => (0, 0, pad),
            () if self.has('0') && digits.is_none() && conversion != 's' => (0, pad, 0),
            () => (pad, 0, 0),
        };
        out.push_str(&format!("{0:before$}{sign}{0:0<zeros$}{body}{0:behind$}", ""));
    }
}

/// A width or precision: digits, or `*` for an argument.
fn number(chars: &mut Peekable<Chars<'_>>, next: &mut dyn FnMut(u64) -> u64) -> i32 {
    let mut number = if chars.next_if_eq(&'*').is_some() { next(4) as u32 as i32 } else { 0 };
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
        number = number.saturating_mul(10).saturating_add(digit as i32).min(WIDEST);
        chars.next();
    }
    number
}

/// Sign (or prefix) and body of the next argument; `None` for a conversion that does not exist.
fn converted(
    conversion: char,
    spec: &Spec,
    next: &mut dyn FnMut(u64) -> u64,
    read_text: &mut dyn FnMut(u64) -> String,
) -> Option<(&'static str, String)> {
    let size = if spec.long { 8 } else { 4 };
    Some(match conversion {
        'd' | 'i' => {
            let raw = next(size);
            let value = if spec.long { raw as i64 } else { i64::from(raw as u32 as i32) };
            (sign_of(value < 0, spec), value.unsigned_abs().to_string())
        }
        'u' => ("", next(size).to_string()),
        'x' => (if spec.has('#') { "0x" } else { "" }, format!("{:x}", next(size))),
        'X' => (if spec.has('#') { "0X" } else { "" }, format!("{:X}", next(size))),
        'o' => ("", format!("{:o}", next(size))),
        'c' => ("", char::from(next(4) as u8).to_string()),
        'p' => ("0x", format!("{:x}", next(8))),
        's' => {
            let address = next(8);
            let text = if address == 0 { "(null)".to_owned() } else { read_text(address) };
            ("", text.chars().take(spec.precision.unwrap_or(usize::MAX)).collect())
        }
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
            let value = f64::from_bits(next(8));
            (sign_of(value.is_sign_negative(), spec), float(value.abs(), conversion, spec))
        }
        _ => return None,
    })
}

fn sign_of(negative: bool, spec: &Spec) -> &'static str {
    match (negative, spec.has('+'), spec.has(' ')) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

/// A float without its sign.
fn float(value: f64, conversion: char, spec: &Spec) -> String {
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        return if conversion.is_uppercase() { text.to_uppercase() } else { text.to_owned() };
    }
    let precision = spec.precision.unwrap_or(6);
    let text = match conversion.to_ascii_lowercase() {
        'f' => format!("{value:.precision$}"),
        'e' => scientific(value, precision),
        'a' => format!("{value:e}"),
        _ => {
            // %g: the shorter of the two, without trailing zeros.
            let digits = precision.max(1);
            let exponent: i32 =
                format!("{value:.*e}", digits - 1).split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
            let text = if exponent < -4 || exponent >= digits as i32 {
                scientific(value, digits - 1)
            } else {
                format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize)
            };
            if spec.has('#') || !text.contains('.') {
                text
            } else {
                let (mantissa, tail) = text.split_at(text.find('e').unwrap_or(text.len()));
                format!("{}{tail}", mantissa.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    };
    if conversion.is_uppercase() { text.to_uppercase() } else { text }
}

fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let number: i32 = exponent.parse().unwrap_or(0);
            let sign = if number < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", number.abs())
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(format: &str, bytes: &[u8]) -> String {
        let mut read = |offset: u64, size: u64| {
            let at = offset as usize;
            bytes[at..at + size as usize].iter().rev().fold(0u64, |v, &b| v << 8 | u64::from(b))
        };
        render(format, &mut read, &mut |_| "text".to_owned()).0
    }

    #[test]
    fn formats_like_c() {
        assert_eq!(
            with("%d|%5d|%-5d|%05d", &[255, 255, 255, 255, 7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0]),
            "-1|    7|7    |00007"
        );
        assert_eq!(with("%x %%", &[255, 0, 0, 0]), "ff %");
        assert_eq!(with("%.2f %g", &[1.5f64.to_le_bytes(), 0.0001f64.to_le_bytes()].concat()), "1.50 0.0001");
        assert_eq!(with("%e", &12345.678f64.to_le_bytes()), "1.234568e+04");
        let two = [1.0f64.to_le_bytes(), 255u64.to_le_bytes()].concat();
        assert_eq!(with("%+07.2f|%#-8lX|%5%|%q", &two), "+001.00|0XFF    |%|%q");
        assert_eq!(
            with("%*d|%.4d|%-*.2s|", &[&[4, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 3], &[0; 3][..], &[1; 8]].concat()),
            "   7|0009|te |"
        );
        // The second argument is aligned to eight.
        assert_eq!(with("%c%lld", &[65, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]), "A9");
    }
}
