//! How is PTX written quickly? Text with numbers in it, without the machinery of formatting.

/// Lines of PTX so far.
#[derive(Default)]
pub(super) struct Ptx {
    pub text: String,
}

impl Ptx {
    /// Adds text; each `#` becomes the next number.
    pub fn put(&mut self, text: &str, numbers: &[u32]) {
        let mut numbers = numbers.iter();
        let mut rest = text;
        while let Some(at) = rest.find('#') {
            self.text.push_str(&rest[..at]);
            if let Some(&number) = numbers.next() {
                self.number(number);
            }
            rest = &rest[at + 1..];
        }
        self.text.push_str(rest);
        debug_assert!(numbers.next().is_none());
    }

    /// Adds a number.
    pub fn number(&mut self, mut number: u32) {
        let mut digits = [0u8; 10];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.text.extend(digits[first..].iter().map(|&digit| char::from(digit)));
    }
}

#[cfg(test)]
mod tests {
    use super::Ptx;

    #[test]
    fn numbers_stand_in_their_places() {
        let mut ptx = Ptx::default();
        ptx.put("add $#, #;\n", &[0, u32::MAX]);
        ptx.put("ret;", &[]);
        assert_eq!(ptx.text, "add $0, 4294967295;\nret;");
    }
}
