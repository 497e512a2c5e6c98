//! What does `ptxas` report for a kernel? [`assemble`] runs it in a temporary folder and reads its messages and its
//! output.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use warpwise_analysis::cost::frequency::of_machine_code;
use warpwise_listing::{self as listing, Resources};

/// What is known about the machine code of one kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Measured {
    pub resources: Resources,
    /// Bytes that the machine code loads from and stores to local memory, weighted by loop depth; `None` if the code
    /// cannot be read.
    pub weighted: Option<u64>,
}

impl Measured {
    /// Bytes that go to local memory: weighted by loop depth, or else the sum of the frame, spill stores and spill
    /// loads.
    pub fn local(&self) -> u64 {
        let Resources { stack, spill_stores, spill_loads, .. } = self.resources;
        self.weighted.unwrap_or_else(|| (stack + spill_stores + spill_loads).into())
    }
}

/// Measurements by kernel name.
pub type Measurements = BTreeMap<String, Measured>;

/// Bytes loaded from and stored to local memory, weighted by loop depth.
fn weigh(code: &listing::Code<'_>) -> u64 {
    code.local_accesses().map(|(bytes, depth)| bytes * of_machine_code(depth)).sum()
}

/// Assembles PTX for a chip and measures its kernels.
pub fn assemble(ptxas: &Path, ptx: &str, cpu: &str, flags: &[String]) -> Result<Measurements, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let source = folder.path().join("kernel.ptx");
    std::fs::write(&source, ptx).map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    let output = Command::new(ptxas)
        .args(["-v", "-O3", &format!("-arch={cpu}")])
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(folder.path().join("kernel.cubin"))
        .output()
        .map_err(|error| format!("cannot run {}: {error}", ptxas.display()))?;
    let said = format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    if !output.status.success() {
        let said = said.trim();
        return Err(if said.is_empty() {
            format!("it ends without a word, {}", output.status)
        } else {
            said.to_owned()
        });
    }
    let mut found: Measurements = listing::resources(&said)
        .into_iter()
        .map(|(name, resources)| (name, Measured { resources, weighted: None }))
        .collect();
    let disassembler = ptxas.with_file_name("nvdisasm");
    if disassembler.is_file()
        && let Ok(output) = Command::new(disassembler).arg("-c").arg(folder.path().join("kernel.cubin")).output()
    {
        let text = String::from_utf8_lossy(&output.stdout);
        let code = listing::code(&text);
        for (name, kernel) in &mut found {
            kernel.weighted = code.get(name.as_str()).map(weigh);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_count_by_their_loops() {
        let text = "\
.text.a:
        /*0000*/                   STL.64 [R1], R2 ;
.L_x_0:
        /*0010*/                   LDL R2, [R1] ;
.L_x_1:
        /*0020*/              @!P0 LDL.128 R4, [R1] ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0040*/                   BRA `(.L_x_0) ;
";
        assert_eq!(weigh(&listing::code(text)["a"]), 8 + 4 * 8 + 16 * 64);
    }

    #[test]
    fn without_the_code_the_frame_and_the_spills_count() {
        let resources = Resources { registers: 32, stack: 88, spill_stores: 84, spill_loads: 120, shared: 512 };
        assert_eq!(Measured { resources, weighted: None }.local(), 292);
        assert_eq!(Measured { resources, weighted: Some(8) }.local(), 8);
    }
}
