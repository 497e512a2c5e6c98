//! How is PTX written quickly? Pieces of text and numbers, without the machinery of formatting.

/// Lines of PTX so far.
#[derive(Default)]
pub(super) struct Ptx {
    pub text: String,
}

/// What can be written.
pub(super) trait Piece {
    fn write(self, text: &mut String);
}

impl Piece for &str {
    fn write(self, text: &mut String) {
        text.push_str(self);
    }
}

impl Piece for u32 {
    fn write(mut self, text: &mut String) {
        if self < 10 {
            return text.push(char::from(b'0' + self as u8));
        }
        let mut digits = [0u8; 10];
        let mut first = digits.len();
        while self != 0 {
            first -= 1;
            digits[first] = b'0' + (self % 10) as u8;
            self /= 10;
        }
        text.push_str(std::str::from_utf8(&digits[first..]).unwrap_or_default());
    }
}

/// Adds pieces: `put!(out, "mov.u32 $", operand, ", 0;\n")`.
macro_rules! put {
    ($out:expr, $($piece:expr),+) => {{
        $($crate::map::ptx::Piece::write($piece, &mut $out.text);)+
    }};
}
pub(super) use put;

#[cfg(test)]
mod tests {
    use super::Ptx;

    #[test]
    fn pieces_follow_each_other() {
        let mut ptx = Ptx::default();
        put!(ptx, "add $", 0, ", ", u32::MAX, ", ", 10, ";\n");
        put!(ptx, "ret;");
        assert_eq!(ptx.text, "add $0, 4294967295, 10;\nret;");
    }
}
