//! What do ptxas and nvdisasm report about a kernel?
//!
//! Extracts counts for one kernel from the listings of `ptxas -v` and `nvdisasm -c`, and parses its parameters in PTX.

use crate::manifest::Counts;

/// Resources of `entry` from ptxas's verbose output.
pub fn read_ptxas(text: &str, entry: &str, counts: &mut Counts) {
    if let Some(kernel) = warpwise_listing::resources(text).get(entry) {
        counts.stack = kernel.stack;
        counts.spill_stores = kernel.spill_stores;
        counts.spill_loads = kernel.spill_loads;
        counts.registers = kernel.registers;
        counts.shared = kernel.shared;
    }
}

/// Instruction counts for `entry` from nvdisasm's listing.
pub fn read_sass(text: &str, entry: &str, counts: &mut Counts) {
    let code = warpwise_listing::code(text);
    for opcode in code.get(entry).into_iter().flatten() {
        counts.instructions += 1;
        match opcode.split('.').next().unwrap_or(opcode) {
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

/// Size in bytes of each parameter of `entry` in PTX, or `None` if there is no such kernel.
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
