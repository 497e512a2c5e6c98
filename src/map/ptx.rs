//! How is PTX emitted quickly? As pieces of text and numbers, without the formatting machinery.

/// The PTX emitted so far.
#[derive(Default)]
pub(super) struct Ptx {
    pub text: String,
}

/// Appends pieces: `put!(out, "mov.u32 $", operand, ", 0;\n")`.
macro_rules! put {
    ($out:expr, $($piece:expr),+) => {{
        $($crate::map::ptx::Piece::write($piece, &mut $out.text);)+
    }};
}
pub(super) use put;

impl Ptx {
    /// Emits the address of this multiprocessor's replica, into a register, given the operand that is the counters'
    /// address; uses `x`.
    pub fn replica(&mut self, into: &str, counters: u32, (replicas, words): (u32, u32)) {
        put!(self, "mov.u32 x, %smid;\nand.b32 x, x, ", replicas - 1, ";\nmad.wide.u32 ", into);
        put!(self, ", x, ", WORD * words, ", $", counters, ";\n");
    }
}

/// Size of a counter in bytes.
pub(super) const WORD: u32 = 8;

/// What can be appended.
pub(super) trait Piece {
    fn write(self, text: &mut String);
}

impl Piece for &str {
    fn write(self, text: &mut String) {
        text.push_str(self);
    }
}

impl Piece for u32 {
    fn write(self, text: &mut String) {
        text.push_str(itoa::Buffer::new().format(self));
    }
}

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
