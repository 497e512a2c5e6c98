//! What do `ptxas -v` and `nvdisasm -c` print about each kernel? The only parser of both.

use std::collections::BTreeMap;

/// What `ptxas -v` prints about one kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Resources {
    /// Number of 32-bit registers of a thread.
    pub registers: u32,
    /// Size of a thread's stack frame in bytes.
    pub stack: u32,
    /// Bytes stored and loaded by spill instructions in the code.
    pub spill_stores: u32,
    pub spill_loads: u32,
    /// Bytes of static shared memory per block.
    pub shared: u32,
}

/// Parses the output of `ptxas -v`, by kernel. Functions that were not inlined have properties of their own and are
/// left out.
pub fn resources(text: &str) -> BTreeMap<String, Resources> {
    let mut found = BTreeMap::<String, Resources>::new();
    let mut current: Option<&str> = None;
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            current = rest.split('\'').next();
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            current = current.filter(|&known| known == name.trim());
        } else if let Some(name) = current {
            let kernel = found.entry(name.to_owned()).or_default();
            let before = |what: &str| {
                let head = &line[..line.find(what)?];
                head.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
            };
            kernel.stack = before(" bytes stack frame").unwrap_or(kernel.stack);
            kernel.spill_stores = before(" bytes spill stores").unwrap_or(kernel.spill_stores);
            kernel.spill_loads = before(" bytes spill loads").unwrap_or(kernel.spill_loads);
            kernel.registers = before(" registers").unwrap_or(kernel.registers);
            kernel.shared = before(" bytes smem").unwrap_or(kernel.shared);
        }
    }
    found
}

/// Parses the output of `nvdisasm -c`: by kernel, opcodes with their modifiers, such as `LDL.64`, without guards and
/// operands.
pub fn code(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut found = BTreeMap::<&str, Vec<&str>>::new();
    let mut current = None;
    for line in text.lines() {
        if let Some(section) = line.trim_start().strip_prefix(".section") {
            current = section.trim_start().strip_prefix(".text.").and_then(|rest| rest.split(',').next());
        } else if let Some(name) = line.strip_prefix(".text.").and_then(|rest| rest.strip_suffix(':')) {
            current = Some(name);
            found.entry(name).or_default();
        } else if let Some(name) = current
            && let Some((_, words)) = line.trim_start().strip_prefix("/*").and_then(|rest| rest.split_once("*/"))
            && let Some(word) = words.split_whitespace().find(|word| !word.starts_with('@'))
        {
            found.entry(name).or_default().push(word.trim_end_matches(';'));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_belong_to_their_kernel() {
        let text = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a_by_hand' for 'sm_90'
ptxas info    : Function properties for a_by_hand
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 6144 bytes smem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    88 bytes stack frame, 84 bytes spill stores, 120 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 88 bytes cumulative stack size, 512 bytes smem
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
";
        let found = resources(text);
        let expected = Resources { registers: 32, stack: 88, spill_stores: 84, spill_loads: 120, shared: 512 };
        assert_eq!(found["a"], expected);
        assert_eq!((found["a_by_hand"].registers, found["a_by_hand"].shared), (40, 6144));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn code_belongs_to_its_kernel() {
        let text = "\
\t.section\t.text.a,\"ax\",@progbits
.text.a:
        /*0000*/                   STL.64 [R1], R2 ;
.L_x_0:
        /*0010*/                   LDL R2, [R1] ;
                                                     /* 0x000000 */
.L_x_1:
        /*0020*/              @!P0 LDL.128 R4, [R1] ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0040*/                   BRA `(.L_x_0) ;
.L_x_2:
        /*0050*/                   NOP;
        /*0060*/                   BRA `(.L_x_2);
\t.section\t.text.b,\"ax\",@progbits
        /*0000*/                   EXIT ;
\t.section\t.nv.info
        /*0000*/                   .byte 0 ;
";
        let found = code(text);
        assert_eq!(found["a"], ["STL.64", "LDL", "LDL.128", "BRA", "BRA", "NOP", "BRA"]);
        assert_eq!(found["b"], ["EXIT"]);
    }
}
