//! What do ptxas and nvdisasm say about a kernel?
//!
//! Reads the text of `ptxas -v` and of `nvdisasm -c`; both print one part per kernel.

use crate::manifest::Counts;

/// Numbers for `entry` from ptxas's verbose output.
pub fn read_ptxas(text: &str, entry: &str, counts: &mut Counts) {
    let mut ours = false;
    for line in text.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            ours = rest.split('\'').next() == Some(entry);
        } else if let Some(name) = line.split("Function properties for ").nth(1) {
            // Device functions that were not inlined have properties of their own.
            ours = name.trim() == entry;
        } else if ours {
            let before = |what: &str| number_before(line, what);
            counts.stack = before(" bytes stack frame").unwrap_or(counts.stack);
            counts.spill_stores = before(" bytes spill stores").unwrap_or(counts.spill_stores);
            counts.spill_loads = before(" bytes spill loads").unwrap_or(counts.spill_loads);
            counts.registers = before(" registers").unwrap_or(counts.registers);
            counts.shared = before(" bytes smem").unwrap_or(counts.shared);
        }
    }
}

fn number_before(line: &str, what: &str) -> Option<u32> {
    let head = &line[..line.find(what)?];
    head.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Instruction counts for `entry` from nvdisasm's listing.
pub fn read_sass(text: &str, entry: &str, counts: &mut Counts) {
    let mut ours = false;
    for line in text.lines() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix(".section") {
            ours = section.trim_start().strip_prefix(".text.").and_then(|s| s.split(',').next()) == Some(entry);
            continue;
        }
        // `/*0040*/ @P0 BRA `(.L_x_1) ;`
        let Some(code) = line.strip_prefix("/*").and_then(|l| l.split_once("*/")).map(|(_, code)| code.trim()) else {
            continue;
        };
        if !ours || code.is_empty() {
            continue;
        }
        let code = if code.starts_with('@') { code.split_once(' ').map_or("", |(_, c)| c.trim()) } else { code };
        let opcode = code.split([' ', ';', '.']).next().unwrap_or("");
        counts.instructions += 1;
        match opcode {
            "BSSY" => counts.bssy += 1,
            "BSYNC" => counts.bsync += 1,
            "LDL" => counts.local_loads += 1,
            "STL" => counts.local_stores += 1,
            "BRA" => counts.branches += 1,
            "VOTE" | "VOTEU" => counts.votes += 1,
            "NOP" => counts.instructions -= 1, // padding
            _ => {}
        }
    }
}

/// The bytes of each parameter of `entry` in PTX, or `None` where there is no such kernel.
pub fn ptx_params(ptx: &str, entry: &str) -> Option<Vec<usize>> {
    let body = ptx.split(".entry ").find_map(|part| {
        let rest = part.strip_prefix(entry)?;
        rest.starts_with(['(', ' ', '\n']).then_some(rest)
    })?;
    let list = body.split(['{', ';']).next()?;
    Some(
        list.lines()
            .filter_map(|line| line.trim().strip_prefix(".param "))
            .map(|param| {
                let bits = param.split_whitespace().next().unwrap_or("").trim_start_matches(['.', 'u', 'b', 's', 'f']);
                bits.parse::<usize>().unwrap_or(0) / 8
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptxas_numbers_belong_to_their_kernel() {
        let text = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a_by_hand' for 'sm_90'
ptxas info    : Function properties for a_by_hand
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 6144 bytes smem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    88 bytes stack frame, 84 bytes spill stores, 120 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 88 bytes cumulative stack size
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
";
        let mut counts = Counts::default();
        read_ptxas(text, "a", &mut counts);
        let expected = Counts { registers: 32, stack: 88, spill_stores: 84, spill_loads: 120, ..Counts::default() };
        assert_eq!(counts, expected);
        let mut counts = Counts::default();
        read_ptxas(text, "a_by_hand", &mut counts);
        assert_eq!((counts.registers, counts.shared), (40, 6144));
    }

    #[test]
    fn sass_is_counted_per_kernel() {
        let text = "\
\t.section\t.text.a,\"ax\",@progbits
.text.a:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   BSSY B0, `(.L_x_0) ;
        /*0020*/              @!P0 BRA `(.L_x_1) ;
        /*0030*/               @P1 STL.64 [R1], R2 ;
        /*0040*/                   BSYNC B0 ;
        /*0050*/                   NOP;
\t.section\t.text.b,\"ax\",@progbits
        /*0000*/                   LDL R1, [R2] ;
";
        let mut counts = Counts::default();
        read_sass(text, "a", &mut counts);
        let expected = Counts { instructions: 5, bssy: 1, bsync: 1, branches: 1, local_stores: 1, ..Counts::default() };
        assert_eq!(counts, expected);
    }

    #[test]
    fn parameters_of_ptx() {
        let ptx = ".visible .entry k_by_hand(\n.param .u64 k_0\n)\n{}\n.visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n\t.param .u32 k_param_1,\n\t.param .f64 k_param_2\n)\n.maxntid 256\n{\n";
        assert_eq!(ptx_params(ptx, "k").unwrap(), [8, 4, 8]);
        assert_eq!(ptx_params(ptx, "k_by_hand").unwrap(), [8]);
        assert_eq!(ptx_params(ptx, "absent"), None);
    }
}
